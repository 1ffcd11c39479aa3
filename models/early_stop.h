/* SPDX-License-Identifier: Apache-2.0 */
/* early_stop: when training ends (harness/doc/ansor.md, "Cost model"; TVM v0.16 xgb_model.py, CustomCallback): the
 * error on the training set is looked at after even rounds only, counted from 0, and training stops when `patience`
 * rounds have passed since the one with the least error. The trees after that one stay. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct early_stop {
    int64_t patience;
    double best; /* least error seen, as XGBoost prints it */
    int best_round;
};

void early_stop_start(struct early_stop *e, int64_t patience);
/* Tells the error after a round; rounds in order. True: stop. */
bool early_stop_stops(struct early_stop *e, int round, double error);
