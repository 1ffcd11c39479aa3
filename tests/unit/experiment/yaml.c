/* SPDX-License-Identifier: Apache-2.0 */
/* yaml: trees with places, typed reads, and every kind of broken file refused with file:line:column. */
#include "harness/experiment/yaml.h"

#include "harness/base/text.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>

static bool parse(const char *text, struct yaml **out, struct err *err)
{
    *err = (struct err){0};
    return yaml_parse(arena, text, strlen(text), "f.yaml", out, err);
}

static void refused(const char *text, const char *want, const char *name)
{
    struct yaml *doc;
    struct err err;
    if (ok(!parse(text, &doc, &err), "YAML is refused: %s", name))
        is_str(err.text, want, "the refusal says: %s", want);
}

static void refused_like(const char *text, const char *place, const char *part, const char *name)
{
    struct yaml *doc;
    struct err err;
    ok(!parse(text, &doc, &err) && str_starts(err.text, place) && strstr(err.text, part), "YAML is refused: %s: %s",
       name, err.text);
}

static void test_tree(void)
{
    struct yaml *doc;
    struct err err;
    if (!ok(parse("a: 1\nb: [x, 'y z', 2]\nc:\n  d: {e: true}\n", &doc, &err), "a small YAML file is read %s",
            err.text))
        return;
    is_int(doc->kind, YAML_MAP, "the file is a map");
    is_int(doc->n, 3, "the map has three keys");
    const struct yaml *b = yaml_get(doc, "b"), *e = yaml_get(yaml_get(yaml_get(doc, "c"), "d"), "e");
    ok(b && b->kind == YAML_LIST && b->n == 3, "a list has its three values");
    is_str(b->at[1]->text, "y z", "a quoted word has no quotes");
    ok(b->at[1]->quoted && !b->at[0]->quoted, "a word knows whether it was quoted");
    ok(e && e->line == 4 && e->column == 10, "lines and columns count from 1");
    ok(!yaml_get(doc, "z") && !yaml_get(NULL, "a") && !yaml_get(b, "a"), "a key that is absent is NULL");
    ok(parse("\xef\xbb\xbf"
             "a: 1\r\nb: 2\r\n",
             &doc, &err) &&
           doc->n == 2,
       "a byte order mark and CRLF are read");
    is_str(yaml_get(doc, "b")->text, "2", "a value has no carriage return");
    ok(parse("base: &x {k: 1}\nmore: *x\n", &doc, &err) && yaml_get(yaml_get(doc, "more"), "k"),
       "an alias stands for its anchor");
}

static void test_reads(void)
{
    struct yaml *doc;
    struct err err;
    int64_t i = 7;
    double d = 0.5;
    bool flag = false;
    const char *word = "was", *settings;
    const char *const *words;
    struct setting_ints ints;
    const struct yaml_range digits = {0, 9};
    int n;
    if (!ok(parse("i: 12\nd: 2.5e3\nflag: true\nword: hello\nlist: [3, 4]\none: 9\nmap: {a: 1, b: x}\nq: '5'\n", &doc,
                  &err),
            "a file of values is read"))
        return;
    ok(yaml_int(doc, "i", true, 0, 20, &i, &err) && i == 12, "a whole number is read");
    ok(yaml_int(doc, "absent", false, 0, 20, &i, &err) && i == 12, "an absent key leaves the value as it was");
    ok(yaml_real(doc, "d", true, 0, 1e4, &d, &err) && d == 2500, "a number with exponent is read");
    ok(yaml_bool(doc, "flag", true, &flag, &err) && flag, "a truth value is read");
    ok(yaml_string(doc, "word", true, &word, &err) && str_eq(word, "hello"), "a word is read");
    ok(yaml_ints(arena, doc, "list", true, digits, &ints, &err) && ints.n == 2 && ints.at[1] == 4,
       "a list of whole numbers is read");
    ok(yaml_ints(arena, doc, "one", true, digits, &ints, &err) && ints.n == 1 && ints.at[0] == 9,
       "one number counts as a list");
    ok(yaml_strings(arena, doc, "word", true, &words, &n, &err) && n == 1, "one word counts as a list");
    ok(yaml_settings(arena, doc, "map", &settings, &err) && str_eq(settings, "a=1,b=x"), "a map is read as settings");
    ok(yaml_settings(arena, doc, "absent", &settings, &err) && str_eq(settings, ""), "an absent map is no settings");
    struct yaml *within;
    ok(parse("map: {a: {x: 1, y: '2,3'}, b: 'p,q', c: '\"r,s\"'}\n", &within, &err) &&
           yaml_settings(arena, within, "map", &settings, &err),
       "settings of a plug-in within settings are read%s", err.text);
    is_str(settings, "a=\"x=1,y=\\\"2,3\\\"\",b=\"p,q\",c=\"r,s\"", "values with commas stand in quotes");
    ok(!yaml_int(doc, "i", true, 0, 11, &i, &err), "a number out of range is refused");
    is_str(err.text, "f.yaml:1:4: 'i' must be between 0 and 11, not 12", "the refusal of a range has its place");
    ok(!yaml_int(doc, "d", true, 0, 11, &i, &err), "2.5e3 is refused as a whole number");
    is_str(err.text, "f.yaml:2:4: 'd' must be a whole number, not '2.5e3'",
           "the refusal of a whole number has its place");
    ok(!yaml_int(doc, "q", true, 0, 11, &i, &err), "a quoted 5 is refused as a whole number");
    ok(!yaml_bool(doc, "word", true, &flag, &err), "'hello' is refused as a truth value");
    is_str(err.text, "f.yaml:4:7: 'word' must be true or false, not 'hello'",
           "the refusal of a truth value has its place");
    ok(!yaml_string(doc, "list", true, &word, &err), "a list is refused as a word");
    is_str(err.text, "f.yaml:5:7: 'list' must be a single value", "the refusal of a list has its place");
    ok(!yaml_int(doc, "none", true, 0, 1, &i, &err), "a required key that is missing is refused");
    is_str(err.text, "f.yaml:1:1: key 'none' is missing", "the refusal of a missing key has the place of its map");
}

