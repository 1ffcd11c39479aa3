/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/plug/recording_write.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct recording_writer {
    FILE *f;
    char *path;
    int rows;
};

static bool write_line(struct recording_writer *w, struct text *line, struct err *err)
{
    text_char(line, '\n');
    bool fine = fwrite(text_str(line), 1, line->len, w->f) == line->len && fflush(w->f) == 0;
    text_free(line);
    return fine || err_set(err, "cannot write '%s': %s", w->path, strerror(errno));
}

static void put_limits(cJSON *to, const struct limits *l)
{
    const int64_t of[] = {l->cores,       l->vector_bytes,      l->cache_line,     l->shared_bytes,
                          l->local_bytes, l->threads_per_block, l->vthread_extent, l->warp_size};
    cJSON *list = json_put_array(to, "limits");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        json_put_int(list, NULL, of[i]);
    json_put_bool(to, "gpu", l->is_gpu);
}

static bool write_head(struct recording_writer *w, const struct recording_head *h, struct err *err)
{
    struct text line = {0};
    cJSON *root = json_object();
    json_put_int(root, "recording", RECORDING_VERSION);
    json_put_str(root, "machine", h->machine);
    json_put_str(root, "target", h->target);
    json_put_str(root, "source", h->source);
    json_put_str(root, "revision", h->revision);
    put_limits(root, &h->limits);
    json_put_int(root, "per_task", h->per_task);
    cJSON *tasks = json_put_array(root, "tasks");
    for (int i = 0; i < h->ntasks; i++) {
        cJSON *t = json_put_object(tasks, NULL);
        json_put_str(t, "spec", h->tasks[i].spec);
        json_put_number(t, "weight", h->tasks[i].weight);
    }
    json_print(root, &line);
    return write_line(w, &line, err);
}

/* Cuts the file behind its first lines; a file that gzip packed has no lines to cut at. */
static bool keep_lines(struct recording_writer *w, int lines, struct err *err)
{
    int c = fgetc(w->f);
    if (c == 0x1f)
        return err_set(err, "cannot go on with '%s': it is packed; unpack it by gunzip first", w->path);
    ungetc(c, w->f);
    while (lines > 0 && (c = fgetc(w->f)) != EOF)
        lines -= c == '\n';
    long at = ftell(w->f);
    if (lines > 0 || at < 0 || ftruncate(fileno(w->f), at) != 0 || fseek(w->f, at, SEEK_SET) != 0)
        return err_set(err, "cannot go on with '%s': %s", w->path,
                       lines > 0 ? "it has become shorter" : strerror(errno));
    return true;
}

/* Opened and locked before anything of it is changed. */
static FILE *open_alone(const char *path, bool anew, struct err *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    bool taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    FILE *f = fd >= 0 && !taken && (!anew || ftruncate(fd, 0) == 0) ? fdopen(fd, "r+") : NULL;
    if (f)
        return f;
    err_set(err, "cannot write '%s': %s", path, taken ? "another raingauge is writing it" : strerror(errno));
    if (taken)
        err_environment(err);
    if (fd >= 0)
        close(fd);
    return NULL;
}

bool recording_create(const char *path, const struct recording_head *head, int keep, struct recording_writer **out,
                      struct err *err)
{
    struct recording_writer *w = calloc(1, sizeof *w);
    if (!w || !(w->path = strdup(path)))
        bug("out of memory");
    w->rows = keep;
    w->f = open_alone(path, keep == 0, err);
    if (!w->f || !(keep > 0 ? keep_lines(w, keep + 1, err) : write_head(w, head, err))) {
        recording_close(w);
        return false;
    }
    *out = w;
    return true;
}

bool recording_put(struct recording_writer *w, int task, const struct step *steps, int nsteps, const struct sample *s,
                   struct err *err)
{
    struct text line = {0};
    cJSON *seconds = json_array();
    for (int i = 0; i < s->nseconds; i++)
        json_put_number(seconds, NULL, s->seconds[i]);
    text_printf(&line, "[%d,\"%s\",", task, outcome_word(s->outcome));
    json_print(seconds, &line);
    text_printf(&line, ",%.6g,", s->cost_s);
    steps_print(steps, nsteps, &line);
    if (s->message[0]) {
        cJSON *message = json_array();
        json_put_str(message, NULL, s->message);
        struct text quoted = {0};
        json_print(message, &quoted);
        text_printf(&line, ",%.*s", (int)quoted.len - 2, text_str(&quoted) + 1);
        text_free(&quoted);
    }
    text_char(&line, ']');
    w->rows++;
    return write_line(w, &line, err);
}

bool recording_finish(struct recording_writer *w, struct err *err)
{
    struct arena *a = arena_open("recording");
    char *text, digest[65];
    size_t n;
    struct text line = {0};
    bool fine = file_read(a, w->path, 0, &text, &n, err);
    if (fine) {
        digest_sha256(text, n, digest);
        text_printf(&line, "{\"rows\":%d,\"digest\":\"%s\"}", w->rows, digest);
        fine = write_line(w, &line, err) &&
               (fsync(fileno(w->f)) == 0 || err_set(err, "cannot write '%s': %s", w->path, strerror(errno)));
    }
    arena_close(a);
    return fine;
}

void recording_close(struct recording_writer *w)
{
    if (!w)
        return;
    if (w->f)
        fclose(w->f);
    free(w->path);
    free(w);
}
