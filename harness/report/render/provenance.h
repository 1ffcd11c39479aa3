/* SPDX-License-Identifier: Apache-2.0 */
/* provenance: where each number of the HTML report comes from: the column's meaning, the query on records.db that gives
 * what it is made of, and the cells of each network; with the hashes and the revision that made the records. */
#pragma once
#include "harness/base/text.h"
#include "harness/report/render/report.h"

MUST_CHECK bool provenance_html(const struct report *r, struct text *t, struct err *err);
