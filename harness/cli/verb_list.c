/* SPDX-License-Identifier: Apache-2.0 */
/* list: names and one line each of everything that experiments can name. */
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/cli/cli.h"
#include "harness/experiment/machine.h"
#include "harness/experiment/network.h"
#include "harness/experiment/yaml.h"
#include "harness/measure/regime.h"
#include "harness/program/ops/ops.h"

#include <string.h>

/* One row of output: text form "name  summary", JSON form an object with the extra members. */
static void row(const struct cli *c, struct text *t, const char *name, const char *summary, const char *members)
{
    if (!c->json) {
        text_printf(t, "%-16s %s\n", name, summary);
        return;
    }
    text_add(t, t->len ? ", " : "[");
    text_add(t, "{\"name\": ");
    text_json(t, name);
    text_add(t, ", \"summary\": ");
    text_json(t, summary);
    text_add(t, members);
    text_add(t, "}");
}

static void settings_lines(const struct cli *c, struct text *t, const struct setting *table)
{
    struct text help = {0};
    setting_help(table, &help);
    if (!c->json && help.len)
        text_add(t, text_str(&help));
    text_free(&help);
}

static void network_row(const struct cli *c, const struct network *net, struct text *t)
{
    const char *title = net->title ? net->title : "";
    if (!c->json) {
        text_printf(t, "%-18s %7d %6d %9.3f %9.3f %9.3f  %s\n", net->name, net->nkernels, net->calls,
                    net->macs_sum_m / 1e3, net->gflop, net->params_sum_m, title);
        return;
    }
    row(c, t, net->name, title,
        arena_printf(c->arena, ", \"kernels\": %d, \"calls\": %d, \"gmacs\": %.6f, \"gflop\": %.6f, \"params_m\": %.6f",
                     net->nkernels, net->calls, net->macs_sum_m / 1e3, net->gflop, net->params_sum_m));
}

/* A refused network hides no other: its reason is told, and the exit code says that there was one. */
static bool list_networks(struct cli *c, struct text *t, struct err *err)
{
    char **names;
    int n, refused = 0;
    if (!file_list(c->arena, file_join(c->arena, c->folder, "networks"), ".yaml", &names, &n, err))
        return false;
    if (!c->json)
        text_printf(t, "%-18s %7s %6s %9s %9s %9s  %s\n", "name", "kernels", "calls", "GMAC", "GFLOP", "params M",
                    "title");
    for (int i = 0; i < n; i++) {
        struct network *net;
        struct err why = {0};
        if (network_load(c->arena, c->folder, names[i], &net, &why)) {
            network_row(c, net, t);
            continue;
        }
        log_warn("%s", why.text);
        refused++;
    }
    return refused == 0 || err_set(err, "%d of %d networks refused", refused, n);
}

static bool list_machines(struct cli *c, struct text *t, struct err *err)
{
    char **names;
    int n;
    if (!file_list(c->arena, file_join(c->arena, c->folder, "machines"), ".yaml", &names, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        struct machine m;
        if (!machine_load(c->arena, c->folder, names[i], &m, err))
            return false;
        row(c, t, m.name, m.title, "");
    }
    return true;
}

static bool list_experiments(struct cli *c, struct text *t, struct err *err)
{
    char **names;
    int n, refused = 0;
    if (!file_list(c->arena, c->folder, ".yaml", &names, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        struct yaml *doc;
        const char *title = "", *path = file_join(c->arena, c->folder, arena_printf(c->arena, "%s.yaml", names[i]));
        struct err why = {0};
        if (yaml_load(c->arena, path, &doc, &why) && yaml_string(doc, "title", false, &title, &why)) {
            row(c, t, names[i], title, "");
            continue;
        }
        log_warn("%s", why.text);
        refused++;
    }
    return refused == 0 || err_set(err, "%d of %d experiments refused", refused, n);
}

static bool list_searchers(struct cli *c, struct text *t, struct err *err)
{
    (void)err;
    for (int i = 0; c->registry->searchers[i]; i++) {
        row(c, t, c->registry->searchers[i]->name, c->registry->searchers[i]->summary, "");
        settings_lines(c, t, c->registry->searchers[i]->settings);
    }
    return true;
}

static bool list_models(struct cli *c, struct text *t, struct err *err)
{
    (void)err;
    for (int i = 0; c->registry->models[i]; i++) {
        row(c, t, c->registry->models[i]->name, c->registry->models[i]->summary, "");
        settings_lines(c, t, c->registry->models[i]->settings);
    }
    return true;
}

static bool list_targets(struct cli *c, struct text *t, struct err *err)
{
    (void)err;
    for (int i = 0; c->registry->targets[i]; i++) {
        row(c, t, c->registry->targets[i]->name, c->registry->targets[i]->summary, "");
        settings_lines(c, t, c->registry->targets[i]->settings);
    }
    return true;
}

static bool list_collectors(struct cli *c, struct text *t, struct err *err)
{
    (void)err;
    for (int i = 0; c->registry->collectors[i]; i++)
        row(c, t, c->registry->collectors[i]->name, c->registry->collectors[i]->summary, "");
    return true;
}

static bool list_operators(struct cli *c, struct text *t, struct err *err)
{
    (void)err;
    for (const struct operator* const * o = ops_table(); *o; o++) {
        row(c, t, (*o)->name, (*o)->summary, "");
        settings_lines(c, t, (*o)->keys);
    }
    return true;
}

static bool list_regimes(struct cli *c, struct text *t, struct err *err)
{
    (void)err;
    for (const struct regime_preset *p = regime_presets; p->name; p++)
        row(c, t, p->name, arena_printf(c->arena, "%s; %s", p->values, p->source), "");
    return true;
}

bool verb_list(struct cli *c, struct err *err)
{
    static const struct {
        const char *name;
        bool (*list)(struct cli *c, struct text *t, struct err *err);
    } kinds[] = {{"networks", list_networks},   {"machines", list_machines}, {"searchers", list_searchers},
                 {"models", list_models},       {"targets", list_targets},   {"collectors", list_collectors},
                 {"operators", list_operators}, {"regimes", list_regimes},   {"experiments", list_experiments}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    const char *what = NULL, *names[KINDS];
    int n;
    if (!cli_options(c, NULL, &what, 1, &n, err))
        return false;
    struct text t = {0};
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        if (!what || strcmp(what, kinds[i].name) != 0)
            continue;
        bool done = kinds[i].list(c, &t, err);
        if (c->json && (done || t.len))
            text_add(&t, t.len ? "]\n" : "[]\n");
        if (t.len) /* what could be read, too, when something could not */
            cli_print(&t);
        text_free(&t);
        return done;
    }
    const char *near = what ? str_nearest(what, names, KINDS) : NULL;
    if (near)
        return err_set(err, "cannot list '%s': did you mean '%s'?", what, near);
    return err_set(
        err,
        "list what? networks, machines, searchers, models, targets, collectors, operators, regimes or experiments");
}
