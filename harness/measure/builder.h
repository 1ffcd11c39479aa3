/* SPDX-License-Identifier: Apache-2.0 */
/* builder: the service of a build worker: candidates and references to object code, one at a time. */
#pragma once
#include "harness/measure/worker.h"

_Noreturn void builder_serve(struct worker *w);
