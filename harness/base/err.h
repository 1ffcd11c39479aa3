/* SPDX-License-Identifier: Apache-2.0 */
/* err: what a person or a machine did wrong, as one line of text. Functions that can fail so return bool, take a
 * struct err last, and fill it when they return false. Context is put in front on the way up; only cli prints it. */
#pragma once
#include <stdbool.h>

#define MUST_CHECK __attribute__((warn_unused_result))

/* Exit codes of the command line. */
enum exit_code {
    EXIT_FINE = 0,
    EXIT_REGRESSION = 1,
    EXIT_USAGE = 2,
    EXIT_INVALID = 3,
    EXIT_INCONCLUSIVE = 4,
    EXIT_INTERNAL = 5,
    EXIT_CHANGED = 6,     /* of compare and nightly: the machine got slower or faster, not the program */
    EXIT_ENVIRONMENT = 7, /* a full disk, a host that does not answer, a missing library, a machine in use */
    EXIT_INTERRUPTED = 130
};

struct err {
    enum exit_code code; /* EXIT_USAGE unless said otherwise */
    bool placed;         /* text begins with file:line:column */
    bool ends_cell;      /* a user's program failed (harness/plug/exchange.h): its cell ends, others go on */
    int column;          /* from 1, in a line whose file and number only a caller knows (err_in_line); 0: unknown */
    char text[1024];
};

/* They always return false, so that "return err_set(err, ...)" reads well. err may be NULL. */
bool err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool err_context(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* puts "context: " in front */
struct err_place {
    const char *file;
    int line, column; /* from 1; line 0: "file" is no file but an option, and stands alone */
};
/* "file:line:column: text" */
bool err_at(struct err *err, struct err_place at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What was set is no fault of the command's words: the same command may work later, or elsewhere. Returns false. */
bool err_environment(struct err *err);
/* Puts "file:line:column: " in front, or "file:line: " where the column is not known. */
bool err_in_line(struct err *err, const char *file, int line);

/* A defect of raingauge itself: prints file, line, message and ends with EXIT_INTERNAL (abort in debug builds). */
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
