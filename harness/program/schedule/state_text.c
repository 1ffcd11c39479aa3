/* SPDX-License-Identifier: Apache-2.0 */
/* state_text: prints a state as TVM's State::ToStr does (loop_state.cc, PrintStage). On the path of every candidate, so
 * only appends, no printf. Names inside a non-zero minimum are our loop names, TVM's are its schedule's. */
#include "harness/program/schedule/state_text.h"

#include "harness/base/hash.h"
#include "harness/program/schedule/state.h"

static void indent_by(int blanks, struct text *out)
{
    static const char BLANKS[] = "                                ";
    for (; blanks > 32; blanks -= 32)
        text_addn(out, BLANKS, 32);
    text_addn(out, BLANKS, (size_t)blanks);
}

static void print_attribute(const struct stage *st, const char *word, int64_t value, int indent, struct text *out)
{
    if (value == 0)
        return;
    indent_by(indent, out);
    text_add(out, st->op->name);
    text_add(out, word);
    text_int(out, value);
    text_char(out, '\n');
}

static void print_iter(const struct state *s, const struct ivar *iv, int indent, struct text *out)
{
    indent_by(indent, out);
    text_add(out, annotation_word(iv->annotation));
    text_char(out, ' ');
    text_add(out, iv->name);
    if (iv->extent < 0) {
        text_add(out, " (None)\n");
        return;
    }
    text_add(out, " (");
    if (iv->min.n == 0)
        text_int(out, iv->min.base);
    else
        affine_print(s->atoms, iv->min, out);
    text_char(out, ',');
    text_int(out, iv->extent);
    text_add(out, ")\n");
}

static void print_stage(const struct state *s, int stage, int indent, struct text *out);

/* The stages computed at one loop, in the order in which they were put there. */
static void print_attached(const struct state *s, int stage, int var, int indent, struct text *out)
{
    for (int last = -1;;) {
        int next = -1;
        for (int i = 0; i < s->nstages; i++) {
            const struct stage *st = &s->stages[i];
            if (st->at == AT_ITER && st->at_stage == stage && st->at_var == var && st->at_order > last &&
                (next < 0 || st->at_order < s->stages[next].at_order))
                next = i;
        }
        if (next < 0)
            return;
        last = s->stages[next].at_order;
        print_stage(s, next, indent, out);
    }
}

static void print_stage(const struct state *s, int stage, int indent, struct text *out)
{
    const struct stage *st = &s->stages[stage];
    print_attribute(st, " auto_unroll: ", st->auto_unroll, indent, out);
    print_attribute(st, " storage_offset: ", st->storage_offset, indent, out);
    for (int i = 0; i < st->nleaf; i++) {
        const struct ivar *iv = stage_iter(st, i);
        if (iv->extent != 1) {
            print_iter(s, iv, indent, out);
            indent += 2;
        }
        print_attached(s, stage, st->leaf[i], indent, out);
    }
    indent_by(indent, out);
    text_add(out, st->op->name);
    text_add(out, " = ...\n");
}

void state_print(const struct state *s, struct text *out)
{
    const char *between = "Placeholder: ";
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].op->kind == OP_PLACEHOLDER) {
            text_add(out, between);
            text_add(out, s->stages[i].op->name);
            between = ", ";
        }
    text_char(out, '\n');
    for (int i = 0; i < s->nstages; i++)
        if (s->stages[i].op->kind == OP_COMPUTE && s->stages[i].at == AT_ROOT)
            print_stage(s, i, 0, out);
}

uint64_t state_hash(const struct state *s)
{
    enum { USUAL = 4000 }; /* bytes */
    struct text t = {0};
    text_room(&t, USUAL);
    state_print(s, &t);
    uint64_t h = hash_bytes(t.s, t.len, 0);
    text_free(&t);
    return h;
}
