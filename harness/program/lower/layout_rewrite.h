/* SPDX-License-Identifier: Apache-2.0 */
/* layout_rewrite: layout rewrite of weights (ansor.md 1.6): a weight that one store reads is re-laid-out to follow the
 * loops around that store. Internal to lower. */
#pragma once
#include "harness/program/lower/lower.h"

/* Mode REWRITTEN: the argument itself is packed (layout.h says how to fill it). Mode INSERT: a packed copy is made
 * inside the kernel by a parallel copy nest in front. A weight whose access does not decompose into loops stays as it
 * is. */
MUST_CHECK bool layout_rewrite_weights(struct nest *n, enum layout_mode mode, struct err *err);
