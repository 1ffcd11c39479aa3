/* SPDX-License-Identifier: Apache-2.0 */
/* exchange: its standard input is a socket, so that writing to one that has ended raises no signal; its output and its
 * errors are captured by process.h. Only the last words of its errors are kept, for the reason that a cell ends with;
 * --verbose shows all. */
#include "harness/plug/exchange.h"

#include "harness/base/clock.h"
#include "harness/base/confine/confine.h"
#include "harness/base/cpus.h"
#include "harness/base/log.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SHOWN = 80, ERRORS_KEPT = 1 << 16 };
#define LOOK_S 0.02  /* between two looks at a program that does not read */
#define SPIN_S 60e-6 /* for an answer, before it sleeps: a wake-up takes about half of that */
#define LAST_S 0.5   /* for the last words of one that closed its output */

/* ---- start ---- */

char **exchange_words(struct arena *a, const char *command, int *n)
{
    char **words = ARENA_ARRAY(a, char *, strlen(command) / 2 + 2), *to = arena_str(a, command);
    *n = 0;
    for (const char *at = command; *(at += strspn(at, " \t\n"));) {
        words[(*n)++] = to;
        for (char quote = 0; *at && (quote || !strchr(" \t\n", *at)); at++) {
            if (quote ? *at == quote : *at == '\'' || *at == '"')
                quote = quote ? 0 : *at;
            else
                *to++ = *at;
        }
        at += *at != 0;
        *to++ = 0;
    }
    return words;
}

struct start { /* what the new process needs */
    char **words, **environment;
    rlim_t memory;
};

/* In the new process, before another program takes its place. */
static void become(void *with)
{
    const struct start *s = with;
    const struct rlimit memory = {s->memory, s->memory};
    if (s->memory)
        (void)setrlimit(RLIMIT_DATA, &memory);
    (void)confine_program();
    execvpe(s->words[0], s->words, s->environment);
    dprintf(STDERR_FILENO, "cannot start '%s': %s\n", s->words[0], strerror(errno));
    _exit(127);
}

/* This program's, and that sets and dictionaries of Python have one order in all runs. */
static char **environment_of(struct arena *a)
{
    static char fixed[] = "PYTHONHASHSEED=0";
    int n = 0;
    while (environ[n])
        n++;
    char **all = ARENA_ARRAY(a, char *, n + 2);
    memcpy(all, environ, sizeof *all * (size_t)n);
    all[n] = fixed;
    for (int i = 0; i < n; i++)
        if (str_starts(all[i], "PYTHONHASHSEED="))
            all[i] = fixed;
    return all;
}

static bool start(struct exchange *x, const struct exchange_options *o, struct err *err)
{
    struct arena *a = arena_open("command");
    struct start with = {.memory = (rlim_t)o->memory_mib << 20};
    struct process_spec spec = {
        .run = become, .with = &with, .out = PROCESS_CAPTURE, .err = PROCESS_CAPTURE, .own_session = true};
    int ends[2], n;
    with.words = exchange_words(a, o->command, &n);
    with.environment = environment_of(a);
    bool fine = n > 0 || err_set(err, "the command is empty: settings: {command: \"python3 mine.py\"}");
    fine = fine && (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ||
                    err_set(err, "no socket for '%s': %s", o->command, strerror(errno)));
    if (fine) {
        spec.in = ends[1];
        fine = process_start(&spec, &x->process, err);
        close(ends[1]);
        x->to = fine ? ends[0] : -1;
        if (!fine)
            close(ends[0]);
        snprintf(x->process.name, sizeof x->process.name, "%s", with.words[0]);
    }
    arena_close(a);
    return fine;
}

/* ---- its end ---- */

void exchange_close(void *exchange)
{
    struct exchange *x = exchange;
    if (x->to > 0)
        close(x->to);
    x->to = -1;
    process_close(&x->process);
    text_free(&x->line);
}

/* What it wrote may hold anything; a terminal and the records shall not. */
static void clean(char *s)
{
    for (size_t n; *s; s += n) {
        n = utf8_length((const unsigned char *)s);
        if (n <= 1)
            *s = n && !iscntrl((unsigned char)*s) ? *s : '?';
        n = n ? n : 1;
    }
}

/* The last line of its errors that is not empty. */
static const char *last_words(struct exchange *x)
{
    struct text *t = &x->process.err;
    while (t->len && isspace((unsigned char)t->s[t->len - 1]))
        t->s[--t->len] = 0;
    char *line = t->len ? strrchr(t->s, '\n') : NULL;
    return line ? line + 1 : text_str(t);
}

static bool ends(struct exchange *x, struct err *err)
{
    char why[sizeof err->text];
    const char *words = last_words(x);
    if (!err)
        return false;
    memcpy(why, err->text, sizeof why);
    err->ends_cell = true;
    err_set(err, "'%s': %.300s%s%.400s", x->command, why, *words ? "; its last words: " : "", words);
    clean(err->text);
    return false;
}

bool exchange_wrong(struct exchange *x, struct err *err, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    clean(text);
    if (err)
        err->ends_cell = true;
    return err_set(err, "'%s': line %lld of its output: %s", x->command, (long long)x->lines, text);
}

/* It has ended, or closed its input or its output. */
static bool gone(struct exchange *x, struct err *err)
{
    if (!process_wait(&x->process, clock_now() + LAST_S)) {
        err_set(err, "it closed its input or its output while the search goes on");
        process_stop(&x->process, 0);
    } else if (process_fine(&x->process, err)) {
        err_set(err, "it ended (status 0) while the search goes on: it must read until its input ends");
    }
    return ends(x, err);
}

