/* SPDX-License-Identifier: Apache-2.0 */
/* exec: searcher 'exec': a user's program searches (harness/doc/exec.md). It asks for programs of the sketch space to
 * be drawn, changed, crossed and scored, and submits some to be measured. A state is known by a number, which is that
 * of its program: the measured ones are 0, 1, ... in the order told, in every search that was told the same; the others
 * follow, until the turn ends. Whatever is drawn comes from env->rng, so a program that is a function of what it was
 * told and of the seed of each ask keeps the contract of harness/plug/searcher.h. */
#include "harness/base/log.h"
#include "harness/base/vec.h"
#include "harness/plug/exchange.h"
#include "harness/plug/searcher.h"
#include "harness/program/features/feature.h"
#include "harness/program/lower/lower.h"
#include "search/evolution/evaluate.h"
#include "search/evolution/measured_set.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct exec_options {
    struct space_options space;
    struct exchange_options program;
};
static const struct setting settings[] = {
    EXCHANGE_SETTINGS(struct exec_options, program), SPACE_SETTINGS(struct exec_options, space), {0}};

enum { ITEMS_MAX = 1 << 16 /* of a request */, MADE_MAX = 1 << 18, REQUESTS_MAX = 1 << 20 /* of a turn */ };

struct exec_search {
    struct measured_set measured;
    struct searcher_env *env;
    struct space space;
    struct worker_pool workers;
    struct evaluator evaluator, scorer; /* without a model, and with the cell's */
    struct exchange program;
    struct arena *turn;
    VEC(struct genome) told;
    VEC(struct individual) held; /* of this turn, after the told ones */
    int made;                    /* in this turn, valid or not */
    struct map numbers;          /* state hash -> number of one that is held */
};

static void put_hello(const struct exec_search *s, int64_t seed, struct text *out)
{
    const struct task *t = s->env->task;
    text_add(out, "\"role\":\"searcher\",\"task\":");
    text_json(out, t->spec);
    text_printf(out, ",\"flops\":%.17g,\"trials\":%d,\"seed\":%lld,\"gpu\":%s,\"scores\":%s,\"mutations\":[", t->flops,
                s->env->trials, (long long)seed, s->env->limits.is_gpu ? "true" : "false",
                s->env->model.plug ? "true" : "false");
    for (int i = 0; i < MUTATIONS; i++)
        text_printf(out, "%s\"%s\"", i ? "," : "", mutations[i].name);
    text_add(out, "],\"features\":");
    feature_names(out);
}

static bool exec_open(void *self, struct searcher_env *env, struct err *err)
{
    struct exec_search *s = self;
    const struct exec_options *o = env->options;
    struct text hello = {0};
    *s = (struct exec_search){.env = env, .turn = arena_within(env->arena, "turn")};
    measured_set_open(&s->measured, env->arena, 0);
    map_defer(&s->numbers, env->arena);
    vec_defer(env->arena, &s->told);
    vec_defer(env->arena, &s->held);
    s->evaluator = (struct evaluator){.space = &s->space, .workers = &s->workers};
    s->scorer = (struct evaluator){.space = &s->space, .workers = &s->workers, .model = &env->model};
    if (!space_open(&s->space, env->arena, env->task, &env->limits, &o->space, err))
        return false;
    put_hello(s, exchange_seed(&s->env->rng), &hello);
    bool fine = exchange_open(&s->program, &o->program, text_str(&hello), err);
    text_free(&hello);
    if (fine)
        arena_defer(env->arena, exchange_close, &s->program);
    return fine;
}

/* ---- states ---- */

static struct genome genome_at(const struct exec_search *s, int id)
{
    return id < s->told.n ? s->told.at[id] : s->held.at[id - s->told.n].genome;
}

/* The number of a valid program; one that is new gets the next one. */
static int number_of(struct exec_search *s, const struct individual *one)
{
    uint64_t number;
    if (map_get(&s->measured.known, one->hash, &number) || map_get(&s->numbers, one->hash, &number))
        return (int)number;
    int id = s->told.n + s->held.n;
    vec_push(&s->held, *one);
    map_put(&s->numbers, one->hash, (uint64_t)id);
    return id;
}

