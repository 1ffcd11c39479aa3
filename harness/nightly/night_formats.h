/* SPDX-License-Identifier: Apache-2.0 */
/* night_formats: a night's verdict in the formats that other tools read.  * ended, too. What counts: an alarm is a
 * failure; what could not be judged, or was judged to be the machine's, is an error; a series with too few values is
 * skipped; the rest passes. So a night without failure and error ended with 0.
 */
#pragma once
#include "harness/nightly/night_run.h"

/* failure: why the night was not ended, with its exit code in r->code; NULL: it was. */
/* JUnit XML as Jenkins and GitLab read it: a case a series, with the seconds of what was timed as its time. */
void night_junit(const struct night_run *r, const char *failure, struct text *out);
/* Prometheus text exposition format 0.0.4, in base units: for a file *.prom of the node exporter's textfile
 * collector. */
void night_prometheus(const struct night_run *r, const char *failure, struct text *out);
/* Workflow commands of GitHub Actions (::error, ::warning, ::notice), a line each; the place is the experiment's
 * file. */
void night_annotations(const struct night_run *r, const char *failure, struct text *out);
