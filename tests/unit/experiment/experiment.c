/* SPDX-License-Identifier: Apache-2.0 */
/* experiment: values are looked up in layers (--set, tier, file), the hash follows what is run and nothing else, and
 * every wrong name or value is refused with place and hint. The plug-ins are the real tables. */
#include "harness/experiment/experiment.h"

#include "harness/base/text.h"
#include "models/models.h"
#include "search/searchers.h"
#include "targets/targets.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>
#include <unistd.h>

static struct registry registry;

#define MACHINE "name: host\ntitle: any\ntarget: fake\nsettings: {noise: 0.1}\nthreads: 4\n"
#define NETWORK                                                                                                        \
    "name: tiny\nkernels: 3\ncalls: 4\nlist:\n"                                                                        \
    "  - {count: 2, op: dense, ci: 16, co: 32}\n"                                                                      \
    "  - {op: dense, ci: 32, co: 32}\n"                                                                                \
    "  - {op: softmax, c: 100}\n"

/* Lines are numbered for the messages below. */
#define FILE_HEAD                                                                                                      \
    "experiment: e\n"    /* 1 */                                                                                       \
    "title: A test\n"    /* 2 */                                                                                       \
    "report: table3\n"   /* 3 */                                                                                       \
    "machine: host\n"    /* 4 */                                                                                       \
    "networks: [tiny]\n" /* 5 */                                                                                       \
    "regime: tvmc\n"     /* 6 */
#define FILE_ARMS                                                                                                      \
    "arms:\n"                           /* 7 */                                                                        \
    "  - name: ansor\n"                 /* 8 */                                                                        \
    "    searcher: ansor\n"             /* 9 */                                                                        \
    "    model: xgb\n"                  /* 10 */                                                                       \
    "    trials: 100\n"                 /* 11 */                                                                       \
    "    settings: {eps_greedy: 0.1}\n" /* 12 */                                                                       \
    "  - name: dp\n"                    /* 13 */                                                                       \
    "    explore: ansor\n"              /* 14 */                                                                       \
    "    exploit: droplet\n"            /* 15 */                                                                       \
    "    k: [1, 10]\n"                  /* 16 */                                                                       \
    "    trials_per_kernel: 20\n"       /* 17 */                                                                       \
    "    share: true\n"                 /* 18 */
#define FILE_TIERS                                                                                                     \
    "tiers:\n"                                                                                                /* 19 */ \
    "  smoke:\n"                                                                                              /* 20 */ \
    "    kernels: 2\n"                                                                                        /* 21 */ \
    "    regime: {number: 3}\n"                                                                               /* 22 */ \
    "    arms: {ansor: {trials: 30, batch: 8, settings: {retry_search_one_round_on_empty: 2}}, dp: {k: 5}}\n" /* 23 */ \
    "  full:\n"                                                                                               /* 24 */ \
    "    seeds: 2\n"                                                                                          /* 25 */

static bool load(const char *text, const char *tier, const char *const *sets, int nsets, struct experiment **e,
                 struct err *err)
{
    *err = (struct err){0};
    fixture_file("e.yaml", text);
    struct experiment_options o = {.folder = fixture_folder(), .name = "e", .tier = tier, .sets = sets, .nsets = nsets};
    return experiment_load(arena, &registry, &o, e, err);
}

static const char whole[] = FILE_HEAD FILE_ARMS FILE_TIERS;

