/* SPDX-License-Identifier: Apache-2.0 */
/* runner: the service of the process that loads, verifies and times candidates, one at a time. */
#pragma once
#include "harness/measure/worker.h"

_Noreturn void runner_serve(struct worker *w);
