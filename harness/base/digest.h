/* SPDX-License-Identifier: Apache-2.0 */
/* digest: MD5, which TVM names its workloads by. Not for anything that must be hard to forge. By libcrypto, which is
 * optional: without it nothing is known by such a name. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* 32 small hex digits; false, and "", when this binary has no libcrypto or it refuses MD5. */
bool digest_md5(const void *p, size_t n, char hex[33]);
