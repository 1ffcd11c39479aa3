/* SPDX-License-Identifier: Apache-2.0 */
/* claims: the measured of the Droplet papers loads, names only what exists, and its values are those of the authors'
 * released results (expected.tsv); broken files are refused with their place. claims.sh looks at the verdicts. */
#include "harness/claims/claims.h"

#include "harness/base/text.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct claim *find(const struct claims *c, const char *id)
{
    for (int i = 0; i < c->n; i++)
        if (str_eq(c->list[i].id, id))
            return &c->list[i];
    return NULL;
}

static void test_claims_file(const struct claims *c)
{
    int headlines = 0, tested = 0;
    for (int i = 0; i < c->n; i++) {
        headlines += c->list[i].headline;
        tested += c->list[i].experiment != NULL;
    }
    ok(c->n >= 39 && headlines >= 4 && tested >= 20, "%d claims, %d headlines, %d tested", c->n, headlines, tested);
    is_int((int64_t)strlen(c->hash), 64, "the hash of a list of claims has 64 digits");
    for (int i = 1; i <= 10; i++)
        ok(find(c, arena_printf(arena, "C%d", i)), "claim C%d of droplet.md section 7", i);
    const struct claim *k = find(c, "C1.ryzen7");
    ok(k && k->about.value == 1.198 && k->k == 300 && k->column == CLAIMS_KERNEL && k->about.side == VERDICT_ABOVE &&
           str_eq(k->machine->name, "ryzen7-3700x") && k->networks == 20,
       "C1 on the Ryzen: 1.198 at k = 300");
    ok(isnan(find(c, "C1")->about.value) && !find(c, "C1")->machine, "\"usually\" has no number and no machine");
}

