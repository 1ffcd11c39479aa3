/* SPDX-License-Identifier: Apache-2.0 */
/* state_text: the printed state is its identity (harness/doc/ansor.md, "State text and identity"), so bounds must have
 * been inferred; before that unknown ranges print as "(None)". The form is that of data/tvm_oracle: first line
 * "Placeholder: p0, p1", two blanks per level, loops of extent 1 omitted. */
#pragma once
#include <stdint.h>

struct state;
struct text;
void state_print(const struct state *s, struct text *out);
uint64_t state_hash(const struct state *s); /* of the text */
