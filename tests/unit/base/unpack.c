/* SPDX-License-Identifier: Apache-2.0 */
/* unpack: a packed text is read as the plain one, and can be rewound; a damaged one and what is no file are refused. */
#include "harness/base/unpack.h"
#include "harness/base/file.h"
#include "harness/base/text.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>

static void holds(const char *path, const char *want, const char *what)
{
    FILE *f;
    struct err err = {0};
    char text[64] = "";
    if (!ok(unpack_open(path, &f, &err), "%s is opened %s", what, err.text))
        return;
    for (int round = 0; round < 2; round++) {
        size_t n = fread(text, 1, sizeof text - 1, f);
        text[n] = 0;
        is_str(text, want, "%s is read, time %d", what, round + 1);
        ok(fseek(f, 0, SEEK_SET) == 0, "%s is read from its start again", what);
    }
    fclose(f);
}

static void refused(const char *path, const char *reason, const char *what)
{
    FILE *f;
    struct err err = {0};
    ok(!unpack_open(path, &f, &err) && strstr(err.text, path) && strstr(err.text, reason), "%s is refused: %s", what,
       err.text);
}

int main(void)
{
    struct err err = {0};
    const char *plain = fixture_file("plain", "one\ntwo\n"), *packed = fixture_path("packed.gz");
    const char *cut = fixture_path("cut.gz"), *empty = fixture_file("empty", "");
    char *bytes;
    size_t n = 0;
    holds(plain, "one\ntwo\n", "a plain file");
    holds(empty, "", "an empty file");
    is_int(system(arena_printf(arena, "gzip -c '%s' >'%s'", plain, packed)), 0, "gzip packs it");
    holds(packed, "one\ntwo\n", "a packed file");
    is_int(system(arena_printf(arena, "xz -c '%s' >'%s.xz'", plain, plain)), 0, "xz packs it");
    holds(arena_printf(arena, "%s.xz", plain), "one\ntwo\n", "a file that xz packed");
    ok(file_read(arena, packed, 0, &bytes, &n, &err) && file_write(cut, bytes, n - 9, &err),
       "a shorter copy is written");
    refused(cut, "damaged or cut short", "a packed file that is cut short");
    refused(fixture_path("gone"), "No such file", "a file that is not there");
    refused(fixture_folder(), "not a regular file", "a folder");
    setenv("PATH", "/nowhere", 1);
    refused(packed, "gzip does not start", "a packed file where there is no gzip");
    return done_testing();
}