static void test_file(void)
{
    struct experiment *e;
    struct err err;
    if (!ok(load(whole, "", NULL, 0, &e, &err), "a file without a tier loads %s", err.text))
        return;
    const struct plan *p = &e->plan;
    is_int(p->ncells, 3, "there is one cell for ansor and one for each k of dp");
    is_str(p->cells[0].arm, "ansor", "the cells are in the order of the file");
    static const char *const skips[] = {"dp.skip=true"};
    struct experiment *less;
    ok(load(whole, "", skips, 1, &less, &err) && less->plan.ncells == 1 && less->narms == 1,
       "an arm that is skipped has no cells and is in no list");
    is_str(p->cells[1].arm, "dp-1", "an arm with k is named by it");
    ok(p->cells[1].explore_cell == 0 && p->cells[2].explore_cell == 0, "cells with k explore the first cell");
    ok(p->cells[0].trials == 100 && p->cells[0].batch == 64,
       "a cell has the trials of its network and the default batch");
    ok(p->cells[1].trials_per_task == 20 && p->cells[1].scheduler == SCHEDULER_SEQUENTIAL,
       "exploiters go kernel by kernel");
    is_int(cell_plan_trials(&p->cells[1]), 60, "the budget of an exploiter is that of three kernels");
    is_str(p->cells[0].searcher_settings, "eps_greedy=0.1", "settings of a searcher are written in one line");
    ok(p->regime.number == 10 && p->regime.repeat == 3 && p->regime.min_repeat_ms == 0,
       "the regime has the values of its preset");
    is_str(p->target, "fake", "the target is that of the machine");
    is_str(p->target_settings, "noise=0.1", "the settings of the target are those of the machine");
    is_int(p->threads, 4, "the threads are those of the machine");
    is_str(p->results_dir, "results/e", "the folder of results is named by the experiment");
    is_int((int64_t)strlen(p->experiment_hash), 64, "the hash of an experiment has 64 digits");
}

static void test_layers(void)
{
    static const char *const sets[] = {
        "ansor.trials=50", "dp.k=3,4", "regime.repeat=7", "ansor.settings.eps_greedy=0.2", "kernels=1", "seeds=2"};
    struct experiment *e;
    struct err err;
    if (!ok(load(whole, NULL, NULL, 0, &e, &err), "the smoke tier is the default %s", err.text))
        return;
    is_str(e->tier, "smoke", "the tier says its name");
    is_int(e->plan.cells[0].ntasks, 2, "a tier cuts a network to its two kernels");
    ok(e->plan.cells[0].trials == 30 && e->plan.cells[0].batch == 8, "an arm has the tier's trials and batch");
    is_str(e->plan.cells[0].searcher_settings, "eps_greedy=0.1,retry_search_one_round_on_empty=2",
           "settings of the file and of the tier add up");
    ok(e->plan.ncells == 2 && e->plan.cells[1].k == 5, "a tier's k may be one number");
    ok(e->plan.regime.number == 3 && e->plan.regime.run_timeout_s == 100,
       "a tier changes one value of the regime and leaves the others");
    is_str(e->plan.results_dir, "results/e/smoke", "each tier has a folder of results");
    if (!ok(load(whole, NULL, sets, 6, &e, &err), "a file with --set loads %s", err.text))
        return;
    ok(e->plan.cells[0].trials == 50 && e->plan.cells[0].batch == 8,
       "--set wins over the tier, and what it does not set stays");
    is_int(e->plan.ncells, 6, "two seeds and two k give six cells");
    ok(e->plan.cells[1].k == 3 && e->plan.cells[2].k == 4, "--set takes a list");
    ok(e->plan.cells[3].seed == 2 && e->plan.cells[4].explore_cell == 3,
       "an exploiter explores the cell of its own seed");
    ok(e->plan.regime.number == 3 && e->plan.regime.repeat == 7,
       "--set changes one value of the regime and leaves the tier's");
    is_int(e->plan.cells[0].ntasks, 1, "--set cuts a network to one kernel");
    ok(strstr(e->plan.cells[0].searcher_settings, ",eps_greedy=0.2") != NULL,
       "--set changes one setting of a searcher");
    ok(load(whole, NULL, (const char *[]){"dp.k=[3, 4]"}, 1, &e, &err) && e->plan.ncells == 3,
       "--set takes a list in brackets, as the file has it");
}

