/* SPDX-License-Identifier: Apache-2.0 */
/* older: records of schema versions 1 to 4. Read, they look like those of the present version and are not changed;
 * continued, they become it. Version 2 added counter; version 3 twin, twin_reading and twin_stage; version 4 renamed
 * these, final and final_aside, and the searcher that was called retime; version 5 added duel, duel_program and
 * duel_launch. */
#pragma once
#include "harness/record/database.h"

/* Gives this connection the present tables, as views of the older ones or empty. They live in its memory only, so the
 * file may be read beside its writer, and in a folder that cannot be written. */
MUST_CHECK bool older_view(struct database *d, struct err *err);
/* Makes the file one of the present version, in one transaction: a kill leaves it as it was, or done. */
MUST_CHECK bool older_migrate(struct database *d, struct err *err);