static bool late(struct exchange *x, const char *what, struct err *err)
{
    process_stop(&x->process, 0);
    err_set(err, "it %s for %.4g s and was ended: set 'timeout' higher if it needs longer", what, x->timeout_s);
    return ends(x, err);
}

/* ---- lines ---- */

/* Errors of a program that writes many are shown and forgotten. */
static void hear(struct exchange *x)
{
    struct text *t = &x->process.err;
    if (t->len < ERRORS_KEPT)
        return;
    log_debug("%s", text_str(t));
    text_clear(t);
}

static bool send_line(struct exchange *x, struct err *err)
{
    double until = clock_now() + x->timeout_s;
    text_char(&x->line, '\n');
    for (size_t at = 0; at < x->line.len;) {
        ssize_t n = send(x->to, x->line.s + at, x->line.len - at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0) {
            at += (size_t)n;
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN)
            return gone(x, err);
        struct pollfd ready = {.fd = x->to, .events = POLLOUT};
        (void)poll(&ready, 1, (int)(LOOK_S * 1e3));
        process_listen(&x->process, clock_now());
        hear(x);
        if (clock_now() > until)
            return late(x, "did not read its input", err);
    }
    text_clear(&x->line);
    return true;
}

/* A short answer is read sooner by who stays awake, where the program has another core. True: there is more. */
static bool look_on(struct exchange *x)
{
    const struct process *p = &x->process;
    double until = clock_now() + (x->spins ? SPIN_S : 0);
    while (clock_now() < until && p->out.len == x->looked && p->from[0] >= 0)
        process_listen(&x->process, 0);
    return p->out.len > x->looked;
}

/* The length of the next line, without its end. */
static bool await_line(struct exchange *x, size_t *n, struct err *err)
{
    double until = clock_now() + x->timeout_s;
    struct text *t = &x->process.out;
    for (;;) {
        const char *end = t->len > x->looked ? memchr(t->s + x->looked, '\n', t->len - x->looked) : NULL;
        if (end) {
            *n = (size_t)(end - t->s);
            return true;
        }
        x->looked = t->len;
        if (t->len >= PROCESS_KEPT_BYTES) {
            x->lines++;
            return exchange_wrong(x, err, "it is longer than %d MiB", PROCESS_KEPT_BYTES >> 20);
        }
        if (x->process.state != PROCESS_RUNS || x->process.from[0] < 0)
            return gone(x, err);
        if (!look_on(x) && !process_listen(&x->process, until))
            return late(x, "wrote no line", err);
        hear(x);
    }
}

static bool receive(struct exchange *x, cJSON **answer, struct err *err)
{
    struct text *t = &x->process.out;
    size_t n = 0;
    *answer = NULL;
    if (!await_line(x, &n, err))
        return false;
    x->lines++;
    x->looked = 0;
    struct err why = {0};
    *answer = json_parse(t->s, n, NULL, &why);
    if (!*answer || !cJSON_IsObject(*answer)) {
        exchange_wrong(x, err, "column %d: %s: \"%.*s\"", why.column ? why.column : 1,
                       *answer ? "no JSON object" : why.text, (int)(n < SHOWN ? n : SHOWN), t->s);
    } else if (n + 1 < t->len) {
        exchange_wrong(x, err, "more follows it before it is answered: write one line and wait for the next");
    } else {
        text_clear(t);
        return true;
    }
    cJSON_Delete(*answer);
    *answer = NULL;
    return false;
}

bool exchange_ask(struct exchange *x, cJSON **answer, struct err *err)
{
    *answer = NULL;
    return send_line(x, err) && receive(x, answer, err);
}

static bool greet(struct exchange *x, const char *members, struct err *err)
{
    cJSON *answer;
    text_printf(&x->line, "{\"raingauge\":%d,%s}", EXCHANGE_VERSION, members);
    if (!exchange_ask(x, &answer, err))
        return false;
    double version = json_num(answer, "raingauge", NAN);
    cJSON_Delete(answer);
    return version == EXCHANGE_VERSION ||
           exchange_wrong(x, err, "%s: answer the first line by {\"raingauge\":%d}",
                          isnan(version) ? "it does not say which version it speaks" : "it speaks another version",
                          EXCHANGE_VERSION);
}

bool exchange_open(struct exchange *x, const struct exchange_options *o, const char *members, struct err *err)
{
    *x = (struct exchange){.command = o->command, .timeout_s = o->timeout_s, .to = -1, .spins = cpus_usable() > 1};
    if (start(x, o, err) && greet(x, members, err))
        return true;
    exchange_close(x);
    return false;
}

/* ---- members ---- */

int64_t exchange_seed(struct rng *r)
{
    return (int64_t)(rng_next(r) >> 11);
}

void exchange_sample(struct text *out, const struct sample *s)
{
    text_printf(out, "\"outcome\":\"%s\",\"seconds\":[", outcome_word(s->outcome));
    for (int i = 0; i < s->nseconds; i++) {
        text_add(out, i ? "," : "");
        text_number(out, s->seconds[i]);
    }
    text_char(out, ']');
}

void exchange_float(struct text *out, float v)
{
    char digits[32];
    if (v == truncf(v) && fabsf(v) < 1e6F) {
        text_int(out, (int64_t)v);
        return;
    }
    for (int n = 6; n <= 9; n += 3) {
        snprintf(digits, sizeof digits, "%.*g", n, (double)v);
        if (n == 9 || strtof(digits, NULL) == v)
            break;
    }
    text_add(out, isfinite(v) ? digits : "null");
}

void exchange_rows(struct text *out, const float *at, int n, int width)
{
    text_char(out, '[');
    for (int i = 0; i < n * width; i++) {
        text_add(out, i % width ? "," : i ? "],[" : "[");
        exchange_float(out, at[i]);
    }
    text_add(out, n > 0 ? "]]" : "]");
}
