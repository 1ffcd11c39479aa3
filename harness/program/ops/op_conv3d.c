/* SPDX-License-Identifier: Apache-2.0 */
/* op_conv3d: three-dimensional convolution with its epilogue in NCDHW (filters OIDHW) and NDHWC (filters DHWIO), as
 * topi's nn/conv3d.py makes it: pad_temp always, then conv3d_ncdhw or conv3d_ndhwc. */
#include "harness/program/ops/epilogue.h"
#include "harness/program/ops/keys.h"
#include "harness/program/ops/ops.h"
#include "harness/program/ops/window.h"

struct conv3d_options {
    int64_t n, ci, di, hi, wi, co, kd, kh, kw, dout, ho, wo, sd, sh, sw;
    const char *pd, *ph, *pw;
    int layout, dtype;
    struct epilogue tail;
    struct window side[3]; /* derived: depth, height, width */
};

enum layout3 { NCDHW, NDHWC };
static const char *const LAYOUTS[] = {"ncdhw", "ndhwc", NULL};

static const struct setting KEYS[] = {
    KEY_ONE(struct conv3d_options, n, "batch"),
    KEY_NEEDED(struct conv3d_options, ci, "input channels"),
    KEY_NEEDED(struct conv3d_options, di, "input depth"),
    KEY_NEEDED(struct conv3d_options, hi, "input height"),
    KEY_NEEDED(struct conv3d_options, wi, "input width"),
    KEY_NEEDED(struct conv3d_options, co, "output channels"),
    KEY_NEEDED(struct conv3d_options, kd, "filter depth"),
    KEY_NEEDED(struct conv3d_options, kh, "filter height"),
    KEY_NEEDED(struct conv3d_options, kw, "filter width"),
    KEY_ZERO(struct conv3d_options, dout, "output depth; follows from the others"),
    KEY_ZERO(struct conv3d_options, ho, "output height; follows from the others"),
    KEY_ZERO(struct conv3d_options, wo, "output width; follows from the others"),
    KEY_ONE(struct conv3d_options, sd, "stride in depth"),
    KEY_ONE(struct conv3d_options, sh, "stride in height"),
    KEY_ONE(struct conv3d_options, sw, "stride in width"),
    KEY_PAD(struct conv3d_options, pd, "padding in depth, 'front,back' when they differ"),
    KEY_PAD(struct conv3d_options, ph, "padding in height, 'top,bottom' when they differ"),
    KEY_PAD(struct conv3d_options, pw, "padding in width, 'left,right' when they differ"),
    KEY_CHOICE(struct conv3d_options, layout, "layout of the data", "ncdhw", LAYOUTS),
    EPILOGUE_KEYS(struct conv3d_options, tail),
    KEY_INPUTS(struct conv3d_options, dtype),
    {0},
};

static bool solve(struct graph *g, struct conv3d_options *c, struct err *err)
{
    struct arena *a = g->arena;
    if (!epilogue_check(&c->tail, err))
        return false;
    c->side[0] = (struct window){.in = c->di, .kernel = c->kd, .stride = c->sd, .dilation = 1};
    c->side[1] = (struct window){.in = c->hi, .kernel = c->kh, .stride = c->sh, .dilation = 1};
    c->side[2] = (struct window){.in = c->wi, .kernel = c->kw, .stride = c->sw, .dilation = 1};
    return window_solve(a, &c->side[0], 'd', &c->pd, &c->dout, err) &&
           window_solve(a, &c->side[1], 'h', &c->ph, &c->ho, err) &&
           window_solve(a, &c->side[2], 'w', &c->pw, &c->wo, err);
}

static const struct op *channels_first(struct graph *g, const struct conv3d_options *c)
{
    const struct window *s = c->side;
    const struct op *data = graph_input(g, NULL, 5, (int64_t[]){c->n, c->ci, c->di, c->hi, c->wi});
    const struct op *filter = graph_weight(g, NULL, 5, (int64_t[]){c->co, c->ci, c->kd, c->kh, c->kw});
    data = window_pad(g, data, &(struct padding){"pad_temp", PAD_CONV, 2, 3, c->side, 0});
    const struct axis axes[] = {{"nn", c->n},  {"ff", c->co}, {"yy", c->dout}, {"xx", c->ho}, {"zz", c->wo},
                                {"rc", c->ci}, {"ry", c->kd}, {"rx", c->kh},   {"rz", c->kw}};
    const struct expr *x[9];
    graph_index(g, x, 9);
    return graph_product(
        g,
        (struct op){
            .name = "conv3d_ncdhw", .tag = "conv3d_ncdhw", .axes = axes, .nspatial = 5, .nreduce = 4, .nrewritten = 1},
        graph_read(g, data, x[0], x[5], window_index(g, &s[0], 2, 6), window_index(g, &s[1], 3, 7),
                   window_index(g, &s[2], 4, 8)),
        graph_read(g, filter, x[1], x[5], x[6], x[7], x[8]));
}

static const struct op *channels_last(struct graph *g, const struct conv3d_options *c)
{
    const struct window *s = c->side;
    const struct op *data = graph_input(g, NULL, 5, (int64_t[]){c->n, c->di, c->hi, c->wi, c->ci});
    const struct op *filter = graph_weight(g, NULL, 5, (int64_t[]){c->kd, c->kh, c->kw, c->ci, c->co});
    data = window_pad(g, data, &(struct padding){"pad_temp", PAD_CONV, 1, 3, c->side, 0});
    const struct axis axes[] = {{"nn", c->n},  {"yy", c->dout}, {"xx", c->ho}, {"zz", c->wo}, {"ff", c->co},
                                {"ry", c->kd}, {"rx", c->kh},   {"rz", c->kw}, {"rc", c->ci}};
    const struct expr *x[9];
    graph_index(g, x, 9);
    return graph_product(
        g,
        (struct op){
            .name = "conv3d_ndhwc", .tag = "conv3d_ndhwc", .axes = axes, .nspatial = 5, .nreduce = 4, .nrewritten = 1},
        graph_read(g, data, x[0], window_index(g, &s[0], 1, 5), window_index(g, &s[1], 2, 6),
                   window_index(g, &s[2], 3, 7), x[8]),
        graph_read(g, filter, x[5], x[6], x[7], x[8], x[4]));
}

static bool build(struct graph *g, void *options, struct err *err)
{
    struct conv3d_options *c = options;
    if (!solve(g, c, err))
        return false;
    bool first = c->layout == NCDHW;
    g->inputs = graph_input_type(c->dtype);
    const struct op *out = first ? channels_first(g, c) : channels_last(g, c);
    g->inputs = DTYPE_F32;
    epilogue_add(g, &c->tail, out, first ? (int64_t[]){1, c->co, 1, 1, 1} : (int64_t[]){1, 1, 1, 1, c->co});
    g->name = arena_printf(g->arena, "conv3d %lldx%lldx%lldx%lld -> %lld %lldx%lldx%lld/%lld%s%s", (long long)c->ci,
                           (long long)c->di, (long long)c->hi, (long long)c->wi, (long long)c->co, (long long)c->kd,
                           (long long)c->kh, (long long)c->kw, (long long)c->sh, epilogue_name(g->arena, &c->tail),
                           c->dtype ? " float16" : "");
    return true;
}

OPERATOR(conv3d, "three-dimensional convolution with its epilogue", struct conv3d_options, build);
