/* SPDX-License-Identifier: Apache-2.0 */
/* import: a network from an ONNX file: its kernels become a file of experiments/networks. */
#include "harness/base/file.h"
#include "harness/cli/cli.h"
#include "harness/experiment/network.h"
#include "harness/import/imported.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

struct import_options {
    const char *name;
    int64_t batch;
    int layout;
};
static const char *const LAYOUTS[] = {"nchw", "nhwc", "blocked", NULL};
static const struct setting options[] = {
    STRING_SETTING("--name", struct import_options, name, NULL, "name of the network; not given: that of the file",
                   .word = "NAME"),
    INT_SETTING("--batch", struct import_options, batch, "0", 0, 65536,
                "size of the first axis of inputs where the model leaves it open", .word = "N"),
    ENUM_SETTING("--layout", struct import_options, layout, "nchw", LAYOUTS,
                 "of images: channels first, last, or in blocks of at most 16, as TVM has them on x86"),
    {0}};

struct importation {
    const char *name, *path;
    struct onnx_graph *graph;
    struct imported network;
};

/* The name that was asked for must be one; of a file's name other characters become '_'. */
static bool choose_name(struct cli *c, struct importation *im, struct err *err)
{
    const struct import_options *o = c->options;
    char *name = o->name ? arena_str(c->arena, o->name) : file_stem(c->arena, c->words[0]);
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

static bool run(struct cli *c, struct err *err)
{
    const struct import_options *o = c->options;
    struct importation im = {0};
    if (!choose_name(c, &im, err) || !may_write(c, im.path, err) ||
        !import_onnx(c->arena, c->words[0], o->batch, (enum onnx_layout)o->layout, &im.graph, &im.network, err) ||
        !write_network(c, &im, err))
        return false;
    if (c->json) {
        cJSON *out = json_object();
        json_put_fields(out, members, "", (const void *[]){&im, &im.network});
        json_put_rows(out, members, "left", im.network.left, im.network.nleft, sizeof *im.network.left);
        cli_print_json(out);
    } else
        print_text(&im);
    return true;
}

static const struct json_form forms[] = {JSON_FORM("raingauge import FILE", members), {0}};

const struct verb verb_import = {.name = "import",
                                 .arguments = "FILE",
                                 .summary = "a network from an ONNX file, into the folder of networks",
                                 .asks = "which file? a model as ONNX, opset 11 to 20",
                                 .needed = 1,
                                 .words = 1,
                                 VERB_OPTIONS(struct import_options),
                                 .experiments = true,
                                 .json = forms,
                                 .run = run};
