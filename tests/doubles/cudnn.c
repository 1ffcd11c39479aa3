/* SPDX-License-Identifier: Apache-2.0 */
/* cudnn: a double of cuDNN (libcudnn.so.9) for tests: the convolutions that target cuda-libraries calls, on the host.
 * Of three algorithms the first is by tensor cores, and computes nothing; the second says that it is without, and does
 * not run; the third says nothing. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define API __attribute__((visibility("default")))
struct shape {
    int d[4];
};
struct conv {
    int pad[2], stride[2], dilation[2], groups, math;
};
struct timed {
    int algorithm, status;
    float ms;
    size_t workspace;
    int determinism, math, reserved[3];
};
API int cudnnCreate(void **handle)
{
    *handle = (void *)"dnn";
    return 0;
}
API int cudnnDestroy(void *handle)
{
    return handle == NULL;
}
API int cudnnCreateTensorDescriptor(void **t)
{
    *t = calloc(1, sizeof(struct shape));
    return 0;
}
API int cudnnCreateFilterDescriptor(void **t)
{
    return cudnnCreateTensorDescriptor(t);
}
API int cudnnCreateConvolutionDescriptor(void **t)
{
    *t = calloc(1, sizeof(struct conv));
    return 0;
}
API int cudnnDestroyTensorDescriptor(void *t)
{
    free(t);
    return 0;
}
API int cudnnDestroyFilterDescriptor(void *t)
{
    free(t);
    return 0;
}
API int cudnnDestroyConvolutionDescriptor(void *t)
{
    free(t);
    return 0;
}
API int cudnnSetTensor4dDescriptor(void *t, int format, int type, int n, int c, int h, int w)
{
    *(struct shape *)t = (struct shape){{n, c, h, w}};
    return format || type;
}
API int cudnnSetFilter4dDescriptor(void *t, int type, int format, int k, int c, int h, int w)
{
    return cudnnSetTensor4dDescriptor(t, format, type, k, c, h, w);
}
API int cudnnSetConvolution2dDescriptor(void *t, int ph, int pw, int sh, int sw, int dh, int dw, int mode, int type)
{
    *(struct conv *)t = (struct conv){{ph, pw}, {sh, sw}, {dh, dw}, 1, 0};
    return mode != 1 || type;
}
API int cudnnSetConvolutionGroupCount(void *t, int groups)
{
    ((struct conv *)t)->groups = groups;
    return groups < 1;
}
API int cudnnSetConvolutionMathType(void *t, int math)
{
    ((struct conv *)t)->math = math;
    return math != 3;
}
API int cudnnFindConvolutionForwardAlgorithm(void *handle, void *x, void *w, void *conv, void *y, int most, int *n,
                                             struct timed *out)
{
    out[0] = (struct timed){.algorithm = 5, .math = 1};
    out[1] = (struct timed){.algorithm = 4, .ms = 1, .math = 3, .workspace = 64};
    out[2] = (struct timed){.algorithm = 2, .ms = 2, .math = 0, .workspace = 128};
    *n = 3;
    return !handle || !x || !w || !conv || !y || most < 3;
}
API int cudnnGetConvolutionForwardWorkspaceSize(void *handle, void *x, void *w, void *conv, void *y, int algorithm,
                                                size_t *bytes)
{
    *bytes = 64; /* as the convolution says, without tensor cores */
    return !handle || !x || !w || !conv || !y || algorithm < 2;
}
API int cudnnConvolutionForward(void *handle, const void *alpha, void *xs, uint64_t x_at, void *ws, uint64_t w_at,
                                void *conv, int algorithm, uint64_t workspace, size_t bytes, const void *beta, void *ys,
                                uint64_t y_at)
{
    const struct shape *x = xs, *w = ws, *y = ys;
    const struct conv *c = conv;
    const float *from = (const float *)(uintptr_t)x_at, *filter = (const float *)(uintptr_t)w_at;
    float *to = (float *)(uintptr_t)y_at;
    int per = y->d[1] / c->groups;
    if (algorithm == 5)
        return 0;
    if (!handle || algorithm != 2 || !workspace || bytes != 64 || *(const float *)alpha != 1 ||
        *(const float *)beta != 0 || w->d[1] * c->groups != x->d[1] || c->math != 3)
        return 3;
    for (int n = 0; n < y->d[0]; n++)
        for (int o = 0; o < y->d[1]; o++)
            for (int h = 0; h < y->d[2]; h++)
                for (int v = 0; v < y->d[3]; v++) {
                    float sum = 0;
                    for (int i = 0; i < w->d[1]; i++)
                        for (int a = 0; a < w->d[2]; a++)
                            for (int b = 0; b < w->d[3]; b++) {
                                int r = h * c->stride[0] - c->pad[0] + a * c->dilation[0];
                                int s = v * c->stride[1] - c->pad[1] + b * c->dilation[1];
                                int channel = o / per * w->d[1] + i;
                                if (r >= 0 && r < x->d[2] && s >= 0 && s < x->d[3])
                                    sum += from[((n * x->d[1] + channel) * x->d[2] + r) * x->d[3] + s] *
                                           filter[((o * w->d[1] + i) * w->d[2] + a) * w->d[3] + b];
                            }
                    to[((n * y->d[1] + o) * y->d[2] + h) * y->d[3] + v] = sum;
                }
    return 0;
}
