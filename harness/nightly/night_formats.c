/* SPDX-License-Identifier: Apache-2.0 */
/* night_formats: the verdict as a list of cases, and that list in three formats. */
#include "harness/nightly/night_formats.h"

#include "harness/base/clock.h"
#include "harness/base/vec.h"
#include "harness/report/render/markup.h"

#include <math.h>
#include <string.h>

/* What a kind of finding comes to; a kind that is not here passes without a word. */
struct case_outcome {
    const char *kind, *element, *command; /* of JUnit, of GitHub; NULL: none */
};
static const struct case_outcome OUTCOMES[] = {
    {"confirmed", "failure", "error"},       {"missing", "error", "error"},      {"suspect", "error", "warning"},
    {"machine changed", "error", "warning"}, {"not measured", "error", "error"}, {"too few", "skipped", NULL},
    {"not confirmed", NULL, "notice"},       {"faster", NULL, "notice"},         {"noisy", NULL, NULL}};

struct night_case {
    const char *name, *kind, *message;
    double seconds;
};
struct night_cases {
    VEC(struct night_case) all;
};

static const struct case_outcome *outcome_of(const struct night_case *c)
{
    static const struct case_outcome passed = {0};
    for (size_t i = 0; i < sizeof OUTCOMES / sizeof *OUTCOMES; i++)
        if (str_eq(c->kind, OUTCOMES[i].kind))
            return &OUTCOMES[i];
    return &passed;
}

/* "1.1203 of the time before, p 0.0002, margin 3.0 %; in the rerun 1.1196 (1.1101 to 1.1290)" */
static const char *sentence(const struct night_run *r, const struct finding *f)
{
    struct text t = {0};
    if (isnan(f->v.ratio))
        text_add(&t, f->nfresh ? "nothing to compare with yet" : "it has no values tonight");
    else
        text_printf(&t, "%.4f of the time before, p %.2g, margin %.1f %%", f->v.ratio, f->v.p, 100 * f->v.margin);
    if (!isnan(f->v.low))
        text_printf(&t, "; in the rerun %.4f (%.4f to %.4f)", f->v.again, f->v.low, f->v.high);
    if (f->since)
        text_printf(&t, "; since night %lld", (long long)f->since);
    return text_keep(&t, r->o->arena);
}

/* The night itself, its pinned programs that failed, and its series. To be freed. */
static struct night_cases cases_of(const struct night_run *r, const char *failure)
{
    struct night_cases out = {0};
    vec_push(&out.all, failure    ? (struct night_case){"night", "not measured", failure, 0}
                       : r->moved ? (struct night_case){"night", "machine changed",
                                                        "the hardware is not that of the night before", 0}
                                  : (struct night_case){"night", "none", "", 0});
    for (int i = 0; i < r->broken.n; i++)
        vec_push(&out.all, (struct night_case){r->broken.at[i], "not measured", "a pinned program failed", 0});
    for (int i = 0; i < r->findings.all.n; i++) {
        const struct finding *f = &r->findings.all.at[i];
        vec_push(&out.all, (struct night_case){f->v.series, f->v.kind, sentence(r, f), f->seconds});
    }
    return out;
}

/* ---- JUnit ---- */

/* name="words" after a blank */
static void attribute(struct text *t, const char *name, const char *words)
{
    text_printf(t, " %s=\"", name);
    markup_text(t, words);
    text_char(t, '"');
}

static void junit_case(const struct night_run *r, const struct night_case *c, struct text *t)
{
    const char *element = outcome_of(c)->element;
    text_add(t, "    <testcase");
    attribute(t, "classname", arena_printf(r->o->arena, "nightly.%s", r->o->machine));
    attribute(t, "name", c->name);
    text_printf(t, " time=\"%.9f\"", c->seconds > 0 ? c->seconds : 0);
    if (!element) {
        text_add(t, "/>\n");
        return;
    }
    text_printf(t, "><%s", element);
    attribute(t, "message", arena_printf(r->o->arena, "%s: %s", c->kind, c->message));
    if (!str_eq(element, "skipped"))
        attribute(t, "type", c->kind);
    text_add(t, "/></testcase>\n");
}

static void junit_property(struct text *t, const char *name, const char *value)
{
    text_add(t, "      <property");
    attribute(t, "name", name);
    attribute(t, "value", value ? value : "");
    text_add(t, "/>\n");
}

void night_junit(const struct night_run *r, const char *failure, struct text *out)
{
    static const char *const COUNTED[] = {"failure", "error", "skipped"}, *const NAMES[] = {"failures", "errors",
                                                                                            "skipped"};
    struct night_cases cases = cases_of(r, failure);
    double begun = r->night.begun_unix > 0 ? r->night.begun_unix : clock_unix();
    char date[32];
    clock_iso(begun, date);
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    attribute(out, "name", arena_printf(r->o->arena, "raingauge nightly %s", r->o->machine));
    text_printf(out, " tests=\"%d\"", cases.all.n);
    for (int k = 0; k < 3; k++) {
        int n = 0;
        for (int i = 0; i < cases.all.n; i++) {
            const char *element = outcome_of(&cases.all.at[i])->element;
            n += element && str_eq(element, COUNTED[k]);
        }
        text_printf(out, " %s=\"%d\"", NAMES[k], n);
    }
    text_printf(out, " time=\"%.3f\" timestamp=\"%.19s\">\n    <properties>\n", clock_unix() - begun, date);
    junit_property(out, "night", arena_printf(r->o->arena, "%lld", (long long)r->night.number));
    junit_property(out, "experiment", r->night.experiment);
    junit_property(out, "binary", r->night.binary);
    junit_property(out, "revision", r->night.revision);
    text_add(out, "    </properties>\n");
    for (int i = 0; i < cases.all.n; i++)
        junit_case(r, &cases.all.at[i], out);
    text_add(out, "  </testsuite>\n</testsuites>\n");
    vec_free(&cases.all);
}

