/* SPDX-License-Identifier: Apache-2.0 */
/* The store, curves and sums on rows made here; a writer's lock; a read-only look; a full disk. */
#include "harness/base/file.h"
#include "harness/record/counter.h"
#include "harness/record/database.h"
#include "harness/record/evaluation_record.h"
#include "harness/record/schema.h"
#include "harness/record/tally.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/store_text.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct store_campaign CAMPAIGN = {.stem = "x",
                                               .tier = "smoke",
                                               .experiment_hash = "abc",
                                               .target = "cpu",
                                               .target_settings = "",
                                               .machine = "host",
                                               .regime = "number=3",
                                               .threads = 2,
                                               .layout = 1,
                                               .revision = "r",
                                               .environment = "{}",
                                               .created_unix = 17};

static const struct store_task TASKS[] = {
    {.spec = "dense n=1", .name = "a \"quoted\" name", .weight = 3, .flops = 10, .shared_cell = -1, .state = ""},
    {.spec = "dense n=2", .name = "b", .weight = 1, .flops = 20, .shared_cell = -1, .state = ""},
};

static struct store_cell cell_of(const char *arm)
{
    return (struct store_cell){.network = "net",
                               .arm = arm,
                               .seed = -5,
                               .searcher = "s",
                               .searcher_settings = "",
                               .model = "",
                               .model_settings = "",
                               .scheduler = SCHEDULER_GRADIENT,
                               .trials = 100,
                               .batch = 8,
                               .explore_cell = -1,
                               .tasks = TASKS,
                               .ntasks = 2,
                               .state = ""};
}

static struct record put(struct store *s, int cell, int task, int ordinal, int task_ordinal, enum outcome o,
                         double mean, const char *message)
{
    static const int64_t list[] = {2, 4};
    const struct step step = {.kind = STEP_SP, .stage = 2, .iter = 1, .extent = 64, .flag = true, .n = 2, .list = list};
    struct candidate c = {.steps = &step, .nsteps = 1, .hash = 0xfedcba9876543210u + (uint64_t)ordinal};
    struct record r = {.cell = cell,
                       .task = task,
                       .round = ordinal / 4,
                       .ordinal = ordinal,
                       .task_ordinal = task_ordinal,
                       .elapsed_s = 0.5 * (ordinal + 1),
                       .wall_s = 0.5,
                       .unix_s = 1e9};
    r.sample.outcome = o;
    r.sample.nseconds = o == OUTCOME_OK ? 2 : 0;
    r.sample.seconds[0] = mean * 0.9;
    r.sample.seconds[1] = mean * 1.1;
    snprintf(r.sample.message, sizeof r.sample.message, "%s", message);
    r.sample.build_s = 0.1;
    r.sample.run_s = 0.2;
    r.sample.verify_s = 0.05;
    r.sample.cost_s = 0.3;
    r.sample.model_score = ordinal % 2 ? NAN : 0.1 * ordinal;
    struct err err = {0};
    fixture_must(store_trial(s, &r, &c, &err), &err);
    return r;
}

/* Records of the first cell: task 0: 5 ms, failed, 3 ms, 3 ms; task 1: failed, 2 ms. */
static void fill(struct store *s)
{
    struct err err = {0};
    struct store_cell cells[] = {cell_of("ansor"), cell_of("dp")};
    for (int i = 0; i < 2; i++)
        fixture_must(store_cell_put(s, i, &cells[i], &err), &err);
    struct store_round round = {.number = 0,
                                .task = 0,
                                .rng = {1, 2, 3, ~0ull},
                                .asked = 4,
                                .evaluations.at = {[EVALUATION_DRAFT_ASKED] = 4608, [EVALUATION_MODEL_ASKED] = 500}};
    struct store_round second = {
        .number = 1, .task = 1, .asked = 8, .begin_s = 2, .evaluations.at = {[EVALUATION_MODEL_ASKED] = 62}};
    const double phases[PHASE_COUNT] = {[PHASE_run] = 1.5, [PHASE_other] = 0.25};
    const struct store_spent first = {
        .end_s = 2, .cpu_s = 1.25, .phases = phases, .others = {.others_s = 0.5, .stolen_s = 0.25, .whole_s = 4}};
    ok(store_round_begin(s, 0, &round, &err), "a round begins");
    put(s, 0, 0, 0, 0, OUTCOME_OK, 5e-3, "");
    put(s, 0, 0, 1, 1, OUTCOME_CRASHED, 0, "signal 11");
    put(s, 0, 0, 2, 2, OUTCOME_OK, 3e-3, "");
    put(s, 0, 0, 3, 3, OUTCOME_OK, 3e-3, "");
    ok(store_round_end(s, 0, 0, &first, &err), "a round ends");
    ok(store_round_begin(s, 0, &second, &err), "a second round begins");
    put(s, 0, 1, 4, 0, OUTCOME_CRASHED, 0, "signal 11");
    put(s, 0, 1, 5, 1, OUTCOME_OK, 2e-3, "");
    struct store_task shared = TASKS[1];
    shared.seed_trial = 3;
    shared.shared_cell = 0;
    shared.state = "done";
    ok(store_task_state(s, 1, 1, &shared, &err), "a task is stored that shares another cell's search");
    ok(store_event(s, -1, -1, "note", "hello", 5, &err), "a note is stored");
}