/* The answer to a request that makes states: a number for each, null where there is none. */
static bool put_states(struct exec_search *s, const struct individual *made, int n, bool leave_out, struct err *err)
{
    struct text *out = &s->program.line;
    bool first = true;
    text_add(out, "{\"states\":[");
    for (int i = 0; i < n; i++) {
        if (leave_out && !made[i].valid)
            continue;
        if (!first)
            text_char(out, ',');
        first = false;
        if (made[i].valid)
            text_int(out, number_of(s, &made[i]));
        else
            text_add(out, "null");
    }
    text_char(out, ']');
    s->made += n;
    return s->made <= MADE_MAX ||
           exchange_wrong(&s->program, err, "it makes more than %d states in a turn: submit", MADE_MAX);
}

/* A list of a request, and how long it is. */
static bool read_list(struct exec_search *s, const cJSON *list, const char *of, int *n, struct err *err)
{
    *n = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : -1;
    return (*n >= 0 && *n <= ITEMS_MAX) ||
           exchange_wrong(&s->program, err, "'%s' must be a list of at most %d", of, ITEMS_MAX);
}

static bool read_id(struct exec_search *s, const cJSON *item, int *id, struct err *err)
{
    int64_t v;
    int most = s->told.n + s->held.n;
    *id = -1;
    if (!json_int(item, &v))
        return exchange_wrong(&s->program, err, "a state is a whole number, as 'draw' gives it");
    if (v < 0 || v >= most)
        return exchange_wrong(&s->program, err, "there is no state %lld: this turn has %d so far, from 0 on",
                              (long long)v, most);
    *id = (int)v;
    return true;
}

static bool read_ids(struct exec_search *s, const cJSON *list, const char *of, int **ids, int *n, struct err *err)
{
    if (!read_list(s, list, of, n, err))
        return false;
    *ids = ARENA_ARRAY(s->turn, int, *n + 1);
    const cJSON *item = list->child;
    for (int i = 0; i < *n; i++, item = item->next)
        if (!read_id(s, item, &(*ids)[i], err))
            return false;
    return true;
}

/* Programs of these steps; those without steps are none. */
static bool evaluate(struct exec_search *s, struct individual *made, int n, struct err *err)
{
    struct individual **with = ARENA_ARRAY(s->turn, struct individual *, n + 1);
    int m = 0;
    for (int i = 0; i < n; i++)
        if (made[i].genome.steps)
            with[m++] = &made[i];
    return evaluate_genomes(&s->evaluator, with, m, err);
}

/* ---- requests ---- */

static bool do_draw(struct exec_search *s, const cJSON *line, const cJSON *with, struct err *err)
{
    (void)line;
    int64_t n;
    if (!json_int(with, &n) || n < 0 || n > ITEMS_MAX)
        return exchange_wrong(&s->program, err, "'draw' must be a number of states, 0 to %d", ITEMS_MAX);
    struct individual *made = ARENA_ARRAY(s->turn, struct individual, n + 1);
    uint64_t *seeds = ARENA_ARRAY(s->turn, uint64_t, n + 1);
    for (int64_t i = 0; i < n; i++)
        seeds[i] = rng_next(&s->env->rng);
    return (s->space.nsketches == 0 || evaluate_draws(&s->evaluator, seeds, (int)n, made, err)) &&
           put_states(s, made, (int)n, true, err);
}

static bool read_mutation(struct exec_search *s, const cJSON *line, const struct mutation **out, struct err *err)
{
    const char *names[MUTATIONS], *name = json_str(line, "by", NULL);
    struct err why = {0};
    *out = NULL;
    for (int i = 0; i < MUTATIONS; i++) {
        names[i] = mutations[i].name;
        if (name && str_eq(name, names[i]))
            *out = &mutations[i];
    }
    if (!name || *out)
        return true;
    str_unknown(&why, "mutation", name, names, MUTATIONS);
    return exchange_wrong(&s->program, err, "%s", why.text);
}

static bool do_mutate(struct exec_search *s, const cJSON *line, const cJSON *with, struct err *err)
{
    const struct mutation *by;
    int *ids, n;
    if (!read_ids(s, with, "mutate", &ids, &n, err) || !read_mutation(s, line, &by, err))
        return false;
    struct individual *made = ARENA_ARRAY(s->turn, struct individual, n + 1);
    struct arena *work = arena_open("mutate");
    for (int i = 0; i < n; i++) {
        struct rng r;
        rng_seed(&r, rng_next(&s->env->rng));
        const struct mutation *m = by ? by : mutation_draw(&s->space, &r);
        if (!m->apply(&s->space, s->turn, work, &r, genome_at(s, ids[i]), &made[i].genome))
            made[i].genome.steps = NULL;
        arena_reset(work);
    }
    arena_close(work);
    return evaluate(s, made, n, err) && put_states(s, made, n, false, err);
}

