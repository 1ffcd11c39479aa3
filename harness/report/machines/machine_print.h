/* SPDX-License-Identifier: Apache-2.0 */
/* machine_print: a comparison of machines for people, for spreadsheets and for programs. */
#pragma once
#include "harness/base/json.h"
#include "harness/report/machines/machine_comparison.h"

/* The three lines, the machines with their validity, the speedups and the verdicts, a column a machine. */
void machine_print_text(struct arena *a, const struct machine_comparison *m, struct text *out);
/* Tab-separated, a row for each machine and each arm or claim. What is not known is empty. */
void machine_print_sheet(const struct machine_comparison *m, struct text *out);
extern const struct json_member machine_members[];
cJSON *machine_print_json(const struct machine_comparison *m);
