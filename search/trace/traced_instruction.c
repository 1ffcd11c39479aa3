/* SPDX-License-Identifier: Apache-2.0 */
#include "search/trace/traced_instruction.h"

const cJSON *traced_item(const cJSON *list, int i)
{
    return cJSON_IsArray(list) ? cJSON_GetArrayItem(list, i) : NULL;
}

int traced_count(const cJSON *list)
{
    return cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
}

static struct traced_name *name_at(const struct trace_reading *r, const cJSON *x, char kind)
{
    int64_t number;
    if (!cJSON_IsString(x) || x->valuestring[0] != kind || !str_int(x->valuestring + 1, &number) || number < 0 ||
        number >= NAMES_MOST)
        return NULL;
    return &r->named[number];
}

bool traced_get(const struct trace_reading *r, const struct traced_instruction *in, int i, char kind, int64_t *out,
                struct err *err)
{
    const struct traced_name *n = name_at(r, traced_item(in->inputs, i), kind);
    if (!n || n->kind != kind)
        return err_set(err, "input %d is no %s that was made before", i,
                       kind == 'b'   ? "block"
                       : kind == 'l' ? "loop"
                                     : "number");
    *out = n->value;
    return true;
}

bool traced_get_block(const struct trace_reading *r, const struct traced_instruction *in, int *out, struct err *err)
{
    int64_t v = 0;
    if (!traced_get(r, in, 0, 'b', &v, err))
        return false;
    *out = (int)v;
    return (v >= 0 && !r->tree.blocks[v].gone) || err_set(err, "of the root, or of a block that was inlined");
}

bool traced_get_loop(const struct trace_reading *r, const struct traced_instruction *in, int i, int *out,
                     struct err *err)
{
    int64_t v = 0;
    if (!traced_get(r, in, i, 'l', &v, err))
        return false;
    *out = (int)v;
    return v >= 0 || err_set(err, "of no loop");
}

bool traced_get_loops(const struct trace_reading *r, const struct traced_instruction *in, int loops[LIST_MOST],
                      struct err *err)
{
    int n = traced_count(in->inputs);
    if (n < 1 || n > LIST_MOST)
        return err_set(err, "%d loops", n);
    for (int i = 0; i < n; i++)
        if (!traced_get_loop(r, in, i, &loops[i], err))
            return false;
    return true;
}

/* A whole number, as it is or as a name. */
bool traced_get_number(const struct trace_reading *r, const struct traced_instruction *in, int i, int64_t *out,
                       struct err *err)
{
    return cJSON_IsString(traced_item(in->inputs, i))
               ? traced_get(r, in, i, 'v', out, err)
               : json_int(traced_item(in->inputs, i), out) || err_set(err, "input %d is no whole number", i);
}

/* Names what the instruction made. */
bool traced_put(struct trace_reading *r, const struct traced_instruction *in, char kind, const int64_t *values, int n,
                struct err *err)
{
    if (traced_count(in->outputs) != n)
        return err_set(err, "%d outputs, %d are made", traced_count(in->outputs), n);
    for (int i = 0; i < n; i++) {
        struct traced_name *at = name_at(r, traced_item(in->outputs, i), kind);
        if (!at || at->kind)
            return err_set(err, "output %d is named twice, or no name", i);
        *at = (struct traced_name){kind, values[i]};
    }
    return true;
}

bool traced_put_ints(struct trace_reading *r, const struct traced_instruction *in, char kind, const int *values, int n,
                     struct err *err)
{
    int64_t wide[LIST_MOST];
    for (int i = 0; i < n && i < LIST_MOST; i++)
        wide[i] = values[i];
    return n <= LIST_MOST ? traced_put(r, in, kind, wide, n, err) : err_set(err, "more than %d outputs", LIST_MOST);
}

const char *traced_word(const struct traced_instruction *in, int i)
{
    const cJSON *x = traced_item(in->attributes, i);
    return cJSON_IsString(x) ? x->valuestring : "";
}
