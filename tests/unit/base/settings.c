/* SPDX-License-Identifier: Apache-2.0 */
/* settings: defaults, parsing, messages, and that what is printed parses back. */
#include "harness/base/settings.h"
#include "harness/base/rng.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

struct options {
    int64_t budget;
    double rate;
    bool quick;
    const char *note;
    int kind;
    int small;
};

static const char *const KINDS[] = {"fixed", "published", NULL};
static const struct setting TABLE[] = {
    INT_SETTING("budget", struct options, budget, "100", 1, 10000, "trials a kernel"),
    REAL_SETTING("rate", struct options, rate, "0.85", 0, 1, "mutation rate"),
    BOOL_SETTING("quick", struct options, quick, "no", "stop early"),
    STRING_SETTING("note", struct options, note, NULL, "free text"),
    ENUM_SETTING("kind", struct options, kind, "published", KINDS, "which variant"),
    INT_SETTING("small", struct options, small, "-1", 0, 0, "an int", .implied = true),
    {0},
};

static void test_defaults(void)
{
    struct options o;
    setting_defaults(TABLE, &o);
    ok(o.budget == 100 && o.rate == 0.85 && !o.quick && !o.note && o.kind == 1 && o.small == -1,
       "every value has its default");
    struct options before = o;
    setting_defaults(NULL, &o);
    is_mem(&o, &before, sizeof o, "no table sets no defaults");
}

static void test_parse(struct arena *a)
{
    struct options o;
    struct err err = {0};
    setting_defaults(TABLE, &o);
    ok(setting_parse(TABLE, &o, a, " budget=7 , rate=0.5,quick=on,kind=fixed,note=\"a, \\\"b\\\"\" ", &err),
       "a list of settings with blanks and quotes is parsed");
    ok(o.budget == 7 && o.rate == 0.5 && o.quick && o.kind == 0, "the values of a list are set");
    is_str(o.note, "a, \"b\"", "quoted text keeps its comma and its quotes");
    ok(setting_parse(TABLE, &o, a, "", &err) && setting_parse(TABLE, &o, a, "  ", &err),
       "an empty list of settings is fine");
    ok(setting_parse(TABLE, &o, a, "note=", &err) && strcmp(o.note, "") == 0, "an empty text is a value");
}

static void refuses(struct arena *a, const char *list, const char *want)
{
    struct options o;
    struct err err = {0};
    setting_defaults(TABLE, &o);
    if (ok(!setting_parse(TABLE, &o, a, list, &err), "a wrong setting is refused: %s", list))
        is_str(err.text, want, "the message of a wrong setting says why");
}

static void test_errors(struct arena *a)
{
    refuses(a, "bugdet=3", "unknown setting 'bugdet': did you mean 'budget'?");
    refuses(a, "zzz=3", "unknown setting 'zzz': there are budget, rate, quick, note, kind, small");
    refuses(a, "budget=0", "setting 'budget' is '0', must be a whole number from 1 to 10000");
    refuses(a, "budget=1.5", "setting 'budget' is '1.5', must be a whole number from 1 to 10000");
    refuses(a, "rate=2", "setting 'rate' is '2', must be a number from 0 to 1");
    refuses(a, "quick=maybe", "setting 'quick' is 'maybe', must be yes or no");
    refuses(a, "kind=new", "setting 'kind' is 'new', must be one of fixed, published");
    refuses(a, "budget", "setting 'budget' has no value, write name=value");
    refuses(a, "note=\"open", "setting 'note' lacks its closing quote");
    struct err err = {0};
    ok(!setting_set(NULL, NULL, a, "x", "1", &err), "a setting is refused where there are none");
    is_str(err.text, "unknown setting 'x': there are none", "the message says that there are no settings");
}

/* The options of a verb. */
static void test_options(struct arena *a)
{
    struct words {
        double wait_s;
        struct setting_strings files;
    } o;
    static const struct setting table[] = {
        DURATION_SETTING("--wait", struct words, wait_s, "0", 1, 1e6, "how long", .word = "TIME"),
        STRINGS_SETTING("--file", struct words, files, "to read", .word = "FILE"),
        {0}};
    static const struct {
        const char *text;
        double s; /* 0: refused */
    } times[] = {{"90", 90}, {"1s", 1}, {"1.5m", 90}, {"2h", 7200}, {"1d", 86400}, {"soon", 0},
                 {"", 0},    {"0", 0},  {"1e30h", 0}, {"nan", 0},   {"2hm", 0},    {"2 h", 0}};
    struct err err = {0};
    setting_defaults(table, &o);
    ok(o.wait_s == 0 && o.files.n == 0, "options that are not given are 0 and no words");
    for (int i = 0; i < (int)(sizeof times / sizeof *times); i++) {
        bool taken = setting_set(table, &o, a, "--wait", times[i].text, &err);
        ok(taken == (times[i].s > 0) && (!taken || o.wait_s == times[i].s), "the time '%s'", times[i].text);
    }
    is_str(err.text, "option '--wait' is '2 h', must be a time like 90m, 2h or 1d, in seconds from 1 to 1000000",
           "a wrong time is refused with option, value and range");
    ok(setting_set(table, &o, a, "--file", "a", &err) && setting_set(table, &o, a, "--file", "b", &err) &&
           o.files.n == 2,
       "an option may be given twice");
    is_str(o.files.at[1], "b", "the values of an option stay in their order");
}

