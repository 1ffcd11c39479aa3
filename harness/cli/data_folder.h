/* SPDX-License-Identifier: Apache-2.0 */
/* data_folder: where experiments/ and plots/ are. They are looked for in the current folder, in $RAINGAUGE_DATADIR, and
 * in ../share/raingauge beside the executable's folder, where `make install` puts them. Nothing is compiled in, so an
 * installed tree may be moved. */
#pragma once
#include "harness/base/arena.h"
#include "harness/base/text.h"

/* Path of the first folder of that name, in a; NULL: there is none. */
const char *data_folder_find(struct arena *a, const char *name);
/* Adds the paths that were looked at: "'experiments', '/usr/share/raingauge/experiments'". */
void data_folder_tried(struct arena *a, const char *name, struct text *out);
