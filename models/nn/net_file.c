/* SPDX-License-Identifier: Apache-2.0 */
/* net_file: the text of the layers is compared as a whole, so that a network of another shape is never read. */
#include "models/nn/net_file.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

#define FIRST_LINE "raingauge network "
enum { VERSION = 1, LIMIT = 1 << 30 };

static const char *const words[LAYER_KINDS] = {
    [LAYER_INPUT] = "input", [LAYER_LINEAR] = "linear",       [LAYER_ADD] = "add",        [LAYER_CONCAT] = "concat",
    [LAYER_SUM] = "sum",     [LAYER_ATTENTION] = "attention", [LAYER_BATCH_NORM] = "norm"};

/* "input:174 input:23 linear:0:256+relu ...": what each reads, its width, its heads. */
static void print_layers(const struct net *n, struct text *out)
{
    for (int i = 0; i < n->nlayers; i++) {
        const struct layer *l = &n->layer[i];
        text_printf(out, "%s%s", i ? " " : "", words[l->kind]);
        if (l->kind != LAYER_INPUT)
            text_printf(out, ":%d", l->from);
        if (l->kind == LAYER_ADD || l->kind == LAYER_CONCAT)
            text_printf(out, "+%d", l->other);
        text_printf(out, ":%d", l->width);
        if (l->heads)
            text_printf(out, "/%d", l->heads);
        if (l->relu)
            text_add(out, "+relu");
    }
}

static void add_floats(struct text *out, const float *at, size_t n)
{
    text_addn(out, (const char *)at, n * sizeof *at);
}

bool net_save(const struct net *n, const char *kind, const char *path, struct err *err)
{
    struct text head = {0}, body = {0};
    char hex[65];
    add_floats(&body, n->param, n->nparams);
    add_floats(&body, n->buffer, n->nbuffers);
    for (int i = 0; i < n->ninputs; i++)
        add_floats(&body, n->scale[i], (size_t)n->layer[i].width);
    digest_sha256(body.s, body.len, hex);
    text_printf(&head, FIRST_LINE "%d\nkind %s\nlayers ", VERSION, kind);
    print_layers(n, &head);
    text_printf(&head, "\nsha256 %s\n", hex);
    text_addn(&head, body.s, body.len);
    bool fine = file_write(path, head.s, head.len, err);
    text_free(&head);
    text_free(&body);
    return fine;
}

/* The next line without its end, cut off in place; NULL: there is none. */
static char *next_line(char **at, const char *end)
{
    char *begin = *at, *stop = memchr(begin, '\n', (size_t)(end - begin));
    if (!stop)
        return NULL;
    *stop = 0;
    *at = stop + 1;
    return begin;
}

static const char *value_of(const char *line, const char *key)
{
    size_t n = strlen(key);
    return line && strncmp(line, key, n) == 0 ? line + n : NULL;
}

static bool check_head(const struct net *n, const char *kind, char **at, const char *end, const char **sum,
                       struct err *err)
{
    struct text ours = {0};
    const char *version = value_of(next_line(at, end), FIRST_LINE);
    if (!version)
        return err_set(err, "it holds no network of raingauge");
    if (!str_eq(version, "1"))
        return err_set(err, "version '%.20s' of the format is not known, only %d", version, VERSION);
    const char *theirs = value_of(next_line(at, end), "kind "), *layers = value_of(next_line(at, end), "layers ");
    *sum = value_of(next_line(at, end), "sha256 ");
    if (!theirs || !layers || !*sum)
        return err_set(err, "its head is damaged");
    if (!str_eq(theirs, kind))
        return err_set(err, "it holds a '%.40s', not a '%s'", theirs, kind);
    print_layers(n, &ours);
    bool same = str_eq(layers, text_str(&ours));
    text_free(&ours);
    return same || err_set(err, "its %s has other layers: '%.200s'", kind, layers);
}

static void take_floats(char **at, float *to, size_t n)
{
    memcpy(to, *at, n * sizeof *to);
    *at += n * sizeof *to;
}

static bool read_net(struct net *n, const char *kind, char *at, const char *end, struct err *err)
{
    const char *sum = NULL;
    char hex[65];
    if (!check_head(n, kind, &at, end, &sum, err))
        return false;
    size_t floats = n->nparams + n->nbuffers;
    for (int i = 0; i < n->ninputs; i++)
        floats += (size_t)n->layer[i].width;
    if ((size_t)(end - at) != floats * sizeof(float))
        return err_set(err, "it holds %zu bytes of numbers instead of %zu", (size_t)(end - at), floats * sizeof(float));
    digest_sha256(at, (size_t)(end - at), hex);
    if (!str_eq(hex, sum))
        return err_set(err, "its numbers are not those of its checksum");
    take_floats(&at, n->param, n->nparams);
    take_floats(&at, n->buffer, n->nbuffers);
    for (int i = 0; i < n->ninputs; i++)
        take_floats(&at, n->scale[i], (size_t)n->layer[i].width);
    return true;
}

bool net_load(struct net *n, const char *kind, const char *path, struct err *err)
{
    struct arena *a = arena_open("network file");
    char *text;
    size_t size;
    bool fine = file_read(a, path, LIMIT, &text, &size, err) &&
                (read_net(n, kind, text, text + size, err) || err_context(err, "'%s'", path));
    arena_close(a);
    return fine;
}