/* Every released value against the row of its machine and k. */
static void test_values(const struct claims *c)
{
    const char *path = shared_path("data/droplet/expected.tsv");
    char *line, *rest;
    if (!path) {
        skip("../shared is absent", "values of the measured against expected.tsv");
        return;
    }
    int compared = 0;
    for (line = strtok_r(fixture_read(path), "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char machine[32];
        long long at;
        double exec, search;
        if (sscanf(line, "%31s %lld %lf %lf", machine, &at, &exec, &search) != 4)
            continue;
        for (int i = 0; i < c->n; i++) {
            const struct claim *k = &c->list[i];
            if (!k->released.table || !str_eq(k->released.table, "sweep") || !str_eq(k->released.machine, machine) ||
                k->released.k != at || isnan(k->about.value) ||
                (!str_eq(k->released.column, "exec") && !str_eq(k->released.column, "search")))
                continue;
            double want = str_eq(k->released.column, "exec") ? exec : search;
            ok(fabs(want - k->about.value) <= k->about.unit, "%s: %g in the measured, %g in expected.tsv", k->id,
               k->about.value, want);
            compared++;
        }
    }
    ok(compared >= 60, "at least 60 values are compared: %d", compared);
}

/* The message for a measured of this text; "" when it is fine. */
static const char *message(const char *list)
{
    static struct err err;
    struct claims c;
    static const char head[] =
        "claims: x\ntitle: t\nmachines:\n  - {name: m, title: M, target: cpu, match: M}\nlist:\n";
    fixture_file("papers/x.yaml", arena_printf(arena, "%s%s", head, list));
    err = (struct err){0};
    return claims_load(arena, fixture_folder(), "x", &c, &err) ? "" : err.text;
}

static void refuses(const char *list, const char *want)
{
    const char *got = message(list);
    if (!ok(strstr(got, want) != NULL, "refused: %s", want))
        diag("got: %s", got);
}

#define WALL "  - {id: A, claim: c, where: w, metric: m, clock: wall, machine: m, side: above, tolerance: 0.1, "
#define FIRST "  - {id: A, claim: c, where: w, metric: m, clock: none, machine: m, side: above, tolerance: 0.1, "
/* Two exploiters, one with another k in a tier, and a rival of two k. */
static const char RIVALS[] = "report: contest\nnetworks: [net]\narms:\n  - {name: ansor}\n"
                             "  - {name: droplet, explore: ansor, k: [300]}\n  - {name: grid, explore: ansor, k: 300}\n"
                             "  - {name: sweep, explore: ansor, k: [1, 10]}\n"
                             "tiers:\n  short:\n    networks: [other]\n    arms:\n      grid: {k: [1, 2]}\n";

static const char RACE[] = "report: race\nnetworks: [net]\narms:\n  - {name: ansor}\n  - {name: pruner}\n"
                           "  - {name: xgb}\n";

/* What only claims about exploiters have: arm, over, network, and a k that may be left out. */
static void test_arms(void)
{
    is_str(message(FIRST "experiment: rivals, column: kernel_speedup, arm: droplet}\n"), "",
           "a claim of an arm with one k is fine");
    is_str(message(FIRST "experiment: rivals, column: own_speedup, arm: sweep, k: 10, over: [droplet, grid]}\n"), "",
           "a claim against two other arms is fine");
    is_str(message(FIRST "experiment: rivals, column: seed_gain, arm: droplet, network: other}\n"), "",
           "a network of a tier");
    refuses("  - {id: \"A\\n2\", claim: c, where: w, metric: m}\n",
            "papers/x.yaml:6:10: 'id' must be of letters, digits, '.', '_' and '-'");
    refuses("  - {id: \"\", claim: c, where: w, metric: m}\n", "'id' must be of letters");
    refuses(FIRST "experiment: rivals, column: kernel_speedup, arm: drople}\n",
            "papers/x.yaml:6:147: unknown arm 'drople': did you mean 'droplet'?");
    refuses(FIRST "experiment: rivals, column: kernel_speedup, arm: ansor}\n", "unknown arm 'ansor'");
    refuses(FIRST "experiment: rivals, column: kernel_speedup}\n", "'arm'");
    refuses(FIRST "experiment: rivals, column: kernel_speedup, arm: sweep}\n", "arm 'sweep' has several k: name one");
    refuses(FIRST "experiment: rivals, column: kernel_speedup, arm: grid}\n", "arm 'grid' has several k");
    refuses(FIRST "experiment: rivals, column: kernel_speedup, arm: droplet, over: [gird]}\n",
            "papers/x.yaml:6:162: unknown arm 'gird': did you mean 'grid'?");
    refuses(FIRST "experiment: rivals, column: kernel_speedup, arm: droplet, over: [droplet]}\n", "against itself");
    refuses(FIRST "experiment: rivals, column: kernel_speedup, arm: droplet, network: nut}\n",
            "unknown network 'nut': did you mean 'net'?");
    refuses(FIRST "experiment: rivals, column: wins, arm: droplet, network: net}\n", "is over networks");
    refuses(FIRST "experiment: rivals, column: wins, arm: droplet, over: [grid]}\n", "against the explorer only");
    refuses(FIRST "experiment: table9, column: kernel_speedup, arm: droplet, k: 3}\n", "one pair of arms");
    refuses(FIRST "experiment: table9, column: own_speedup, k: 3}\n", "unknown column 'own_speedup'");
    refuses(FIRST "experiment: odd, column: kernel_speedup, k: 3}\n",
            "claims cannot be about 'odd': its report is 'none'");
}

/* Claims about a race: its arms but the first, without k, and columns of its own. */
static void test_race(void)
{
    is_str(message(WALL "experiment: heat, column: parity_mean, arm: pruner}\n"), "",
           "search time to parity is a column of a race");
    is_str(message(WALL "experiment: heat, column: parity_retimed, arm: pruner, network: net}\n"), "",
           "by re-timed programs of one network, too");
    is_str(message(FIRST "experiment: heat, column: kernel_speedup_retimed, arm: pruner, over: xgb}\n"), "",
           "arms of a race end against another than the first");
    refuses(FIRST "experiment: heat, column: parity, arm: pruner}\n", "is on the clock 'wall', not 'none'");
    refuses(WALL "experiment: heat, column: parity, arm: ansor}\n", "unknown arm 'ansor'");
    refuses(WALL "experiment: heat, column: parity}\n", "'arm'");
    refuses(WALL "experiment: heat, column: parity, arm: pruner, k: 3}\n", "has no k");
    is_str(message(WALL "experiment: heat, column: parity, arm: xgb, over: pruner}\n"), "",
           "search time to parity with an arm that stands before");
    refuses(WALL "experiment: heat, column: parity, arm: pruner, over: xgb}\n",
            "arm 'xgb' does not stand before 'pruner'");
    refuses(WALL "experiment: heat, column: parity, arm: xgb, over: pruner, network: net}\n", "is over networks");
    refuses(WALL "experiment: heat, column: parity_retimed, arm: xgb, over: pruner}\n", "against the explorer only");
    refuses(FIRST "experiment: heat, column: seed_gain, arm: pruner}\n", "unknown column 'seed_gain'");
    refuses(WALL "experiment: rivals, column: parity, arm: droplet}\n", "unknown column 'parity'");
}

/* A column's clock and unit are those of the claim. */
static void test_units(void)
{
    refuses(FIRST "experiment: table9, column: search_speedup_wall, k: 3}\n",
            "papers/x.yaml:6:51: claim 'A': column 'search_speedup_wall' is on the clock 'wall', not 'none'");
    refuses(WALL "experiment: rivals, column: exploit_speedup_wall, arm: droplet}\n", "needs 'over'");
    is_str(message(WALL "experiment: rivals, column: exploit_speedup_wall, arm: droplet, over: grid}\n"), "",
           "exploitation on the wall");
    refuses(WALL "experiment: rivals, column: exploit_speedup_records, arm: droplet, over: grid}\n",
            "is on the clock 'records', not 'wall'");
    refuses(FIRST "value: 2.5, experiment: table9, column: wins, k: 3}\n", "at most 2, not 2.5");
    refuses(FIRST "value: 2.5, experiment: table9, column: networks, k: 3}\n", "is a count, and 2.5 is none");
    refuses(FIRST "experiment: table9, column: networks, k: 3}\n", "is a count and needs 'value'");
}

/* A claim's own band holds its value and lies on its side; its rule is a word of a list; a margin is a share. */
static void test_bands(const struct claims *c)
{
    double low, high;
    is_str(message(FIRST "value: 4, band: [2, 10], experiment: table9, column: kernel_speedup, k: 3}\n"), "",
           "a claim may have a band of its own");
    refuses(FIRST "value: 4, band: [5, 10], experiment: table9, column: kernel_speedup, k: 3}\n",
            "papers/x.yaml:6:114: claim 'A': the band 5 to 10 does not hold its value 4");
    refuses(FIRST "value: 4, band: [0.5, 10], experiment: table9, column: kernel_speedup, k: 3}\n",
            "the band 0.5 to 10 holds ratios that are not above 1");
    refuses(FIRST "band: [2, 10], experiment: table9, column: kernel_speedup, k: 3}\n", "a band needs 'value'");
    refuses(FIRST "value: 4, band: [10, 2], experiment: table9, column: kernel_speedup, k: 3}\n",
            "'band' must be two numbers above 0, the lower one first");
    refuses(FIRST "value: 4, band: 3, experiment: table9, column: kernel_speedup, k: 3}\n",
            "'band' must be two numbers");
    refuses(FIRST "value: 4, band: [nan, 10], experiment: table9, column: kernel_speedup, k: 3}\n",
            "'band' must be two numbers");
    refuses(FIRST "margin: 0, experiment: table9, column: kernel_speedup, k: 3}\n", "'margin' must be between");
    refuses("  - {id: A, claim: c, where: w, metric: m, clock: none, machine: m, side: abvoe, tolerance: 0.1}\n",
            "papers/x.yaml:6:75: unknown side 'abvoe': did you mean 'above'?");
    refuses("  - {id: A, claim: c, where: w, metric: m, clock: none, machine: m, side: above, tolerance: nan}\n",
            "'tolerance' must be");
    ok(verdict_band(&find(c, "C6")->about, &low, &high) && low == 2 && high == 10, "C6 says 2 to 10 times");
    ok(verdict_band(&find(c, "C1.ryzen7")->about, &low, &high) && fabs(low * high / (1.198 * 1.198) - 1) < 1e-12,
       "1.198 has a band about it");
    for (int i = 0; i < c->n; i++)
        if (verdict_band(&c->list[i].about, &low, &high) && c->list[i].about.side != VERDICT_AS_GOOD &&
            !isnan(c->list[i].about.value) && !(low <= c->list[i].about.value && c->list[i].about.value <= high))
            fail("the band of %s does not hold its value", c->list[i].id);
}

/* Numbers near 1 state no side: a ratio of 1 would refute them. */
static void test_sides(const struct claims *c)
{
    static const char *const numbers[] = {"C1.rtx3080", "C1.a64fx", "K25.kernel", "K50.kernel", "A300.ryzen7"};
    static const char *const good[] = {"C5", "C5.ryzen7", "C6.effective", "C7", "M300"};
    for (int i = 0; i < 5; i++) {
        ok(find(c, numbers[i])->about.side == VERDICT_NUMBER, "claim %s is a number without a side", numbers[i]);
        ok(find(c, good[i])->about.side == VERDICT_AS_GOOD, "claim %s is one of being as good", good[i]);
    }
    int near = 0;
    for (int i = 0; i < c->n; i++) {
        const struct verdict_claim *v = &c->list[i].about;
        bool sided = v->side <= VERDICT_BELOW && !isnan(v->value) && c->list[i].column != CLAIMS_NETWORKS;
        near += sided && fabs(log(v->value)) < log(1.06);
    }
    ok(near <= 1, "a side with a number within 6 %% of 1 is claimed once, for the time without the test: %d", near);
    ok(find(c, "C8.time")->about.tolerance == 0.04, "the band of 4 to 11 %% longer is 4 %% wide");
    ok(find(c, "X2")->about.value == 3.22 && str_eq(find(c, "X2")->clock, "wall"), "X2 is like for like, on the wall");
    ok(find(c, "K10000.kernel")->about.value == 1.233 && find(c, "K1000.search.a64fx") && find(c, "T.a64fx.vgg11") &&
           find(c, "D100.a100") && find(c, "V.a64fx.resnet34.worse"),
       "the sweeps of all machines, the tables by network and the tests of reruns are claims");
}

static void test_broken(const struct claims *all)
{
    struct err err = {0};
    fixture_file("table9.yaml", "report: table3\n");
    fixture_file("rivals.yaml", RIVALS);
    fixture_file("heat.yaml", RACE);
    fixture_file("odd.yaml", "report: none\n");
    test_bands(all);
    is_str(message(FIRST "experiment: table9, column: wins, k: 3}\n"), "", "a claim without a mistake is fine");
    refuses(FIRST "experiment: table8, column: wins, k: 3}\n",
            "papers/x.yaml:6:110: unknown experiment 'table8': did you mean 'table9'?");
    refuses(FIRST "experiment: table9, column: win, k: 3}\n",
            "papers/x.yaml:6:126: unknown column 'win': did you mean 'wins'?");
    refuses(FIRST "experiment: table9, column: wins}\n", "'k'");
    refuses(FIRST "value: 1.2}\n", "claim 'A' needs 'experiment' or 'untested'");
    refuses(FIRST "untested: u, experiment: table9, column: wins, k: 3}\n", "has both");
    refuses("  - {id: A, claim: c, where: w, metric: m, clock: none, machine: m, side: number, tolerance: 0.1, "
            "untested: u}\n",
            "claim 'A': side 'number' needs 'value'");
    refuses("  - {id: A, claim: c, where: w, metric: m, clock: none, machine: m, side: as_good, tolerance: 0.1, value: "
            "1.1, "
            "untested: u}\n",
            "side 'as_good' is about 1 and has no value");
    refuses(FIRST "value: 0, experiment: table9, column: kernel_speedup, k: 3}\n", "a ratio is above 0");
    refuses(FIRST "value: 0.9, experiment: table9, column: kernel_speedup, k: 3}\n", "0.9 is not above 1");
    refuses(FIRST "untestd: u}\n", "unknown key 'untestd': did you mean 'untested'?");
    refuses("  - {id: A, claim: c, where: w, metric: m, clock: wall, machine: n, side: above, tolerance: 0.1}\n",
            "unknown machine 'n'");
    refuses("  - {id: A, claim: c, where: w, metric: m, clock: wll, machine: m, side: above, tolerance: 0.1}\n",
            "unknown clock 'wll': did you mean 'wall'?");
    refuses(FIRST "untested: u}\n" FIRST "untested: u}\n", "claim 'A' is also in line 6");
    refuses(FIRST "untested: u, released: {table: sweep, machine: a, k: 1, column: exe}}\n",
            "unknown column 'exe': did you mean 'exec'?");
    refuses(FIRST "untested: u, released: {table: variance, machine: a, k: 1, column: exec}}\n", "'network'");
    struct claims c;
    ok(!claims_load(arena, fixture_folder(), "y", &c, &err) && strstr(err.text, "no claims of 'y'"),
       "an unknown paper is refused");
    test_arms();
    test_race();
    test_units();
}

int main(void)
{
    struct claims c;
    struct err err = {0};
    if (ok(claims_load(arena, "experiments", "droplet", &c, &err), "the claims of the paper load %s", err.text)) {
        test_claims_file(&c);
        test_values(&c);
        test_sides(&c);
    }
    test_broken(&c);
    return done_testing();
}
