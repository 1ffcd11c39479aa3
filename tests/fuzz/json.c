/* SPDX-License-Identifier: Apache-2.0 */
/* json: no bytes crash the parser; and a string that is written is JSON that reads back, when it was UTF-8. */
#include "harness/base/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void write_and_read(const char *s)
{
    struct text t = {0};
    struct err err = {0};
    cJSON *object = json_object();
    json_put_str(object, "s", s);
    json_print(object, &t);
    cJSON *back = json_parse(text_str(&t), t.len, "fuzz", &err);
    const char *read = back ? json_str(back, "s", NULL) : NULL;
    if (!read)
        abort();
    if (!strstr(read, "\xEF\xBF\xBD") && !str_eq(read, s))
        abort();
    cJSON_Delete(back);
    text_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct err err = {0};
    cJSON *root = json_parse((const char *)data, n, "fuzz", &err);
    if (!root && !err.text[0])
        abort();
    cJSON_Delete(root);
    char *s = malloc(n + 1);
    if (!s)
        abort();
    memcpy(s, data, n);
    s[n] = 0;
    write_and_read(s);
    free(s);
    return 0;
}
