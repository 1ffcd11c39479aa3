/* SPDX-License-Identifier: Apache-2.0 */
/* targets: the tables of targets and collectors in this binary. */
#pragma once
#include "harness/plug/collector.h"
#include "harness/plug/target.h"

const struct target *const *targets_table(void);       /* ended by NULL */
const struct collector *const *collectors_table(void); /* ended by NULL */
