/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_build: lowers, has the code generator make an object, and puts a header in front of it. */
#include "targets/cpu/cpu_build.h"

#include "harness/program/lower/bound.h"
#include "harness/program/lower/layout.h"
#include "targets/cpu/export/export.h"
#include "targets/cpu/llvm.h"
#include "targets/cpu/tvm/tvm_llvm.h"
#include "targets/outcome_because.h"

#include <stdlib.h>
#include <string.h>

const char *const cpu_codegen_names[] = {[CODEGEN_TVM] = "tvm", [CODEGEN_FAST] = "fast", NULL};
/* What may make the code of codegen=tvm, as its LLVM's version; 0: the first of them that is installed. */
const char *const cpu_llvm_versions[] = {"nearest", "17", "16", "19", NULL};
const int cpu_llvm_numbers[] = {0, 17, 16, LLVM_VERSION_MAJOR};

static const char MAGIC[8] = "rgcpu02";

static bool ready(struct cpu_build *b, enum codegen_mode mode, struct err *err)
{
    struct codegen_options o = b->options;
    o.mode = mode;
    return b->codegen[mode] || codegen_open(&o, &b->codegen[mode], err);
}

bool cpu_build_preload(const void *options, struct err *err)
{
    (void)options;
    tvm_llvm_load();
    return llvm_load(err);
}

bool cpu_build_open(struct cpu_build *b, const struct codegen_options *o, const struct target_env *env, int threads,
                    struct err *err)
{
    *b = (struct cpu_build){.options = *o, .layout = env->layout, .threads = threads, .scratch = arena_open("target")};
    if (env->use == TARGET_RUNS || ready(b, o->mode, err))
        return true;
    arena_close(b->scratch);
    return false;
}

void cpu_build_close(struct cpu_build *b)
{
    for (int i = 0; i < CODEGEN_MODES; i++)
        codegen_close(b->codegen[i]);
    arena_close(b->scratch);
}

/* ---- objects ---- */

static enum outcome pack(const struct object_header *head, const void *file, size_t n, struct blob *object,
                         char message[SAMPLE_MESSAGE])
{
    object->n = sizeof *head + n;
    object->bytes = malloc(object->n);
    if (!object->bytes)
        return outcome_because(message, OUTCOME_OUT_OF_MEMORY, "no memory for object code");
    memcpy(object->bytes, head, sizeof *head);
    memcpy((char *)object->bytes + sizeof *head, file, n);
    return OUTCOME_OK;
}

bool cpu_build_read(const struct blob *object, struct object_header *head, const void **file, size_t *n)
{
    if (object->n < sizeof *head || memcmp(object->bytes, MAGIC, sizeof MAGIC) != 0)
        return false;
    memcpy(head, object->bytes, sizeof *head);
    *file = (const char *)object->bytes + sizeof *head;
    *n = object->n - sizeof *head;
    return true;
}

static bool types_fit(const struct nest *n, struct err *err)
{
    for (int i = 0; i < n->nbuffers; i++)
        if (n->buffers[i]->dtype == DTYPE_F16)
            return err_set(err, "tensor '%s' is of float16, for which there is no code of CPUs", n->buffers[i]->name);
    return true;
}

static enum outcome build_nest(struct cpu_build *b, enum codegen_mode mode, const struct nest *n, struct blob *object,
                               char message[SAMPLE_MESSAGE])
{
    struct object_header head = {.nargs = n->nargs};
    struct err err = {0};
    struct codegen_made made;
    if (!types_fit(n, &err))
        return outcome_because(message, OUTCOME_INVALID, err.text);
    if (!ready(b, mode, &err) || !codegen_object(b->codegen[mode], n, &made, &err))
        return outcome_because(message, OUTCOME_BUILD_FAILED, err.text);
    head.scratch = made.scratch;
    memcpy(head.magic, MAGIC, sizeof head.magic);
    for (int i = 0; i < n->nargs && i < OBJECT_ARGS; i++)
        head.arg_bytes[i] = layout_elements(n->buffers[i]) * dtype_bytes(n->buffers[i]->dtype);
    enum outcome o = pack(&head, made.bytes, made.n, object, message);
    object->cached_s = made.cached_s;
    free(made.bytes);
    return o;
}

