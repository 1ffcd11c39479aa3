/* SPDX-License-Identifier: Apache-2.0 */
/* import: what other programs made, known by its content: a network from an ONNX file, whose kernels become a file of
 * experiments/networks, or a campaign from record files and databases of TVM. */
#include "harness/base/file.h"
#include "harness/cli/import_records.h"
#include "harness/cli/metaschedule_file.h"
#include "harness/experiment/network.h"
#include "harness/import/imported.h"
#include "harness/program/ops/task.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

struct import_options {
    const char *name, *machine, *task;
    int64_t batch;
    int layout;
};
static const char *const LAYOUTS[] = {"nchw", "nhwc", "blocked", NULL};
static const struct setting options[] = {
    STRING_SETTING("--name", struct import_options, name, NULL,
                   "name of the network and, of records, of the experiment; not given: that of the file",
                   .word = "NAME"),
    INT_SETTING("--batch", struct import_options, batch, "0", 0, 65536,
                "size of the first axis of inputs where the model leaves it open (0: such a model is refused)",
                .word = "N"),
    ENUM_SETTING("--layout", struct import_options, layout, "nchw", LAYOUTS,
                 "of images: channels first, last, or in blocks of at most 16, as TVM has them on x86"),
    STRING_SETTING("--machine", struct import_options, machine, "elsewhere", "that records are of", .word = "MACHINE"),
    STRING_SETTING("--task", struct import_options, task, NULL, "kernel of the records that name none",
                   .word = "KERNEL"),
    {0}};

struct importation {
    const char *name, *path;
    struct onnx_graph *graph;
    struct imported network;
};

/* The name that was asked for must be one; of a file's name other characters become '_'. */
static bool choose_name(struct cli *c, bool records, struct importation *im, struct err *err)
{
    const struct import_options *o = c->options;
    const char *title = records ? metaschedule_title(c->arena, c->words[0]) : c->words[0];
    char *name = o->name ? arena_str(c->arena, o->name) : file_stem(c->arena, title);
    if (records && !o->name) /* "log.json.gz" */
        name[strcspn(name, ".")] = 0;
    for (char *p = name; *p; p++) {
        bool fine = isalnum((unsigned char)*p) || *p == '_' || (*p == '-' && p > name);
        if (!fine && o->name)
            return err_set(err, "--name '%s': letters, digits, '_' and '-' make a name", o->name);
        *p = fine ? *p : '_';
    }
    im->name = name;
    im->path = arena_printf(c->arena, "%s/networks/%s.yaml", c->folder, name);
    return *name || err_set(err, "--name is empty");
}

/* Only a file that was imported is written anew. */
static bool may_write(struct cli *c, const char *path, struct err *err)
{
    char *old;
    size_t n;
    if (!file_exists(path))
        return true;
    return file_read(c->arena, path, 0, &old, &n, err) &&
           (strstr(old, IMPORTED_HEAD) ||
            err_set(err, "'%s' is there and was not imported: choose another --name", path));
}

static bool write_network(struct cli *c, struct importation *im, struct err *err)
{
    struct text t = {0};
    struct network *loaded;
    imported_yaml(&im->network, im->graph, im->name, &t);
    bool fine = file_write(im->path, text_str(&t), t.len, err);
    text_free(&t);
    if (!fine || network_load(c->arena, c->folder, im->name, &loaded, err))
        return fine;
    (void)unlink(im->path);
    return err_context(err, "the network of '%s' cannot be read back", c->words[0]);
}

static void print_text(const struct importation *im)
{
    const struct imported *n = &im->network;
    struct text t = {0};
    text_printf(&t, "%s: %d kernels, %d calls, %.1f million multiply-adds, %.3f million parameters\n", im->path,
                n->nkernels, n->calls, n->macs / 1e6, (n->params + n->params_left) / 1e6);
    text_printf(&t, "The kernels hold %.4g %% of the multiply-adds and %.4g %% of the FLOPs.\n", 100 * n->macs_share,
                100 * n->flops_share);
    if (n->nleft)
        text_printf(&t, "\n%-28s %6s %8s\n", "left out", "nodes", "FLOPs");
    for (int i = 0; i < n->nleft; i++)
        text_printf(&t, "%-28s %6d %6.2f %% %s\n", n->left[i].op, n->left[i].nodes, 100 * n->left[i].share,
                    n->left[i].why ? n->left[i].why : "");
    cli_print(&t);
}

