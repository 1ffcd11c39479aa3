/* SPDX-License-Identifier: Apache-2.0 */
/* feature: the published vector of TVM's own test (v0.16, test_auto_scheduler_feature.py), and value by value agreement
 * with what TVM v0.16 computed for the published and for random schedules (data/tvm_oracle). */
#include "harness/program/features/feature.h"
#include "harness/base/json.h"

#include "harness/program/lower/gpu_verify.h"
#include "tests/lib/chi_square_test.h"
#include "tests/lib/fixture.h"
#include "tests/lib/oracle.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The offset of the first described buffer of this access type, or -1. */
static int buffer_with(const float *row, int type, int skip)
{
    for (int i = 0; i < FEATURE_BUFFERS; i++) {
        int at = FEATURE_BUFFER + i * FEATURE_BUFFER_WIDTH;
        if (row[at + type] > 0.5f && skip-- == 0)
            return at;
    }
    return -1;
}

/* Numbers: test_auto_scheduler_feature.py of TVM, test_cpu_matmul. */
static void test_matmul(void)
{
    struct err err = {0};
    struct features f = {0};
    static const char steps[] = "[[\"SP\",2,0,512,[16],1],[\"SP\",2,2,512,[8],1],[\"RE\",2,[0,2,4,3,1]],"
                                "[\"AN\",2,3,2],[\"AN\",2,0,3],[\"AN\",2,1,3],[\"AN\",2,2,1]]";
    if (!ok(feature_extract(arena, fixture_nest(arena, "matmul n=512 m=512 k=512", steps), &f, &err),
            "the scheduled matmul has features %s", err.text))
        return;
    is_int(f.rows, 1, "a scheduled matmul has one row, for the buffer written");
    int c = buffer_with(f.at, 2, 0), b = buffer_with(f.at, 0, 0), b2 = buffer_with(f.at, 0, 1);
    if (ok(c >= 0 && b >= 0 && b2 >= 0, "the accesses of a matmul are an update of C and reads of A and B")) {
        is_near(f.at[c + 3], log2(512. * 512 * 512 * 4 + 1), 1e-7, "the bytes of C are those worked by hand");
        is_near(f.at[b + 4], log2(512. * 512 * 4 + 1), 1e-7, "the unique bytes of an input are those worked by hand");
        is_near(f.at[c + 10], log2(8 * 16 + 1), 1e-6, "the reuse distance of C in iterations is that worked by hand");
        is_near(f.at[c + 11], log2((8 * 16 + 8 + 16) * 4 + 1), 1e-6,
                "the reuse distance of C in bytes is that worked by hand");
        is_near(f.at[c + 12], log2(513), 1e-6, "the reuse count of C is that worked by hand");
    }
    is_near(f.at[FEATURE_UNROLL], 1, 1e-6, "a scheduled matmul has one unrolled loop");
    is_near(f.at[FEATURE_VECTOR], 1, 1e-6, "a scheduled matmul has one vector loop");
    is_near(f.at[FEATURE_PARALLEL], log2(3), 1e-6, "a scheduled matmul has two parallel loops");
    is_near(f.at[FEATURE_PARALLEL + 1], log2(2049), 1e-6, "the product of the parallel loops is that worked by hand");
}

struct score { /* agreement, by field */
    int states, failed, rows, row_mismatch;
    int rejected, rejected_alone[2]; /* by both GPU verifiers; by TVM's or by ours only */
    int64_t right[FEATURE_WIDTH], seen;
    int64_t right_any_order; /* with buffers of equal (lines, bytes) in TVM's order */
    int64_t pairs[2];        /* stores of two reads that tie: in our order, in the other one */
    char reason[200];
};

static bool same(double x, double y)
{
    return fabs(x - y) <= 1e-4 * fmax(fabs(x), fabs(y)) || (fabs(x) < 1e-6 && fabs(y) < 1e-6);
}

static int agreement(const float *ours, const float *theirs)
{
    int n = 0;
    for (int i = 0; i < FEATURE_WIDTH; i++)
        n += same((double)ours[i], (double)theirs[i]);
    return n;
}

static void swap_buffers(float *row, int i, int k)
{
    float *x = row + FEATURE_BUFFER + i * FEATURE_BUFFER_WIDTH, *y = row + FEATURE_BUFFER + k * FEATURE_BUFFER_WIDTH;
    for (int f = 0; f < FEATURE_BUFFER_WIDTH; f++) {
        float t = x[f];
        x[f] = y[f];
        y[f] = t;
    }
}

static bool ties(const float *row, int i, int k)
{
    const float *x = row + FEATURE_BUFFER + i * FEATURE_BUFFER_WIDTH, *y = x + (k - i) * FEATURE_BUFFER_WIDTH;
    return x[5] == y[5] && x[3] == y[3];
}

