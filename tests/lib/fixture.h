/* SPDX-License-Identifier: Apache-2.0 */
/* fixture: what many tests begin with. What must be there and is not is a bug(). */
#pragma once
#include "harness/plug/registry.h"
#include "harness/program/lower/lower.h"
#include "tests/lib/fixture_memory.h"

struct task *fixture_task(struct arena *a, const char *spec);
struct step *fixture_steps(struct arena *a, const char *json, int *n); /* [["SP", 2, 0, ...], ...] */
/* The state after the steps, with its bounds; the nest that it lowers to. */
struct state *fixture_state(struct arena *a, const struct task *t, const char *json);
struct nest *fixture_nest(struct arena *a, const char *spec, const char *json);
/* The different kernels of all networks of the experiments; *networks: how many these are. */
const struct task **fixture_kernels(struct arena *a, int *n, int *networks);
/* The number in an environment variable. */
int64_t fixture_number(const char *variable, int64_t fallback);
/* Plug-ins by name; NULL: this build has none of that name. */
const struct searcher *fixture_searcher(const char *name);
const struct model *fixture_model(const char *name);
const struct target *fixture_target(const char *name);
const struct collector *fixture_collector(const char *name);
