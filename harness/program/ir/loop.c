/* SPDX-License-Identifier: Apache-2.0 */
/* loop: the words of annotations. */
#include "harness/program/ir/loop.h"

static const char *const WORDS[ANN_COUNT] = {
#define X(id, word) word,
    ANNOTATIONS(X)
#undef X
};

const char *annotation_word(enum annotation a)
{
    return WORDS[a];
}
