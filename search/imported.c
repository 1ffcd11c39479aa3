/* SPDX-License-Identifier: Apache-2.0 */
/* imported: stands for the search that imported records are of (`raingauge import`): which one it was their file does
 * not say. It proposes nothing. */
#include "harness/plug/searcher.h"

static bool imported_open(void *self, struct searcher_env *env, struct err *err)
{
    (void)self, (void)env, (void)err;
    return true;
}

static bool imported_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    (void)self, (void)a, (void)max, (void)out, (void)err;
    *n = 0;
    return true;
}

static bool imported_tell(void *self, const struct candidate *c, const struct sample *s, int n, struct err *err)
{
    (void)self, (void)c, (void)s, (void)n, (void)err;
    return true;
}

const struct searcher searcher_imported = {.name = "imported",
                                           .summary =
                                               "the search of imported records, whichever it was; proposes nothing",
                                           .state_size = 1,
                                           .open = imported_open,
                                           .ask = imported_ask,
                                           .tell = imported_tell};
