/* SPDX-License-Identifier: Apache-2.0 */
/* keys: rows for the operators' tables of keys. Sizes are int64_t fields of the options struct S, at most 2^24. */
#pragma once
#include "harness/base/settings.h"

#define KEY_MOST 16777216
#define KEY_ROW(S, field, text, first, least, most)                                                                    \
    {.name = #field,                                                                                                   \
     .help = text,                                                                                                     \
     .type = SETTING_INT,                                                                                              \
     .offset = offsetof(S, field),                                                                                     \
     .fallback = first,                                                                                                \
     .min = least,                                                                                                     \
     .max = most}
#define KEY_NEEDED(S, field, text) KEY_ROW(S, field, text, "0", 0, KEY_MOST) /* check with graph_need */
#define KEY_ONE(S, field, text) KEY_ROW(S, field, text, "1", 1, KEY_MOST)    /* 1 unless given */
#define KEY_ZERO(S, field, text) KEY_ROW(S, field, text, "0", 0, KEY_MOST)   /* 0 = not given */
#define KEY_FLAG(S, field, text) KEY_ROW(S, field, text, "0", 0, 1)
#define KEY_PAD(S, field, text)                                                                                        \
    {.name = #field, .help = text, .type = SETTING_STRING, .offset = offsetof(S, field), .fallback = "0"}
#define KEY_CHOICE(S, field, text, first, names)                                                                       \
    {.name = #field,                                                                                                   \
     .help = text,                                                                                                     \
     .type = SETTING_ENUM,                                                                                             \
     .offset = offsetof(S, field),                                                                                     \
     .fallback = first,                                                                                                \
     .choices = names}

/* How a window moves, for operators with fields of these names: strides, padding, dilation. */
#define WINDOW_KEYS(S)                                                                                                 \
    KEY_ONE(S, sh, "stride in height"), KEY_ONE(S, sw, "stride in width"),                                             \
        KEY_PAD(S, ph, "padding in height, 'top,bottom' when they differ"),                                            \
        KEY_PAD(S, pw, "padding in width, 'left,right' when they differ"), KEY_ONE(S, dh, "dilation in height"),       \
        KEY_ONE(S, dw, "dilation in width")
