/* SPDX-License-Identifier: Apache-2.0 */
/* list: names and one line each of everything that experiments can name. A kind fills rows; they are printed in one
 * place, as text or as JSON, all or the one that was asked for. */
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/base/vec.h"
#include "harness/cli/cli.h"
#include "harness/experiment/machine.h"
#include "harness/experiment/network.h"
#include "harness/experiment/yaml.h"
#include "harness/measure/regime.h"
#include "harness/program/ops/ops.h"

#include <math.h>

struct row {
    const char *name, *summary;
    const struct setting *settings; /* NULL: none */
    const struct network *network;  /* NULL: not a network */
};
struct rows {
    VEC(struct row) all;
};

static void add(struct rows *out, const char *name, const char *summary, const struct setting *settings)
{
    vec_push(&out->all, (struct row){.name = name, .summary = summary ? summary : "", .settings = settings});
}

/* Files ----------------------------------------------------------------------------------------------------------- */

/* Reads what is to be listed of a file. */
typedef bool file_reader(struct cli *c, const char *folder, const char *name, struct row *out, struct err *err);

static bool read_network(struct cli *c, const char *folder, const char *name, struct row *out, struct err *err)
{
    struct network *net;
    (void)folder;
    if (!network_load(c->arena, c->folder, name, &net, err))
        return false;
    *out = (struct row){.name = net->name, .summary = net->title, .network = net};
    return true;
}

static bool read_machine(struct cli *c, const char *folder, const char *name, struct row *out, struct err *err)
{
    struct machine m;
    (void)folder;
    if (!machine_load(c->arena, c->folder, name, &m, err))
        return false;
    *out = (struct row){.name = m.name, .summary = m.title};
    return true;
}

static bool read_title(struct cli *c, const char *folder, const char *name, struct row *out, struct err *err)
{
    struct yaml *doc;
    *out = (struct row){.name = name, .summary = ""};
    return yaml_load(c->arena, file_join(c->arena, folder, arena_printf(c->arena, "%s.yaml", name)), &doc, err) &&
           yaml_string(doc, "title", false, &out->summary, err);
}

/* A refused file hides no other: its reason is printed, and the exit code says that there was one. */
static bool list_files(struct cli *c, const char *what, const char *folder, file_reader *read, struct rows *out,
                       struct err *err)
{
    char **names;
    int n, refused = 0;
    if (!file_list(c->arena, folder, ".yaml", &names, &n, err))
        return false;
    for (int i = 0; i < n; i++) {
        struct row row;
        struct err why = {0};
        if (read(c, folder, names[i], &row, &why)) {
            vec_push(&out->all, row);
            continue;
        }
        log_warn("%s", why.text);
        refused++;
    }
    return refused == 0 || err_set(err, "%d of %d %s refused", refused, n, what);
}

