/* SPDX-License-Identifier: Apache-2.0 */
/* digest: glue over libcrypto's EVP. A build of it may refuse MD5 (FIPS), which is the same here as having none. */
#include "harness/base/digest.h"

#ifdef HAVE_CRYPTO
#include <openssl/evp.h>

bool digest_md5(const void *p, size_t n, char hex[33])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char sum[EVP_MAX_MD_SIZE];
    unsigned bytes = 0;
    hex[0] = 0;
    if (EVP_Digest(p, n, sum, &bytes, EVP_md5(), NULL) != 1 || bytes != 16)
        return false;
    for (int i = 0; i < 16; i++) {
        hex[2 * i] = digits[sum[i] >> 4];
        hex[2 * i + 1] = digits[sum[i] & 15];
    }
    hex[32] = 0;
    return true;
}
#else
bool digest_md5(const void *p, size_t n, char hex[33])
{
    (void)p, (void)n;
    hex[0] = 0;
    return false;
}
#endif
