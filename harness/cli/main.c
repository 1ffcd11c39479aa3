/* SPDX-License-Identifier: Apache-2.0 */
/* main: reads the command line, runs the verb, and prints its error. Exit codes are in harness/base/err.h. */
#include "harness/base/log.h"
#include "harness/cli/command_line.h"
#include "harness/cli/data_folder.h"
#include "harness/cli/gather.h"
#include "harness/cli/plugins.h"
#include "harness/cli/reference/help.h"
#include "revision.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Else the first files that are opened would take the places of stdin, stdout and stderr when these are closed. */
static void fill_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

static void find_folders(struct cli *c)
{
    const char *experiments = c->experiments ? c->experiments : data_folder_find(c->arena, "experiments");
    const char *plots = data_folder_find(c->arena, "plots");
    c->folder = experiments ? experiments : "experiments";
    c->plots = plots ? plots : "plots";
}

static void print_help(const struct verb *v, FILE *to)
{
    struct text t = {0};
    if (v)
        help_verb(v, &t);
    else
        help_all(&t);
    fwrite(text_str(&t), 1, t.len, to);
    text_free(&t);
}

static bool run_verb(struct cli *c, struct err *err)
{
    if (c->no_color)
        setenv("NO_COLOR", "1", 1);
    log_level_set(c->quiet ? LOG_QUIET : c->verbose ? LOG_VERBOSE : LOG_NORMAL);
    find_folders(c);
    return (!c->verb->experiments || cli_need_experiments(c, err)) && c->verb->run(c, err);
}

static bool run(struct cli *c, struct registry *k, int argc, const char *const *argv, struct err *err)
{
    enum wish wish;
    if (!command_line_read(c, argc, argv, &wish, err))
        return false;
    switch (wish) {
    case WISH_RUN:
        return plugins_load(c->arena, &c->plugins, k, err) && run_verb(c, err);
    case WISH_HELP:
        print_help(c->verb, stdout);
        return true;
    case WISH_VERSION:
        printf("raingauge %s (%s) %s\n", RAINGAUGE_VERSION, RAINGAUGE_REVISION, gather_features());
        return true;
    case WISH_NOTHING:
        break;
    }
    print_help(NULL, stderr);
    return false;
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error with a name */
    struct registry registry = gather_registry();
    struct arena *arena = arena_open("run");
    struct cli c = {.arena = arena, .registry = &registry};
    struct err err = {.code = EXIT_USAGE};
    int status = EXIT_FINE;
    if (!run(&c, &registry, argc, (const char *const *)argv, &err)) {
        status = err.code ? (int)err.code : EXIT_USAGE;
        if (*err.text)
            fprintf(stderr, "raingauge: %s\n", err.text);
    }
    arena_close(arena);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "raingauge: output could not be written\n");
        status = status ? status : EXIT_USAGE;
    }
    return status;
}