static void test_evaluations(struct store *s)
{
    struct event_sum *arms;
    struct err err = {0};
    int n;
    ok(evaluation_record_sum(store_database(s), arena, &arms, &n, &err), "what searchers had scored is read%s",
       err.text);
    if (!is_int(n, 1, "one arm has counted what it had scored"))
        return;
    is_str(arms[0].arm, "ansor", "the arm that counted is told by its name");
    is_int(arms[0].rounds, 2, "both rounds of the arm have counted");
    is_int(arms[0].of[EVALUATION_DRAFT_ASKED], 4608, "the draft's scorings of the first round are read");
    is_int(arms[0].of[EVALUATION_MODEL_ASKED], 562, "the model's scorings of both rounds are added up");
    is_int(arms[0].of[EVALUATION_MODEL_SCORED], 0, "what was not counted is zero");
}

static void test_read(struct store *s)
{
    struct err err = {0};
    struct store_cell *cells;
    struct store_round *rounds;
    struct record *r, *part, best;
    int n;
    bool found;
    ok(store_cells(s, arena, &cells, &n, &err) && n == 2, "both cells are read: %s", err.text);
    is_str(cells[0].tasks[0].name, TASKS[0].name, "the name of a task is read as written");
    is_int(cells[0].seed, -5, "the seed of a cell is read as written");
    is_near(cells[0].elapsed_s, 3, 1e-12, "the clock of a cell is at its last trial");
    is_near(cells[0].cpu_s, 1.25, 1e-12, "the CPU time of a cell is that at the last round's end");
    ok(store_rounds(s, arena, 0, &rounds, &n, &err) && n == 2, "both rounds are read");
    ok(rounds[0].rng[0] == 1 && rounds[0].rng[3] == ~0ull && rounds[0].measured == 4 && rounds[0].end_s == 2,
       "a complete round has its random state and its end");
    ok(isnan(rounds[1].end_s) && rounds[1].asked == 8 && rounds[1].measured == 2, "a partly measured round has no end");

    ok(store_records(s, arena, (struct store_part){0, 0, 0}, 0, &r, &n, &err) && n == 4,
       "the records of a task are read");
    ok(r[2].hash == 0xfedcba9876543212u && r[2].sample.nseconds == 2 && r[2].sample.seconds[0] == 3e-3 * 0.9,
       "hash and times of a record are read bit for bit");
    ok(store_records(s, arena, (struct store_part){0, -1, 2}, 1, &part, &n, &err) && n == 2 && part[0].id == r[1].id &&
           part[1].id == r[2].id,
       "a whole cell gives the two records that begin at an ordinal");
    ok(isnan(r[1].sample.model_score) && r[2].sample.model_score == 0.1 * 2, "a record has its model score, or none");
    is_str(r[1].sample.message, "signal 11", "a failed record has its message");
    is_str(r[0].steps, "[[\"SP\", 2, 1, 64, [2, 4], 1]]", "the steps of a record are text");
    struct candidate c;
    ok(record_candidate(arena, &r[0], NULL, &c, &err) && c.nsteps == 1 && c.steps[0].list[1] == 4,
       "the steps of a record can be parsed: %s", err.text);
    ok(store_best(s, arena, (struct store_part){0, 0, 0}, &best, &found, &err) && found && best.task_ordinal == 2,
       "of two equal records the first is the best");
    ok(store_best(s, arena, (struct store_part){0, 0, 2}, &best, &found, &err) && found && best.task_ordinal == 0,
       "the best of the first 2 records is among them");
    ok(store_best(s, arena, (struct store_part){0, 1, 1}, &best, &found, &err) && !found,
       "a failed record is never the best");
    ok(store_best(s, arena, (struct store_part){1, 1, 0}, &best, &found, &err) && found && best.cell == 0,
       "the best of a shared search is in the other cell");
    ok(record_better(&r[2], &r[0]) && !record_better(&r[3], &r[2]) && !record_better(&r[1], &r[0]),
       "a record is better by its time, not by coming later or failing");
    ok(!store_record(s, arena, 99, &best, &err) && strstr(err.text, "99"), "a record that is not there is refused: %s",
       err.text);
}

