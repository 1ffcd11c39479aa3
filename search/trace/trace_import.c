/* SPDX-License-Identifier: Apache-2.0 */
/* trace_import: see trace_import.h. */
#include "search/trace/trace_import.h"

#include "harness/program/lower/lower.h"
#include "search/sketch/stage_query.h"
#include "search/trace/traced_tree.h"

#include <string.h>

/* The op of the task that a stage came from: its id, but for a cache and the parts of a factored sum, which are named
 * after theirs. -1: none. */
static int op_of(const struct dag *d, const struct op *op)
{
    size_t n = strcspn(op->name, ".");
    for (int i = 0; i < d->nops; i++)
        if (d->ops[i]->id == op->id)
            return i;
    for (int i = 0; i < d->nops; i++)
        if (d->ops[i]->kind == OP_COMPUTE && strlen(d->ops[i]->name) == n && strncmp(d->ops[i]->name, op->name, n) == 0)
            return i;
    return -1;
}

/* Each open split takes the next tile of its op. False: they are not as many. */
static bool fill_tiles(const struct trace_layout *o, const struct dag *d, const struct traced_program *p,
                       struct trace *t)
{
    const struct sketch *k = o->sketch;
    bool used[TRACED_TILES] = {false};
    if (k->nsplits != p->ntiles)
        return false;
    for (int i = 0; i < k->nsplits; i++) {
        int op = op_of(d, k->state->dag->ops[stage_now(k->state, k->splits[i].step)]), tile = 0;
        while (tile < p->ntiles && (used[tile] || p->tiles[tile].op != op))
            tile++;
        if (tile == p->ntiles || p->tiles[tile].n != k->splits[i].schemes->n + 1 || k->splits[i].fixed)
            return false;
        used[tile] = true;
        memcpy(t->at + o->tile[i], p->tiles[tile].at + 1, sizeof *t->at * (size_t)(p->tiles[tile].n - 1));
    }
    return true;
}

static bool fill(const struct trace_layout *o, const struct dag *d, const struct traced_program *p, struct trace *t)
{
    if (o->nacross || o->nfetch || o->nplain || !fill_tiles(o, d, p, t))
        return false;
    for (int i = 0; i < o->nstages; i++) {
        int op = op_of(d, o->sketch->state->dag->ops[o->stage[i]]);
        t->at[o->place + i] = op >= 0 && p->place[op] != TRACE_OPEN ? p->place[op] : TRACE_ROOT;
    }
    t->at[o->unroll] = p->unroll;
    t->at[o->parallel] = p->parallel > 0 ? p->parallel : 1;
    t->at[o->vector] = p->vector > 0 ? p->vector : 1;
    return true;
}

/* The axes that a var was made of. */
static void add_axes(const struct stage *st, int var, struct traced_axes *out)
{
    const struct relation *made = NULL;
    if (st->vars[var].extent <= 1)
        return;
    for (int i = 0; i < st->nrels; i++) {
        const struct relation *r = &st->rels[i];
        if (r->kind == REL_FUSE ? r->parent == var : r->outer == var || r->inner == var)
            made = r;
    }
    if (!made) {
        if (out->n < LOOP_AXES)
            out->at[out->n++] = var;
    } else if (made->kind == REL_SPLIT) {
        add_axes(st, made->parent, out);
    } else {
        add_axes(st, made->outer, out);
        add_axes(st, made->inner, out);
    }
}

/* Those of the loop with this number; none for loops that only start sums, which have numbers of their own. */
static void find_axes(const struct state *s, int atom, struct traced_axes *out)
{
    for (int i = 0; i < s->nstages; i++)
        for (int k = 0; k < s->stages[i].nleaf; k++)
            if (s->stages[i].at != AT_INLINED && stage_iter(&s->stages[i], k)->atom == atom)
                add_axes(&s->stages[i], s->stages[i].leaf[k], out);
}

static void print_stmt(const struct state *s, const struct stmt *st, int depth, struct text *out)
{
    if (st->kind == STMT_STORE) {
        const char *name = s->dag->ops[st->buffer->op]->name;
        traced_print_block(depth, name, false, st->is_init, out);
    }
    if (st->kind == STMT_LOOP && (st->extent > 1 || st->auto_unroll > 0)) {
        struct traced_loop loop = {.extent = st->extent,
                                   .unroll = st->auto_unroll > 0 ? st->auto_unroll : 0,
                                   .annotation = st->loop,
                                   .kind = st->iter_kind};
        find_axes(s, st->atom, &loop.axes);
        traced_print_loop(depth++, &loop, out);
    }
    for (int i = 0; i < st->nbody; i++)
        print_stmt(s, st->body[i], depth, out);
}

/* The lines of traced_program.loops, of a state. NULL: it cannot be lowered. */
static const char *loops_of(struct arena *a, const struct state *s, struct err *err)
{
    struct nest *nest;
    struct text t = {0};
    if (!lower(a, s, LAYOUT_NONE, &nest, err))
        return NULL;
    print_stmt(s, nest->root, 0, &t);
    return text_keep(&t, a);
}

/* The first line in which two programs differ, for people. Returns its number. */
static int say_difference(const char *theirs, const char *ours, struct err *err)
{
    int line = 1;
    for (const char *x = theirs, *y = ours; *x && *x == *y; x++, y++)
        if (*x == '\n') {
            line++;
            theirs = x + 1;
            ours = y + 1;
        }
    theirs += strspn(theirs, " ");
    ours += strspn(ours, " ");
    err_set(err, "its program is none of ours: line %d of its loops is '%.*s', ours '%.*s'", line,
            (int)strcspn(theirs, "\n"), theirs, (int)strcspn(ours, "\n"), ours);
    return line;
}

struct importing {
    const struct trace_space *ts;
    struct arena *a;
    const cJSON *trace;
    const char *const *names;
    struct traced_program decided;
    struct trace_import *out;
};

/* The program of one design space is the trace's; else how far they are the same, and why no further. */
static bool fits(const struct importing *im, int layout, int *line, struct err *err)
{
    const struct dag *d = im->ts->space.task->dag;
    struct trace t = trace_fresh(im->ts, im->a, layout);
    *line = 0;
    if (!fill(&im->ts->layouts[layout], d, &im->decided, &t))
        return err_set(err, "no design space here has its tiles");
    struct state *s = im->out->state = trace_replay(im->ts, im->a, &t, NULL, NULL, err);
    if (!s || !traced_program_read(im->a, im->trace, d, im->names, s, &im->out->program, err))
        return false;
    const char *theirs = im->out->program.loops, *ours = loops_of(im->a, s, err);
    if (!ours || str_eq(ours, theirs))
        return ours != NULL;
    *line = say_difference(theirs, ours, err);
    return false;
}

bool trace_import(const struct trace_space *ts, struct arena *a, const cJSON *trace, const char *const *names,
                  struct trace_import *out, struct err *err)
{
    struct importing im = {.ts = ts, .a = a, .trace = trace, .names = names, .out = out};
    int furthest = -1;
    *out = (struct trace_import){0};
    if (!traced_program_read(a, trace, ts->space.task->dag, names, NULL, &im.decided, err))
        return false;
    for (int i = 0; i < ts->space.nsketches; i++) {
        struct err why = {0};
        int line;
        if (fits(&im, i, &line, &why))
            return true;
        if (line > furthest) {
            furthest = line;
            *err = why;
        }
    }
    return furthest >= 0 ? false : err_set(err, "no design space here");
}
