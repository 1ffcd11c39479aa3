/* SPDX-License-Identifier: Apache-2.0 */
/* record_task: from a record to task lines. A key's candidates are the known kernels and the inferred ones
 * (infer_task.h) whose shapes fit. Those whose TVM hash is the key's are certain. If there is none, all are tried: a
 * hash may come from yet another version of TVM. Answers are kept by key, since a log has thousands of records of one
 * kernel. */
#include "harness/record/tvm/record_task.h"

#include "harness/base/hash.h"
#include "harness/base/map.h"
#include "harness/program/lower/bound.h"
#include "harness/record/tvm/infer_task.h"

#include <string.h>

#define UNKNOWN "which kernel? give --task"
enum { KEYS_KEPT = 256 };

struct record_task {
    struct arena *arena;
    const char *const *known;
    int nknown;
    const char *task;
    const char *said[2];   /* the answer when the record describes its kernel */
    struct arena *scratch; /* of the last answer */
    struct arena *answers; /* of keys asked before */
    struct map at;         /* hash of the key -> struct answer * */
};
struct answer {
    const char *key;
    struct found_task found;
};

struct record_task *record_task_open(const char *const *known, int nknown, const char *task)
{
    struct arena *a = arena_open("record tasks");
    struct record_task *id = ARENA_NEW(a, struct record_task);
    *id = (struct record_task){.arena = a, .known = known, .nknown = nknown, .task = task};
    id->answers = arena_open("answers");
    id->scratch = arena_open("answer");
    return id;
}

void record_task_close(struct record_task *id)
{
    if (!id)
        return;
    map_free(&id->at);
    arena_close(id->answers);
    arena_close(id->scratch);
    arena_close(id->arena);
}

/* Names ----------------------------------------------------------------------------------------------------------- */

/* The cases of data/tvm_oracle/cuda_states.jsonl; their graphs are in cuda_definitions.txt there. */
static const char *const CASES[][2] = {
    {"conv_nchw_56_64_3", "conv2d ci=64 hi=56 wi=56 co=64 kh=3 kw=3 ph=1 pw=1 layout=nchw bias=1 relu=1"},
    {"conv_nchw_28_128_3_res", "conv2d ci=128 hi=28 wi=28 co=128 kh=3 kw=3 ph=1 pw=1 layout=nchw bias=1 add=1 relu=1"},
    {"conv_nchw_224_3_64_7s2",
     "conv2d ci=3 hi=224 wi=224 co=64 kh=7 kw=7 sh=2 sw=2 ph=3 pw=3 layout=nchw bias=1 relu=1"},
    {"conv_nchw_14_256_1024_1", "conv2d ci=256 hi=14 wi=14 co=1024 kh=1 kw=1 layout=nchw bias=1 relu=1"},
    {"conv_nhwc_56_64_3", "winograd ci=64 hi=56 wi=56 co=64 ph=1 pw=1 tile=4 bias=1 relu=1"},
    {"conv_nhwc_14_256_1024_1", "conv2d ci=256 hi=14 wi=14 co=1024 kh=1 kw=1 layout=nhwc bias=1 relu=1"},
    {"dw_nchw_112_32_3", "depthwise_conv2d ci=32 hi=112 wi=112 kh=3 kw=3 ph=1 pw=1 layout=nchw bias=1 relu=1"},
    {"dw_nhwc_14_512_3", "depthwise_conv2d ci=512 hi=14 wi=14 kh=3 kw=3 ph=1 pw=1 layout=nhwc bias=1 relu=1"},
    {"dense_1_2048_1000", "dense n=1 ci=2048 co=1000 bias=1"},
    {"dense_128_768_768", "dense n=128 ci=768 co=768"},
    {"bmm_12_128_64", "batch_matmul b=12 n=128 m=128 k=64"},
    {"softmax_12_128", "softmax n=1536 c=128"},
    {"maxpool_112_64", "pool2d c=64 hi=112 wi=112 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 pool=max layout=nchw"},
    {"gap_7_512", "global_pool2d c=512 hi=7 wi=7 layout=nchw"},
};

/* Functions that people tune under their name: TVM's tutorials and tests, and the logs of bennu (data/tvm_logs). line
 * takes the key's numbers, shapes' numbers in a row: %0 the first, and so on; %s5 is the padding before and behind of
 * TVM's "SAME" for a window of the sixth number (topi's get_pad_tuple: the larger half comes first). */
