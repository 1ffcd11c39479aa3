/* SPDX-License-Identifier: Apache-2.0 */
/* main: the verbs of design.md section 8, and how every run ends: exit codes are in harness/base/err.h. */
#include "harness/base/log.h"
#include "harness/cli/cli.h"
#include "harness/cli/gather.h"
#include "revision.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct verb verbs[] = {
    {"doctor", "", "what this machine can and cannot measure, and which experiments that leaves", verb_doctor, true},
    {"list", "networks|machines|searchers|models|targets|collectors|operators|regimes|experiments", "what there is",
     verb_list, true},
    {"show", "TASK|NETWORK:INDEX [--steps FILE] [--dump FORM,...]", "one kernel at every stage of the compiler",
     verb_show, false},
    {"plan", "EXPERIMENT [--tier T] [--set KEY=VALUE]... [--budget TIME]",
     "the cells, kernels, trials, predicted time and interval width; runs nothing", verb_plan, true},
    {"run", "EXPERIMENT [--tier T] [--set KEY=VALUE]... [--resume] [--retime]", "runs an experiment", verb_run, false},
    {"status", "[RESULTS]", "progress of a campaign, also while it runs", verb_status, true},
    {"report", "EXPERIMENT [--tier T] [--format text|tsv|json|html] [--write]", "the tables of an experiment",
     verb_report, true},
    {"claims", "[PAPER] [--tier T] [--released DIR]",
     "the verdicts on a paper's claims, as TAP; exit 1 when one is not reproduced", verb_claims, true},
    {"replay", "FILE [--dry] [--dump state|features] [--task SPEC] [--regime R]",
     "schedules of a record file: applied, verified and timed; exit 1 when a record fails", verb_replay, true},
    {"reanalyse", "DIR [--k K]", "recomputes published tables from the authors' released result files", verb_reanalyse,
     true},
    {"nightly", "[MACHINE] [--accept REASON] [--history]",
     "a machine's fixed experiment against its last good nights; exit 1 for a confirmed regression", verb_nightly,
     true},
    {"compare", "OLD NEW", "two results folders, or two nights, by the rule of nightly", verb_compare, true},
    {"bench", "[--only NAME]", "raingauge's own speed", verb_bench, true},
    {0}};

static void print_help(FILE *to)
{
    fprintf(to, "usage: raingauge VERB [ARGUMENTS] [--json] [--quiet] [--verbose] [--experiments DIR]\n\n");
    for (const struct verb *v = verbs; v->name; v++)
        fprintf(to, "  %-9s %s\n            %s\n", v->name, v->arguments, v->summary);
    fprintf(to,
            "\n`raingauge VERB --help` tells a verb's options.\n"
            "exit status: 0 fine, 1 a claim failed or a regression, 2 usage or configuration, 3 measurement invalid,\n"
            "4 inconclusive or not measured, 5 internal error, 6 the machine changed (nightly, compare), 130 "
            "interrupted\n");
}

static int unknown_verb(const char *name)
{
    const char *names[32];
    int n = 0;
    for (const struct verb *v = verbs; v->name; v++)
        names[n++] = v->name;
    const char *near = str_nearest(name, names, n);
    fprintf(stderr,
            near ? "raingauge: unknown verb '%s': did you mean '%s'?\n" : "raingauge: unknown verb '%s' (try --help)\n",
            name, near);
    return EXIT_USAGE;
}

static int run_verb(const struct verb *v, int argc, const char *const *argv)
{
    struct registry registry = gather_kit();
    struct arena *arena = arena_open("run");
    struct cli c = {.argv = argv, .argc = argc, .arena = arena, .registry = &registry, .verb = v};
    struct err err = {.code = EXIT_USAGE};
    int status = EXIT_FINE;
    c.folder = access("experiments", F_OK) == 0 ? "experiments" : RAINGAUGE_DATADIR "/experiments";
    for (int i = 0; i < argc; i++)
        c.help = c.help || strcmp(argv[i], "--help") == 0;
    if (!v->run(&c, &err) && !c.help) {
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

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return EXIT_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("raingauge %s (%s) %s\n", RAINGAUGE_VERSION, RAINGAUGE_REVISION, gather_features());
        return EXIT_FINE;
    }
    for (const struct verb *v = verbs; v->name; v++)
        if (strcmp(v->name, argv[1]) == 0)
            return run_verb(v, argc - 2, (const char *const *)argv + 2);
    return unknown_verb(argv[1]);
}
