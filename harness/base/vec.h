/* SPDX-License-Identifier: Apache-2.0 */
/* vec: growing arrays by macro. Declare with VEC(type) name = {0}; element access is name.at[i], count is name.n. */
#pragma once
#include "harness/base/arena.h"

#include <stddef.h>
#include <stdlib.h>

#define VEC(type)                                                                                                      \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        int n, cap;                                                                                                    \
    }

void *vec_grow(void *at, int *cap, int need, size_t size); /* ends the process when out of memory */

#define vec_push(v, ...)                                                                                               \
    do {                                                                                                               \
        if ((v)->n == (v)->cap)                                                                                        \
            (v)->at = vec_grow((v)->at, &(v)->cap, (v)->n + 1, sizeof *(v)->at);                                       \
        (v)->at[(v)->n++] = (__VA_ARGS__);                                                                             \
    } while (0)
#define vec_free(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)
/* Copies the elements into an arena, *to and *count of them, and frees v. */
#define vec_keep(arena, v, to, count)                                                                                  \
    (*(count) = (v)->n, *(to) = arena_copy((arena), (v)->at, sizeof *(v)->at * (size_t)(v)->n), vec_free(v))
/* Frees v when the arena is closed or reset. */
#define vec_defer(a, v) arena_defer((a), vec_release, &(v)->at)
void vec_release(void *at); /* frees what the pointer at `at` points to */
#define vec_last(v) ((v)->at[(v)->n - 1])
