/* SPDX-License-Identifier: Apache-2.0 */
/* protocol: what the emulator's two sides say to each other through a socket. Numbers are little-endian on both.
 *
 * The program greets once. Then each request is a header and what the comment beside its kind says, and gets one
 * answer. A run's answer is followed by the output's bytes if its text is empty. */
#pragma once
#include <stdint.h>

enum { A64FX_VECTOR_BYTES = 64, EMULATED_ARGS = 32, EMULATED_TEXT = 160 };

struct emulated_greeting {
    int64_t vector_bytes; /* of a scalable vector, as the emulated processor has it; 0: it has none */
};

enum emulated_request_kind {
    EMULATED_LOAD, /* the object file's bytes */
    EMULATED_RUN   /* every argument's bytes, output last */
};
struct emulated_request {
    int64_t kind;
    int64_t object_bytes, shared_bytes, thread_bytes, threads; /* LOAD */
    int64_t number, nargs, arg_bytes[EMULATED_ARGS];           /* RUN */
};

struct emulated_answer {
    char text[EMULATED_TEXT]; /* "" fine, else what went wrong */
};
