/* SPDX-License-Identifier: Apache-2.0 */
/* plugin: what a shared object must export to be given by --plugin FILE: one const struct plugin, raingauge_plugin,
 * with tables of the structs that built-in plug-ins export. It calls the functions of this program, and was compiled
 * with its headers: PLUGIN_ABI says which. */
#pragma once
#include "harness/plug/searcher.h"

#include <stddef.h>

/* Its first number is raised when what a member means changes while no size does. */
#define PLUGIN_LAYOUT(X)                                                                                               \
    X(struct searcher)                                                                                                 \
    X(struct searcher_env)                                                                                             \
    X(struct model)                                                                                                    \
    X(struct model_env)                                                                                                \
    X(struct setting)                                                                                                  \
    X(struct candidate)                                                                                                \
    X(struct sample)                                                                                                   \
    X(struct step)                                                                                                     \
    X(struct state)                                                                                                    \
    X(struct task)                                                                                                     \
    X(struct err)
#define PLUGIN_SIZE(type) sizeof(type),
#define PLUGIN_ABI {1, PLUGIN_LAYOUT(PLUGIN_SIZE) 0}
enum { PLUGIN_NUMBERS = 16 };

struct plugin {
    size_t abi[PLUGIN_NUMBERS];              /* PLUGIN_ABI */
    const struct searcher *const *searchers; /* ended by NULL; NULL: none */
    const struct model *const *models;       /* the same */
};
extern const struct plugin raingauge_plugin; /* which the shared object defines */