/* A store of three buffers whose first two are reads that tie: which order has TVM? */
static void count_pair(const float *ours, const float *theirs, struct score *s)
{
    const float *f = ours + FEATURE_BUFFER;
    float row[FEATURE_WIDTH];
    if (f[0] == 0 || f[FEATURE_BUFFER_WIDTH] == 0 || !ties(ours, 0, 1) || f[2 * FEATURE_BUFFER_WIDTH + 3] == 0 ||
        f[3 * FEATURE_BUFFER_WIDTH + 3] != 0)
        return;
    memcpy(row, ours, sizeof row);
    swap_buffers(row, 0, 1);
    if (agreement(row, ours) < FEATURE_WIDTH) /* else one cannot tell */
        s->pairs[agreement(row, theirs) > agreement(ours, theirs)]++;
}

/* Agreement when two described buffers of equal (lines, bytes) may stand in either order. */
static int agreement_any_order(const float *ours, const float *theirs)
{
    float row[FEATURE_WIDTH], swapped[FEATURE_WIDTH];
    memcpy(row, ours, sizeof row);
    for (int i = 0; i < FEATURE_BUFFERS; i++)
        for (int k = i + 1; k < FEATURE_BUFFERS; k++) {
            if (!ties(row, i, k))
                continue;
            memcpy(swapped, row, sizeof row);
            swap_buffers(swapped, i, k);
            if (agreement(swapped, theirs) > agreement(row, theirs))
                memcpy(row, swapped, sizeof row);
        }
    return agreement(row, theirs);
}

/* Each of TVM's rows takes the free row of ours that agrees best. */
static void compare(const struct features *ours, const float *theirs, int n, struct score *s, bool verbose,
                    const char *id)
{
    bool used[64] = {false};
    s->rows += n;
    s->row_mismatch += ours->rows != n;
    for (int r = 0; r < n; r++) {
        int best = -1, at = -1;
        for (int k = 0; k < ours->rows && k < 64; k++) {
            int fit =
                used[k] ? -1 : agreement(ours->at + (size_t)k * FEATURE_WIDTH, theirs + (size_t)r * FEATURE_WIDTH);
            if (fit > best) {
                best = fit;
                at = k;
            }
        }
        s->seen += FEATURE_WIDTH;
        if (at < 0)
            continue;
        used[at] = true;
        count_pair(ours->at + (size_t)at * FEATURE_WIDTH, theirs + (size_t)r * FEATURE_WIDTH, s);
        s->right_any_order +=
            agreement_any_order(ours->at + (size_t)at * FEATURE_WIDTH, theirs + (size_t)r * FEATURE_WIDTH);
        for (int i = 0; i < FEATURE_WIDTH; i++) {
            double x = (double)ours->at[at * FEATURE_WIDTH + i], y = (double)theirs[r * FEATURE_WIDTH + i];
            s->right[i] += same(x, y);
            if (verbose && !same(x, y))
                diag("%s row %d f%d: ours %.7g, TVM %.7g", id, r, i, x, y);
        }
    }
}

/* All rows of one id, read from the sorted table. Returns their number. */
static int read_rows(FILE *f, const char *id, char **line, size_t *cap, float *rows, int most)
{
    int n = 0;
    while (*line[0] || getline(line, cap, f) > 0) {
        char *tab = strchr(*line, '\t');
        if (!tab)
            break;
        if (strncmp(*line, id, (size_t)(tab - *line)) != 0 || id[tab - *line]) {
            if (n > 0)
                return n; /* the line stays for the next id */
            *line[0] = 0;
            continue;
        }
        char *p = strchr(tab + 1, '\t');
        for (int i = 0; i < FEATURE_WIDTH && n < most && p; i++)
            rows[n * FEATURE_WIDTH + i] = strtof(p + 1, &p);
        n++;
        *line[0] = 0;
    }
    return n;
}

static void report(const struct score *s, const char *what)
{
    int64_t right = 0;
    for (int i = 0; i < FEATURE_WIDTH; i++)
        right += s->right[i];
    double seen = (double)(s->seen ? s->seen : 1);
    diag("%s: %d states compared, %d not built, %d rows, %d states with another number of rows", what, s->states,
         s->failed, s->rows, s->row_mismatch);
    diag("%s: agreement %.3f %%; %.3f %% with buffers that tie in TVM's order", what, 100. * (double)right / seen,
         100. * (double)s->right_any_order / seen);
    if (s->failed)
        diag("first reason: %s", s->reason);
    for (int i = 0; i < FEATURE_WIDTH; i++) {
        double part = s->rows ? (double)s->right[i] / s->rows : 1;
        if (part < 0.995)
            diag("  f%d: %.2f %%", i, 100 * part);
    }
}

/* Whether the GPU verifiers agree to refuse the program; TVM shows it by one row of zeros. */
static bool rejected(const struct nest *nest, const float *rows, int n, struct score *s)
{
    struct limits limits = limits_cuda();
    struct err reason;
    bool zeros = n == 1, ours = !gpu_verify(nest, &limits, &reason);
    for (int i = 0; i < FEATURE_WIDTH && zeros; i++)
        zeros = rows[i] == 0;
    s->rejected += zeros && ours;
    s->rejected_alone[0] += zeros && !ours;
    s->rejected_alone[1] += ours && !zeros;
    return zeros || ours;
}

