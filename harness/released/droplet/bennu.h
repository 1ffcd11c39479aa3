/* SPDX-License-Identifier: Apache-2.0 */
/* bennu: the authors' own result files (repository lac-dcc/bennu). Their scripts print tables into files: a line that
 * names the network ("BENCH: alexnet") and one that names k ("SIZE: 300", "TOP: 300", "Top 300", "Top 300 alexnet",
 * "Mnasnet: Top 25"), a head of column names, and a row of numbers a kernel, separated by commas; on clusters all this
 * stands between the job's own words. Columns are found by their names in the head. */
#pragma once
#include "harness/released/droplet/release.h"

/* What the folder layout says about a file. */
struct bennu_source {
    const char *path; /* below the folder, for messages */
    enum release_table table;
    const char *machine, *run; /* "" none */
};
/* Reads the tables in text (0-terminated, changed while it is read) into r; the number of rows. Broken rows are
 * problems. A block whose label and head name different k is kept as mislabelled under its label. */
int bennu_read(struct release *r, const struct bennu_source *source, char *text);

/* The network that a file's name tells ("cuda_a100_droplet_inception.log"), or "". */
const char *bennu_network(const char *path);

/* Summed cost, best mean time and number of records of a log of Ansor, one JSON record a line, as measured for the
 * micro-kernels: sets BASE_TIME, BASE_TUNING, BASE_RECORDS of out. False: no valid record. */
bool bennu_log(struct release *r, const char *path, const char *text, struct release_row *out);
