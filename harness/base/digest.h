/* SPDX-License-Identifier: Apache-2.0 */
/* digest: MD5, which TVM names its workloads by, and SHA-256, which names experiment files and programs. By libmd. MD5
 * is not for anything that must be hard to forge. */
#pragma once
#include <stddef.h>

/* Small hex digits, ended by 0. */
void digest_md5(const void *p, size_t n, char hex[33]);
void digest_sha256(const void *p, size_t n, char hex[65]);