/* The file's settings are of the target that the file asks for. */
static void test_other_machine(void)
{
    static const char text[] = FILE_HEAD "target_settings: {fail: 0.1}\n" FILE_ARMS;
    static const char *const sets[] = {"machine=gpu", "target_settings.warp=16"};
    static const char *const same[] = {"machine=second"};
    struct experiment *e;
    struct err err;
    fixture_file("machines/gpu.yaml",
                 "name: gpu\ntitle: any\ntarget: opencl\nsettings: {max_threads: 64}\nthreads: 2\n");
    fixture_file("machines/second.yaml",
                 "name: second\ntitle: any\ntarget: fake\nsettings: {noise: 0.3}\nthreads: 2\n");
    bool loaded = load(text, NULL, sets, 2, &e, &err);
    ok(loaded, "--set machine=... takes a machine of another target: %s", err.text);
    is_str(loaded ? e->plan.target : "", "opencl", "the target is then that machine's");
    is_str(loaded ? e->plan.target_settings : "", "max_threads=64,warp=16",
           "the file's settings of another target do not hold then");
    is_str(load(text, NULL, same, 1, &e, &err) ? e->plan.target_settings : err.text, "noise=0.3,fail=0.1",
           "on a machine of the same target they hold");
}

/* Two of three kernels have two thirds of the trials. */
static void test_scaled_trials(void)
{
    static const char *const scaled[] = {"scale_trials=true", "ansor.trials=100"};
    static const char *const one[] = {"scale_trials=true", "ansor.trials=1"};
    static const char *const full[] = {"scale_trials=true"};
    struct experiment *e;
    struct err err;
    ok(load(whole, NULL, scaled, 2, &e, &err) && e->plan.cells[0].trials == 67,
       "the trials of a network are cut as its kernels are");
    ok(e->plan.cells[1].trials_per_task == 20, "the trials of a kernel stay");
    ok(load(whole, NULL, one, 2, &e, &err) && e->plan.cells[0].trials == 2, "each kernel keeps one trial");
    ok(load(whole, "full", full, 1, &e, &err) && e->plan.cells[0].trials == 100,
       "a network that is not cut keeps its trials");
}

/* The kernels of tiny have 1024, 2048 and 400 FLOP. */
static void test_small_kernels(void)
{
    static const char *const small[] = {"max_kernel_gflop=1.1e-6", "kernels=0"};
    static const char *const one[] = {"max_kernel_gflop=1.1e-6", "kernels=1"};
    static const char *const none[] = {"max_kernel_gflop=1e-7"};
    struct experiment *e;
    struct err err;
    ok(load(whole, NULL, small, 2, &e, &err) && e->plan.cells[0].ntasks == 2, "kernels of more FLOP are left out");
    ok(strstr(e->plan.cells[0].tasks[0].task->spec, "ci=16") && strstr(e->plan.cells[0].tasks[1].task->spec, "softmax"),
       "the others stay in their order");
    is_str(experiment_budgets[e->budget], "mechanics", "the budget of a smoke tier stays");
    ok(load(whole, NULL, one, 2, &e, &err) && e->plan.cells[0].ntasks == 1, "a part of the small kernels is taken");
    ok(load(whole, "full", one, 1, &e, &err) && e->budget == BUDGET_REDUCED,
       "kernels that are left out make the budget reduced");
    ok(!load(whole, NULL, none, 1, &e, &err) && strstr(err.text, "'tiny' has no kernel of at most 1e-07 GFLOP"),
       "a network without a small kernel is refused: %s", err.text);
}

static const char *hash(const char *text, const char *tier, const char *set)
{
    struct experiment *e;
    struct err err;
    if (load(text, tier, &set, set ? 1 : 0, &e, &err))
        return e->plan.experiment_hash;
    diag("%s", err.text);
    return "";
}

