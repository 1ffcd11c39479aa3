/* SPDX-License-Identifier: Apache-2.0 */
/* c_lanes: instructions that move the lanes of vectors. */
#pragma once
#include "targets/cpu/export/c_type.h"

bool c_moves_lanes(LLVMOpcode o); /* is it one of them? */
const char *c_lanes(struct c_emitter *e, LLVMValueRef instruction, int part);
