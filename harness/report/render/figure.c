/* SPDX-License-Identifier: Apache-2.0 */
/* figure: writes what a report draws and hands it to gnuplot; report_write() of report.h lives here. */
#include "harness/report/render/figure.h"

#include "harness/base/file.h"
#include "harness/report/render/html_report.h"

#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void figure_draw(struct arena *a, const char *script, const char *data, const char *out, const char *title, bool *made,
                 struct err *err)
{
    const char *slash = strrchr(script, '/');
    char *folder = slash ? arena_strn(a, script, (size_t)(slash - script)) : arena_str(a, ".");
    char *set = arena_printf(a, "data='%s'; out='%s'; heading='%s'; folder='%s'", data, out, title, folder);
    char *const argv[] = {(char *)"gnuplot", (char *)"-e", set, (char *)script, NULL};
    pid_t pid;
    int status = 0;
    *made = false;
    if (posix_spawnp(&pid, "gnuplot", NULL, NULL, argv, environ) != 0) {
        err_set(err, "no figure: gnuplot is not installed");
        return;
    }
    while (waitpid(pid, &status, 0) < 0)
        ;
    *made = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!*made)
        err_set(err, "no figure: gnuplot failed on '%s'", script);
}

/* low and high: of the kernel speedup; NaN: none. The speedup is that of the shoot-out where there was one. */
static void point(struct text *t, double search, double kernel, int64_t k, double low, double high)
{
    if (isfinite(search) && isfinite(kernel) && search > 0 && kernel > 0)
        text_printf(t, "%.6g %.6g %lld %.6g %.6g\n", search, kernel, (long long)k, low, high);
}

static void row_point(struct text *t, const struct table3_k *k, int64_t number)
{
    double low, high;
    bool known = table3_interval(k, table3_is_retimed(k), &low, &high);
    point(t, k->search_speedup[CLOCK_RECORDS], table3_speedup(k), number, known ? low : (double)NAN,
          known ? high : (double)NAN);
}

/* gnuplot data: blocks separated by two blank lines, each with its name in a comment: the mean, the paper, then the
 * networks. */
void figure_table3(const struct report *r, struct text *t)
{
    text_add(t, "\"this machine, geometric mean\"\n");
    for (int i = 0; i < r->table.nk; i++)
        row_point(t, &r->table.mean[i], r->table.ks[i]);
    text_printf(t, "\n\n\"%s (paper), geometric mean\"\n", r->published ? r->published->title : "no paper");
    for (int i = 0; r->published && i < r->published->nk; i++)
        point(t, r->published->mean_search[i], r->published->mean_kernel[i], r->published->k[i], NAN, NAN);
    for (int n = 0; n < r->table.nnetworks; n++) {
        text_printf(t, "\n\n\"%s\"\n", r->table.networks[n].name);
        for (int i = 0; i < r->table.nk; i++)
            row_point(t, &r->table.networks[n].k[i], r->table.ks[i]);
    }
    text_add(t, "\n");
}

static bool write_text(const struct report *r, const char *name, struct text *t, struct err *err)
{
    bool done = file_write(file_join(r->arena, r->experiment->plan.results_dir, name), text_str(t), t->len, err);
    text_clear(t);
    return done;
}

static bool write_forms(const struct report *r, const char *folder, struct text *t, struct err *err)
{
    if (!report_text(r, t, err) || !write_text(r, "report.txt", t, err) || !report_json(r, t, err) ||
        !write_text(r, "report.json", t, err) || !html_report_html(r, folder, t, err) ||
        !write_text(r, "report.html", t, err))
        return false;
    report_tsv(r, t);
    if (!write_text(r, "summary.tsv", t, err))
        return false;
    text_printf(t, "%s\n", store_campaign(r->store)->environment);
    if (!write_text(r, "host.json", t, err))
        return false;
    r->kind->figure(r, t);
    return write_text(r, "figure.dat", t, err);
}

bool report_write(const struct report *r, const char *folder, const char *plots, char **note, struct err *err)
{
    struct text t = {0};
    const struct experiment *e = r->experiment;
    const char *dir = e->plan.results_dir;
    bool done = write_forms(r, folder, &t, err), made = false;
    struct err why = {0};
    text_free(&t);
    *note = NULL;
    if (!done)
        return false;
    char *script = file_join(r->arena, plots, arena_printf(r->arena, "%s.gp", e->stem));
    char *data = file_join(r->arena, dir, "figure.dat"), *out = file_join(r->arena, dir, e->stem);
    if (!file_exists(script))
        err_set(&why, "no figure: there is no '%s'", script);
    else
        figure_draw(r->arena, script, data, out, arena_printf(r->arena, "%s %s", e->stem, e->tier), &made, &why);
    *note = made ? arena_printf(r->arena, "figure: %s.svg and %s.png", out, out) : arena_str(r->arena, why.text);
    return true;
}
