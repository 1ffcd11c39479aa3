/* SPDX-License-Identifier: Apache-2.0 */
/* program_source: a program takes its tensors as it was tuned for; what packs plain ones stands in the header, whatever
 * form the program itself has. */
#include "harness/report/best/program_source.h"

#include "harness/report/best/reference_source.h"
#include "harness/report/best/tensor_map.h"

#include <ctype.h>

static const char *upper(struct arena *a, const char *name)
{
    char *s = arena_str(a, name);
    for (char *c = s; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return s;
}

/* What a kernel reads behind the last element of a tensor inside stays within the workspace. */
static int64_t program_workspace(const struct exported *x)
{
    int64_t bytes = x->shared_bytes + x->thread_bytes * x->threads;
    return bytes ? (bytes + 4096 + 63) / 64 * 64 : 0;
}

static void put_shape(const int64_t *extent, int n, struct text *out)
{
    for (int d = 0; d < n; d++)
        text_printf(out, "%s%lld", d ? ", " : "[", (long long)extent[d]);
    text_add(out, "]");
}

static void prototype(const struct program_source *w, struct text *out)
{
    struct tensor_map m;
    int n = w->task->nargs;
    text_printf(out, "void %s(", w->name);
    for (int i = 0; i < n; i++) {
        tensor_map_of(w->task, w->nest, i, &m);
        text_printf(out, "%s%s *%s, ", i < n - 1 ? "const " : "", m.type, m.name);
    }
    text_add(out, "void *workspace)");
}

/* "i0 * 9 + i2" */
static void add_term(struct text *sum, int d, int64_t by)
{
    text_printf(sum, by == 1 ? "%si%d" : "%si%d * %lld", sum->len ? " + " : "", d, (long long)by);
}

/* A loop for each dimension as it is taken; the place in the plain tensor is a sum. */
static void put_loops(const struct tensor_map *m, bool unpack, struct text *out)
{
    struct text place = {0}, inside = {0};
    for (int d = 0; d < m->ndim; d++) {
        if (m->extent[d] == 1)
            continue;
        text_printf(out, "    for (size_t i%d = 0; i%d < %lld; i%d++)\n", d, d, (long long)m->extent[d], d);
        add_term(&place, d, m->stride[d]);
    }
    for (int p = 0; p < m->nplain && m->holes; p++) {
        struct text sum = {0};
        for (int d = 0; d < m->ndim; d++)
            if (m->of[d] == p && m->extent[d] > 1)
                add_term(&sum, d, m->step[d]);
        if (sum.len)
            text_printf(&inside, "%s%s < %lld", inside.len ? " && " : "", text_str(&sum), (long long)m->plain[p]);
        text_free(&sum);
    }
    const char *at = place.len ? text_str(&place) : "0";
    if (unpack)
        text_printf(out, "        to[%s] = *from++;\n", at);
    else if (inside.len)
        text_printf(out, "        *to++ = %s ? from[%s] : 0;\n", text_str(&inside), at);
    else
        text_printf(out, "        *to++ = from[%s];\n", at);
    text_free(&place);
    text_free(&inside);
}

static void put_packing(const struct program_source *w, const struct tensor_map *m, bool output, struct text *out)
{
    const char *verb = output ? "unpack" : "pack";
    text_printf(out, "static inline void %s_%s_%s(const %s *from, %s *to)\n{\n", w->name, verb, m->name, m->type,
                m->type);
    put_loops(m, output, out);
    text_add(out, "}\n");
}

static void put_tensor(const struct tensor_map *m, bool output, struct text *out)
{
    text_printf(out, " *   %s%s: %s ", m->name, output ? " (output)" : m->weight ? " (weight)" : "", m->dtype);
    put_shape(m->plain, m->nplain, out);
    if (!m->same) {
        text_printf(out, ", %s as %s ", output ? "comes" : "goes in", m->order);
        put_shape(m->extent, m->ndim, out);
        text_printf(out, ": see %s_", output ? "unpack" : "pack");
        text_add(out, m->name);
    }
    text_add(out, "\n");
}

static void put_comment(const struct program_source *w, const char *name, struct text *out)
{
    struct tensor_map m;
    text_printf(out, "/* %s: %s\n%s", w->name, w->task->name, w->note);
    text_add(out, " *\n * Tensors, row by row; each begins at a multiple of 64 bytes, and no two overlap:\n");
    for (int i = 0; i < w->task->nargs; i++) {
        tensor_map_of(w->task, w->nest, i, &m);
        put_tensor(&m, i == w->task->nargs - 1, out);
    }
    text_printf(
        out,
        " * workspace: %s_WORKSPACE_BYTES bytes at a multiple of 64 (none: NULL will do). Nothing in it need be\n"
        " * kept, and two calls at a time need two.\n",
        name);
    if (w->code->threads > 1)
        text_printf(
            out,
            " * Parallel loops are cut for %s_THREADS threads. In C they run on as many with -fopenmp, else one\n"
            " * part after the other. An object calls raingauge_run_tasks below, if the program has it, to run\n"
            " * task(0, n, env) to task(n - 1, n, env) at once and to return when all are done.\n",
            name);
    text_add(out, " */\n");
}

/* By number, for programs that call whatever the list has. */
static void put_table_row(const struct program_source *w, const char *name, struct text *out)
{
    int n = w->task->nargs;
    struct tensor_map m;
    text_printf(out, "static inline void %s_call(void *const *t, void *workspace)\n{\n    %s(", w->name, w->name);
    for (int i = 0; i < n; i++) {
        tensor_map_of(w->task, w->nest, i, &m);
        text_printf(out, "(%s%s *)t[%d], ", i < n - 1 ? "const " : "", m.type, i);
    }
    text_printf(out, "workspace);\n}\nstatic inline void %s_reference_call(void *const *t)\n{\n    %s_reference(",
                w->name, w->name);
    for (int i = 0; i < n; i++) {
        tensor_map_of(w->task, w->nest, i, &m);
        text_printf(out, "%s(%s%s *)t[%d]", i ? ", " : "", i < n - 1 ? "const " : "", m.type, i);
    }
    text_printf(
        out, ");\n}\nstatic inline void %s_repack(int tensor, const void *from, void *to)\n{\n    switch (tensor) {\n",
        w->name);
    for (int i = 0; i < n; i++) {
        tensor_map_of(w->task, w->nest, i, &m);
        text_printf(out, "    case %d:\n", i);
        if (m.same)
            text_printf(out, "        memcpy(to, from, %lld * sizeof(%s));\n", (long long)m.elements, m.type);
        else
            text_printf(out, "        %s_%s_%s((const %s *)from, (%s *)to);\n", w->name, i < n - 1 ? "pack" : "unpack",
                        m.name, m.type, m.type);
        text_add(out, "        break;\n");
    }
    text_printf(out, "    }\n}\n#define %s_TENSORS %d\n#define %s_SIZES {", name, n, name);
    for (int i = 0; i < n; i++) {
        tensor_map_of(w->task, w->nest, i, &m);
        text_printf(out, "%s{%lld, %lld, sizeof(%s), '%c'}", i ? ", " : "", (long long)m.plain_elements,
                    (long long)m.elements, m.type, m.type[0]);
    }
    text_add(out, "}\n");
}

void program_header(const struct program_source *w, struct text *out)
{
    struct arena *a = arena_open("header");
    const char *name = upper(a, w->name);
    struct tensor_map m;
    put_comment(w, name, out);
    text_printf(out,
                "#ifndef %s_H\n#define %s_H\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n"
                "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                "#define %s_WORKSPACE_BYTES %lld\n#define %s_THREADS %d\n#define %s_FLOPS %.17g\n"
                "#define %s_SECONDS %.9g /* as measured */\n\n",
                name, name, name, (long long)program_workspace(w->code), name, w->code->threads, name, w->flops, name,
                w->seconds);
    prototype(w, out);
    text_add(out, ";\n/* Of plain tensors, slow, in a file of its own. */\n");
    reference_prototype(w->task, w->nest, w->name, out);
    text_add(out, ";\n");
    if (w->code->threads > 1)
        text_add(out,
                 "void raingauge_run_tasks(void (*task)(int32_t id, int32_t n, void *env), void *env, int32_t n);\n");
    text_add(out, "\n/* From plain tensors to those above, and back. */\n");
    for (int i = 0; i < w->task->nargs; i++) {
        tensor_map_of(w->task, w->nest, i, &m);
        if (!m.same)
            put_packing(w, &m, i == w->task->nargs - 1, out);
    }
    put_table_row(w, name, out);
    text_printf(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif /* %s_H */\n", name);
    arena_close(a);
}

void program_c(const struct program_source *w, struct text *out)
{
    struct tensor_map m;
    text_printf(out,
                "/* %s, made by raingauge; %s.h says what it is. For gcc 12 and later, and for clang:\n"
                " *   cc -O3 -march=native -ffp-contract=fast -c %s.c     (-fopenmp for threads; link with -lm) */\n"
                "#include \"%s.h\"\n#include <math.h>\n\n%s\n",
                w->name, w->name, w->name, w->name, text_str(&w->code->code));
    prototype(w, out);
    text_printf(out, "\n{\n    char *tensors[] = {");
    for (int i = 0; i < w->task->nargs; i++) {
        tensor_map_of(w->task, w->nest, i, &m);
        text_printf(out, "%s(char *)%s", i ? ", " : "", m.name);
    }
    text_printf(out, "};\n    raingauge_kernel((char *)tensors, (char *)workspace, (char *)workspace%s);\n}\n",
                w->code->shared_bytes ? arena_printf(w->nest->arena, " + %lld", (long long)w->code->shared_bytes) : "");
}

void program_list(const char *const *names, int n, struct text *out)
{
    text_add(
        out,
        "/* All programs that were taken out, as a table. repack(i, from, to) brings tensor i from plain to how it is\n"
        " * taken, and the last, the output, back. */\n#ifndef PROGRAMS_H\n#define PROGRAMS_H\n");
    for (int i = 0; i < n; i++)
        text_printf(out, "#include \"%s.h\"\n", names[i]);
    text_add(out,
             "\nstruct program_tensor {\n    size_t plain, taken; /* elements */\n    size_t bytes;        /* of "
             "an element */\n"
             "    char type;           /* 'f'loat, 'd'ouble, 'i'nteger */\n};\n"
             "struct program {\n    const char *name;\n    double flops, seconds; /* of a call, as measured */\n"
             "    int tensors;           /* the output last */\n    struct program_tensor tensor[16];\n"
             "    size_t workspace_bytes;\n    int threads;\n    void (*call)(void *const *tensors, void *workspace);\n"
             "    void (*reference)(void *const *plain);\n"
             "    void (*repack)(int tensor, const void *from, void *to);\n};\n\nstatic const struct program "
             "programs[] = {\n");
    struct arena *a = arena_open("programs");
    for (int i = 0; i < n; i++) {
        const char *u = upper(a, names[i]);
        text_printf(
            out,
            "    {\"%s\", %s_FLOPS, %s_SECONDS, %s_TENSORS, %s_SIZES, %s_WORKSPACE_BYTES, %s_THREADS,\n     %s_call, "
            "%s_reference_call, "
            "%s_repack},\n",
            names[i], u, u, u, u, u, u, names[i], names[i], names[i]);
    }
    arena_close(a);
    text_add(out, "};\nenum { PROGRAMS = sizeof programs / sizeof *programs };\n#endif\n");
}
