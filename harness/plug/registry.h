/* SPDX-License-Identifier: Apache-2.0 */
/* registry: every plug-in of this binary, looked up by name. cli fills it from the branches' tables; the trunk sees
 * only this. */
#pragma once
#include "harness/plug/collector.h"
#include "harness/plug/searcher.h"
#include "harness/plug/target.h"

struct registry {
    const struct searcher *const *searchers; /* each table ended by NULL */
    const struct model *const *models;
    const struct target *const *targets;
    const struct collector *const *collectors;
};
/* NULL and an error with the nearest name when unknown. */
const struct searcher *registry_searcher(const struct registry *k, const char *name, struct err *err);
const struct model *registry_model(const struct registry *k, const char *name, struct err *err);
const struct target *registry_target(const struct registry *k, const char *name, struct err *err);
