/* SPDX-License-Identifier: Apache-2.0 */
/* arena: bump allocation named by lifetime (run, task, round, scratch). Out of memory ends the process (exit 5).
 * Not thread-safe: one arena per thread. Memory is zeroed and 16-byte aligned (64 for blocks over 64 bytes is not
 * promised). */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct arena;
struct arena_mark {
    void *block;
    size_t used;
};

struct arena *arena_open(const char *name);
void arena_close(struct arena *a); /* NULL is fine */
/* One that closes with another, or when that is reset. */
struct arena *arena_within(struct arena *outer, const char *name);
void *arena_alloc(struct arena *a, size_t bytes) __attribute__((malloc, alloc_size(2), returns_nonnull));
void *arena_copy(struct arena *a, const void *from, size_t bytes);
/* A copy of the first n of its bytes, zeroed behind them. */
void *arena_extend(struct arena *a, const void *from, size_t n, size_t bytes);
char *arena_str(struct arena *a, const char *s); /* NULL in, NULL out */
char *arena_strn(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_reset(struct arena *a); /* keeps the largest block for reuse */
struct arena_mark arena_mark(struct arena *a);
void arena_release(struct arena *a, struct arena_mark mark); /* frees all allocated since the mark */
size_t arena_bytes(const struct arena *a);                   /* bytes handed out and not released */
/* Calls call(with) when the memory handed out now would be given back: at close, reset, or release to an earlier mark.
 * The latest first. For what an arena cannot hold: foreign handles, locks, arenas of its own. */
void arena_defer(struct arena *a, void (*call)(void *with), void *with);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))
#define ARENA_DUP(a, from, type, n) ((type *)arena_copy((a), (from), sizeof(type) * (size_t)(n)))