#define IMPORTED struct imported, 1
#define LEFT struct imported_left, 0
static const struct json_member members[] = {
    FIELD("name", struct importation, 0, name, "text", "The network."),
    FIELD("file", struct importation, 0, path, "text", "Its file."),
    FIELD("kernels", IMPORTED, nkernels, "count", "Distinct kernels."),
    FIELD("calls", IMPORTED, calls, "count", "Calls of them in one inference."),
    FIELD("macs", IMPORTED, macs, "count", "Multiply-adds of the kernels, in one inference."),
    FIELD("params", IMPORTED, params, "count", "Parameters in kernels."),
    FIELD("params_left", IMPORTED, params_left, "count", "Parameters in no kernel, or folded into a weight."),
    FIELD("macs_share", IMPORTED, macs_share, "share", "Of the network's multiply-adds, those in kernels."),
    FIELD("flops_share", IMPORTED, flops_share, "share", "Of its FLOPs, those in kernels."),
    FIELD("left[].operator", LEFT, op, "text", "An operator of ONNX that is in no kernel."),
    FIELD("left[].nodes", LEFT, nodes, "count", "Its nodes."),
    FIELD("left[].flops_share", LEFT, share, "share", "Their share of the network's FLOPs."),
    FIELD_MAYBE("left[].why", LEFT, why, "text", "Why it is no kernel; null: it reduces nothing."),
    {0}};

static bool run_onnx(struct cli *c, struct importation *im, struct err *err)
{
    const struct import_options *o = c->options;
    if (c->nwords > 1)
        return err_set(err, "%s: is no file of TVM's records, and of networks one is imported at a time", c->words[0]);
    if (!may_write(c, im->path, err) ||
        !import_onnx(c->arena, c->words[0], o->batch, (enum onnx_layout)o->layout, &im->graph, &im->network, err) ||
        !write_network(c, im, err))
        return false;
    if (c->json) {
        cJSON *out = json_object();
        json_put_fields(out, members, "", (const void *[]){im, &im->network});
        json_put_rows(out, members, "left", im->network.left, im->network.nleft, sizeof *im->network.left);
        cli_print_json(out);
    } else
        print_text(im);
    return true;
}

/* ---- records of TVM ---- */

#define SUMS struct import_sums, 0
#define ARM struct import_arm, 0
#define RECORDED struct import_kernel, 0
#define UNKNOWN struct import_unknown, 0
static const struct json_member record_members[] = {
    FIELD("experiment", SUMS, experiment, "text", "The experiment, which `raingauge report` takes."),
    FIELD("network_file", SUMS, network_file, "text", "The network of its kernels."),
    FIELD("results", SUMS, results, "text", "The results folder."),
    FIELD("target", SUMS, target, "text", "The target of the records, as TVM names it."),
    FIELD_MAYBE("network", SUMS, network, "text", "A network here that has all the kernels, and gave their calls."),
    FIELD("records", SUMS, records, "count", "Records in the files, broken ones too."),
    FIELD("imported", SUMS, imported, "count", "Those that are in the campaign."),
    FIELD("refused", SUMS, refused, "count", "The others."),
    FIELD_MAYBE("mapped_share", SUMS, mapped_share, "share",
                "Of MetaSchedule's records, those whose trace is steps of ours; null: none were read."),
    FIELD("guessed_share", SUMS, guessed_share, "share", "Of all records, those of a kernel found by its shapes only."),
    FIELD("arms[].name", ARM, name, "text", "An arm, named after its file."),
    FIELD("arms[].file", ARM, file, "text", "The file."),
    FIELD("arms[].records", ARM, records, "count", "Its records."),
    FIELD("arms[].valid", ARM, valid, "count", "Those with a time."),
    FIELD("kernels[].kernel", RECORDED, spec, "text", "A kernel, as --task takes it."),
    FIELD("kernels[].workload_key", RECORDED, key, "text", "What TVM names it."),
    FIELD("kernels[].weight", RECORDED, weight, "count", "Its calls in the network."),
    FIELD("kernels[].records", RECORDED, records, "count", "Its records."),
    FIELD("kernels[].guessed", RECORDED, guessed, "true or false", "It is known by its shapes only."),
    FIELD("unknown[].workload_key", UNKNOWN, key, "text", "A workload key of no kernel that is known."),
    FIELD("unknown[].records", UNKNOWN, records, "count", "Its records."),
    FIELD("unknown[].share", UNKNOWN, share, "share", "Of all records."),
    {0}};