static bool same_place(const struct step *x, const struct step *y)
{
    return x->kind == y->kind && x->stage == y->stage && x->iter == y->iter && x->extent == y->extent && x->n == y->n;
}

/* The node-based crossover of Ansor (Zheng et al., OSDI 2020, section 5.1): the steps of a stage come from one of the
 * parents. Ours is of parents that begin alike: from the first step of another kind, stage or loop on they are the
 * first one's. */
static struct genome cross(struct arena *a, struct rng *r, struct genome x, struct genome y)
{
    uint64_t coins = rng_next(r);
    struct step *steps = ARENA_DUP(a, x.steps, struct step, x.n);
    for (int i = 0; i < x.n && i < y.n && same_place(&x.steps[i], &y.steps[i]); i++)
        if (coins >> (x.steps[i].stage % 64) & 1)
            steps[i] = y.steps[i];
    return (struct genome){steps, x.n};
}

static bool do_cross(struct exec_search *s, const cJSON *line, const cJSON *with, struct err *err)
{
    (void)line;
    int n, pair, *two;
    if (!read_list(s, with, "cross", &n, err))
        return false;
    struct individual *made = ARENA_ARRAY(s->turn, struct individual, n + 1);
    const cJSON *item = with->child;
    for (int i = 0; i < n; i++, item = item->next) {
        struct rng r;
        if (!read_ids(s, item, "cross", &two, &pair, err))
            return false;
        if (pair != 2)
            return exchange_wrong(&s->program, err, "'cross' must be a list of pairs of states");
        rng_seed(&r, rng_next(&s->env->rng));
        made[i].genome = cross(s->turn, &r, genome_at(s, two[0]), genome_at(s, two[1]));
    }
    return evaluate(s, made, n, err) && put_states(s, made, n, false, err);
}

/* {"steps":[...]}, after those of "state" if it is given; what the steps are not is data, and why. */
static bool read_steps(struct exec_search *s, const cJSON *item, struct genome *out, struct err *why, struct err *err)
{
    const cJSON *of = json_get(item, "state");
    struct genome before = {0};
    struct step *steps;
    int id, n;
    if (of && !read_id(s, of, &id, err))
        return false;
    if (of)
        before = genome_at(s, id);
    if (!cJSON_IsArray(json_get(item, "steps")))
        return exchange_wrong(&s->program, err, "'apply' must be a list of {\"state\":NUMBER,\"steps\":[...]}");
    if (!steps_parse(s->turn, json_get(item, "steps"), &steps, &n, why))
        return true;
    struct step *all = ARENA_ARRAY(s->turn, struct step, before.n + n + 1);
    for (int i = 0; i < before.n + n; i++)
        all[i] = i < before.n ? before.steps[i] : steps[i - before.n];
    if (before.n + n <= STEPS_MAX)
        *out = (struct genome){all, before.n + n};
    return true;
}

static void say_why(struct exec_search *s, const struct individual *one, struct err *why)
{
    struct arena *a = arena_open("refused");
    struct state *state = one->genome.steps && !*why->text
                              ? space_state(&s->space, a, one->genome.steps, one->genome.n, NULL, why)
                              : NULL;
    if (state && space_fits(&s->space, a, state, why))
        bug("steps that were refused apply");
    text_json(&s->program.line, *why->text ? why->text : "the steps do not apply");
    arena_close(a);
}

static bool do_apply(struct exec_search *s, const cJSON *line, const cJSON *with, struct err *err)
{
    (void)line;
    int n;
    if (!read_list(s, with, "apply", &n, err))
        return false;
    struct individual *made = ARENA_ARRAY(s->turn, struct individual, n + 1);
    struct err *why = ARENA_ARRAY(s->turn, struct err, n + 1);
    const cJSON *item = with->child;
    for (int i = 0; i < n; i++, item = item->next)
        if (!read_steps(s, item, &made[i].genome, &why[i], err))
            return false;
    if (!evaluate(s, made, n, err) || !put_states(s, made, n, false, err))
        return false;
    text_add(&s->program.line, ",\"why\":[");
    for (int i = 0; i < n; i++) {
        text_add(&s->program.line, i ? "," : "");
        if (made[i].valid)
            text_add(&s->program.line, "null");
        else
            say_why(s, &made[i], &why[i]);
    }
    text_char(&s->program.line, ']');
    return true;
}

