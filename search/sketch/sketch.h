/* SPDX-License-Identifier: Apache-2.0 */
/* sketch: generates the sketches of a task: all ways the rules (rule.h) can structure its stages (harness/doc/ansor.md,
 * "Sketch generation"). */
#pragma once
#include "search/sketch/rule.h"

/* States in env->arena, in TVM's order, split lengths open (0) where to be sampled, also before RF. A rule that fails
 * on a state costs its branch a warning, not the whole. */
struct state **sketch_generate(const struct rule_env *env, const struct rule *const *rules, const struct task *task,
                               int *n);
