/* SPDX-License-Identifier: Apache-2.0 */
/* program_source: the files around a program that is taken out: its header, its source in C, and the list of all. */
#pragma once
#include "harness/plug/target.h"

struct program_source {
    const char *name; /* of its function, a name of C */
    const struct task *task;
    const struct nest *nest; /* of the program */
    const char *note;        /* where it comes from and how fast it is, for people: lines that begin with " * " */
    double flops, seconds;
    const struct exported *code;
};
void program_header(const struct program_source *w, struct text *out);
/* The C of a target behind the function that the header declares. */
void program_c(const struct program_source *w, struct text *out);
/* The header `programs`: all others, and a table to call them by. */
void program_list(const char *const *names, int n, struct text *out);