static void test_hash(void)
{
    const char *first = hash(whole, "smoke", NULL);
    is_str(hash(whole, "smoke", NULL), first, "the hash of an experiment is the same twice");
    is_str(hash("# a comment\n" FILE_HEAD "# more\n" FILE_ARMS FILE_TIERS, "smoke", NULL), first,
           "comments do not change the hash of an experiment");
    is_str(hash(FILE_HEAD FILE_ARMS FILE_TIERS "    layout: 0\n", "smoke", NULL), first,
           "another tier does not change the hash of an experiment");
    is_str(hash(FILE_HEAD "notes: words\n" FILE_ARMS FILE_TIERS, "smoke", NULL), first,
           "notes do not change the hash of an experiment");
    static const char *const changes[] = {"ansor.trials=31",
                                          "ansor.batch=9",
                                          "regime.number=4",
                                          "kernels=3",
                                          "seeds=3",
                                          "dp.k=6",
                                          "dp.k_plus_one=true",
                                          "dp.share=false",
                                          "ansor.settings.eps_greedy=0.3",
                                          "target_settings.noise=0.2",
                                          "duels.max_launches=6",
                                          "layout=0",
                                          "ansor.scheduler=round_robin",
                                          "ansor.model_settings.max_depth=5"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        ok(strcmp(hash(whole, "smoke", changes[i]), first) != 0, "%s changes the hash of an experiment", changes[i]);
    fixture_file("networks/tiny.yaml",
                 "name: tiny\nkernels: 2\ncalls: 4\nlist:\n  - {count: 3, op: dense, ci: 16, co: 32}\n"
                 "  - {op: dense, ci: 32, co: 32}\n");
    ok(strcmp(hash(whole, "smoke", NULL), first) != 0, "another call count changes the hash of an experiment");
    fixture_file("networks/tiny.yaml", NETWORK);
    is_str(hash(whole, "smoke", NULL), first, "the hash is as before once the network is as before");
}

/* An arm whose model begins with a file: what is in the file counts. */
static void test_contents(void)
{
    static const char *const sets[] = {"ansor.model=pacm", "ansor.model_settings.load=start.net"};
    const char *hashes[3];
    struct experiment *e;
    struct err err = {0};
    ok(!load(whole, "smoke", sets, 2, &e, &err) && strstr(err.text, "settings of 'pacm': cannot open 'start.net'"),
       "a file that a model's settings name must be there: %s", err.text);
    for (int i = 0; i < 3; i++) {
        fixture_file("start.net", i == 1 ? "other numbers\n" : "numbers\n");
        hashes[i] = load(whole, "smoke", sets, 2, &e, &err) ? e->plan.experiment_hash : err.text;
    }
    ok(strcmp(hashes[0], hashes[1]) != 0, "what is in the file changes the hash of an experiment");
    is_str(hashes[2], hashes[0], "the same content gives the same hash, and the file is found beside the experiment");
}

/* The hash of the smoke tier with a recording in each place that names one. */
static const char *hash_of_recording(const char *path)
{
    const char *sets[] = {"target=replay", arena_printf(arena, "target_settings.recording=%s", path),
                          "ansor.searcher=pool", arena_printf(arena, "ansor.settings={recording: %s, eps: 0.5}", path)};
    static const char plain[] = FILE_HEAD "arms:\n  - {name: ansor, searcher: random, model: xgb, trials: 100}\n";
    struct experiment *e;
    struct err err;
    if (!load(plain, "", sets, 4, &e, &err)) {
        diag("%s", err.text);
        return "";
    }
    return e->plan.experiment_hash;
}

/* A recording counts by what is in it, and not by where it lies. */
static void test_moved_recording(void)
{
    const char *here = fixture_path("here.jsonl"), *there = fixture_path("there.jsonl"),
               *by_path = hash_of_recording(here), *now;
    ok(*by_path && strcmp(by_path, hash_of_recording(there)) != 0,
       "of a recording that is not there the path is hashed");
    fixture_file("here.jsonl", "programs\n");
    now = hash_of_recording(here);
    ok(*now && strcmp(now, by_path) != 0, "of one that is there it is not");
    fixture_file("there.jsonl", "programs\n");
    is_str(hash_of_recording(there), now, "a recording that was moved gives the same hash");
    fixture_file("here.jsonl", "other programs\n");
    ok(strcmp(hash_of_recording(here), now) != 0, "a recording that was changed gives another hash");
}

/* The conditions of the last cell, as text; "": none of its own. */
static const struct conditions *conditions_of(const char *changes)
{
    struct experiment *e;
    struct err err;
    fixture_must(load(arena_printf(arena, FILE_HEAD "unlike: true\nthreads: 2\n" FILE_ARMS "%s", changes), NULL, NULL,
                      0, &e, &err),
                 &err);
    return e->plan.cells[e->plan.ncells - 1].under;
}

static void test_conditions(void)
{
    const struct conditions *c = conditions_of("    layout: 1\n    threads: 3\n    target_settings: {noise: 0.3}\n"
                                               "    regime: {number: 7}\n");
    is_str(c ? c->text : "", "layout=1, threads=3, noise=0.3, regime number=7",
           "the text of conditions has what differs");
    ok(c && c->layout == LAYOUT_INSERT && c->threads == 3 && c->regime.number == 7,
       "layout, threads and regime of an arm are what it says");
    is_str(c ? c->target_settings : "", "noise=0.3", "the target of an arm has its settings");
    ok(c && c->regime.repeat == 3, "what its regime does not say is the experiment's (tvmc: 3 repeats)");
    ok(!conditions_of("    layout: 2\n    threads: 2\n    regime: {number: 10}\n"),
       "an arm that says what the experiment says has no conditions");
    c = conditions_of("    regime: droplet\n");
    ok(c && str_starts(c->text, "regime number="), "a preset is written by what differs");
    c = conditions_of("    threads: 1\n");
    ok(c && c->layout == LAYOUT_REWRITTEN && str_eq(c->text, "threads=1"),
       "what an arm does not say is the experiment's");
}

static void refused(const char *text, const char *set, const char *want)
{
    struct experiment *e;
    struct err err;
    ok(!load(text, NULL, &set, set ? 1 : 0, &e, &err), "refused: %s", set ? set : want);
    const char *at = str_starts(err.text, fixture_folder()) ? err.text + strlen(fixture_folder()) + 1 : err.text;
    is_str(at, want, "the refusal has place and reason");
}

/* Only some networks have all seeds. */
static void test_replicated(void)
{
    static const char *const sets[] = {"networks=tiny,mini", "seeds=3", "replicated=mini", "ansor.trials=9"};
    static const char *const without[] = {"networks=tiny", "seeds=3", "replicated=mini"};
    struct experiment *e;
    struct err err;
    fixture_file("networks/mini.yaml", "name: mini\nkernels: 1\ncalls: 1\nlist:\n  - {op: softmax, c: 100}\n");
    if (!ok(load(whole, "", sets, 4, &e, &err), "some networks may have more seeds %s", err.text))
        return;
    const struct cell_plan *c = e->plan.cells;
    is_int(e->plan.ncells, 12, "three cells of both networks, and twice three of the replicated one");
    ok(str_eq(c[0].network, "tiny") && str_eq(c[3].network, "mini") && str_eq(c[6].network, "mini"),
       "all have the first seed, and the replicated one the others");
    ok(c[6].seed == 2 && c[9].seed == 3 && c[10].explore_cell == 9, "a later seed explores its own cell");
    ok(e->nreplicated == 1 && !e->networks[0]->replicated && e->networks[1]->replicated,
       "the experiment says which these are");
    ok(load(whole, "", without, 3, &e, &err) && e->plan.ncells == 9 && e->nreplicated == 1,
       "where no replicated network is run, all have all seeds");
    ok(load(whole, "", NULL, 0, &e, &err) && e->nreplicated == 1 && e->networks[0]->replicated,
       "where no network is named as replicated, all have all seeds");
    refused(whole, "replicated=minni", "--set 'replicated=minni': unknown network 'minni': did you mean 'mini'?");
    unlink(arena_printf(arena, "%s/networks/mini.yaml", fixture_folder()));
}

static void test_refused(void)
{
    refused(FILE_HEAD "answer_over: dpp\n" FILE_ARMS, NULL,
            "e.yaml:7:14: 'answer_over' is 'dpp', which is no arm: did you mean 'dp'?");
    refused(FILE_HEAD "answer_arms: [ansor]\n" FILE_ARMS, NULL,
            "e.yaml:7:14: 'answer_arms' is 'ansor', which is no arm that is set against another");
    refused("experiment: e\ntitel: x\n", NULL, "e.yaml:2:1: unknown key 'titel': did you mean 'title'?");
    refused("title: x\n", NULL, "e.yaml:1:1: key 'experiment' is missing");
    refused("experiment: e\n", NULL, "e.yaml:1:1: key 'report' is missing");
    refused("experiment: e\nreport: tabel3\n", NULL, "e.yaml:2:9: unknown report 'tabel3': did you mean 'table3'?");
    refused("experiment: e\nreport: foo\n", NULL,
            "e.yaml:2:9: unknown report 'foo': there are table3, contest, micro, variance, race");
    refused(FILE_HEAD "share_kernels: true\n" FILE_ARMS, NULL,
            "e.yaml:9:5: share_kernels: under the scheduler gradient the trials of a kernel of arm 'ansor' hang on its "
            "network: scheduler: round_robin");
    refused("experiment: f\nreport: table3\n", NULL,
            "e.yaml:1:13: this file is 'e.yaml' but names the experiment 'f': both must be the same");
    refused("experiment: ../../e\nreport: table3\n", NULL,
            "e.yaml:1:13: this file is 'e.yaml' but names the experiment '../../e': both must be the same");
    refused(FILE_HEAD FILE_ARMS "tiers:\n  ../../x: {}\n", NULL, "e.yaml:20:3: '../../x' is no name of a folder");
    refused(FILE_HEAD "duels: [30]\n" FILE_ARMS, NULL, "e.yaml:7:8: 'duels' must be a map of settings");
    refused(FILE_HEAD "duels: {min_launches: 9, max_launches: 8}\n" FILE_ARMS, NULL,
            "e.yaml:7:8: duels: min_launches is 9, more than max_launches, which is 8");
    refused(FILE_HEAD "retime_regime: {repeat: {a: 1}}\n" FILE_ARMS, NULL,
            "e.yaml:7:25: 'repeat' must be a single value");
    refused(FILE_HEAD "retime_regime: {patience: 0.5}\n" FILE_ARMS, NULL,
            "e.yaml:7:16: 'patience' is 0.5 times the fastest: at least 1, or 0 for none");
    refused(FILE_HEAD FILE_ARMS "    trails: 3\n", NULL, "e.yaml:19:5: unknown key 'trails': did you mean 'trials'?");
    refused(FILE_HEAD FILE_ARMS, "ansor.skip=true",
            "e.yaml:13:5: arm 'dp' explores 'ansor', which is skipped: skip both");
    refused(FILE_HEAD "arms:\n  - {name: a, searcher: anser, model: xgb, trials: 9}\n", NULL,
            "e.yaml:8:25: unknown searcher 'anser', did you mean 'ansor'?");
    refused(FILE_HEAD "arms:\n  - {name: a, searcher: ansor, model: xbg, trials: 9}\n", NULL,
            "e.yaml:8:39: unknown model 'xbg', did you mean 'xgb'?");
    refused(FILE_HEAD "arms:\n  - {name: a, searcher: ansor, trials: 9}\n", NULL,
            "e.yaml:8:5: searcher 'ansor' needs a 'model'");
    refused(FILE_HEAD "arms:\n  - {name: a, searcher: droplet, trials: 9}\n", NULL,
            "e.yaml:8:5: searcher 'droplet' refines a schedule: say which arm to 'explore'");
    refused(FILE_HEAD "arms:\n  - {name: a, explore: b, exploit: ansor, model: xgb, k: 1, trials: 9}\n", NULL,
            "e.yaml:8:5: searcher 'ansor' searches from nothing and cannot 'exploit': name one that refines");
    refused(FILE_HEAD "arms:\n  - {name: a, explore: b, exploit: droplet, k: 1, trials: 9}\n", "regime.repeat=1",
            "e.yaml:8:5: searcher 'droplet' tests by the repeats of a record: 'regime' must have at least 2");
    refused(FILE_HEAD "arms:\n  - {name: a, explore: b, exploit: droplet, k: 1, trials_per_kernel: 9}\n", NULL,
            "e.yaml:8:5: arm 'a' explores 'b', which is not an arm before it, nor one with k = 1");
    refused(FILE_HEAD "arms:\n  - {name: a, searcher: random}\n", NULL,
            "e.yaml:8:5: arm 'a' needs 'trials' (for a network) or 'trials_per_kernel'");
    refused(FILE_HEAD "arms:\n  - {name: a, searcher: random, trials: lots}\n", NULL,
            "e.yaml:8:41: 'trials' must be a whole number, not 'lots'");
    refused(FILE_HEAD "arms:\n  - {nmae: a, searcher: random, trials: 9}\n", NULL,
            "e.yaml:8:6: unknown key 'nmae': did you mean 'name'?");
    refused(FILE_HEAD "arms:\n  - {name: a b/c, searcher: random, trials: 9}\n", NULL,
            "e.yaml:8:12: 'a b/c' is no name of an arm: no blank, '/', '.' or '='");
    refused(FILE_HEAD "arms: 3\n", NULL, "e.yaml:7:7: 'arms' must be a list of arms");
    refused(FILE_HEAD, NULL, "e.yaml:1:1: 'arms' must be a list of arms");
    refused(whole, "machine=hast", "--set 'machine=hast': unknown machine 'hast': did you mean 'host'?");
    refused(whole, "networks=tony", "--set 'networks=tony': unknown network 'tony': did you mean 'tiny'?");
    refused(whole, "target=fale", "--set 'target=fale': unknown target 'fale', did you mean 'fake'?");
    refused(whole, "regime=tvmd", "--set 'regime=tvmd': unknown regime 'tvmd': did you mean 'tvm'?");
    refused(whole, "seeds=0", "--set 'seeds=0': 'seeds' must be between 1 and 1000, not 0");
    refused(whole, "seeds=\"2\"",
            "--set 'seeds=\"2\"': 'seeds' must be a whole number, not '2' in quotes, which make it text");
    refused(whole, "seeds=0x10", "--set 'seeds=0x10': 'seeds' must be a whole number, not '0x10'");
    refused(whole, "seeds=[1,2]", "--set 'seeds=[1,2]': 'seeds' must be a single value");
    refused(whole, "seeds=12345678901234567890",
            "--set 'seeds=12345678901234567890': 'seeds' must be a whole number, not '12345678901234567890', which has "
            "too many digits");
    refused(whole, "networks=[]", "--set 'networks=[]': 'networks' names none");
    refused(whole, "networks=networks/tiny.yaml",
            "--set 'networks=networks/tiny.yaml': unknown network 'networks/tiny.yaml': it is named without folder and "
            "ending, 'tiny'");
    refused(whole, "anzor.trials=3", "--set 'anzor.trials=3': unknown key 'anzor': did you mean 'ansor'?");
    refused(whole, "ansor.scheduler=round",
            "--set 'ansor.scheduler=round': unknown scheduler 'round': there are gradient, round_robin, sequential");
    refused(whole, "kernels", "--set 'kernels': expected key=value");
    refused(whole, "ansor.trials=1", "cell 0 (tiny, ansor, seed 1): 1 trials for 2 kernels: give at least one to each");
}

static void test_names(void)
{
    struct experiment *e;
    struct err err = {0};
    struct experiment_options nowhere = {.folder = fixture_folder(),
                                         .name = fixture_file("...yaml", "experiment: ..\nreport: table3\n")};
    ok(!experiment_load(arena, &registry, &nowhere, &e, &err) && strstr(err.text, "'..' is no name of a file"),
       "an experiment cannot be called '..': %s", err.text);
    fixture_remove(nowhere.name);
    fixture_file("machines/other.yaml", "name: other\ntarget: fake\nthread: 3\n");
    refused(whole, "machine=other", "machines/other.yaml:3:1: unknown key 'thread': did you mean 'threads'?");
    ok(!load(FILE_HEAD FILE_ARMS "tiers:\n  smoke: {title: x}\n", NULL, NULL, 0, &e, &err) &&
           strstr(err.text, "e.yaml:20:11: unknown key 'title': there are networks, kernels, "),
       "a tier has no title");
    ok(!load(whole, "smok", NULL, 0, &e, &err) && strstr(err.text, "unknown tier 'smok': did you mean 'smoke'?"),
       "an unknown tier has a hint");
    struct experiment_options o = {.folder = fixture_folder(), .name = "f"};
    ok(!experiment_load(arena, &registry, &o, &e, &err), "an unknown experiment is refused");
    o.name = fixture_path("nothing/e.yaml");
    ok(!experiment_load(arena, &registry, &o, &e, &err) && str_ends(err.text, ": did you mean the experiment 'e'?"),
       "a file that is not there is refused with the experiment of that name");
    o.name = "link";
    ok(symlink("nowhere", fixture_path("link.yaml")) == 0 && !experiment_load(arena, &registry, &o, &e, &err) &&
           str_ends(err.text, "link.yaml' is a link to a file that is not there"),
       "a link that leads nowhere is refused as one: %s", err.text);
    o.name = "table4";
    o.folder = "experiments";
    ok(!experiment_load(arena, &registry, &o, &e, &err), "unknown experiment table4 is refused");
    is_str(err.text, "unknown experiment 'table4': did you mean 'table3'?", "the refusal of table4 names table3");
    o.name = "table3";
    for (int i = 0; i < 3; i++) {
        o.tier = (const char *[]){"smoke", "short", "full"}[i];
        ok(experiment_load(arena, &registry, &o, &e, &err), "table3 loads at tier %s %s", o.tier, err.text);
    }
}

static void budget(const char *text, const char *tier, const char *set, enum experiment_budget want, const char *name)
{
    struct experiment *e;
    struct err err = {0};
    if (!load(text, tier, &set, set ? 1 : 0, &e, &err))
        fail("%s", err.text);
    is_str(experiment_budgets[e->budget], experiment_budgets[want], "%s", name);
}

static void test_budget(void)
{
    static const char said[] = FILE_HEAD FILE_ARMS FILE_TIERS "    budget: reduced\n";
    budget(whole, "smoke", NULL, BUDGET_MECHANICS, "tier smoke shows the mechanics");
    budget(whole, "full", NULL, BUDGET_WHOLE, "tier full is the whole budget");
    budget(said, "full", NULL, BUDGET_REDUCED, "a tier says that its budget is reduced");
    budget(said, "full", "budget=whole", BUDGET_REDUCED, "--set makes no budget more than the file says");
    budget(whole, "full", "budget=reduced", BUDGET_REDUCED, "--set makes a budget less");
    budget(whole, "full", "seeds=3", BUDGET_WHOLE, "more seeds keep the budget");
    budget(whole, "full", "dp.k=5", BUDGET_WHOLE, "another k keeps the budget");
    budget(whole, "full", "ansor.trials=50", BUDGET_REDUCED, "other trials make the budget reduced");
    budget(whole, "full", "regime.number=1", BUDGET_REDUCED, "another regime makes the budget reduced");
}

int main(void)
{
    struct err err = {0};
    registry = (struct registry){.searchers = searchers_table(),
                                 .models = models_table(),
                                 .targets = targets_table(),
                                 .collectors = collectors_table()};
    if (!registry_model(&registry, "xgb", &err))
        skip_all("%s", err.text);
    fixture_file("machines/host.yaml", MACHINE);
    fixture_file("networks/tiny.yaml", NETWORK);
    test_file();
    test_layers();
    test_replicated();
    test_other_machine();
    test_scaled_trials();
    test_small_kernels();
    test_hash();
    test_contents();
    test_moved_recording();
    test_conditions();
    test_refused();
    test_names();
    test_budget();
    return done_testing();
}