static void print_records(const struct import_sums *s)
{
    struct text t = {0};
    text_printf(&t, "%s: %lld of %lld records of target '%s'\n\n%-48s %8s %8s\n", s->results, (long long)s->imported,
                (long long)s->records, s->target, "arm", "records", "valid");
    for (int i = 0; i < s->narms; i++)
        text_printf(&t, "%-48s %8lld %8lld\n", s->arms[i].name, (long long)s->arms[i].records,
                    (long long)s->arms[i].valid);
    text_printf(&t, "\n%-48s %8s %8s\n", "kernel", "records", "calls");
    for (int i = 0; i < s->nkernels; i++)
        text_printf(&t, "%-48s %8lld %8g%s\n", s->kernels[i].name, (long long)s->kernels[i].records,
                    s->kernels[i].weight, s->kernels[i].guessed ? "  by its shapes only" : "");
    text_printf(&t, "\nThe calls are %s%s.\n", s->network ? "those of network " : "not known: each counts once",
                s->network ? s->network : "");
    if (s->refused)
        text_printf(&t, "%lld records are left out.\n", (long long)s->refused);
    if (s->traces)
        text_printf(&t, "Traces of MetaSchedule: %lld of %lld are steps here (%.3g %%), loop by loop.\n",
                    (long long)s->mapped, (long long)s->traces, 100 * s->mapped_share);
    for (int i = 0; i < s->nunknown; i++)
        text_printf(&t, "Of no known kernel (--task names it), %.3g %% of the records: %s\n",
                    100 * s->unknown_keys[i].share, s->unknown_keys[i].key);
    text_printf(&t, "The times are those of the files: nothing was measured here.\nNext: raingauge report %s\n",
                s->experiment);
    cli_print(&t);
}

static bool run_records(struct cli *c, const char *name, struct err *err)
{
    const struct import_options *o = c->options;
    const struct import_records_options records = {c->words, c->nwords, name, o->machine, o->task};
    struct import_sums sums;
    struct task *ignored;
    if (o->task && !task_parse(c->arena, o->task, &ignored, err))
        return err_context(err, "--task");
    if (!import_records(c, &records, &sums, err))
        return false;
    if (c->json) {
        cJSON *out = json_object();
        json_put_fields(out, record_members, "", (const void *[]){&sums});
        json_put_rows(out, record_members, "arms", sums.arms, sums.narms, sizeof *sums.arms);
        json_put_rows(out, record_members, "kernels", sums.kernels, sums.nkernels, sizeof *sums.kernels);
        json_put_rows(out, record_members, "unknown", sums.unknown_keys, sums.nunknown, sizeof *sums.unknown_keys);
        cli_print_json(out);
    } else
        print_records(&sums);
    return true;
}

static bool run(struct cli *c, struct err *err)
{
    struct importation im = {0};
    struct err why = {0};
    bool records = metaschedule_looks(c->words[0]) || tvm_log_looks(c->words[0], &why);
    return choose_name(c, records, &im, err) && (records ? run_records(c, im.name, err) : run_onnx(c, &im, err));
}

static const struct json_form forms[] = {JSON_FORM("raingauge import FILE", members),
                                         JSON_FORM("raingauge import FILE... of TVM's records", record_members),
                                         {0}};

const struct verb verb_import = {
    .name = "import",
    .arguments = "FILE...",
    .summary = "a network from an ONNX file, or a campaign from TVM's record files and databases",
    .asks = "which file? a model as ONNX, opset 11 to 20, records of auto_scheduler, or a folder of MetaSchedule's",
    .needed = 1,
    .words = CLI_WORDS,
    VERB_OPTIONS(struct import_options),
    .experiments = true,
    .json = forms,
    .run = run};
