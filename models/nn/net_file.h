/* SPDX-License-Identifier: Apache-2.0 */
/* net_file: a network's parameters, buffers and scales in one file. Four lines of text, "raingauge network 1", "kind
 * WORD", "layers ..." and "sha256 ..." of what follows, then 32-bit floats of this machine's byte order (the little end
 * first wherever raingauge runs): parameters, buffers, the scales of each input. */
#pragma once
#include "harness/base/err.h"
#include "models/nn/net.h"

/* kind: what the network is for, one word. */
MUST_CHECK bool net_save(const struct net *n, const char *kind, const char *path, struct err *err);
/* Into a network of the same kind and layers. False, and n is as before: the file is none of these, is of another
 * version, kind or shape, or is damaged; the message says which. */
MUST_CHECK bool net_load(struct net *n, const char *kind, const char *path, struct err *err);
