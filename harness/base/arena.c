/* SPDX-License-Identifier: Apache-2.0 */
/* arena: a stack of malloc'd blocks and a bump pointer. Only bytes handed out are zeroed, and the first block is
 * small: an arena is often opened for a few hundred bytes, and a search has two for each of its kernels. The largest
 * block given back is kept, so that the pattern of the search loop (mark, build a candidate, release) touches malloc
 * once and not per candidate. Under AddressSanitizer everything not handed out is poisoned, so that use after release
 * is found. */
#include "harness/base/arena.h"

#include "harness/base/err.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define poison(p, n) __asan_poison_memory_region((p), (n))
#define unpoison(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define poison(p, n) ((void)(p), (void)(n))
#define unpoison(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGN = 16, FIRST_BLOCK = 16 << 10, LAST_BLOCK = 8 << 20 };

struct block {
    struct block *below;
    size_t cap, used;
    size_t before; /* bytes handed out in the blocks below */
    alignas(ALIGN) unsigned char data[];
};

struct deferred { /* lies in the arena itself */
    struct deferred *before;
    size_t at; /* arena_bytes() when it was added */
    void (*call)(void *with);
    void *with;
};

struct arena {
    struct block *top, *spare;
    struct deferred *deferred;
    const char *name;
};

static _Noreturn void out_of_memory(const char *name, size_t bytes)
{
    fprintf(stderr, "raingauge: out of memory: arena '%s' needs %zu bytes more\n", name, bytes);
    _exit(EXIT_INTERNAL);
}

struct arena *arena_open(const char *name)
{
    struct arena *a = calloc(1, sizeof *a);
    if (!a)
        out_of_memory(name, sizeof *a);
    a->name = name;
    return a;
}

static void block_free(struct block *b)
{
    if (!b)
        return;
    unpoison(b->data, b->cap);
    free(b);
}

/* Blocks given back: the largest stays as the spare. */
static void block_retire(struct arena *a, struct block *b)
{
    if (a->spare && a->spare->cap >= b->cap) {
        block_free(b);
        return;
    }
    block_free(a->spare);
    poison(b->data, b->cap);
    a->spare = b;
}

void arena_defer(struct arena *a, void (*call)(void *with), void *with)
{
    size_t at = arena_bytes(a);
    struct deferred *d = ARENA_NEW(a, struct deferred);
    *d = (struct deferred){a->deferred, at, call, with};
    a->deferred = d;
}

static void run_deferred(struct arena *a, size_t down_to)
{
    while (a->deferred && a->deferred->at >= down_to) {
        struct deferred *d = a->deferred;
        a->deferred = d->before;
        d->call(d->with);
    }
}

void arena_close(struct arena *a)
{
    if (!a)
        return;
    run_deferred(a, 0);
    while (a->top) {
        struct block *b = a->top;
        a->top = b->below;
        block_free(b);
    }
    block_free(a->spare);
    free(a);
}

static void close_inner(void *a)
{
    arena_close(a);
}

struct arena *arena_within(struct arena *outer, const char *name)
{
    struct arena *a = arena_open(name);
    arena_defer(outer, close_inner, a);
    return a;
}

static void arena_grow(struct arena *a, size_t bytes)
{
    struct block *b = a->spare;
    if (b && b->cap >= bytes) {
        a->spare = NULL;
    } else {
        size_t cap = a->top ? a->top->cap * 2 : FIRST_BLOCK;
        if (cap > LAST_BLOCK)
            cap = LAST_BLOCK;
        if (cap < bytes)
            cap = bytes;
        if (cap > SIZE_MAX - sizeof *b || !(b = malloc(sizeof *b + cap)))
            out_of_memory(a->name, bytes);
        b->cap = cap;
        poison(b->data, cap);
    }
    b->used = 0;
    b->before = arena_bytes(a);
    b->below = a->top;
    a->top = b;
}

/* Not zeroed. */
static void *take(struct arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        out_of_memory(a->name, bytes);
    size_t need = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (need == 0)
        need = ALIGN;
    if (!a->top || need > a->top->cap - a->top->used)
        arena_grow(a, need);
    struct block *b = a->top;
    void *p = b->data + b->used;
    b->used += need;
    unpoison(p, bytes);
    return p;
}

/* memset takes longer to be called than some words, two at a time, to be zeroed; the barrier keeps the compiler from
 * calling it. */
static void zero(void *at, size_t bytes)
{
    typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));
    if (bytes > 256 || ((uintptr_t)at | bytes) % sizeof(uint64_t)) {
        memset(at, 0, bytes);
        return;
    }
    uint64_t *word = at, *end = word + bytes / sizeof *word;
    for (; word + 1 < end; word += 2) {
        *(pair *)word = (pair){0};
        __asm__ volatile("" ::: "memory");
    }
    if (word < end)
        *word = 0;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    return arena_extend(a, NULL, 0, bytes);
}

void *arena_extend(struct arena *a, const void *from, size_t n, size_t bytes)
{
    unsigned char *p = take(a, bytes);
    if (n)
        memcpy(p, from, n);
    zero(p + n, bytes - n);
    return p;
}

void *arena_copy(struct arena *a, const void *from, size_t bytes)
{
    return arena_extend(a, from, bytes, bytes);
}

char *arena_strn(struct arena *a, const char *s, size_t n)
{
    return arena_extend(a, s, n, n + 1);
}

char *arena_str(struct arena *a, const char *s)
{
    return s ? arena_strn(a, s, strlen(s)) : NULL;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        bug("cannot format '%s'", fmt);
    char *p = arena_alloc(a, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

struct arena_mark arena_mark(struct arena *a)
{
    return (struct arena_mark){a->top, a->top ? a->top->used : 0};
}

void arena_release(struct arena *a, struct arena_mark mark)
{
    const struct block *to = mark.block;
    if (a->deferred)
        run_deferred(a, to ? to->before + mark.used : 0);
    while (a->top && a->top != mark.block) {
        struct block *b = a->top;
        a->top = b->below;
        block_retire(a, b);
    }
    if (a->top != mark.block || (a->top && mark.used > a->top->used))
        bug("arena '%s' released to a mark that is gone", a->name);
    if (a->top) {
        poison(a->top->data + mark.used, a->top->used - mark.used);
        a->top->used = mark.used;
    }
}

void arena_reset(struct arena *a)
{
    arena_release(a, (struct arena_mark){NULL, 0});
}

size_t arena_bytes(const struct arena *a)
{
    return a->top ? a->top->before + a->top->used : 0;
}
