/* SPDX-License-Identifier: Apache-2.0 */
/* arena: zeroed, aligned, stacked; and vec, which shares its purpose. */
#include "harness/base/arena.h"
#include "harness/base/rng.h"
#include "harness/base/vec.h"
#include "tests/lib/tap.h"

#include <string.h>

static bool all_zero(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return false;
    return true;
}

/* Random sizes over many blocks, dirtied and released, must come back zeroed and aligned. */
static void test_blocks(void)
{
    struct arena *a = arena_open("test");
    struct rng r;
    rng_seed(&r, 1);
    int dirty = 0, crooked = 0;
    for (int round = 0; round < 20; round++) {
        struct arena_mark mark = arena_mark(a);
        size_t before = arena_bytes(a);
        for (int i = 0; i < 200; i++) {
            size_t n = rng_below(&r, i % 50 == 0 ? 700000 : 3000);
            unsigned char *p = arena_alloc(a, n);
            dirty += !all_zero(p, n);
            crooked += (uintptr_t)p % 16 != 0;
            memset(p, 0xa5, n);
        }
        if (round % 2)
            arena_release(a, mark);
        if (round % 2 && arena_bytes(a) != before)
            fail("released to %zu bytes, was %zu", arena_bytes(a), before);
    }
    is_int(dirty, 0, "every piece of memory is zeroed");
    is_int(crooked, 0, "every piece of memory is 16-byte aligned");
    arena_reset(a);
    is_int((int64_t)arena_bytes(a), 0, "a reset gives all memory back");
    ok(all_zero(arena_alloc(a, 100000), 100000), "the block that a reset keeps is zeroed again");
    arena_close(a);
    arena_close(NULL);
}

static void test_marks(void)
{
    struct arena *a = arena_open("test");
    char *kept = arena_str(a, "kept");
    struct arena_mark outer = arena_mark(a);
    char *first = arena_alloc(a, 100);
    struct arena_mark inner = arena_mark(a);
    arena_alloc(a, 5 << 20);
    arena_release(a, inner);
    arena_release(a, outer);
    ok(arena_alloc(a, 100) == (void *)first, "memory after a release is the same as before");
    is_str(kept, "kept", "memory from before the mark stays");
    struct arena *empty = arena_open("empty");
    struct arena_mark start = arena_mark(empty);
    arena_alloc(empty, 10);
    arena_release(empty, start);
    is_int((int64_t)arena_bytes(empty), 0, "a mark of an empty arena can be released");
    ok(arena_alloc(empty, 0) != NULL, "an allocation of no bytes gives a pointer");
    arena_close(empty);
    arena_close(a);
}

static int calls[4], ncalls;

static void called(void *with)
{
    calls[ncalls++ % 4] = *(int *)with;
}

static void test_defer(void)
{
    static int one = 1, two = 2, three = 3;
    struct arena *a = arena_open("test");
    arena_defer(a, called, &one);
    struct arena_mark mark = arena_mark(a);
    arena_defer(a, called, &two);
    arena_alloc(a, 3 << 20);
    arena_defer(a, called, &three);
    arena_release(a, mark);
    ok(ncalls == 2 && calls[0] == 3 && calls[1] == 2,
       "a release calls what was deferred since the mark, the latest first");
    arena_close(a);
    ok(ncalls == 3 && calls[2] == 1, "close calls what is still deferred");
}

static void test_strings(void)
{
    struct arena *a = arena_open("test");
    is_str(arena_printf(a, "%s-%d", "x", 7), "x-7", "a formatted string is put into the arena");
    is_str(arena_strn(a, "abcdef", 3), "abc", "a part of a string is copied with an end");
    is_str(arena_str(a, NULL), NULL, "the copy of NULL is NULL");
    static const int FROM[] = {1, 2, 3};
    int *to = ARENA_DUP(a, FROM, int, 3);
    is_mem(to, FROM, sizeof FROM, "an array is copied");
    struct arena_mark mark = arena_mark(a);
    memset(arena_alloc(a, 64), 0xff, 64);
    arena_release(a, mark);
    static const int LONGER[5] = {1, 2, 3};
    is_mem(arena_extend(a, FROM, sizeof FROM, sizeof LONGER), LONGER, sizeof LONGER, "a longer copy ends in zeros");
    arena_close(a);
}

static void test_vec(void)
{
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        vec_push(&v, i * i);
    is_int(v.n, 1000, "a vec counts what was pushed");
    is_int(v.at[31], 961, "a vec holds what was pushed");
    is_int(vec_last(&v), 999 * 999, "vec_last gives the last element");
    ok(v.cap >= v.n, "the capacity of a vec, %d, is enough for its elements", v.cap);
    vec_free(&v);
    ok(!v.at && v.n == 0, "a freed vec is empty");
}

int main(void)
{
    test_blocks();
    test_marks();
    test_defer();
    test_strings();
    test_vec();
    return done_testing();
}
