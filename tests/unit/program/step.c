/* SPDX-License-Identifier: Apache-2.0 */
/* step: round trips of typed-in steps of every kind and of every published record, and the messages of
 * broken input. */
#include "harness/program/schedule/step.h"
#include "harness/base/file.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

/* The steps of a JSON text, printed again; on failure the message. */
static const char *again(const char *text)
{
    static struct text out;
    struct err err;
    text_clear(&out);
    cJSON *json = json_parse(text, strlen(text), "test", &err);
    struct step *steps;
    int n;
    if (json && steps_parse(arena, json, &steps, &n, &err))
        steps_print(steps, n, &out);
    else
        text_add(&out, err.text);
    cJSON_Delete(json);
    return text_str(&out);
}

static void test_kinds(void)
{
    static const char *const TEXTS[] = {
        "[]",
        "[[\"AN\", 3, 25, 2]]",
        "[[\"FU\", 6, [0, 1, 2]], [\"FU\", 6, []]]",
        "[[\"PR\", 3, 0, \"auto_unroll_max_step$512\"]]",
        "[[\"RE\", 1, [1, 0]]]",
        "[[\"SP\", 3, 4, 16, [2, 2, 4], 1], [\"SP\", 3, 0, 0, [0], 0]]",
        "[[\"FSP\", 6, 2, 2, 1]]",
        "[[\"FFSP\", 4, 0, [4, 3, 2, 1], 1, 1]]",
        "[[\"SA\", 2, 0, 32, -8]]",
        "[[\"CA\", 3, 6, 4]]",
        "[[\"CI\", 5]]",
        "[[\"CR\", 5]]",
        "[[\"CHR\", 2, \"shared\", [3, 4]]]",
        "[[\"CHW\", 3, \"local\"]]",
        "[[\"RF\", 1, 6, 5]]",
    };
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
        is_str(again(TEXTS[i]), TEXTS[i], "%s", TEXTS[i]);
}

static void test_fields(void)
{
    const char *text =
        "[[\"PR\", 3, 0, \"auto_unroll_max_step$64\"], [\"FFSP\", 4, 9, [7, 8], 2, 0], [\"CA\", 3, 6, 4]]";
    struct err err;
    struct step *s;
    int n;
    cJSON *json = json_parse(text, strlen(text), "test", &err);
    if (!ok(steps_parse(arena, json, &s, &n, &err), "a list of steps parses"))
        return;
    cJSON_Delete(json);
    ok(s[0].kind == STEP_PR && s[0].stage == 3 && s[0].value == 64, "the number in the text of a pragma is its value");
    ok(s[1].iter == 9 && s[1].n == 2 && s[1].list[1] == 8 && s[1].value == 2 && !s[1].flag,
       "the fields of FFSP are read in their order");
    ok(s[2].target == 6 && s[2].iter == 4, "the fields of CA are read in their order");
    struct step *copy = steps_copy(arena, s, n);
    ok(copy[1].list != s[1].list && copy[1].list[0] == 7 && copy[0].text != s[0].text,
       "a copy of steps shares no list or text with the original");
}

static void test_broken(void)
{
    static const char *const CASES[][2] = {
        {"{}", "steps are not a list"},
        {"[1]", "step 0: a step is not a list"},
        {"[[]]", "step 0: no step code"},
        {"[[\"CI\", 1], [\"XX\", 1]]", "step 1: unknown step code 'XX'"},
        {"[[\"CI\"]]", "step 0: CI has 1 fields, not 2"},
        {"[[\"CI\", -1]]", "step 0: CI: field 1 (stage): -1 is outside 0..2147483647"},
        {"[[\"CI\", 1.5]]", "step 0: CI: field 1 (stage): not a whole number"},
        {"[[\"SP\", 3, 4, 16, 2, 1]]", "step 0: SP: field 4 (list): not a list"},
        {"[[\"SP\", 3, 4, 16, [2, \"a\"], 1]]", "step 0: SP: field 4 (list): entry 1: not a whole number"},
        {"[[\"SP\", 3, 4, 16, [2], 2]]", "step 0: SP: field 5 (flag): 2 is outside 0..1"},
        {"[[\"CHW\", 3, 1]]", "step 0: CHW: field 2 (text): not a string"},
        {"[[\"AN\", 3, 1, 9e12]]",
         "step 0: AN: field 3 (value): 9000000000000 is outside -1099511627776..1099511627776"},
        {"[[\"PR\", 3, 0, \"auto_unroll_max_step$x\"]]",
         "step 0: PR: field 3 (text): no number after 'auto_unroll_max_step$' in 'auto_unroll_max_step$x'"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        is_str(again(CASES[i][0]), CASES[i][1], "these steps are refused: %s", CASES[i][0]);
    struct text many = {0};
    text_add(&many, "[[\"RE\", 0, [0");
    for (int i = 0; i < STEP_LIST_MAX; i++)
        text_add(&many, ",1");
    text_add(&many, "]]]");
    is_str(again(text_str(&many)), "step 0: RE: field 2 (list): 65 entries, at most 64 are allowed",
           "a list of 65 entries is refused");
    text_free(&many);
}

/* Every record of one file: the steps as JSON without blanks must come back. */
static int round_trips(const char *path, int *wrong)
{
    char *text;
    size_t size;
    struct err err;
    int records = 0;
    if (!file_read(arena, path, 0, &text, &size, &err))
        return -1;
    for (char *line = text; *line;) {
        char *end = line + strcspn(line, "\n");
        cJSON *json = json_parse(line, (size_t)(end - line), path, &err);
        char *want = cJSON_PrintUnformatted(json_get(json, "steps"));
        struct step *steps;
        int n;
        struct text out = {0};
        if (steps_parse(arena, json_get(json, "steps"), &steps, &n, &err))
            steps_print(steps, n, &out);
        for (char *p = out.s, *q = out.s; p; q += *p != ' ', p++) /* drop the blanks */
            if (!(*q = *p))
                break;
        *wrong += !want || strcmp(want, text_str(&out)) != 0;
        records++;
        cJSON_free(want);
        cJSON_Delete(json);
        text_free(&out);
        line = *end ? end + 1 : end;
    }
    return records;
}

static void test_file(const char *name, int want)
{
    const char *path = shared_path(name);
    if (!path) {
        skip("the shared data is not here", "%s", name);
        return;
    }
    int wrong = 0, records = round_trips(arena_str(arena, path), &wrong);
    ok(records > 0 && (want == 0 || records == want), "the published steps of %s are all there: %d records", name,
       records);
    is_int(wrong, 0, "all steps of %s print as they were read", name);
}

static void test_published(void)
{
    test_file("data/tvm_oracle/published_states.jsonl", 434);
    test_file("data/tvm_oracle/random_states.jsonl", 610);
    test_file("data/tvm_oracle/cuda_states.jsonl", 106);
    const char *dir = shared_path("data/kernels");
    char **names;
    int n = 0;
    struct err err;
    if (!dir || !file_list(arena, dir, ".steps.jsonl", &names, &n, &err))
        skip("the shared data is not here", "the steps of the authors' records print as they were read");
    for (int i = 0; i < n; i++)
        test_file(arena_printf(arena, "data/kernels/%s.steps.jsonl", names[i]), 0);
}

int main(void)
{
    test_kinds();
    test_fields();
    test_broken();
    test_published();
    return done_testing();
}
