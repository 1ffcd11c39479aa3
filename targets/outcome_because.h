/* SPDX-License-Identifier: Apache-2.0 */
/* outcome_because: an outcome with the reason that its sample shows. */
#pragma once
#include "harness/plug/sample.h"

#include <stdio.h>

/* Writes the text, cut to its room, and returns o. */
static inline enum outcome outcome_because(char message[SAMPLE_MESSAGE], enum outcome o, const char *text)
{
    snprintf(message, SAMPLE_MESSAGE, "%.*s", SAMPLE_MESSAGE - 1, text);
    return o;
}
