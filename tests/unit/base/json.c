/* SPDX-License-Identifier: Apache-2.0 */
/* json: places of errors, limits, typed getters. */
#include "harness/base/json.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <string.h>

static void refuses(const char *text, const char *want)
{
    struct err err = {0};
    cJSON *root = json_parse(text, strlen(text), "f.json", &err);
    if (ok(!root, "broken JSON is refused: %.40s", text))
        is_str(err.text, want, "the message says where the JSON is broken");
    cJSON_Delete(root);
}

static void test_errors(void)
{
    refuses("", "f.json:1:1: empty where JSON was expected");
    refuses("{\"a\": 1,\n \"b\": x}", "f.json:2:7: not valid JSON");
    refuses("[1, 2] 3", "f.json:1:8: more text after the JSON value");
    char deep[200];
    memset(deep, '[', 100);
    memset(deep + 100, ']', 99);
    deep[199] = 0;
    refuses(deep, "f.json:1:65: JSON nested deeper than 64");
    struct err err = {0};
    cJSON *cut = json_parse("[1,2]]]", 5, "f", &err);
    ok(cut != NULL, "parsing reads no further than n bytes");
    cJSON_Delete(cut);
    const char *quoted = "[\"[[[[\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"]";
    cJSON *fine = json_parse(quoted, strlen(quoted), "f", &err);
    ok(fine != NULL, "brackets in a string do not count as depth");
    cJSON_Delete(fine);
}

static void test_getters(void)
{
    const char *text =
        " {\"s\": \"x\\u00e9\", \"n\": 2.5, \"i\": -3, \"big\": 9007199254740993, \"half\": 0.5, \"z\": null}\n";
    struct err err = {0};
    cJSON *root = json_parse(text, strlen(text), "f", &err);
    if (!ok(root != NULL, "a JSON object is parsed"))
        return;
    is_str(json_str(root, "s", "?"), "x\xc3\xa9", "a string member is read and unescaped");
    is_str(json_str(root, "n", "?"), "?", "a number member read as a string gives the fallback");
    is_str(json_str(root, "gone", NULL), NULL, "an absent member gives the fallback");
    is_near(json_num(root, "n", 0), 2.5, 0, "a number member is read");
    is_near(json_num(root, "s", -1), -1, 0, "a string member read as a number gives the fallback");
    int64_t i = 0;
    ok(json_int(json_get(root, "i"), &i) && i == -3, "a whole number is read as an integer");
    ok(!json_int(json_get(root, "half"), &i) && !json_int(json_get(root, "s"), &i) &&
           !json_int(json_get(root, "gone"), &i),
       "halves, strings and absent members are no integers");
    ok(!json_get(root, "S"), "keys are compared with their case");
    cJSON_Delete(root);
}

/* Expected text: ECMA-404, and the shortest decimals that read back (0.1 + 0.2 is 0.30000000000000004). */
static void test_writing(void)
{
    struct text t = {0};
    cJSON *o = json_object(), *list;
    json_put_number(o, "sum", 0.1 + 0.2);
    json_put_number(o, "none", NAN);
    json_put_int(o, "large", INT64_MAX);
    json_put_bool(o, "yes", true);
    json_put_str(o, "quo\"ted", "tab\tnew\nline \xC3\xA9 \xFF");
    json_put_str(o, "absent", NULL);
    json_put_range(o, "interval", 1, INFINITY);
    list = json_put_array(o, "list");
    json_put_int(list, NULL, -1);
    json_put_str(json_put_object(list, NULL), "k", "v");
    json_print(o, &t);
    is_str(text_str(&t),
           "{\"sum\":0.30000000000000004,\"none\":null,\"large\":9223372036854775807,\"yes\":true,"
           "\"quo\\\"ted\":\"tab\\tnew\\nline \xC3\xA9 \xEF\xBF\xBD\",\"absent\":null,\"interval\":[1,null],"
           "\"list\":[-1,{\"k\":\"v\"}]}",
           "an object is written with every digit, escapes, and null for what is no number");
    text_free(&t);
}

int main(void)
{
    test_writing();
    test_errors();
    test_getters();
    return done_testing();
}