static bool do_steps(struct exec_search *s, const cJSON *line, const cJSON *with, struct err *err)
{
    (void)line;
    int *ids, n;
    if (!read_ids(s, with, "steps", &ids, &n, err))
        return false;
    text_add(&s->program.line, "{\"steps\":[");
    for (int i = 0; i < n; i++) {
        struct genome g = genome_at(s, ids[i]);
        text_add(&s->program.line, i ? "," : "");
        steps_print(g.steps, g.n, &s->program.line);
    }
    text_char(&s->program.line, ']');
    return true;
}

static bool do_features(struct exec_search *s, const cJSON *line, const cJSON *with, struct err *err)
{
    (void)line;
    int *ids, n;
    if (!read_ids(s, with, "features", &ids, &n, err))
        return false;
    struct arena *a = arena_open("features");
    enum phase before = phases_enter(s->env->phases, PHASE_features);
    text_add(&s->program.line, "{\"features\":[");
    for (int i = 0; i < n; i++) {
        struct genome g = genome_at(s, ids[i]);
        struct features f = {0};
        struct state *state = space_state(&s->space, a, g.steps, g.n, NULL, NULL);
        const struct nest *nest = state ? lower_kept(a, state) : NULL;
        text_add(&s->program.line, i ? "," : "");
        if (nest && feature_extract(a, nest, &f, NULL))
            exchange_rows(&s->program.line, f.at, f.rows, FEATURE_WIDTH);
        else
            text_add(&s->program.line, "null");
        arena_reset(a);
    }
    text_char(&s->program.line, ']');
    phases_enter(s->env->phases, before);
    arena_close(a);
    return true;
}

static bool do_scores(struct exec_search *s, const cJSON *line, const cJSON *with, struct err *err)
{
    (void)line;
    int *ids, n;
    if (!read_ids(s, with, "scores", &ids, &n, err))
        return false;
    if (!s->env->model.plug)
        return exchange_wrong(&s->program, err, "'scores' needs a cost model: give the arm a 'model'");
    struct individual *made = ARENA_ARRAY(s->turn, struct individual, n + 1), **with_steps;
    with_steps = ARENA_ARRAY(s->turn, struct individual *, n + 1);
    for (int i = 0; i < n; i++) {
        made[i].genome = genome_at(s, ids[i]);
        with_steps[i] = &made[i];
    }
    if (!evaluate_genomes(&s->scorer, with_steps, n, err))
        return false;
    s->scorer.asked += n;
    text_add(&s->program.line, "{\"scores\":[");
    for (int i = 0; i < n; i++) {
        text_add(&s->program.line, i ? "," : "");
        text_number(&s->program.line, made[i].score);
    }
    text_char(&s->program.line, ']');
    return true;
}

/* ---- turns ---- */

static const struct request {
    const char *name;
    bool (*answer)(struct exec_search *s, const cJSON *line, const cJSON *with, struct err *err);
} REQUESTS[] = {{"draw", do_draw},   {"mutate", do_mutate},     {"cross", do_cross},  {"apply", do_apply},
                {"steps", do_steps}, {"features", do_features}, {"scores", do_scores}};
enum { NREQUESTS = sizeof REQUESTS / sizeof *REQUESTS };

static bool answer(struct exec_search *s, const cJSON *line, const char *end, struct err *err)
{
    for (int i = 0; i < NREQUESTS; i++) {
        const cJSON *with = json_get(line, REQUESTS[i].name);
        if (!with)
            continue;
        if (!REQUESTS[i].answer(s, line, with, err))
            return false;
        text_char(&s->program.line, '}');
        return true;
    }
    struct text names = {0};
    for (int i = 0; i < NREQUESTS; i++)
        text_printf(&names, "%s%s", i ? ", " : "", REQUESTS[i].name);
    exchange_wrong(&s->program, err, "it is no request (%s) and does not end the turn (%s): member '%s'",
                   text_str(&names), end, line->child && line->child->string ? line->child->string : "");
    text_free(&names);
    return false;
}

