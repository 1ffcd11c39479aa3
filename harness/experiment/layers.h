/* SPDX-License-Identifier: Apache-2.0 */
/* layers: YAML maps in layers, read by tables of keys (base/settings.h). The first layer that has a key gives its
 * value. Settings of plug-ins (PAIRS) add up instead: those of upper layers come last, so that they win. */
#pragma once
#include "harness/base/settings.h"
#include "harness/experiment/yaml.h"

enum { LAYERS_MOST = 66 };
struct layers {
    struct arena *arena;
    const struct yaml *at[LAYERS_MOST]; /* the lowest last */
    int n;                              /* at least 1 */
    int nsets;                          /* the first ones that are --set options */
};
struct layers layers_of(struct arena *a, const struct yaml *map); /* one layer */

const struct yaml *layers_get(const struct layers *l, const char *key); /* NULL: no layer has it */
/* The layers of the file, without --set. */
struct layers layers_below(const struct layers *l);
/* The settings "name=value,..." under key of the first n layers; "" where none has it. Fails where one is no map. */
MUST_CHECK bool layers_settings(const struct layers *l, int n, const char *key, const char **out, struct err *err);
/* Where a message about the key points: at its value, or at the lowest layer when the key is absent. */
const struct yaml *layers_place(const struct layers *l, const char *key);

/* Is map a map with no other keys than these tables have? An unknown key gets a hint, an earlier name the present one.
 * Tables: ended by NULL. */
MUST_CHECK bool layers_known(const struct yaml *map, const struct setting *const *tables, struct err *err);
/* Fills out with the defaults and then with what the layers give. Rows that are derived, and maps, are left alone.
 * Errors carry file:line:column. */
MUST_CHECK bool layers_read(const struct layers *l, const struct setting *table, void *out, struct err *err);
