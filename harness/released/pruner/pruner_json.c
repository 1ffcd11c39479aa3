/* SPDX-License-Identifier: Apache-2.0 */
/* pruner_json: the list of numbers, the curves as points, the problems. */
#include "harness/released/pruner/pruner_json.h"

static void put_word(cJSON *in, const char *key, const char *s)
{
    json_put_str(in, key, s && *s ? s : NULL);
}

static void put_curves(cJSON *out, const struct pruner_release *r)
{
    cJSON *list = json_put_array(out, "curves");
    for (int m = 0; m < PRUNER_METHODS; m++)
        for (int i = 0; i < r->curves[m].n; i++) {
            const struct pruner_point *p = &r->curves[m].at[i];
            cJSON *o = json_put_object(list, NULL);
            json_put_str(o, "method", pruner_methods[m]);
            json_put_int(o, "trials", p->trials);
            json_put_number(o, "seconds", p->seconds);
            json_put_number(o, "ms", p->ms);
        }
}

static void put_problems(cJSON *out, const struct tsv_problems *p)
{
    cJSON *list = json_put_array(out, "problems");
    for (int i = 0; i < p->all.n; i++) {
        cJSON *o = json_put_object(list, NULL);
        json_put_str(o, "file", p->all.at[i].file);
        json_put_int(o, "line", p->all.at[i].line);
        json_put_int(o, "column", p->all.at[i].column);
        json_put_str(o, "reason", p->all.at[i].text);
    }
}

cJSON *pruner_json(const struct pruner_numbers *x, const char *dir)
{
    cJSON *out = json_object();
    json_put_str(out, "dir", dir);
    json_put_str(out, "paper", "pruner");
    json_put_str(out, "form", x->release->authors ? "authors" : "compact");
    cJSON *list = json_put_array(out, "numbers");
    for (int i = 0; i < x->all.n; i++) {
        const struct pruner_number *n = &x->all.at[i];
        cJSON *o = json_put_object(list, NULL);
        json_put_str(o, "table", n->table);
        put_word(o, "machine", n->machine);
        put_word(o, "network", n->network);
        json_put_str(o, "column", n->column);
        json_put_number(o, "value", n->value);
        json_put_number(o, "printed", n->printed);
        json_put_str(o, "title", n->title);
    }
    put_curves(out, x->release);
    put_problems(out, x->release->problems);
    return out;
}