static void test_sums(struct store *s)
{
    struct err err = {0};
    struct tally_sums sums;
    struct tally_failure *f;
    double seconds[PHASE_COUNT], wall;
    int n;
    ok(tally_sum(s, 0, -1, 0, &sums, &err) && sums.records == 6 && sums.valid == 4,
       "the sums of a cell count its records");
    is_near(sums.cost_s, 1.8, 1e-12, "the summed cost of a cell is that of its records");
    is_near(sums.wall_s, 3, 1e-12, "the wall time of a cell is that of its records");
    ok(tally_sum(s, 0, 0, 3, &sums, &err) && sums.records == 3, "sums may be of the first 3 records of a task");
    ok(tally_sum(s, 1, 1, 0, &sums, &err) && sums.records == 2, "sums of a shared search are those of the other cell");
    ok(tally_failures(s, arena, -1, -1, &f, &n, &err) && n == 1 && f[0].count == 2 && f[0].outcome == OUTCOME_CRASHED,
       "failures are counted by their reason");
    ok(tally_phases(s, 0, seconds, &wall, &err), "the phases of a cell are read");
    ok(seconds[PHASE_run] == 1.5 && seconds[PHASE_other] == 0.25 && wall == 2,
       "the phases are those of the complete rounds");
    struct store_spent rest = {.end_s = 3.5,
                               .cpu_s = 2,
                               .phases = (double[PHASE_COUNT]){[PHASE_build] = 1},
                               .fill = true,
                               .others = {.others_s = -0.25, .whole_s = 1}};
    ok(store_round_end(s, 0, 1, &rest, &err) && tally_phases(s, 0, seconds, &wall, &err), "an interrupted round ends");
    ok(wall == 3.5 && seconds[PHASE_build] == 1 && seconds[PHASE_other] == 0.75, "the rest of its time is other");
    struct cpu_contention o;
    ok(tally_others(s, 0, &o, &err) && o.others_s == 0.25 && o.stolen_s == 0.25 && o.whole_s == 5,
       "the CPU contention of a cell's rounds is summed");
    ok(tally_others(s, -1, &o, &err) && o.whole_s == 5 && tally_others(s, 1, &o, &err) && o.whole_s == 0,
       "the CPU contention of all cells has that of the only one that was searched");
}

static void test_access(const char *dir)
{
    struct err err = {0};
    struct store *s, *other;
    struct store_campaign newer = CAMPAIGN;
    ok(!store_open(dir, &CAMPAIGN, STORE_NEW, &other, &err) && strstr(err.text, "--resume"),
       "a new campaign does not begin over records: %s", err.text);
    newer.experiment_hash = "def";
    ok(!store_open(dir, &newer, STORE_NEW, &other, &err) && strstr(err.text, "another experiment"),
       "a new campaign does not begin over records of another hash: %s", err.text);
    ok(store_open(dir, &newer, STORE_RESUME, &other, &err) && str_eq(store_campaign(other)->experiment_hash, "abc"),
       "records of another hash are opened to compare their cells, and keep their hash: %s", err.text);
    store_close(other);
    newer.stem = "y";
    ok(!store_open(dir, &newer, STORE_RESUME, &other, &err) && strstr(err.text, "another experiment"),
       "records of another file are refused: %s", err.text);
    newer = CAMPAIGN;
    newer.experiment_hash = "def";
    newer.regime = "number=4";
    ok(!store_open(dir, &newer, STORE_RESUME, &other, &err) && strstr(err.text, "another regime"),
       "records of another timing regime are refused: %s", err.text);
    newer = CAMPAIGN;
    newer.tier = "full";
    ok(store_open(dir, &newer, STORE_RESUME, &other, &err),
       "a tier's name does not matter where the hash is the same: %s", err.text);
    store_close(other);
    ok(store_open(dir, &CAMPAIGN, STORE_RESUME, &s, &err), "records are opened to go on: %s", err.text);
    struct store_cell changed = cell_of("ansor");
    changed.batch = 9;
    ok(!store_cell_put(s, 0, &changed, &err), "a cell that has changed is refused: %s", err.text);
    pid_t child = fork(), pid = 0;
    if (child == 0) {
        struct err e = {0};
        bool refused = !store_open(dir, &CAMPAIGN, STORE_RESUME, &other, &e) && strstr(e.text, "another raingauge") &&
                       e.code == EXIT_ENVIRONMENT;
        bool reads = store_open_read(dir, &other, &e), held = store_writer(dir, &pid) && pid == getppid();
        _exit(!refused + 2 * !reads + 4 * !held);
    }
    int status;
    waitpid(child, &status, 0);
    is_int(WEXITSTATUS(status), 0, "a second writer is refused, a reader is not, and sees who writes");
    store_close(s);
    ok(!store_writer(dir, &pid), "after the writer has closed nobody writes");
    ok(!store_open_read(fixture_path("nothing"), &s, &err), "a folder without records is refused: %s", err.text);
}