/* Sends the line that begins a turn and answers requests until one ends it: *out, to be deleted. */
static bool take_turn(struct exec_search *s, const char *end, cJSON **out, struct err *err)
{
    for (int i = 0; i < REQUESTS_MAX; i++) {
        if (!exchange_ask(&s->program, out, err))
            return false;
        if (json_get(*out, end))
            return true;
        bool fine = answer(s, *out, end, err);
        cJSON_Delete(*out);
        *out = NULL;
        if (!fine)
            return false;
    }
    return exchange_wrong(&s->program, err, "more than %d requests in a turn: end it by '%s'", REQUESTS_MAX, end);
}

static void begin_turn(struct exec_search *s)
{
    worker_pool_open(&s->workers, s->env->pool, s->env->phases);
    evaluator_begin(&s->scorer, s->turn);
}

static void end_turn(struct exec_search *s)
{
    evaluator_count(&s->scorer, s->env->evaluations);
    worker_pool_close(&s->workers);
    s->held.n = s->made = 0;
    map_clear(&s->numbers);
    arena_reset(s->turn);
}

/* Those of the list that are new; repeated and measured ones are left out. */
static bool submit(struct exec_search *s, const cJSON *line, struct arena *a, int max, struct candidate *out, int *n,
                   struct err *err)
{
    const cJSON *scores = json_get(line, "scores");
    struct map given = {0};
    int *ids, m;
    if (!read_ids(s, json_get(line, "submit"), "submit", &ids, &m, err))
        return false;
    if (scores && (!cJSON_IsArray(scores) || cJSON_GetArraySize(scores) != m))
        return exchange_wrong(&s->program, err, "'scores' must be a list of %d numbers, one a state", m);
    const cJSON *score = scores ? scores->child : NULL;
    for (int i = 0; i < m; i++, score = score ? score->next : NULL) {
        if (ids[i] < s->told.n || !map_put(&given, (uint64_t)ids[i], 0))
            continue;
        const struct individual *one = &s->held.at[ids[i] - s->told.n];
        if (*n < max)
            out[*n] = (struct candidate){.task = s->env->task,
                                         .steps = steps_copy(a, one->genome.steps, one->genome.n),
                                         .nsteps = one->genome.n,
                                         .hash = one->hash,
                                         .score = cJSON_IsNumber(score) ? score->valuedouble : NAN};
        ++*n;
    }
    map_free(&given);
    if (*n > max)
        return exchange_wrong(&s->program, err, "it submits %d states, %d were asked for", *n, max);
    if (*n == 0)
        log_info("exec: no new candidate for '%s' after %d measured", s->env->task->spec, s->measured.n);
    return true;
}

static bool exec_ask(void *self, struct arena *a, int max, struct candidate *out, int *n, struct err *err)
{
    struct exec_search *s = self;
    cJSON *line = NULL;
    *n = 0;
    if (max <= 0)
        return true;
    begin_turn(s);
    text_printf(&s->program.line, "{\"ask\":%d,\"measured\":%d,\"seed\":%lld}", max, s->told.n,
                (long long)exchange_seed(&s->env->rng));
    bool fine = take_turn(s, "submit", &line, err) && submit(s, line, a, max, out, n, err);
    cJSON_Delete(line);
    end_turn(s);
    return fine;
}

static bool exec_tell(void *self, const struct candidate *c, const struct sample *samples, int n, struct err *err)
{
    struct exec_search *s = self;
    struct text *out = &s->program.line;
    cJSON *line = NULL;
    text_add(out, "{\"tell\":[");
    for (int i = 0; i < n; i++) {
        uint64_t id = 0;
        measured_set_tell(&s->measured, &c[i], &samples[i], 1);
        if (s->measured.n > s->told.n)
            vec_push(&s->told, (struct genome){steps_copy(s->env->arena, c[i].steps, c[i].nsteps), c[i].nsteps});
        map_get(&s->measured.known, c[i].hash, &id);
        text_printf(out, "%s{\"state\":%d,", i ? "," : "", (int)id);
        exchange_sample(out, &samples[i]);
        text_char(out, '}');
    }
    text_printf(out, "],\"seed\":%lld}", (long long)exchange_seed(&s->env->rng));
    begin_turn(s);
    bool fine = take_turn(s, "done", &line, err);
    cJSON_Delete(line);
    end_turn(s);
    return fine;
}

const struct searcher searcher_exec = {
    .name = "exec",
    .summary = "your own program, in any language, spoken to in JSON (harness/doc/exec.md)",
    .settings = settings,
    .options_size = sizeof(struct exec_options),
    .state_size = sizeof(struct exec_search),
    .open = exec_open,
    .ask = exec_ask,
    .tell = exec_tell,
};