static void test_implied(struct arena *a)
{
    struct options o = {.budget = 1, .rate = 0.5, .note = "n", .small = -1};
    struct text out = {0};
    struct err err = {0};
    setting_print(TABLE, &o, &out);
    is_str(text_str(&out), "budget=1,rate=0.5,quick=no,note=n,kind=fixed",
           "an implied row is not printed at its default");
    ok(setting_set(TABLE, &o, a, "small", "70000", &err) && o.small == 70000, "an int is set as an int64_t is");
    text_clear(&out);
    setting_print(TABLE, &o, &out);
    is_str(text_str(&out), "budget=1,rate=0.5,quick=no,note=n,kind=fixed,small=70000",
           "an implied row is printed with any other value");
    text_free(&out);
}

static void test_round_trip(struct arena *a)
{
    static const char LETTERS[] = "ab,\"\\ =1";
    struct rng r;
    rng_seed(&r, 9);
    int wrong = 0;
    struct text out = {0};
    for (int i = 0; i < 2000; i++) {
        struct options o, back;
        struct err err = {0};
        char note[8] = "";
        for (int j = 0, n = (int)rng_below(&r, 7); j < n; j++)
            note[j] = LETTERS[rng_below(&r, sizeof LETTERS - 1)];
        o = (struct options){.budget = 1 + (int64_t)rng_below(&r, 10000),
                             .rate = rng_unit(&r),
                             .quick = rng_below(&r, 2),
                             .note = note,
                             .kind = (int)rng_below(&r, 2),
                             .small = (int)rng_below(&r, 3) - 1};
        setting_defaults(TABLE, &back);
        text_clear(&out);
        setting_print(TABLE, &o, &out);
        bool same = setting_parse(TABLE, &back, a, text_str(&out), &err) && back.budget == o.budget &&
                    back.rate == o.rate && back.quick == o.quick && back.kind == o.kind && back.small == o.small &&
                    str_eq(back.note, note);
        if (!same && wrong++ == 0)
            diag("%s: %s", text_str(&out), err.text);
    }
    is_int(wrong, 0, "2000 random settings print and parse back");
    text_free(&out);
}

/* Texts that mean the same settle to one. */
static void test_settled(struct arena *a)
{
    static const struct setting table[] = {
        INT_SETTING("budget", struct options, budget, "100", 1, 10000, "trials a kernel"),
        STRING_SETTING("note", struct options, note, "", "a file", .content = true, .movable = true),
        {0},
    };
    static const char *const rows[][3] = {{"note=\"a,b\", budget=7", "budget=7,note=\"a,b\"", "budget=7"},
                                          {"budget=8,note=a,note=b,budget=7", "budget=7,note=b", "budget=7"},
                                          {"budget=100,note=", "", ""},
                                          {"", "", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *o;
        struct err err = {0};
        fixture_must(setting_options(a, table, sizeof(struct options), rows[i][0], &o, &err), &err);
        is_str(setting_settled(a, table, o, true), rows[i][1], "'%s' settles to its last values", rows[i][0]);
        is_str(setting_settled(a, table, o, false), rows[i][2], "'%s' settles without the path", rows[i][0]);
    }
}

int main(void)
{
    test_defaults();
    test_parse(arena);
    test_errors(arena);
    test_options(arena);
    test_implied(arena);
    test_settled(arena);
    test_round_trip(arena);
    struct text help = {0};
    setting_help(TABLE, &help);
    ok(strstr(text_str(&help), "budget                   trials a kernel (1 to 10000, default 100)\n") != NULL,
       "the help of a number has range and default");
    ok(strstr(text_str(&help), "kind                     which variant (fixed|published, default published)\n") != NULL,
       "the help of a choice has the names and the default");
    text_free(&help);
    return done_testing();
}
