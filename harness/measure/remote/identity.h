/* SPDX-License-Identifier: Apache-2.0 */
/* identity: which program this is. Two programs that measure together must be the same build. */
#pragma once
#include "harness/base/text.h"

enum { IDENTITY_BUILD_BYTES = 64 };
/* The build ID that the linker wrote into this program (ELF note of GNU, NT_GNU_BUILD_ID): a digest of its contents,
 * which `strip` keeps. Bytes written, 0: it has none. */
size_t identity_build(unsigned char out[IDENTITY_BUILD_BYTES]);
/* Adds "VERSION, build 0123...": version as cli says it, "raingauge 0.1.0 (REVISION)". */
void identity_print(const char *version, struct text *out);
