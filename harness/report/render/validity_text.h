/* SPDX-License-Identifier: Apache-2.0 */
/* validity_text: what stands behind the numbers of a report: the A/A floor before and after, the gates (validity.h),
 * and what the arms lost on the way to their winners (selection_loss.h). The same in every form of every kind of
 * report. */
#pragma once
#include "harness/report/render/report.h"

/* "INVALID: <reason>" when a gate failed, NULL when none did. */
const char *validity_invalid(const struct report *r);
/* Does it matter: tier smoke shows the mechanics and judges nothing, so its failed gates are told and end nothing. */
bool validity_text_counts(const struct report *r);
void validity_text_text(const struct report *r, struct text *t);
void validity_text_json(const struct report *r,
                        struct text *t); /* members "noise" and "loss", each with ", " before it */
void validity_text_html(const struct report *r, struct text *t); /* a section */