/* ---- GitHub ---- */

/* A property of a command may not hold ':' and ',' either. */
static void github_escape(struct text *t, const char *s, bool property)
{
    for (; *s; s++)
        if (strchr(property ? "%\r\n:," : "%\r\n", *s))
            text_printf(t, "%%%02X", *s);
        else
            text_char(t, *s);
}

void night_annotations(const struct night_run *r, const char *failure, struct text *out)
{
    struct night_cases cases = cases_of(r, failure);
    for (int i = 0; i < cases.all.n; i++) {
        const struct night_case *c = &cases.all.at[i];
        const char *command = outcome_of(c)->command;
        if (!command)
            continue;
        text_printf(out, "::%s ", command);
        if (r->e) {
            text_add(out, "file=");
            github_escape(out, r->e->file, true);
            text_add(out, ",line=1,");
        }
        text_add(out, "title=");
        github_escape(out, arena_printf(r->o->arena, "raingauge nightly %s: %s", r->o->machine, c->kind), true);
        text_add(out, "::");
        github_escape(out, arena_printf(r->o->arena, "%s: %s", c->name, c->message), false);
        text_char(out, '\n');
    }
    vec_free(&cases.all);
}

/* ---- Prometheus ---- */

static void label(struct text *t, const char *name, const char *value)
{
    text_printf(t, "%s%s=\"", t->s[t->len - 1] == '{' ? "" : ",", name);
    for (const char *s = value ? value : ""; *s; s++)
        if (*s == '\\' || *s == '"')
            text_printf(t, "\\%c", *s);
        else if (*s == '\n')
            text_add(t, "\\n");
        else
            text_char(t, *s);
    text_char(t, '"');
}

static void metric(struct text *t, const char *name, const char *help)
{
    text_printf(t, "# HELP raingauge_nightly_%s %s\n# TYPE raingauge_nightly_%s gauge\n", name, help, name);
}

/* The name and the labels that every sample has; more may follow before sample_end. */
static void sample(const struct night_run *r, struct text *t, const char *name)
{
    text_printf(t, "raingauge_nightly_%s{", name);
    label(t, "machine", r->o->machine);
}

static void sample_end(struct text *t, double v)
{
    text_add(t, "} ");
    text_number(t, v);
    text_char(t, '\n');
}

static void prometheus_night(const struct night_run *r, struct text *t)
{
    const struct {
        const char *name, *help;
        double value;
    } rows[] = {
        {"exit_status", "Of the last night: 0 fine, 1 a regression, 6 the machine changed, else not judged.", r->code},
        {"number", "Number of the last night in its history.", (double)r->night.number},
        {"begun_timestamp_seconds", "When the last night began.", r->night.begun_unix},
        {"ended_timestamp_seconds", "When the last night ended.", clock_unix()},
    };
    metric(t, "info", "What was judged.");
    sample(r, t, "info");
    label(t, "experiment", r->night.experiment);
    label(t, "binary", r->night.binary);
    label(t, "revision", r->night.revision);
    sample_end(t, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        metric(t, rows[i].name, rows[i].help);
        sample(r, t, rows[i].name);
        sample_end(t, rows[i].value);
    }
}

static double seconds_of(const struct finding *f)
{
    return f->seconds;
}
static double ratio_of(const struct finding *f)
{
    return f->v.ratio;
}
static double margin_of(const struct finding *f)
{
    return f->v.margin;
}
static double regressed(const struct finding *f)
{
    return finding_is(f, REGRESSION_CONFIRMED);
}

void night_prometheus(const struct night_run *r, const char *failure, struct text *out)
{
    static const struct {
        const char *name, *help;
        double (*value)(const struct finding *f);
    } ROWS[] = {{"series_seconds", "Geometric mean of the night's times of a series.", seconds_of},
                {"series_ratio", "That over the mean of the good nights before it.", ratio_of},
                {"series_margin_ratio", "How far from 1 the ratio has to be to count.", margin_of},
                {"series_regressed", "1: confirmed to be slower, by a rerun of old and new binary.", regressed}};
    prometheus_night(r, out);
    if (failure)
        return;
    metric(out, "findings", "Series by what was found of them.");
    for (size_t i = 0; i < sizeof OUTCOMES / sizeof *OUTCOMES; i++) {
        sample(r, out, "findings");
        label(out, "kind", OUTCOMES[i].kind);
        sample_end(out, findings_count(&r->findings, OUTCOMES[i].kind) +
                            (str_eq(OUTCOMES[i].kind, "not measured") ? r->broken.n : 0));
    }
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        metric(out, ROWS[i].name, ROWS[i].help);
        for (int k = 0; k < r->findings.all.n; k++) {
            const struct finding *f = &r->findings.all.at[k];
            if (!isfinite(ROWS[i].value(f)))
                continue;
            sample(r, out, ROWS[i].name);
            label(out, "series", f->v.series);
            sample_end(out, ROWS[i].value(f));
        }
    }
}