#define LIST_FILES(kind, folder, read)                                                                                 \
    static bool list_##kind(struct cli *c, struct rows *out, struct err *err)                                          \
    {                                                                                                                  \
        return list_files(c, #kind, folder, read, out, err);                                                           \
    }
LIST_FILES(networks, file_join(c->arena, c->folder, "networks"), read_network)
LIST_FILES(machines, file_join(c->arena, c->folder, "machines"), read_machine)
LIST_FILES(papers, file_join(c->arena, c->folder, "papers"), read_title)
LIST_FILES(experiments, c->folder, read_title)

/* What is in this binary ------------------------------------------------------------------------------------------ */

#define LIST_TABLE(kind, type, table, its_settings)                                                                    \
    static bool list_##kind(struct cli *c, struct rows *out, struct err *err)                                          \
    {                                                                                                                  \
        (void)c;                                                                                                       \
        (void)err;                                                                                                     \
        for (const struct type *const *p = (table); *p; p++)                                                           \
            add(out, (*p)->name, (*p)->summary, its_settings);                                                         \
        return true;                                                                                                   \
    }
LIST_TABLE(searchers, searcher, c->registry->searchers, (*p)->settings)
LIST_TABLE(models, model, c->registry->models, (*p)->settings)
LIST_TABLE(targets, target, c->registry->targets, (*p)->settings)
LIST_TABLE(collectors, collector, c->registry->collectors, NULL)
LIST_TABLE(operators, operator, ops_table(), (*p)->keys)

static bool list_regimes(struct cli *c, struct rows *out, struct err *err)
{
    (void)err;
    for (const struct regime_preset *p = regime_presets; p->name; p++)
        add(out, p->name, arena_printf(c->arena, "%s%s%s", p->values, *p->values ? "; " : "", p->source), NULL);
    return true;
}

static const struct kind {
    const char *name;
    bool files; /* they are read from the folder of experiments */
    bool (*list)(struct cli *c, struct rows *out, struct err *err);
} kinds[] = {{"networks", true, list_networks},       {"machines", true, list_machines},
             {"searchers", false, list_searchers},    {"models", false, list_models},
             {"targets", false, list_targets},        {"collectors", false, list_collectors},
             {"operators", false, list_operators},    {"regimes", false, list_regimes},
             {"experiments", true, list_experiments}, {"papers", true, list_papers}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Printing -------------------------------------------------------------------------------------------------------- */

static void row_text(const struct row *r, struct text *t)
{
    const struct network *net = r->network;
    if (net)
        text_printf(t, "%-18s %7d %6d %9.3f %9.3f %9.3f  %s\n", net->name, net->nkernels, net->calls,
                    net->macs_sum_m / 1e3, net->gflop, net->params_sum_m, r->summary);
    else
        text_printf(t, "%-16s %s\n", r->name, r->summary);
    if (r->settings)
        setting_help(r->settings, t);
}

static double six_decimals(double v)
{
    return round(1e6 * v) / 1e6;
}

static void row_json(const struct row *r, cJSON *list)
{
    const struct network *net = r->network;
    cJSON *o = json_put_object(list, NULL);
    json_put_str(o, "name", r->name);
    json_put_str(o, "summary", r->summary);
    if (!net)
        return;
    json_put_int(o, "kernels", net->nkernels);
    json_put_int(o, "calls", net->calls);
    json_put_number(o, "gmacs", six_decimals(net->macs_sum_m / 1e3));
    json_put_number(o, "gflop", six_decimals(net->gflop));
    json_put_number(o, "params_m", six_decimals(net->params_sum_m));
}

struct list_options {
    bool names;
};
static const struct setting options[] = {
    FLAG_SETTING("--names", struct list_options, names, "names only, one a line", .group = GROUP_OUTPUT), {0}};

static void print_text(const struct row *rows, int n, bool names)
{
    struct text t = {0};
    if (n && rows[0].network && !names)
        text_printf(&t, "%-18s %7s %6s %9s %9s %9s  %s\n", "name", "kernels", "calls", "GMAC", "GFLOP", "params M",
                    "title");
    for (int i = 0; i < n; i++)
        if (names)
            text_printf(&t, "%s\n", rows[i].name);
        else
            row_text(&rows[i], &t);
    cli_print(&t);
}

static void print(struct cli *c, const struct row *rows, int n)
{
    const struct list_options *o = c->options;
    if (!c->json) {
        print_text(rows, n, o->names);
        return;
    }
    cJSON *list = json_array();
    for (int i = 0; i < n; i++)
        row_json(&rows[i], list);
    cli_print_json(list);
}

/* The row of that name; its place, or -1. */
static int find(struct cli *c, const char *kind, const struct rows *rows, const char *name, struct err *err)
{
    const char **names = ARENA_ARRAY(c->arena, const char *, rows->all.n + 1);
    for (int i = 0; i < rows->all.n; i++) {
        names[i] = rows->all.at[i].name;
        if (str_eq(names[i], name))
            return i;
    }
    const char *near = str_nearest(name, names, rows->all.n);
    if (near)
        err_set(err, "there is no '%s' among the %s: did you mean '%s'?", name, kind, near);
    else
        err_set(err, "there is no '%s' among the %s: `raingauge list %s` names them", name, kind, kind);
    return -1;
}

static const struct kind *find_kind(const char *what, struct err *err)
{
    const char *names[KINDS];
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        if (str_eq(what, kinds[i].name))
            return &kinds[i];
    }
    str_unknown(err, "kind", what, names, KINDS);
    return NULL;
}

/* The name that a machine's file has, of an alias of it. */
static const char *unaliased(struct cli *c, const struct kind *kind, const char *name)
{
    struct machine m;
    struct err ignored = {0};
    return kind->list == list_machines && machine_load(c->arena, c->folder, name, &m, &ignored) ? m.name : name;
}

static bool run(struct cli *c, struct err *err)
{
    const struct kind *kind = find_kind(c->words[0], err);
    struct rows rows = {0};
    if (!kind || (kind->files && !cli_need_experiments(c, err)))
        return false;
    bool done = kind->list(c, &rows, err);
    if (c->words[1]) {
        int at = find(c, kind->name, &rows, unaliased(c, kind, c->words[1]), err);
        done = at >= 0;
        if (done)
            print(c, &rows.all.at[at], 1);
    } else if (done || rows.all.n) { /* what could be read, too, when something could not */
        print(c, rows.all.at, rows.all.n);
    }
    vec_free(&rows.all);
    return done;
}

static const struct json_member network_members[] = {
    MEMBER("name", "text", "Name of the network, as experiments name it."),
    MEMBER("summary", "text", "Its title."),
    MEMBER("kernels", "count", "How many distinct kernels it has."),
    MEMBER("calls", "count", "How many calls of kernels one inference makes."),
    MEMBER("gmacs", "10^9", "Multiply-adds of one inference."),
    MEMBER("gflop", "10^9", "Floating-point operations of one inference."),
    MEMBER("params_m", "10^6", "Parameters: weights and biases."),
    {0}};
static const struct json_member members[] = {
    MEMBER("name", "text", "Name, as experiments and options name it."), MEMBER("summary", "text", "What it is."), {0}};
static const struct json_form forms[] = {
    JSON_FORM_LIST("raingauge list networks", network_members), JSON_FORM_LIST("raingauge list KIND", members), {0}};

#define KIND_WORD "networks|machines|searchers|models|targets|collectors|operators|regimes|experiments|papers"
const struct verb verb_list = {.name = "list",
                               .arguments = KIND_WORD " [NAME]",
                               .summary = "what experiments can name; with a name, that one and its settings",
                               .asks = "list what? " KIND_WORD,
                               .needed = 1,
                               .words = 2,
                               VERB_OPTIONS(struct list_options),
                               .json = forms,
                               .run = run};
