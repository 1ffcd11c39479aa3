/* SPDX-License-Identifier: Apache-2.0 */
/* duel_rules: the table. */
#include "harness/tune/duel_rules.h"

const struct setting duel_settings[] = {
    INT_SETTING("min_launches", struct duel_rules, min_launches, "5", DUEL_LEAST, 1000,
                "Launches that each duel has at least. A launch is one fresh process for each program."),
    INT_SETTING("max_launches", struct duel_rules, max_launches, "0", 0, 1000,
                "Launches that each duel has at most, of one sitting. 0: there are no duels."),
    REAL_SETTING(
        "half_width", struct duel_rules, half_width, "0.01", 0, 1,
        "Launches end when every interval of the experiment is so narrow: half of its width, of the log of the "
        "ratio. Choose min(d / 2, effect / 3) of the claims."),
    REAL_SETTING("minutes", struct duel_rules, minutes, "0", 0, 1e6,
                 "They end after so many minutes, too. 0: they take as long as they take."),
    REAL_SETTING("slice_ms", struct duel_rules, slice_ms, "5", 0, 10000, "A slice lasts at least so long."),
    INT_SETTING("slice_calls", struct duel_rules, slice_calls, "1", 1, 1e6, "A slice has at least so many calls."),
    INT_SETTING("mirrors", struct duel_rules, mirrors, "4", 1, DUEL_MIRRORS,
                "A launch goes at most so often through its programs in a random order and back."),
    REAL_SETTING("launch_ms", struct duel_rules, launch_ms, "200", 0, 1e6,
                 "And only as often as its slices take no longer; once in any case."),
    REAL_SETTING("null_share", struct duel_rules, null_share, "0.1", 0, 1,
                 "Share of the kernels whose fastest program meets itself, too: a null pair."),
    INT_SETTING("null_least", struct duel_rules, null_least, "2", 0, 1000,
                "Null pairs in each seed at least, where there are kernels."),
    {0},
};

struct regime duel_slice(const struct plan *p)
{
    struct regime r = p->retime_regime;
    r.number = p->duels.slice_calls;
    r.min_repeat_ms = p->duels.slice_ms;
    r.repeat = r.warmup = 1;
    r.cooldown_ms = r.patience = 0;
    return r;
}

void duel_protocol(const struct plan *p, struct text *out)
{
    const struct regime slice = duel_slice(p);
    setting_print(regime_settings, &slice, out);
    text_printf(out, ",mirrors=%lld,launch_ms=%g", (long long)p->duels.mirrors, p->duels.launch_ms);
}
