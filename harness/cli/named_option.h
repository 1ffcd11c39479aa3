/* SPDX-License-Identifier: Apache-2.0 */
/* named_option: values of options that are a name and, after commas, settings of it: --target cpu,codegen=tvm; and
 * names of what is in records. */
#pragma once
#include "harness/cli/cli.h"
#include "harness/measure/regime.h"
#include "harness/record/store.h"

/* Rows of tables of options. */
#define NAMED_WORD "NAME[,KEY=VALUE]..."
#define TARGET_ROW(S, member, ...) STRING_SETTING("--target", S, member, "cpu", __VA_ARGS__, .word = NAMED_WORD)
#define REGIME_ROW(S, member)                                                                                          \
    STRING_SETTING("--regime", S, member, "tvm", "timing protocol; `raingauge list regimes`", .word = NAMED_WORD)
#define THREADS_ROW(S, member)                                                                                         \
    INT_SETTING("--threads", S, member, "0", 0, 4096, "threads of a kernel (0: all)", .word = "N")
#define LAYOUT_ROW(S, member, ...)                                                                                     \
    ENUM_SETTING("--layout", S, member, "rewritten", named_option_layouts, __VA_ARGS__) /* an enum layout_mode */
extern const char *const named_option_layouts[];

/* The name, in a. *settings: what follows it, or "". */
const char *named_option_split(struct arena *a, const char *text, const char **settings);
struct target_option {
    const struct target *target;
    const char *settings; /* "codegen=tvm", or "" */
};
/* False: no such target, or a setting that it lacks. */
MUST_CHECK bool target_option_parse(struct cli *c, const char *text, struct target_option *out, struct err *err);
/* "tvm" or "tvm,number=5,run_timeout_s=60". */
MUST_CHECK bool regime_option_parse(struct cli *c, const char *text, struct regime *out, struct err *err);
/* The records have the arm and the network; NULL: none was asked for. */
MUST_CHECK bool recorded_option_check(struct cli *c, struct store *s, const char *arm, const char *network,
                                      struct err *err);
