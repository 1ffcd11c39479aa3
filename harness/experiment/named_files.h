/* SPDX-License-Identifier: Apache-2.0 */
/* named_files: what is in the files that settings of a plug-in name, since results hang on it. Rows of its table say
 * which settings do (struct setting: content, movable, command). */
#pragma once
#include "harness/base/settings.h"
#include "harness/tune/plan.h"

struct named_files_of { /* a plug-in's settings, which are known to fit its table */
    const struct setting *table;
    size_t size;          /* of its options */
    const char *settings; /* "name=value,..." */
    const char *folder;   /* where a relative path is looked up, too, unless the row is movable; NULL: nowhere */
};
/* All in a. False: a file cannot be read whose row is not movable. Of one that is movable the path counts then, and
 * out->absent says so. */
MUST_CHECK bool named_files_read(struct arena *a, const struct named_files_of *of, struct named_files *out,
                                 struct err *err);
/* They as they were where contents was made (plan.contents): one that is absent here has the SHA-256 that stands there
 * for its setting. In a. */
struct named_files named_files_recorded(struct arena *a, const struct named_files *f, const char *contents);
