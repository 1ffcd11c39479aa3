/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc: a double of NVRTC for tests: the C compiler makes code for the host of CUDA C (tests/doubles/kernel_shim.h,
 * fragment_shim.h). NVRTC_DOUBLE: "version=12040,oldest=70,newest=89" says what it is. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef KERNEL_SHIM /* the Makefile says where it is */
#define KERNEL_SHIM "tests/doubles/fragment_shim.h"
#endif
#define API __attribute__((visibility("default")))
enum { FAILED = 6, BAD_OPTION = 5 };
static const int KNOWN[] = {90, 75, 80, 86, 70, 87, 89};

struct program {
    char *source, *log, *code;
    size_t bytes;
    int ptx;
};

static int number(const char *name, int fallback)
{
    const char *all = getenv("NVRTC_DOUBLE"), *at = all ? strstr(all, name) : NULL;
    return at ? atoi(at + strlen(name) + 1) : fallback;
}

API int nvrtcVersion(int *major, int *minor)
{
    *major = number("version", 13000) / 1000;
    *minor = number("version", 13000) % 1000 / 10;
    return 0;
}

API int nvrtcGetSupportedArchs(int *list)
{
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (KNOWN[i] >= number("oldest", 75) && KNOWN[i] <= number("newest", 90))
            *list++ = KNOWN[i];
    return 0;
}

API int nvrtcGetNumSupportedArchs(int *n)
{
    *n = 0;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        *n += KNOWN[i] >= number("oldest", 75) && KNOWN[i] <= number("newest", 90);
    return 0;
}

API int nvrtcCreateProgram(void **program, const char *source, const char *name, int n, const char *const *headers,
                           const char *const *names)
{
    struct program *p = calloc(1, sizeof *p);
    (void)name, (void)n, (void)headers, (void)names;
    p->source = strdup(source);
    *program = p;
    return 0;
}

API int nvrtcDestroyProgram(void **program)
{
    struct program *p = *program;
    free(p->source);
    free(p->log);
    free(p->code);
    free(p);
    *program = NULL;
    return 0;
}

/* The kernels with their numbers of parameters, for the driver's double. */
static void write_counts(FILE *f, const char *source)
{
    for (const char *at = source; (at = strstr(at, " kernel_")); at++) {
        int name = 7 + (int)strspn(at + 8, "0123456789"), count = 1;
        if (name == 7 || at[1 + name] != '(') /* a tensor, such as kernel_vec, or kernel_1 of a tensor `kernel` */
            continue;
        for (const char *c = at; *c && *c != ')'; c++)
            count += *c == ',';
        fprintf(f, "const int %.*s_parameters = %d;\n", name, at + 1, count);
    }
}

/* Where the functions in front end, which are of PTX: the shim has them. */
static const char *after_functions(const char *source)
{
    static const char DEVICE[] = "static __device__ ", END[] = "\n}\n";
    for (const char *at; (at = strstr(source, DEVICE)) && (at = strstr(at, END));)
        source = at + sizeof END - 1;
    return source;
}

static void write_source(FILE *f, const char *source)
{
    static const char LINKAGE[] = "extern \"C\" ";
    fprintf(f, "#include \"%s\"\ntypedef unsigned short ushort;\n", KERNEL_SHIM);
    for (const char *at = after_functions(source); *at;) {
        const char *next = strstr(at, LINKAGE);
        size_t n = next ? (size_t)(next - at) : strlen(at);
        fwrite(at, 1, n, f);
        at += n + (next ? sizeof LINKAGE - 1 : 0);
    }
    write_counts(f, source);
}

/* The first MOST bytes of a file. */
static char *read_all(const char *path, size_t *bytes)
{
    enum { MOST = 8 << 20 };
    FILE *f = fopen(path, "re");
    char *all = f ? calloc(1, MOST + 1) : NULL;
    *bytes = all ? fread(all, 1, MOST, f) : 0;
    if (f)
        fclose(f);
    return all;
}

static int host_compile(struct program *p, const char *folder)
{
    char c[256], so[256], log[256], command[2048];
    snprintf(c, sizeof c, "%s/k.c", folder);
    snprintf(so, sizeof so, "%s/k.so", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    FILE *f = fopen(c, "we");
    if (!f)
        return FAILED;
    write_source(f, p->source);
    fclose(f);
    snprintf(command, sizeof command,
             "exec ${CUDA_DOUBLE_CC:-cc} -std=gnu17 -O1 -w -fPIC -shared %s -o %s -lm >%s 2>&1", c, so, log);
    size_t n, bytes = 0;
    int status = system(command) == 0 ? 0 : FAILED;
    char *made = status ? NULL : read_all(so, &bytes);
    p->log = read_all(log, &n);
    p->bytes = 16 + bytes;
    p->code = calloc(1, p->bytes);
    memcpy(p->code, "HOSTCODE", 8);
    memcpy(p->code + 8, &(uint64_t){bytes}, 8);
    if (made)
        memcpy(p->code + 16, made, bytes);
    free(made);
    unlink(c);
    unlink(so);
    unlink(log);
    return status;
}

API int nvrtcCompileProgram(void *program, int n, const char *const *options)
{
    struct program *p = program;
    char folder[] = "/tmp/nvrtc-XXXXXX";
    int architecture = 0, known = 0;
    for (int i = 0; i < n; i++)
        if (sscanf(options[i], "--gpu-architecture=sm_%d", &architecture) != 1 &&
            sscanf(options[i], "--gpu-architecture=compute_%d", &architecture) == 1)
            p->ptx = 1;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        known |=
            KNOWN[i] == architecture && architecture >= number("oldest", 75) && architecture <= number("newest", 90);
    if (!known)
        return BAD_OPTION;
    if (!mkdtemp(folder))
        return FAILED;
    int status = host_compile(p, folder);
    rmdir(folder);
    return status;
}

API int nvrtcGetProgramLogSize(void *program, size_t *n)
{
    const struct program *p = program;
    *n = p->log ? strlen(p->log) + 1 : 0;
    return 0;
}

API int nvrtcGetProgramLog(void *program, char *log)
{
    const struct program *p = program;
    strcpy(log, p->log ? p->log : "");
    return 0;
}

API int nvrtcGetCUBINSize(void *program, size_t *n)
{
    const struct program *p = program;
    *n = p->ptx ? 0 : p->bytes;
    return 0;
}

API int nvrtcGetCUBIN(void *program, char *code)
{
    const struct program *p = program;
    memcpy(code, p->code, p->bytes);
    return 0;
}

API int nvrtcGetPTXSize(void *program, size_t *n)
{
    const struct program *p = program;
    *n = p->bytes;
    return 0;
}

API int nvrtcGetPTX(void *program, char *code)
{
    const struct program *p = program;
    memcpy(code, p->code, p->bytes);
    return 0;
}
