/* SPDX-License-Identifier: Apache-2.0 */
/* fixture: what many tests begin with. What must be there and is not is a bug(). */
#pragma once
#include "harness/base/text.h"
#include "harness/plug/registry.h"
#include "harness/program/lower/lower.h"

/* Of this program, open from before main to its end; the second may be reset at any time. */
extern struct arena *arena, *scratch;
const char *fixture_folder(void); /* a new one of this program, which goes with all below it when the program ends */
char *fixture_path(const char *name, ...) __attribute__((format(printf, 1, 2))); /* a path below it */
char *fixture_file(const char *name, const char *text); /* such a path of a new file; missing folders are made */
char *fixture_read(const char *path);                   /* the text of a file */
void fixture_remove(const char *path);                  /* a file, or a folder and all below it */
char *fixture_text(struct text *t);                     /* what it holds, in arena; it is freed */
void fixture_must(bool fine, const struct err *err);

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
