/* SPDX-License-Identifier: Apache-2.0 */
/* server: the other end of remote.h: measures what standard input asks for, and answers on standard output, until that
 * is closed. The measurer is that of measure.h. When the connection breaks the process ends at once, so that nothing
 * disturbs what is measured next. */
#pragma once
#include "harness/base/err.h"
#include "harness/plug/registry.h"

struct server_options {
    const char *identity;        /* of this program (identity.h) */
    const char *lock, *campaign; /* server_lock.h; lock "": none */
};
/* False: it could not begin, or was sent what no program of ours sends. */
MUST_CHECK bool server_serve(const struct registry *k, const struct server_options *o, struct err *err);
