/* SPDX-License-Identifier: Apache-2.0 */
/* digest: libmd's one-call functions, which write hex. */
#include "harness/base/digest.h"

#include <md5.h>
#include <sha2.h>

void digest_md5(const void *p, size_t n, char hex[33])
{
    MD5Data(p, n, hex);
}

void digest_sha256(const void *p, size_t n, char hex[65])
{
    SHA256Data(p, n, hex);
}
