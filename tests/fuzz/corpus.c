/* SPDX-License-Identifier: Apache-2.0 */
/* corpus: main of the fuzz programs when they are built without libFuzzer. Replays tests/corpus/<name>/ and then a
 * fixed number of random and mutated inputs through LLVMFuzzerTestOneInput, as TAP, so that every fuzz target is a test
 * too. */
#include "harness/base/arena.h"
#include "harness/base/file.h"
#include "harness/base/rng.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { RANDOM_INPUTS = 300, LONGEST = 512 };

/* Through malloc and of the exact size, so that a sanitizer sees a read past the end. */
static void feed(const void *data, size_t n)
{
    uint8_t *exact = malloc(n ? n : 1);
    if (!exact)
        abort();
    if (n)
        memcpy(exact, data, n);
    (void)LLVMFuzzerTestOneInput(exact, n);
    free(exact);
}

static void mutate(struct rng *r, uint8_t *p, size_t n)
{
    for (uint64_t edits = 1 + rng_below(r, 4); edits > 0 && n > 0; edits--)
        p[rng_below(r, n)] = (uint8_t)rng_next(r);
}

static void feed_file(struct arena *a, const char *path, struct rng *r)
{
    struct err err = {0};
    char *data;
    size_t n;
    if (!file_read(a, path, 0, &data, &n, &err)) {
        fail("%s", err.text);
        return;
    }
    feed(data, n);
    for (int i = 0; i < 20; i++) {
        uint8_t *copy = arena_copy(a, data, n);
        mutate(r, copy, n);
        feed(copy, n);
    }
    pass("%s and 20 mutations of it", path);
}

int main(int argc, char **argv)
{
    (void)argc;
    const char *slash = strrchr(argv[0], '/');
    const char *name = slash ? slash + 1 : argv[0];
    struct arena *a = arena_open("corpus");
    struct rng r;
    rng_seed(&r, 1);
    char *dir = arena_printf(a, "tests/corpus/%s", name);
    char **files;
    int n = 0;
    struct err err = {0};
    if (file_is_dir(dir) && !file_list(a, dir, "", &files, &n, &err))
        fail("%s", err.text);
    for (int i = 0; i < n; i++)
        feed_file(a, file_join(a, dir, files[i]), &r);
    uint8_t input[LONGEST];
    for (int i = 0; i < RANDOM_INPUTS; i++) {
        size_t len = rng_below(&r, LONGEST + 1);
        for (size_t j = 0; j < len; j++)
            input[j] = (uint8_t)rng_next(&r);
        feed(input, len);
    }
    pass("%d random inputs", RANDOM_INPUTS);
    arena_close(a);
    return done_testing();
}
