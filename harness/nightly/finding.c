/* SPDX-License-Identifier: Apache-2.0 */
/* finding: rule in harness/stats/regression.c, words here. */
#include "harness/nightly/finding.h"

#include "harness/stats/summary.h"

#include <math.h>

struct finding finding_of(const char *series, const struct regression_input *in)
{
    struct regression r = regression_of(in);
    if (r.kind == REGRESSION_NOT_CONFIRMED) {
        struct regression_input old = *in;
        old.fresh = in->old_again;
        old.nfresh = in->npairs;
        old.step_p = 0; /* the fit's says nothing of these */
        old.same_binary = true;
        old.can_rerun = false;
        struct regression then = regression_of(&old);
        if (then.kind == REGRESSION_MACHINE_CHANGED && (then.ratio > 1) == (r.ratio > 1))
            r.kind = REGRESSION_MACHINE_CHANGED;
    }
    return (struct finding){.v = {series, regression_words[r.kind], r.ratio, r.p, r.margin, r.again, r.low, r.high},
                            .seconds = summary_geomean(in->fresh, in->nfresh),
                            .nwindow = in->nwindow,
                            .nfresh = in->nfresh,
                            .npairs = in->npairs};
}

bool finding_is(const struct finding *f, enum regression_kind k)
{
    return str_eq(f->v.kind, regression_words[k]);
}

int findings_count(const struct findings *f, const char *kind)
{
    int n = 0;
    for (int i = 0; i < f->all.n; i++)
        n += str_eq(f->all.at[i].v.kind, kind);
    return n;
}

enum exit_code findings_code(const struct findings *f)
{
    return findings_count(f, regression_words[REGRESSION_CONFIRMED])         ? EXIT_REGRESSION
           : findings_count(f, "missing")                                    ? EXIT_INVALID
           : findings_count(f, regression_words[REGRESSION_MACHINE_CHANGED]) ? EXIT_CHANGED
           : findings_count(f, regression_words[REGRESSION_SUSPECT])         ? EXIT_INCONCLUSIVE
                                                                             : EXIT_FINE;
}

const char *findings_state(const struct findings *f, enum exit_code code)
{
    static const char *const WORDS[] = {[EXIT_FINE] = NIGHT_GOOD,
                                        [EXIT_REGRESSION] = "confirmed",
                                        [EXIT_INVALID] = "invalid",
                                        [EXIT_INCONCLUSIVE] = "suspect",
                                        [EXIT_CHANGED] = "machine changed"};
    bool unconfirmed = false;
    for (int i = 0; i < f->all.n; i++)
        unconfirmed |= finding_is(&f->all.at[i], REGRESSION_NOT_CONFIRMED) && !f->all.at[i].since;
    return code == EXIT_FINE && unconfirmed ? "not confirmed" : WORDS[code];
}

void findings_text(const struct findings *f, bool all, struct text *t)
{
    bool head = false;
    for (int i = 0; i < f->all.n; i++) {
        const struct finding *x = &f->all.at[i];
        if (!all && finding_is(x, REGRESSION_NONE))
            continue;
        if (!head)
            text_printf(t, "%-16s %8s %8s %7s %8s %-18s  %s\n", "", "new/old", "p", "margin", "rerun", "  95 %",
                        "series");
        head = true;
        text_printf(t, "%-16s", x->v.kind);
        text_cell(t, 8, 4, x->v.ratio);
        if (isnan(x->v.p))
            text_printf(t, " %8s", "-");
        else
            text_printf(t, " %8.2g", x->v.p);
        text_printf(t, " %5.1f %%", 100 * x->v.margin);
        text_cell(t, 8, 4, x->v.again);
        if (isnan(x->v.low))
            text_printf(t, " %-18s", "");
        else
            text_printf(t, " %8.4f..%-8.4f", x->v.low, x->v.high);
        text_printf(t, "  %s", x->v.series);
        if (x->since)
            text_printf(t, ", since night %lld", (long long)x->since);
        text_char(t, '\n');
    }
}

void findings_json(const struct findings *f, cJSON *in)
{
    static const struct json_member members[] = {SERIES_MEMBERS, {0}};
    cJSON *list = json_put_array(in, "series");
    for (int i = 0; i < f->all.n; i++) {
        const struct finding *x = &f->all.at[i];
        cJSON *o = json_put_object(list, NULL);
        json_put_fields(o, members, "series[].", (const void *[]){x});
        json_put_range(o, "interval", x->v.low, x->v.high);
        json_put_number(o, "since", x->since ? (double)x->since : NAN);
    }
}
