/* SPDX-License-Identifier: Apache-2.0 */
/* registry: every plug-in of this binary, looked up by name. cli fills it from the branches' tables; the trunk sees
 * only this. */
#pragma once
#include "harness/plug/collector.h"
#include "harness/plug/searcher.h"
#include "harness/plug/target.h"

struct registry_plugin { /* a shared object (plugin.h) */
    const char *digest;  /* SHA-256 of the file */
    const struct searcher *const *searchers;
    const struct model *const *models;
};
struct registry {
    const struct searcher *const *searchers; /* each table ended by NULL */
    const struct model *const *models;
    const struct target *const *targets;
    const struct collector *const *collectors;
    const struct registry_plugin *plugins; /* whose rows are in the tables, too */
    int nplugins;
};
/* The digest of the shared object that a searcher or a model is from; NULL: it is built in. */
const char *registry_digest(const struct registry *k, const void *plug);
/* NULL and an error with the nearest name when unknown. */
const struct searcher *registry_searcher(const struct registry *k, const char *name, struct err *err);
const struct model *registry_model(const struct registry *k, const char *name, struct err *err);
const struct target *registry_target(const struct registry *k, const char *name, struct err *err);