static void test_keys(void)
{
    static const char *const known[] = {"network", "kernels", "calls", NULL};
    struct yaml *doc;
    struct err err;
    ok(parse("network: x\ncalls: 2\n", &doc, &err) && yaml_keys(doc, known, &err), "a map of known keys is let pass");
    ok(parse("network: x\nkernals: 2\n", &doc, &err) && !yaml_keys(doc, known, &err), "an unknown key is refused");
    is_str(err.text, "f.yaml:2:1: unknown key 'kernals': did you mean 'kernels'?",
           "the refusal of an unknown key has a place and a hint");
    ok(parse("[1, 2]\n", &doc, &err) && !yaml_keys(doc, known, &err), "a list is refused where keys are wanted");
    is_str(err.text, "f.yaml:1:1: expected a map of keys and values", "the refusal of a list says what is wanted");
}

static void test_broken(void)
{
    refused("a: 1\nb: 2\na: 3\n", "f.yaml:3:1: key 'a' is given twice, first in line 1", "duplicate keys");
    refused("", "f.yaml:1:1: the file is empty", "an empty file");
    refused("# only a comment\n", "f.yaml:1:1: the file is empty", "a comment only");
    refused("a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document: one file holds one", "two documents");
    refused("[a, b]: 1\n", "f.yaml:1:1: a key must be a plain word", "a list as key");
    refused("a: *nowhere\n", "f.yaml:1:4: unknown alias 'nowhere'", "an unknown alias");
    refused("a: &x [*x]\n", "f.yaml:1:8: unknown alias 'x'", "an alias in itself");
    refused("a: \"\\0\"\n", "f.yaml:1:4: a zero byte in a value", "a zero byte");
    refused_like("a:\n\tb: 1\n", "f.yaml:2:1: ", "tab", "a tab as indent");
    refused_like("a: [1, 2\nb: 3\n", "f.yaml:2:", "", "an open bracket");
    refused_like("a: 'x\n", "f.yaml:2:", "", "an open quote");
    refused_like("a: 1\n b: 2\n", "f.yaml:2:", "", "a wrong indent");
    refused("a: \xff\xfe\n", "f.yaml:1:4: invalid leading UTF-8 octet", "bytes that are no UTF-8");
    refused("a: 1\nb: 2\nc: \xc3\xa9 caf\xe9\n", "f.yaml:3:9: incomplete UTF-8 octet sequence", "Latin 1, in its line");
    refused("a: 1\nb: \x01\n", "f.yaml:2:4: control characters are not allowed", "a control character, in its line");
}

static void test_limits(void)
{
    struct yaml *doc;
    struct err err;
    struct text t = {0};
    for (int i = 0; i < 40; i++)
        text_char(&t, '[');
    for (int i = 0; i < 40; i++)
        text_char(&t, ']');
    refused(text_str(&t), "f.yaml:1:33: nested more than 32 deep", "40 levels");
    text_clear(&t);
    text_add(&t, "a: [");
    for (int i = 0; i < 20001; i++)
        text_add(&t, "1, ");
    text_add(&t, "1]\n");
    refused_like(text_str(&t), "f.yaml:1:", "more than 20,000 values", "20,002 values");
    text_clear(&t);
    text_add(&t, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 9; i++) {
        text_printf(&t, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            text_printf(&t, "%s*a%d", k ? ", " : "", i - 1);
        text_add(&t, "]\n");
    }
    refused_like(text_str(&t), "f.yaml:", "aliases make this file larger than 20,000 values", "a billion laughs");
    size_t n = (1 << 20) + 1;
    char *big = malloc(n);
    if (big) {
        memset(big, ' ', n);
        err = (struct err){0};
        ok(!yaml_parse(arena, big, n, "f.yaml", &doc, &err), "a file over 1 MiB is refused");
        is_str(err.text, "f.yaml: larger than 1 MiB", "the refusal of a large file says so");
    }
    free(big);
    text_free(&t);
    ok(!yaml_load(arena, "no/such/file.yaml", &doc, &err) && strstr(err.text, "no/such/file.yaml"),
       "a missing file is refused by its name");
}

int main(void)
{
    test_tree();
    test_reads();
    test_keys();
    test_broken();
    test_limits();
    return done_testing();
}
