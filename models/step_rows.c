/* SPDX-License-Identifier: Apache-2.0 */
/* step_rows: arguments in TLP's order. Scopes and unroll limits are small codes there. */
#include "models/step_rows.h"

#include <string.h>

struct numbers { /* of one row; what does not fit is dropped */
    float *at;
    int n, most;
};

static void put(struct numbers *r, int64_t v)
{
    if (r->n < r->most)
        r->at[r->n++] = (float)v;
}

static int kind_flag(enum step_kind k, bool gpu)
{
    static const enum step_kind on_gpu[STEP_ROWS_KINDS] = {STEP_AN, STEP_CHR, STEP_CHW, STEP_CI, STEP_CA, STEP_FFSP,
                                                           STEP_SP, STEP_FU,  STEP_RE,  STEP_PR, STEP_FSP},
                                on_cpu[STEP_ROWS_KINDS] = {STEP_AN, STEP_RF, STEP_CHW, STEP_CI, STEP_CA, STEP_CR,
                                                           STEP_SP, STEP_FU, STEP_RE,  STEP_PR, STEP_FSP};
    for (int i = 0; i < STEP_ROWS_KINDS; i++)
        if ((gpu ? on_gpu : on_cpu)[i] == k)
            return i;
    return -1;
}

static int scope_code(const char *scope)
{
    return strcmp(scope, "local") == 0 ? 1 : strcmp(scope, "shared") == 0 ? 2 : 3;
}

static int unroll_code(int64_t limit)
{
    return limit == 0 ? 1 : limit == 16 ? 2 : limit == 64 ? 3 : limit == 1024 ? 4 : limit == 512 ? 5 : 0;
}

/* What follows the stage: i iter, v value, w value2, x extent, t target, f flag, L list, u the unroll limit's code, s
 * the scope's, 1 itself. */
static const char *const ARGUMENTS[STEP_COUNT] = {
    [STEP_AN] = "iv",   [STEP_FU] = "L",   [STEP_RE] = "L",      [STEP_PR] = "iu", [STEP_SP] = "ixLf",
    [STEP_FSP] = "ivw", [STEP_SA] = "ivw", [STEP_FFSP] = "iLvf", [STEP_CA] = "ti", [STEP_CHR] = "1L",
    [STEP_CHW] = "s",   [STEP_RF] = "iv",  [STEP_RI] = "v",      [STEP_CI] = "",   [STEP_CR] = ""};

static void put_arguments(struct numbers *r, const struct step *s)
{
    for (const char *c = ARGUMENTS[s->kind]; *c; c++) {
        for (int i = 0; *c == 'L' && i < s->n; i++)
            put(r, s->list[i]);
        if (*c != 'L')
            put(r, *c == 'i'   ? s->iter
                   : *c == 'v' ? s->value
                   : *c == 'w' ? s->value2
                   : *c == 'x' ? s->extent
                   : *c == 't' ? s->target
                   : *c == 'f' ? s->flag
                   : *c == 'u' ? unroll_code(s->value)
                   : *c == 's' ? scope_code(s->text)
                               : 1);
    }
}

void step_rows(const struct step *steps, int n, bool gpu, float *out)
{
    int rows = gpu ? STEP_ROWS_GPU : STEP_ROWS_CPU, width = gpu ? STEP_ROWS_GPU_WIDTH : STEP_ROWS_CPU_WIDTH;
    memset(out, 0, sizeof *out * (size_t)(rows * width));
    for (int i = 0; i < n && i < rows; i++) {
        float *row = out + (size_t)(i * width);
        int flag = kind_flag(steps[i].kind, gpu);
        struct numbers r = {.at = row + STEP_ROWS_KINDS, .most = width - STEP_ROWS_KINDS};
        if (flag >= 0)
            row[flag] = 1;
        put(&r, steps[i].stage);
        put_arguments(&r, &steps[i]);
    }
}
