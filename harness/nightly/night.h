/* SPDX-License-Identifier: Apache-2.0 */
/* night: one nightly run: a fixed experiment and launches of pinned programs, by the binary under test as people meet
 * it (other processes), compared with the last good nights of this machine. Series that look changed are run again, in
 * turns with the binary of the last good night, a copy of which is kept. Everything is kept as it comes, so a killed
 * night goes on. */
#pragma once
#include "harness/nightly/night_run.h"

/* Experiment, history (locked until night_end), and the kind of its nights; no night is begun. */
MUST_CHECK bool night_open(const struct night_options *o, struct night_run *out, struct err *err);
/* o must outlive the run. False: the night could not be ended (err->code says whether it was interrupted, out of time,
 * ...). night_end in any case. */
MUST_CHECK bool night_begin(const struct night_options *o, struct night_run *out, struct err *err);
MUST_CHECK bool night_go(struct night_run *r, struct err *err);
void night_end(struct night_run *r);
