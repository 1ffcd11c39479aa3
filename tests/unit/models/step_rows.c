/* SPDX-License-Identifier: Apache-2.0 */
/* step_rows: rows of known steps, number by number; what does not fit is cut; other flags on CPUs. */
#include "models/step_rows.h"

#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

enum { W = STEP_ROWS_GPU_WIDTH };

/* The number of the flag that is set, then the arguments up to the last that is not 0. */
static const char *row_text(const float *row, int width)
{
    struct text t = {0};
    int end = width;
    for (int i = 0; i < STEP_ROWS_KINDS; i++)
        if (row[i] != 0)
            text_printf(&t, "%d:", i);
    while (end > STEP_ROWS_KINDS && row[end - 1] == 0)
        end--;
    for (int i = STEP_ROWS_KINDS; i < end; i++)
        text_printf(&t, " %g", (double)row[i]);
    return fixture_text(&t);
}

static void test_kinds(void)
{
    static const char *const cases[][2] = {
        {"[\"AN\",5,1,4]", "0: 5 1 4"},
        {"[\"CHR\",1,\"shared\",[2]]", "1: 1 1 2"},
        {"[\"CHW\",2,\"local\"]", "2: 2 1"},
        {"[\"CI\",3]", "3: 3"},
        {"[\"CA\",2,3,6]", "4: 2 3 6"},
        {"[\"FFSP\",3,0,[2,1],1,1]", "5: 3 0 2 1 1 1"},
        {"[\"SP\",2,5,1024,[2,64,1,4],1]", "6: 2 5 1024 2 64 1 4 1"},
        {"[\"FU\",5,[1,2]]", "7: 5 1 2"},
        {"[\"RE\",3,[0,4,1,5,2,6,3,7]]", "8: 3 0 4 1 5 2 6 3 7"},
        {"[\"PR\",4,0,\"auto_unroll_max_step$512\"]", "9: 4 0 5"},
        {"[\"FSP\",3,4,2,3]", "10: 3 4 2 3"},
        {"[\"CR\",7]", " 7"},
        {"[\"RE\",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]]", "8: 2 0 5 1 6 2 7 10 11"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float out[STEP_ROWS_GPU * W];
        int n;
        struct step *steps = fixture_steps(arena, arena_printf(arena, "[%s]", cases[i][0]), &n);
        step_rows(steps, n, true, out);
        is_str(row_text(out, W), cases[i][1], "the row of a step: %s", cases[i][0]);
    }
}

static void test_size(void)
{
    static float out[STEP_ROWS_GPU * W + 1];
    int n;
    struct step *one = fixture_steps(arena, "[[\"CI\",3]]", &n), many[60];
    for (int i = 0; i < 60; i++)
        many[i] = *one;
    out[STEP_ROWS_GPU * W] = 77;
    step_rows(many, 60, true, out);
    ok(out[(STEP_ROWS_GPU - 1) * W + 3] == 1 && out[STEP_ROWS_GPU * W] == 77, "steps beyond the last row are dropped");
    step_rows(many, 2, true, out);
    ok(out[W + 3] == 1 && out[2 * W + 3] == 0 && out[(STEP_ROWS_GPU - 1) * W + STEP_ROWS_KINDS] == 0,
       "rows without a step are zero");
}

static void test_cpu(void)
{
    float out[STEP_ROWS_CPU * STEP_ROWS_CPU_WIDTH];
    int n;
    struct step *steps = fixture_steps(arena, "[[\"RF\",2,1,0],[\"CR\",7]]", &n);
    step_rows(steps, n, false, out);
    is_str(row_text(out, STEP_ROWS_CPU_WIDTH), "1: 2 1", "rfactor has a flag on CPUs");
    is_str(row_text(out + STEP_ROWS_CPU_WIDTH, STEP_ROWS_CPU_WIDTH), "5: 7", "compute-root has a flag on CPUs");
}

int main(void)
{
    test_kinds();
    test_size();
    test_cpu();
    return done_testing();
}