static void compare_record(struct arena *a, const struct oracle *o, FILE *table, char **line, size_t *cap,
                           struct score *s)
{
    struct err err;
    struct task *t;
    struct nest *nest;
    struct features f;
    float *rows = ARENA_ARRAY(a, float, 32 * FEATURE_WIDTH);
    const char *id = o->e.id, *watch = getenv("FEATURE_WATCH");
    int n = read_rows(table, id, line, cap, rows, 32);
    if (n == 0 || !task_parse(a, o->spec, &t, &err) ||
        !lower_steps(a, t, o->e.steps, o->e.nsteps, LAYOUT_NONE, &nest, &err) || !feature_extract(a, nest, &f, &err)) {
        if (!s->failed++)
            snprintf(s->reason, sizeof s->reason, "%s: %.100s", id, n ? err.text : "no rows");
        if (watch)
            diag("%s (%s) not built: %s", id, o->spec, n ? err.text : "no rows");
    } else if (!o->e.label || !rejected(nest, rows, n, s)) {
        s->states++;
        compare(&f, rows, n, s, watch && (str_eq(watch, "all") || str_eq(watch, id)), id);
    }
}

/* GNU's hash map of up to 13 elements has 13 buckets, and lists the last met first unless it shares its bucket with the
 * one met first, the written buffer. */
static void check_ties(const struct score *s)
{
    struct chi_square_test g = chi_square_test(s->pairs, (const double[]){12, 1}, 2);
    ok(g.p > 1e-4, "two reads that tie stand the other way %d times in %d, as a chance of one in 13 allows (p %.2f)",
       (int)s->pairs[1], (int)g.total, g.p);
    ok((double)s->right_any_order >= 0.999 * (double)s->seen,
       "at least 99.9 %% of the feature values agree when buffers that tie are put in order");
}

static void check_gpu(const struct score *s)
{
    is_int(s->rejected, 59, "TVM's GPU verifier refuses 59 of the programs, and so does ours");
    is_int(s->rejected_alone[0] + s->rejected_alone[1], 0, "no program is refused by one GPU verifier only");
    is_int(s->row_mismatch, 0, "each program for GPUs has as many rows as TVM gives it");
}

static void test_oracle(const char *name, double share, int states, bool gpu)
{
    char path[600];
    struct oracle o;
    snprintf(path, sizeof path, "data/tvm_oracle/%s_features.tsv.gz", name);
    if (!shared_path(path) || !oracle_open(&o, name)) {
        skip("the published data is not here (RAINGAUGE_SHARED)", "the features of %s schedules agree with TVM's",
             name);
        return;
    }
    struct arena *a = arena_open("test");
    FILE *table = popen(arena_printf(a, "gzip -dc '%s'", shared_path(path)), "r");
    struct score s = {0};
    size_t row_cap = 8192;
    char *row = calloc(1, row_cap);
    if (!table)
        bug("gzip does not start");
    for (; oracle_next(&o, a); arena_reset(a))
        compare_record(a, &o, table, &row, &row_cap, &s);
    report(&s, name);
    int64_t right = 0;
    for (int i = 0; i < FEATURE_WIDTH; i++)
        right += s.right[i];
    ok(s.states >= states, "the features of %s schedules: at least %d states are compared", name, states);
    ok((double)right >= share * (double)s.seen && s.seen > 0, "at least %.1f %% of the feature values agree with TVM's",
       100 * share);
    if (gpu)
        check_gpu(&s);
    else
        check_ties(&s);
    free(row);
    pclose(table);
    arena_close(a);
}

/* Where TVM's feature.cc puts them: 16 counts, 3 x 11 places, 8 of GPUs, 5 x 18 of buffers, 10 + 4 + 3. */
static void names(void)
{
    static const struct {
        int at;
        const char *name;
    } some[] = {{FEATURE_COUNTS, "float_mad"},
                {15, "select_op"},
                {FEATURE_VECTOR, "vec_num"},
                {FEATURE_PARALLEL + 10, "parallel_type.kPosMixed"},
                {FEATURE_GPU, "is_gpu"},
                {FEATURE_BUFFER, "B0.acc_type.kRead"},
                {FEATURE_INTENSITY - 1, "B4.stride"},
                {FEATURE_INTENSITY, "arith_intensity_curve_0"},
                {FEATURE_ALLOC, "alloc_size"},
                {FEATURE_OUTER, "outer_prod"},
                {FEATURE_WIDTH - 1, "auto_unroll_max_step"}};
    struct text t = {0};
    struct err err = {0};
    feature_names(&t);
    cJSON *all = json_parse(text_str(&t), t.len, "names", &err);
    is_int(cJSON_GetArraySize(all), FEATURE_WIDTH, "there are names of all features");
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        is_str(cJSON_GetStringValue(cJSON_GetArrayItem(all, some[i].at)), some[i].name, "feature %d has TVM's name",
               some[i].at);
    cJSON_Delete(all);
    text_free(&t);
}

int main(void)
{
    test_matmul();
    test_oracle("published", 0.994, 430, false);
    test_oracle("random", 0.994, 600, false);
    test_oracle("cuda", 0.998, 47, true);
    names();
    return done_testing();
}
