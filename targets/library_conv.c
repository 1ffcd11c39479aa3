/* SPDX-License-Identifier: Apache-2.0 */
#include "targets/library_conv.h"

#include "harness/base/text.h"
#include "targets/outcome_because.h"

#include <stdlib.h>
#include <string.h>

const char *library_text(const struct task *t, const char *key)
{
    char pattern[16];
    snprintf(pattern, sizeof pattern, " %s=", key);
    const char *at = strstr(t->spec, pattern);
    return at ? at + strlen(pattern) : "";
}

int64_t library_number(const struct task *t, const char *key)
{
    return strtoll(library_text(t, key), NULL, 10);
}

static void read_padding(const struct task *t, const char *key, int64_t *before, int64_t *after)
{
    char *end;
    *before = strtoll(library_text(t, key), &end, 10);
    *after = *end == ',' ? strtoll(end + 1, NULL, 10) : *before;
}

struct library_conv library_conv(const struct task *t)
{
    struct library_conv c = {.n = library_number(t, "n"),
                             .ci = library_number(t, "ci"),
                             .hi = library_number(t, "hi"),
                             .wi = library_number(t, "wi"),
                             .co = library_number(t, "co"),
                             .kh = library_number(t, "kh"),
                             .kw = library_number(t, "kw"),
                             .ho = library_number(t, "ho"),
                             .wo = library_number(t, "wo"),
                             .groups = library_number(t, "groups"),
                             .cib = 1,
                             .cob = 1,
                             .stride = {library_number(t, "sh"), library_number(t, "sw")},
                             .dilation = {library_number(t, "dh"), library_number(t, "dw")}};
    const char *layout = library_text(t, "layout");
    read_padding(t, "ph", &c.before[0], &c.after[0]);
    read_padding(t, "pw", &c.before[1], &c.after[1]);
    if (str_starts(layout, "nchwc")) {
        c.cib = library_number(t, "cib");
        c.cob = library_number(t, "cob");
    } else if (str_starts(layout, "nhwc")) {
        c.cib = c.ci;
        c.cob = c.co;
    }
    return c;
}

void library_move(float *plain, float *blocked, const struct library_data *d, bool to_plain)
{
    int64_t pixels = d->pixels, b = d->block, image = d->channels * pixels;
    for (int64_t n = 0; n < d->images; n++, plain += image, blocked += image)
        for (int64_t c = 0; c < d->channels; c++)
            for (int64_t i = 0; i < pixels; i++) {
                float *blocked_at = &blocked[(c / b * pixels + i) * b + c % b], *plain_at = &plain[c * pixels + i];
                *(to_plain ? plain_at : blocked_at) = *(to_plain ? blocked_at : plain_at);
            }
}

void library_filter(float *plain, const float *filter, const struct library_conv *c)
{
    int64_t area = c->kh * c->kw, ib = c->cib, ob = c->cob;
    for (int64_t o = 0; o < c->co; o++)
        for (int64_t i = 0; i < c->ci; i++)
            for (int64_t a = 0; a < area; a++)
                plain[(o * c->ci + i) * area + a] =
                    filter[((((o / ob) * (c->ci / ib) + i / ib) * area + a) * ib + i % ib) * ob + o % ob];
}

enum outcome library_build(const char *why, struct blob *object, char message[SAMPLE_MESSAGE])
{
    if (why)
        return outcome_because(message, OUTCOME_INVALID, why);
    *object = (struct blob){.bytes = strdup("library"), .n = sizeof "library"};
    return object->bytes ? OUTCOME_OK : outcome_because(message, OUTCOME_OUT_OF_MEMORY, "no memory");
}