static const struct function {
    const char *name, *words; /* words: those of the key, one space between */
    int numbers;
    int64_t last; /* what the last number must be; 0: anything */
    const char *line;
} FUNCTIONS[] = {
    {"matmul_layer", "", 3, 0, "matmul n=%0 k=%1 m=%2"},
    {"matmul_auto_scheduler_test", "", 3, 0, "matmul n=%0 m=%1 k=%2"},
    {"conv2d_ansor", "", 8, 0, "conv2d n=%0 ci=%1 hi=%2 wi=%3 co=%4 kh=%6 kw=%7 ph=1 pw=1 layout=nchw"},
    {"conv2d_layer", "", 9, 0,
     "conv2d n=%0 hi=%1 wi=%2 co=%3 ci=%4 kh=%5 kw=%6 sh=%7 sw=%7 ph=%8 pw=%8 layout=nchw bias=1 relu=1"},
    {"conv2d_layer", "", 11, 0,
     "conv2d n=%0 hi=%1 wi=%2 co=%3 ci=%4 kh=%5 kw=%6 sh=%7 sw=%8 ph=%9 pw=%: layout=nchw bias=1 relu=1"},
    {"conv2d_layer", "SAME", 8, 0,
     "conv2d n=%0 ci=%1 hi=%2 wi=%3 co=%4 kh=%5 kw=%6 sh=%7 sw=%7 ph=%s5 pw=%s6 layout=nchw"},
    {"depthwise_conv2d_layer", "SAME", 7, 0,
     "depthwise_conv2d n=%0 ci=%1 hi=%2 wi=%3 kh=%4 kw=%5 sh=%6 sw=%6 ph=%s4 pw=%s5 layout=nchw"},
    {"pool_layer", "avg VALID", 7, 0, "pool2d n=%0 c=%1 hi=%2 wi=%3 kh=%4 kw=%5 sh=%6 sw=%6 pool=avg layout=nchw"},
    {"pool_layer", "max VALID", 7, 0, "pool2d n=%0 c=%1 hi=%2 wi=%3 kh=%4 kw=%5 sh=%6 sw=%6 pool=max layout=nchw"},
    {"reduction_layer", "", 4, 2, "reduce n=%0 h=%1 m=%2 by=sum"}, /* over the last axis */
    {"relu_layer", "", 2, 0, "map n=%0 c=%1 by=relu"},
};

static const char *fill_in(struct arena *a, const char *line, const struct workload *w)
{
    struct text t = {0};
    for (; *line; line++) {
        if (*line != '%') {
            text_char(&t, *line);
            continue;
        }
        bool same = *++line == 's';
        line += same;
        int64_t v = w->numbers[*line - '0']; /* ':' follows '9' */
        if (same)
            text_printf(&t, "%lld,%lld", (long long)(v / 2), (long long)(v - 1 - v / 2));
        else
            text_int(&t, v);
    }
    return text_keep(&t, a);
}

static void find_function(struct arena *a, const struct workload *w, const char **spec)
{
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++)
        if (str_eq(FUNCTIONS[i].name, w->name) && str_eq(FUNCTIONS[i].words, w->words) &&
            FUNCTIONS[i].numbers == w->nnumbers &&
            (!FUNCTIONS[i].last || FUNCTIONS[i].last == w->numbers[w->nnumbers - 1]))
            *spec = fill_in(a, FUNCTIONS[i].line, w);
}

const char *record_task_case(const char *name)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        if (str_eq(CASES[i][0], name))
            return CASES[i][1];
    return NULL;
}

/* Keys ------------------------------------------------------------------------------------------------------------ */

struct key_search { /* the candidates of one key */
    const struct workload *key;
    const char **fit, **exact;
    int nfit, nexact;
};

/* Whether the hash is TVM's of the graph, of an older version or a newer one. */
static bool same_hash(struct arena *a, const struct task *t, const char *name)
{
    return str_eq(workload_hash(a, t->dag, false), name) || str_eq(workload_hash(a, t->dag, true), name);
}

static void look_at(struct key_search *h, const char *spec)
{
    struct arena *a = arena_open("look");
    struct task *t;
    struct err ignored;
    struct workload shapes;
    if (task_parse(a, spec, &t, &ignored)) {
        workload_of(t, &shapes);
        if (workload_fits(h->key, &shapes)) {
            h->fit[h->nfit++] = spec;
            if (same_hash(a, t, h->key->name))
                h->exact[h->nexact++] = spec;
        }
    }
    arena_close(a);
}

