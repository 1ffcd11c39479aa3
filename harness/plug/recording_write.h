/* SPDX-License-Identifier: Apache-2.0 */
/* recording_write: a recording, line by line. Each line is one write, so that a killed process leaves at most half a
 * line. */
#pragma once
#include "harness/plug/recording.h"

/* A row reaches the system before the next one is begun. keep: that many rows of the file stay (those of
 * rounds that are complete), 0: it is made anew. False: it cannot be written, or (keep > 0) is another recording. */
struct recording_writer;
MUST_CHECK bool recording_create(const char *path, const struct recording_head *head, int keep,
                                 struct recording_writer **out, struct err *err);
MUST_CHECK bool recording_put(struct recording_writer *w, int task, const struct step *steps, int nsteps,
                              const struct sample *s, struct err *err);
/* Writes the last line. */
MUST_CHECK bool recording_finish(struct recording_writer *w, struct err *err);
void recording_close(struct recording_writer *w); /* without a last line, if it is not finished; w may be NULL */
