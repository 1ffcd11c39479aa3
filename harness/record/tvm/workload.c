/* SPDX-License-Identifier: Apache-2.0 */
/* workload: names of kernels in TVM's records. data/tvm_oracle/definitions.txt has 58 graphs whose hash TVM v0.16
 * gives; ours gives the same for each of them (tests/unit/record/workload.c). */
#include "harness/record/tvm/workload.h"

#include "harness/base/digest.h"
#include "harness/base/json.h"
#include "harness/program/ir/dag_print.h"

#include <string.h>

/* What expressions TVM makes calls of: printed as "Op(name)" in simple mode. */
static bool is_call(const struct op *op)
{
    return op->reducer == REDUCE_NONE && str_starts(expr_word(op->body->kind), "tir.");
}

/* A copy with the axes' names of an older TVM. */
static const struct op *older_op(struct arena *a, const struct op *op)
{
    if (!str_eq(op->tag, "dense") || op->nspatial != 2)
        return op;
    struct op *copy = ARENA_DUP(a, op, struct op, 1);
    struct axis *axes = ARENA_DUP(a, op->axes, struct axis, op->nspatial + op->nreduce);
    axes[0].name = "i";
    axes[1].name = "j";
    copy->axes = axes;
    return copy;
}

static void print_simple(struct arena *a, const struct dag *d, bool older, struct text *out)
{
    for (int i = 0; i < d->nops; i++) {
        const struct op *op = older && d->ops[i]->kind == OP_COMPUTE ? older_op(a, d->ops[i]) : d->ops[i];
        if (op->kind == OP_PLACEHOLDER) {
            text_printf(out, "%s = PLACEHOLDER \n", op->name);
            continue;
        }
        size_t begin = out->len;
        op_print(d, op, out);
        if (is_call(op)) {
            char *value = strstr(out->s + begin, " = ");
            out->len = (size_t)(value - out->s);
            text_printf(out, " = Op(%s)", expr_word(op->body->kind));
        }
        text_char(out, '\n');
    }
}

const char *workload_hash(struct arena *a, const struct dag *d, bool older)
{
    struct text t = {0};
    char hex[33];
    print_simple(a, d, older, &t);
    digest_md5(text_str(&t), t.len, hex);
    text_free(&t);
    return arena_str(a, hex);
}

/* Reading */

static bool read_number(const cJSON *item, struct workload *w, int64_t *out, struct err *err)
{
    int64_t v;
    if (!json_int(item, &v))
        return err_set(err, "the workload key holds something that is neither a shape nor a whole number");
    if (w->nnumbers == WORKLOAD_NUMBERS)
        return err_set(err, "the workload key holds more than %d numbers", WORKLOAD_NUMBERS);
    w->numbers[w->nnumbers++] = *out = v;
    return true;
}

static bool read_shape(const cJSON *list, struct workload *w, struct err *err)
{
    struct workload_shape *s = &w->shapes[w->nshapes];
    const cJSON *item;
    if (w->nshapes == WORKLOAD_SHAPES)
        return err_set(err, "the workload key holds more than %d shapes", WORKLOAD_SHAPES);
    *s = (struct workload_shape){0};
    cJSON_ArrayForEach(item, list)
    {
        if (s->n == WORKLOAD_DIMS)
            return err_set(err, "a shape of the workload key has more than %d dimensions", WORKLOAD_DIMS);
        if (!read_number(item, w, &s->at[s->n], err))
            return false;
        if (s->at[s->n] < 1)
            return err_set(err, "a shape of the workload key has a dimension below 1");
        s->n++;
    }
    w->nshapes++;
    return true;
}

/* A name, then shapes or numbers; types ("float32") and "false" are passed over, other words are kept. */
static bool read_items(const cJSON *key, struct workload *w, struct text *words, struct err *err)
{
    int64_t ignored;
    for (const cJSON *item = key->child->next; item; item = item->next) {
        const char *word = cJSON_IsString(item) ? item->valuestring : cJSON_IsTrue(item) ? "true" : "float";
        if (!str_starts(word, "float"))
            text_printf(words, "%s%s", words->len ? " " : "", word);
        if (cJSON_IsString(item) || cJSON_IsBool(item))
            continue;
        if (cJSON_IsArray(item) ? !read_shape(item, w, err) : !read_number(item, w, &ignored, err))
            return false;
    }
    return true;
}

bool workload_parse(struct arena *a, const char *key, struct workload *out, struct err *err)
{
    struct text words = {0};
    *out = (struct workload){.name = "", .words = ""};
    cJSON *json = json_parse(key, strlen(key), "workload key", err);
    if (!json)
        return false;
    bool fine = cJSON_IsArray(json) && cJSON_IsString(json->child);
    if (fine) {
        out->name = arena_str(a, json->child->valuestring);
        fine = read_items(json, out, &words, err);
        out->words = arena_str(a, text_str(&words));
    } else {
        err_set(err, "the workload key is not a JSON list that starts with a name");
    }
    text_free(&words);
    cJSON_Delete(json);
    return fine;
}

/* Comparing */

void workload_of(const struct task *t, struct workload *out)
{
    const struct dag *d = t->dag;
    *out = (struct workload){.name = "", .words = ""};
    for (int i = 0; i < d->nops; i++) {
        const struct op *op = d->ops[i];
        if (op->kind != OP_PLACEHOLDER && i < d->nops - 1)
            continue;
        if (out->nshapes == WORKLOAD_SHAPES || op->nspatial > WORKLOAD_DIMS)
            return;
        struct workload_shape *s = &out->shapes[out->nshapes++];
        for (int k = 0; k < op->nspatial; k++)
            out->numbers[out->nnumbers++] = s->at[s->n++] = op->axes[k].extent;
    }
}

static bool same_shape(const struct workload_shape *x, const struct workload_shape *y, bool ones)
{
    int i = 0, k = 0;
    for (;;) {
        while (!ones && i < x->n && x->at[i] == 1)
            i++;
        while (!ones && k < y->n && y->at[k] == 1)
            k++;
        if (i == x->n || k == y->n)
            return i == x->n && k == y->n;
        if (x->at[i++] != y->at[k++])
            return false;
    }
}

bool workload_fits(const struct workload *key, const struct workload *kernel)
{
    if (key->nshapes == 0) /* an old log */
        return key->nnumbers > 0 && key->nnumbers == kernel->nnumbers &&
               memcmp(key->numbers, kernel->numbers, sizeof *key->numbers * (size_t)key->nnumbers) == 0;
    if (key->nshapes != kernel->nshapes)
        return false;
    for (int i = 0; i < key->nshapes; i++)
        if (!same_shape(&key->shapes[i], &kernel->shapes[i], i < key->nshapes - 1))
            return false;
    return true;
}
