/* SPDX-License-Identifier: Apache-2.0 */
/* warrant: what stands behind the numbers of a report: the A/A floor before and after, the gates (calm.h), and what the
 * arms lost on the way to their winners (regret.h). The same in every form of every kind of report. */
#pragma once
#include "harness/experiment/report.h"

/* "INVALID: <reason>" when a gate failed, NULL when none did. */
const char *warrant_invalid(const struct report *r);
/* Does it matter: tier smoke shows the mechanics and judges nothing, so its failed gates are told and end nothing. */
bool warrant_counts(const struct report *r);
void warrant_text(const struct report *r, struct text *t);
void warrant_json(const struct report *r, struct text *t); /* members "noise" and "loss", each with ", " before it */
void warrant_html(const struct report *r, struct text *t); /* a section */
