/* SPDX-License-Identifier: Apache-2.0 */
/* measurers: conditions are known by their text. */
#include "harness/tune/measurers.h"

#include "harness/base/text.h"

bool measurers_get(struct measurers *m, const struct conditions *under, struct measured_under *out, struct err *err)
{
    const char *text = under ? under->text : "";
    for (int i = 0; i < m->open.n; i++) {
        *out = m->open.at[i];
        if (str_eq(out->under ? out->under->text : "", text))
            return true;
    }
    struct measure_options o = m->o;
    *out = (struct measured_under){.under = under};
    if (under) {
        o.target_settings = under->target_settings;
        o.threads = under->threads;
        o.layout = under->layout;
        o.regime = under->regime;
    }
    if (under && o.on)
        return err_set(err, "arms of unlike conditions (%s) are measured here only: leave --on out", text);
    if (!measure_open(&o, &out->measurer, &out->limits, err))
        return under ? err_context(err, "under %s", text) : false;
    vec_push(&m->open, *out);
    return true;
}

void measurers_close(struct measurers *m)
{
    for (int i = 0; i < m->open.n; i++)
        measure_close(m->open.at[i].measurer);
    vec_free(&m->open);
}
