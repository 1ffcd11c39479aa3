/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_model: see onnx_model.h. */
#include "tests/lib/onnx_model.h"

#include "harness/base/file.h"
#include "tests/lib/fixture_memory.h"

#include <stdlib.h>
#include <string.h>

/* Appends to an array of pointers of a message. */
#define APPEND(message, member, value)                                                                                 \
    do {                                                                                                               \
        void **more = ARENA_ARRAY(arena, void *, (message)->n_##member + 1);                                           \
        if ((message)->n_##member)                                                                                     \
            memcpy(more, (message)->member, sizeof *more *(message)->n_##member);                                      \
        more[(message)->n_##member++] = (value);                                                                       \
        (message)->member = (void *)more;                                                                              \
    } while (0)

struct onnx_model *onnx_model_new(int64_t opset)
{
    struct onnx_model *m = ARENA_NEW(arena, struct onnx_model);
    onnx__model__init(&m->model);
    onnx__graph__init(&m->graph);
    onnx__operator_set__init(&m->opset);
    m->opset.version = opset;
    m->model.graph = &m->graph;
    APPEND(&m->model, opset_import, &m->opset);
    return m;
}

/* The words between commas. */
static int split(const char *list, char ***out)
{
    char *rest = arena_str(arena, list);
    int n = 0;
    *out = ARENA_ARRAY(arena, char *, strlen(list) + 1);
    while (*list && rest)
        (*out)[n++] = strsep(&rest, ",");
    return n;
}

static Onnx__ValueInfo *value(const char *name, const char *shape)
{
    Onnx__ValueInfo *v = ARENA_NEW(arena, Onnx__ValueInfo);
    onnx__value_info__init(v);
    v->name = arena_str(arena, name);
    v->type = ARENA_NEW(arena, Onnx__Type);
    onnx__type__init(v->type);
    Onnx__TensorType *t = v->type->tensor_type = ARENA_NEW(arena, Onnx__TensorType);
    onnx__tensor_type__init(t);
    t->elem_type = 1;
    t->shape = ARENA_NEW(arena, Onnx__TensorShape);
    onnx__tensor_shape__init(t->shape);
    char **words;
    int n = split(shape, &words);
    for (int i = 0; i < n; i++) {
        Onnx__Dimension *d = ARENA_NEW(arena, Onnx__Dimension);
        onnx__dimension__init(d);
        if (!str_int(words[i], &d->dim_value))
            d->dim_param = words[i];
        APPEND(t->shape, dim, d);
    }
    return v;
}

void onnx_model_input(struct onnx_model *m, const char *name, const char *shape)
{
    APPEND(&m->graph, input, value(name, shape));
}

void onnx_model_output(struct onnx_model *m, const char *name)
{
    APPEND(&m->graph, output, value(name, ""));
}

void onnx_model_declare(struct onnx_model *m, const char *name, const char *shape)
{
    APPEND(&m->graph, value_info, value(name, shape));
}

static int64_t *numbers(const char *list, size_t *n)
{
    char **words;
    *n = (size_t)split(list, &words);
    int64_t *v = ARENA_ARRAY(arena, int64_t, *n + 1);
    for (size_t i = 0; i < *n; i++)
        v[i] = strtoll(words[i], NULL, 10);
    return v;
}

Onnx__Tensor *onnx_model_weight(struct onnx_model *m, const char *name, const char *shape)
{
    Onnx__Tensor *t = ARENA_NEW(arena, Onnx__Tensor);
    onnx__tensor__init(t);
    t->name = arena_str(arena, name);
    t->data_type = 1;
    t->dims = numbers(shape, &t->n_dims);
    APPEND(&m->graph, initializer, t);
    return t;
}

void onnx_model_ints(struct onnx_model *m, const char *name, const char *values)
{
    Onnx__Tensor *t = onnx_model_weight(m, name, "0");
    t->data_type = 7;
    t->int64_data = numbers(values, &t->n_int64_data);
    t->dims[0] = (int64_t)t->n_int64_data;
}

void onnx_model_float(struct onnx_model *m, const char *name, double v)
{
    Onnx__Tensor *t = onnx_model_weight(m, name, "");
    t->raw_data.len = sizeof(float);
    t->raw_data.data = arena_copy(arena, &(float){(float)v}, sizeof(float));
}

/* "key=1,2", "key=0.5" or "key=text". */
static Onnx__Attribute *attribute(char *word)
{
    Onnx__Attribute *a = ARENA_NEW(arena, Onnx__Attribute);
    onnx__attribute__init(a);
    a->name = strsep(&word, "=");
    char *end;
    a->f = strtof(word, &end);
    if (end == word) {
        a->s.data = (uint8_t *)word;
        a->s.len = strlen(word);
    } else {
        a->ints = numbers(word, &a->n_ints);
        a->i = a->ints[0];
    }
    return a;
}

Onnx__Node *onnx_model_node(struct onnx_model *m, const char *op, const char *inputs, const char *outputs,
                            const char *attributes)
{
    Onnx__Node *n = ARENA_NEW(arena, Onnx__Node);
    onnx__node__init(n);
    n->op_type = arena_str(arena, op);
    n->name = arena_printf(arena, "%s_%zu", op, m->graph.n_node);
    n->n_input = (size_t)split(inputs, &n->input);
    n->n_output = (size_t)split(outputs, &n->output);
    char *rest = arena_str(arena, attributes), *word;
    while ((word = strsep(&rest, " ")))
        if (*word)
            APPEND(n, attribute, attribute(word));
    APPEND(&m->graph, node, n);
    return n;
}

uint8_t *onnx_model_pack(const struct onnx_model *m, size_t *n)
{
    *n = onnx__model__get_packed_size(&m->model);
    uint8_t *bytes = arena_alloc(arena, *n + 1);
    onnx__model__pack(&m->model, bytes);
    return bytes;
}

const char *onnx_model_write(const struct onnx_model *m, const char *name)
{
    size_t n;
    struct err err = {0};
    const uint8_t *bytes = onnx_model_pack(m, &n);
    const char *path = fixture_path("%s", name);
    fixture_must(file_write(path, bytes, n, &err), &err);
    return path;
}
