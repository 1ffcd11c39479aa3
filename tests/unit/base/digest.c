/* SPDX-License-Identifier: Apache-2.0 */
/* digest: published vectors: MD5 of RFC 1321, SHA-256 of NIST's examples for FIPS 180-4. */
#include "harness/base/digest.h"

#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>

static void test_md5(void)
{
    char hex[33];
    digest_md5("abc", 3, hex);
    is_str(hex, "900150983cd24fb0d6963f7d28e17f72", "the MD5 of abc is that of RFC 1321");
}

static void test_sha256(void)
{
    char hex[65];
    digest_sha256("", 0, hex);
    is_str(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
           "the SHA-256 of nothing is the published one");
    digest_sha256("abc", 3, hex);
    is_str(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
           "the SHA-256 of abc is that of FIPS 180-4");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    digest_sha256(two, strlen(two), hex);
    is_str(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
           "the SHA-256 of a text of two blocks is that of FIPS 180-4");
    enum { MILLION = 1000000 };
    char *many = malloc(MILLION);
    if (!many)
        return;
    memset(many, 'a', MILLION);
    digest_sha256(many, MILLION, hex);
    is_str(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
           "the SHA-256 of a million times a is that of FIPS 180-4");
    free(many);
}

int main(void)
{
    test_md5();
    test_sha256();
    return done_testing();
}