static void find_by_key(struct record_task *id, const struct workload *w, struct found_task *out)
{
    const char *inferred[INFER_TASK_MOST];
    struct arena *a = id->answers;
    int ninferred = infer_task_specs(a, w, inferred), most = id->nknown + ninferred;
    struct key_search h = {.key = w};
    h.fit = ARENA_ARRAY(a, const char *, most + 1);
    h.exact = ARENA_ARRAY(a, const char *, most + 1);
    for (int i = 0; i < id->nknown; i++)
        look_at(&h, id->known[i]);
    for (int i = 0; i < ninferred; i++)
        look_at(&h, inferred[i]);
    out->certain = h.nexact > 0;
    out->specs = h.nexact ? h.exact : h.fit;
    out->n = h.nexact ? h.nexact : h.nfit;
}

static bool answer(struct record_task *id, const char *key, struct found_task *out, struct err *err)
{
    struct workload w;
    struct arena *a = id->answers;
    const char *spec = NULL;
    if (!workload_parse(a, key, &w, err))
        return false;
    find_function(a, &w, &spec);
    if (!spec) {
        find_by_key(id, &w, out);
        return true;
    }
    const char **one = ARENA_ARRAY(a, const char *, 1);
    one[0] = spec;
    *out = (struct found_task){.specs = one, .n = 1, .certain = true};
    return true;
}

static bool find_key(struct record_task *id, const char *key, struct found_task *out, struct err *err)
{
    uint64_t hash = hash_str(key), found;
    if (map_get(&id->at, hash, &found) && str_eq(((const struct answer *)(uintptr_t)found)->key, key)) {
        *out = ((const struct answer *)(uintptr_t)found)->found;
        return true;
    }
    if (id->at.n >= KEYS_KEPT) {
        map_clear(&id->at);
        arena_reset(id->answers);
    }
    struct answer *kept = ARENA_NEW(id->answers, struct answer);
    kept->key = arena_str(id->answers, key);
    if (!answer(id, key, &kept->found, err))
        return false;
    map_put(&id->at, hash, (uint64_t)(uintptr_t)kept);
    *out = kept->found;
    return true;
}

/* The authors' sets call Relay's 'mean' a global pooling; only the shapes show it: the output lacks two dimensions. TVM
 * v0.16 (data/tvm_oracle) made a pooling of it, so that comes first. */
static const char *as_mean(struct arena *a, const struct tvm_log_entry *e)
{
    struct workload w;
    struct err ignored;
    const char *keys = strchr(e->spec, ' ');
    if (!keys || !str_starts(e->spec, "global_pool2d ") || !str_ends(keys, " pool=avg") ||
        !workload_parse(a, e->workload_key, &w, &ignored) || w.nshapes != 2 || w.shapes[0].n != w.shapes[1].n + 2)
        return NULL;
    return arena_printf(a, "mean%.*s", (int)(strlen(keys) - strlen(" pool=avg")), keys);
}

bool record_task_find(struct record_task *id, const struct tvm_log_entry *e, struct found_task *out, struct err *err)
{
    *out = (struct found_task){.certain = true, .specs = id->said, .n = 1};
    id->said[0] = id->task ? id->task : e->spec;
    if (!id->said[0] && e->label)
        id->said[0] = record_task_case(e->label);
    arena_reset(id->scratch);
    id->said[1] = !id->task && e->spec ? as_mean(id->scratch, e) : NULL;
    out->n += id->said[1] != NULL;
    if (id->said[0])
        return true;
    if (e->label)
        return err_set(err, "no case '%.60s' is known: " UNKNOWN, e->label);
    return find_key(id, e->workload_key, out, err) && (out->n > 0 || err_set(err, UNKNOWN));
}

/* Applying -------------------------------------------------------------------------------------------------------- */

/* A split of an axis of the graph names the axis' length: another one means that the steps are of another graph. Later
 * iterators are not compared, their recorded lengths may be older than the lengths they come from (Droplet's). */
static bool check_split(const struct state *s, const struct step *step, struct err *err)
{
    if (step->kind != STEP_SP || step->extent <= 0 || step->stage >= s->nstages)
        return true;
    const struct stage *st = &s->stages[step->stage];
    if (step->iter >= st->nleaf || st->leaf[step->iter] >= st->op->nspatial + st->op->nreduce)
        return true;
    const struct ivar *iv = stage_iter(st, step->iter);
    return iv->extent < 0 || iv->extent == step->extent ||
           err_set(err, "step %d splits %lld turns, but '%s' of '%s' has %lld: steps of another kernel?", s->nsteps,
                   (long long)step->extent, iv->name, st->op->name, (long long)iv->extent);
}

bool record_task_apply(struct arena *a, const struct task *task, const struct tvm_log_entry *e, struct state **out,
                       struct err *err)
{
    struct state *s = *out = state_new(a, task);
    for (int i = 0; i < e->nsteps; i++)
        if (!check_split(s, &e->steps[i], err) || !state_apply(s, &e->steps[i], err))
            return false;
    return bound_infer(s, err);
}
