/* SPDX-License-Identifier: Apache-2.0 */
/* claim_forecast: which claims an experiment's tier can settle, before it runs, and how wide the interval will be: by
 * the design (networks, k, seeds, budget), the machine, and the spread of a network's ratio between seeds. A forecast;
 * what became of a claim is claim_lookup.h. */
#pragma once
#include "harness/claims/claims.h"
#include "harness/experiment/experiment.h"

/* Spread of a network's log ratio between seeds that is assumed where no records show it: that of the simulation of
 * coverage (harness/doc/measurement.md, "Estimates and intervals"). */
#define CLAIM_FORECAST_LUCK 0.08

enum claim_reach {
    CLAIM_SETTLES, /* a verdict in full, whichever it is */
    CLAIM_SIDE,    /* an indicative one */
    CLAIM_REACHES_NOT,
    CLAIM_REACHES
};
extern const char *const claim_reach_words[]; /* "settles", "side", "not" */

struct claim_forecast {
    const struct claim *claim;
    enum claim_reach reach;
    double half;        /* half width of its 95 % interval, of the log; NAN: none */
    double df;          /* degrees of freedom that four of five such runs have at least; NAN: none */
    double chance;      /* of VERDICT_DF degrees of freedom; NAN: none */
    const char *reason; /* the width and that chance, or what is missing */
};
struct claim_forecasts {
    double spread;
    int df; /* that the spread rests on; 0: it is assumed */
    const struct claim_forecast *at;
    int n;
};
/* Of all claims that this experiment tests. folder: of experiments. An experiment without a paper has none. */
MUST_CHECK bool claim_forecasts_make(struct arena *a, const char *folder, const struct experiment *e,
                                     struct claim_forecasts *out, struct err *err);
/* For people: claims of one reach and reason stand in one line. */
void claim_forecasts_text(const struct claim_forecasts *f, struct text *to);