/* A limit on file size stands for a disk that fills up: SQLite sees a failed write in both cases. */
static void test_full(void)
{
    const char *dir = fixture_path("full");
    pid_t child = fork();
    if (child == 0) {
        struct store *s;
        struct err err = {0};
        if (!freopen("/dev/null", "w", stdout) || !store_open(dir, &CAMPAIGN, STORE_NEW, &s, &err))
            _exit(1); /* fill's checks were counted before */
        fill(s);
        struct rlimit limit = {.rlim_cur = 300000, .rlim_max = 300000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        struct candidate c = {.nsteps = 0};
        bool fine = true;
        for (int i = 6; fine && i < 100000; i++) {
            struct record r = {.cell = 0, .task = 0, .round = 2, .ordinal = i, .task_ordinal = i};
            fine = store_trial(s, &r, &c, &err);
        }
        fprintf(stderr, "# %s\n", err.text);
        _exit(fine || err.code != EXIT_ENVIRONMENT ? 2 : 0);
    }
    int status;
    waitpid(child, &status, 0);
    is_int(WEXITSTATUS(status), 0, "a write that fails is an error of the environment");
    struct store *s;
    struct err err = {0};
    struct tally_sums sums;
    ok(store_open(dir, &CAMPAIGN, STORE_RESUME, &s, &err), "after a failed write the file is sound: %s", err.text);
    ok(tally_sum(s, 0, -1, 0, &sums, &err) && sums.records > 6,
       "after a failed write all %lld records that were accepted are there", (long long)sums.records);
    store_close(s);
}

static struct counter a_counter(const char *name, bool present, double value, const char *reason)
{
    struct counter c = {.present = present, .value = value};
    snprintf(c.name, sizeof c.name, "%s", name);
    snprintf(c.reason, sizeof c.reason, "%s", reason);
    return c;
}

static void test_counters(struct store *s)
{
    struct err err = {0};
    struct counter *got;
    struct counter_sum *sum;
    int n;
    int64_t counted;
    const struct counter first[] = {a_counter("wall_s", true, 2e-3, ""), a_counter("cycles", false, 7, "no PMU"),
                                    a_counter("misses", true, 0, "")};
    const struct counter second[] = {a_counter("wall_s", true, 1e-3, ""), a_counter("cycles", false, 0, "no PMU"),
                                     a_counter("papi", false, 0, "it\"s gone")};
    ok(store_counters(s, arena, 1, &got, &n, &err) && n == 0, "a record that was not counted has no counters");
    ok(counters_sum(s, arena, &sum, &n, &counted, &err) && n == 0 && counted == 0,
       "without counters there is nothing to sum");
    ok(store_counters_put(s, 1, second, 3, &err) && store_counters_put(s, 1, first, 3, &err) &&
           store_counters_put(s, 3, second, 3, &err),
       "counters are put: %s", err.text);
    ok(store_counters(s, arena, 1, &got, &n, &err) && n == 3, "the later ones of a trial replace the earlier");
    ok(n == 3 && !got[0].present && isnan(got[0].value), "a missing counter has no value, least of all zero");
    is_str(n ? got[0].reason : "", "no PMU", "a missing counter has a reason");
    ok(n == 3 && got[1].present && got[1].value == 0, "a counted zero is a zero");
    ok(counters_sum(s, arena, &sum, &n, &counted, &err) && n == 4 && counted == 2,
       "counters of two records are summed by name");
    if (n == 4) {
        ok(str_eq(sum[0].name, "misses") && sum[0].programs == 1 && !*sum[0].reason,
           "a counter of one record counts one program");
        ok(str_eq(sum[1].name, "wall_s") && sum[1].programs == 2, "a counter of both records counts two programs");
        ok(str_eq(sum[2].name, "cycles") && sum[2].programs == 0 && str_eq(sum[2].reason, "no PMU"),
           "a counter of none has its reason");
        is_str(sum[3].reason, "it\"s gone", "a collector that gave none is there under its name");
    }
}

/* Neither an earlier nor a later version is read or continued. */
static void test_versions(const char *dir)
{
    static const int VERSIONS[] = {SCHEMA_VERSION - 1, SCHEMA_VERSION + 1};
    struct err err = {0};
    struct store *s;
    for (int i = 0; i < 2; i++) {
        const char *at = file_join(arena, dir, i ? "later" : "earlier"),
                   *says = arena_printf(arena, "has schema version %d, this raingauge reads %d", VERSIONS[i],
                                        SCHEMA_VERSION);
        ok(store_open(at, &CAMPAIGN, STORE_NEW, &s, &err) &&
               database_script(store_database(s), arena_printf(arena, "PRAGMA user_version = %d", VERSIONS[i]), &err),
           "records are made of version %d: %s", VERSIONS[i], err.text);
        store_close(s);
        ok(!store_open_read(at, &s, &err) && strstr(err.text, says) && strstr(err.text, "--results"),
           "records of version %d are not read: %s", VERSIONS[i], err.text);
        ok(!store_open(at, &CAMPAIGN, STORE_RESUME, &s, &err) && strstr(err.text, says),
           "records of version %d are not continued: %s", VERSIONS[i], err.text);
    }
}

/* The text of a store's rows, in arena. */
static const char *rows_of(struct store *s)
{
    struct text t = {0};
    struct err err = {0};
    ok(store_text(s, &t, &err), "rows are read: %s", err.text);
    return text_keep(&t, arena);
}

/* The program xz vouches for the bytes, rows of the file itself for what is read. */
static void test_packed(const char *dir)
{
    const char *to = fixture_path("packed"), *packed = file_join(arena, to, "records.db.xz");
    struct store *s = NULL, *read = NULL;
    struct err err = {0};
    fixture_must(file_make_dirs(to, &err) && store_open_read(dir, &s, &err), &err);
    ok(!store_exists(to), "a folder without records holds none");
    const char *command = arena_printf(arena, "xz -9 <'%s/records.db' >'%s'", dir, packed);
    is_int(system(command), 0, "xz packs a database");
    ok(store_exists(to) && !store_begun(to), "packed records can be read, and no run goes on with them");
    if (ok(store_open_read(to, &read, &err), "packed records open: %s", err.text)) {
        is_str(rows_of(read), rows_of(s), "packed records have the same rows");
        ok(!store_event(read, -1, -1, "note", "x", 0, &err), "packed records are not written: %s", err.text);
        store_close(read);
    }
    store_close(s);
    command = arena_printf(arena, "cd '%s' && head -c 300 records.db.xz >cut && mv cut records.db.xz", to);
    is_int(system(command), 0, "a packed file is cut");
    ok(!store_open_read(to, &s, &err) && strstr(err.text, "records.db.xz") && strstr(err.text, "cut short"),
       "packed records that are cut short are refused: %s", err.text);
    is_int(system(arena_printf(arena, "echo no | xz >'%s'", packed)), 0, "xz packs something else");
    ok(!store_open_read(to, &s, &err) && strstr(err.text, "no packed database"), "what is no database is refused: %s",
       err.text);
}

int main(void)
{
    struct err err = {0};
    struct store *s;
    const char *dir = fixture_path("a/b");
    ok(store_open(dir, &CAMPAIGN, STORE_NEW, &s, &err), "a new store makes its folder: %s", err.text);
    ok(store_exists(dir), "a new store is there");
    fill(s);
    store_close(s);
    test_access(dir);
    ok(store_open(dir, &CAMPAIGN, STORE_RESUME, &s, &err), "a closed store opens again");
    is_str(store_campaign(s)->regime, "number=3", "the row of the campaign is read as written");
    test_read(s);
    test_evaluations(s);
    test_sums(s);
    test_counters(s);
    struct text t = {0};
    ok(store_text(s, &t, &err) && strstr(text_str(&t), "fedcba9876543210"),
       "the store as text has the hash of a candidate");
    text_free(&t);
    store_close(s);
    test_packed(dir);
    test_versions(fixture_path("versions"));
    test_full();
    return done_testing();
}