enum outcome cpu_build_candidate(void *self, const struct candidate *c, struct blob *object,
                                 char message[SAMPLE_MESSAGE])
{
    struct cpu_build *b = self;
    struct err err = {0};
    struct nest *n;
    arena_reset(b->scratch);
    if (!lower_steps(b->scratch, c->task, c->steps, c->nsteps, b->layout, &n, &err))
        return outcome_because(message, OUTCOME_INVALID, err.text);
    return build_nest(b, b->options.mode, n, object, message);
}

/* One stage made less slow: outer spatial loops fused and parallel, the last one innermost as lanes. */
static bool speed_up_stage(struct state *s, int stage, struct err *err)
{
    const struct op *op = s->stages[stage].op;
    int order[ITERS_MAX], n = s->stages[stage].nleaf, ns = op->nspatial;
    if (op->kind != OP_COMPUTE || ns == 0 || n > ITERS_MAX)
        return true;
    if (n > ns) {
        for (int i = 0; i < n; i++)
            order[i] = i < ns - 1 ? i : i < n - 1 ? i + 1 : ns - 1;
        if (!state_reorder(s, stage, order, n, err))
            return false;
    }
    if (op->axes[ns - 1].extent > 1 && !state_annotate(s, stage, n - 1, ANN_VECTORIZE, err))
        return false;
    if (ns < 2)
        return true;
    if (ns > 2 && !state_fuse(s, stage, 0, ns - 1, err))
        return false;
    return state_annotate(s, stage, 0, ANN_PARALLEL, err);
}

enum outcome cpu_build_reference(void *self, const struct task *task, struct blob *object, char message[SAMPLE_MESSAGE])
{
    struct cpu_build *b = self;
    struct err err = {0};
    struct nest *n;
    arena_reset(b->scratch);
    struct state *s = state_new(b->scratch, task);
    for (int i = 0; i < s->nstages; i++)
        if (!speed_up_stage(s, i, &err))
            return outcome_because(message, OUTCOME_BUILD_FAILED, err.text);
    if (!bound_infer(s, &err) || !lower(b->scratch, s, LAYOUT_NONE, &n, &err))
        return outcome_because(message, OUTCOME_BUILD_FAILED, err.text);
    return build_nest(b, CODEGEN_FAST, n, object, message);
}

/* ---- text ---- */

const char *const cpu_build_forms[] = {[CODEGEN_TILED] = "tiled",
                                       [CODEGEN_EMITTED] = "emitted",
                                       [CODEGEN_OPTIMISED] = "llvm",
                                       [CODEGEN_ASSEMBLY] = "asm",
                                       [CODEGEN_STAGES] = NULL};

bool cpu_build_print(void *self, const struct nest *n, const char *form, struct text *out, struct err *err)
{
    struct cpu_build *b = self;
    enum codegen_mode mode = b->options.mode;
    int stage = 0;
    while (cpu_build_forms[stage] && !str_eq(cpu_build_forms[stage], form))
        stage++;
    return types_fit(n, err) && ready(b, mode, err) &&
           codegen_text(b->codegen[mode], n, (enum codegen_stage)stage, out, NULL, err);
}

bool cpu_build_export(void *self, const struct nest *n, const char *form, const char *symbol, struct exported *out,
                      struct err *err)
{
    struct cpu_build *b = self;
    const struct export_request r = {.form = form, .symbol = symbol, .threads = b->threads};
    struct kernel_scratch scratch = {0};
    *out = (struct exported){.threads = b->threads};
    if (!types_fit(n, err) || !ready(b, b->options.mode, err) ||
        !export_code(b->codegen[b->options.mode], n, &r, &out->code, &scratch, err))
        return false;
    out->shared_bytes = scratch.shared_bytes;
    out->thread_bytes = scratch.thread_bytes;
    return true;
}

void cpu_build_describe(void *self, cJSON *object)
{
    struct cpu_build *b = self;
    struct err ignored = {0};
    if (!ready(b, b->options.mode, &ignored))
        return;
    const struct codegen *c = b->codegen[b->options.mode];
    json_put_str(object, "cpu", codegen_cpu(c));
    json_put_str(object, "codegen", cpu_codegen_names[b->options.mode]);
    json_put_int(object, "llvm", codegen_llvm(c));
    json_put_str(object, "mcpu", b->options.mcpu);
    json_put_int(object, "vector_bits", 8 * codegen_vector_bytes(c));
    json_put_str(object, "features", codegen_features(c));
    json_put_int(object, "threads", b->threads);
}
