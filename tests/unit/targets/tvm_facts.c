/* SPDX-License-Identifier: Apache-2.0 */
/* codegen=tvm beside TVM: random schedules of thirteen kinds of kernels and what TVM's own LLVM IR of each holds before
 * LLVM's passes, in counts by kind and vector length (tests/corpus/tvm_facts, written by tests/peers/facts.py from TVM
 * 0.16's answers). Ours must hold the same. `loop0` is a loop that runs, `phi` a condition on one value. */
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#ifdef HAVE_LLVM
#include "harness/base/json.h"
#include "harness/program/lower/lower.h"
#include "harness/program/ops/task.h"
#include "harness/program/schedule/step.h"
#include "targets/cpu/codegen.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char CORPUS[] = "tests/corpus/tvm_facts/random.jsonl";

enum { MOST_LANES = 1024, KINDS = 11 };
static const struct kind {
    const char *name, *begins, *calls; /* calls: the function, where it is a call */
} KIND[KINDS] = {
    {"exp", " = call ", "@llvm.exp."}, {"fadd", " = fadd ", NULL},  {"fcmp", " = fcmp ", NULL},
    {"fdiv", " = fdiv ", NULL},        {"fmul", " = fmul ", NULL},  {"fmuladd", " = call ", "@llvm.fmuladd."},
    {"fsub", " = fsub ", NULL},        {"load", " = load ", NULL},  {"phi", " = phi ", NULL},
    {"stack", " = alloca ", NULL},     {"store", "  store ", NULL},
};
struct counts {
    int of[KINDS][MOST_LANES + 1], loops;
};

/* Elements of the float type at p, flags such as `contract` skipped; 0: another type. */
static int lanes_at(const char *p)
{
    while (islower((unsigned char)*p) && !str_starts(p, "float"))
        p += strcspn(p, " ") + 1;
    if (*p != '<')
        return str_starts(p, "float");
    char *end;
    long lanes = strtol(p + 1, &end, 10);
    return lanes <= MOST_LANES && str_starts(end, " x float>") ? (int)lanes : 0;
}

/* Elements of a tensor on the stack: `float, i32 9` or, for one element, `float`. */
static int elements_at(const char *p)
{
    int lanes = lanes_at(p);
    const char *many = strstr(p, ", i32 ");
    long n = many ? strtol(many + strlen(", i32 "), NULL, 10) : 1;
    return lanes * n <= MOST_LANES ? (int)(lanes * n) : 0;
}

static void count_line(struct counts *c, const char *line)
{
    c->loops += strstr(line, " = phi i32 ") != NULL;
    for (int k = 0; k < KINDS; k++) {
        const char *p = strstr(line, KIND[k].begins);
        if (!p || (KIND[k].calls && !strstr(p, KIND[k].calls)))
            continue;
        p += strlen(KIND[k].begins);
        c->of[k][str_eq(KIND[k].name, "stack") ? elements_at(p) : lanes_at(p)]++;
    }
}

/* Counts the functions that hold the loops: compute and its parallel bodies. text is cut into lines. */
static void count_text(struct counts *c, char *text)
{
    bool inside = false;
    memset(c, 0, sizeof *c);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (str_starts(line, "define"))
            inside = strstr(line, " @compute(") || strstr(line, " @parallel");
        else if (inside)
            count_line(c, line);
    }
}

/* "fmuladd4=1 load1=1 loop0=8", by name, then by length. */
static void print_counts(const struct counts *c, struct text *t)
{
    text_clear(t);
    for (int k = 0; k < KINDS; k++) {
        for (int n = 1; n <= MOST_LANES; n++)
            if (c->of[k][n])
                text_printf(t, "%s%s%d=%d", t->len ? " " : "", KIND[k].name, n, c->of[k][n]);
        if (str_eq(KIND[k].name, "load") && c->loops)
            text_printf(t, "%sloop0=%d", t->len ? " " : "", c->loops);
    }
}

static bool emitted(struct codegen *c, struct arena *a, const cJSON *line, struct text *out, struct err *err)
{
    struct task *task;
    struct step *steps;
    struct nest *nest;
    int n;
    return task_parse(a, json_str(line, "task", ""), &task, err) &&
           steps_parse(a, json_get(line, "steps"), &steps, &n, err) &&
           lower_steps(a, task, steps, n, LAYOUT_NONE, &nest, err) &&
           codegen_text(c, nest, CODEGEN_EMITTED, out, NULL, err);
}

/* TVM tells LLVM nothing of its loops: not even one of a thousand stores is kept from the loop vectoriser. */
static int hinted;

static void compare(struct codegen *c, const cJSON *line, int number)
{
    struct arena *a = arena_open("schedule");
    struct counts *counts = ARENA_NEW(a, struct counts);
    struct text ir = {0}, have = {0};
    struct err err = {0};
    if (emitted(c, a, line, &ir, &err)) {
        hinted += strstr(ir.s, "llvm.loop.") != NULL;
        count_text(counts, ir.s);
        print_counts(counts, &have);
    }
    is_str(*err.text ? err.text : text_str(&have), json_str(line, "facts", ""), "schedule %d has the code of TVM: %s",
           number, json_str(line, "task", "?"));
    text_free(&ir);
    text_free(&have);
    arena_close(a);
}

int main(void)
{
    const struct codegen_options haswell = {
        .mode = CODEGEN_TVM, .mcpu = "haswell", .level = 3, .contract = true}; /* the same on every machine */
    struct arena *a = arena_open("facts");
    struct codegen *c;
    struct err err = {0};
    int n = 0;
    if (!codegen_open(&haswell, &c, &err))
        skip_all("%s", err.text);
    for (char *line = fixture_read(CORPUS), *end; *line; line = end + (*end != 0)) {
        end = line + strcspn(line, "\n");
        cJSON *json = json_parse(line, (size_t)(end - line), CORPUS, &err);
        fixture_must(json, &err);
        compare(c, json, n++);
        cJSON_Delete(json);
    }
    ok(hinted == 0, "no loop carries a hint for LLVM, however long");
    ok(n >= 30, "%d schedules are noted", n);
    codegen_close(c);
    arena_close(a);
    return done_testing();
}
#else
int main(void)
{
    skip_all("built without LLVM");
}
#endif
