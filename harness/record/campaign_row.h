/* SPDX-License-Identifier: Apache-2.0 */
/* campaign_row: the one row of table campaign, which says what a database is of, and the tables that come with it. */
#pragma once
#include "harness/record/database.h"
#include "harness/record/keys.h"

struct store_campaign { /* what one experiment is; one row */
    union {             /* c->keys.stem is c->stem */
        struct campaign_keys keys;
        struct {
            CAMPAIGN_KEYS
        };
    };
    const char *experiment_hash;
    const char *regime; /* setting_print of the timing protocol */
    bool is_virtual;
    const char *revision, *environment; /* git revision and versions; JSON object of host and target */
    double created_unix;                /* 0 on a virtual target */
};
/* Tables and row appear together or not at all. Strings handed out live in a, which outlives d. */
MUST_CHECK bool campaign_row_create(struct database *d, struct arena *a, const struct store_campaign *c,
                                    struct err *err);
MUST_CHECK bool campaign_row_read(struct database *d, struct arena *a, struct store_campaign *out, bool *found,
                                  struct err *err);
/* Name of the first stored key in which two campaigns differ, NULL: none. Equal hashes make equal campaigns but for the
 * tier's name, which no hash has. */
const char *campaign_row_difference(const struct store_campaign *x, const struct store_campaign *y);
