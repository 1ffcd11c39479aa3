/* SPDX-License-Identifier: Apache-2.0 */
/* pretraining: the recording that is shipped is read, and holds no kernel of the networks that experiment parity races
 * on in an hour; a network is pre-trained once, from the recording, the seed and the settings alone. */
#include "models/pretraining.h"

#include "harness/base/file.h"
#include "harness/experiment/network.h"
#include "models/learner.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"
#include "tests/lib/trainee.h"

#include <string.h>
#include <unistd.h>

#define RECORDING "recordings/x86-64.jsonl.gz"
enum { STATES = 40 };

static bool has(const struct pretraining *p, const struct network *net)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < net->nkernels; k++)
            if (p->candidates[i].task->hash == net->tasks[k].task->hash)
                return true;
    return false;
}

static void test_recording(void)
{
    static const char *const raced[] = {"resnet18", "mobilenet_v2"};
    struct pretraining p;
    struct network *net;
    struct err err = {0};
    if (!ok(pretraining_read(arena, "experiments/" RECORDING, &p, &err), "the recording is read %s", err.text))
        return;
    is_int(p.n, 1336, "every program that it holds is trained on");
    is_int(p.kernels, 43, "all its kernels are there");
    int odd = 0;
    for (int i = 0; i < p.n; i++)
        odd += p.samples[i].nseconds != 1 || !(p.samples[i].seconds[0] > 0) || p.samples[i].outcome != OUTCOME_OK;
    is_int(odd, 0, "each has one time, the median of its repeats");
    for (int i = 0; i < 2; i++)
        ok(network_load(arena, "experiments", raced[i], &net, &err) && !has(&p, net),
           "no kernel of %s is among what the model is pre-trained on", raced[i]);
    ok(network_load(arena, "experiments", "squeezenet", &net, &err) && has(&p, net), "those of squeezenet are");
    ok(!pretraining_read(arena, "experiments/parity.yaml", &p, &err), "another file is refused: %s", err.text);
}

/* Opens moa with these settings in an environment of that seed, and scores the states; false: it does not open. */
static bool open_and_score(const char *settings, uint64_t seed, const char *cache, double s[STATES], struct err *err)
{
    const struct model *plug = fixture_model("moa");
    struct tiled_matmuls p = tiled_matmuls_make(arena, STATES, 11);
    void *options, *self = arena_alloc(arena, plug->state_size);
    fixture_must(setting_options(arena, plug->settings, plug->options_size, settings, &options, err), err);
    struct model_env env = {
        .options = options, .limits = limits_cpu(1), .warmup = 100, .folder = "experiments", .cache = cache};
    rng_seed(&env.rng, seed);
    if (!plug->open(self, &env, err))
        return false;
    const struct learner *l = self; /* the first member of moa's state */
    ok(memcmp(l->net.param, l->siamese.param, sizeof(float) * l->net.nparams) == 0,
       "the Siamese network begins as the pre-trained one");
    bool fine = plug->score(self, p.candidates[0].task, p.states, STATES, s, err);
    plug->close(self);
    return fine;
}

static int kept(void)
{
    char **names;
    int n = 0;
    struct err err = {0};
    return file_list(arena, fixture_folder(), ".net", &names, &n, &err) ? n : -1;
}

static void test_training(void)
{
    static const char *const once = "epochs=1,pretrain=" RECORDING;
    double s[4][STATES] = {{0}};
    const char *cache = fixture_folder();
    struct err err = {0};
    ok(open_and_score(once, 1, cache, s[0], &err), "a network is pre-trained when the model is opened %s", err.text);
    is_int(kept(), 1, "the network is kept in the cache");
    ok(open_and_score(once, 2, cache, s[1], &err), "the next search takes it from there %s", err.text);
    ok(open_and_score(once, 3, NULL, s[2], &err), "without a cache it is trained again %s", err.text);
    is_mem(s[1], s[0], sizeof s[0], "what was kept scores as what was trained");
    is_mem(s[2], s[0], sizeof s[0], "the search's own seed decides nothing of it");
    ok(open_and_score("epochs=1,pretrain_seed=2,pretrain=" RECORDING, 1, cache, s[3], &err), "another seed trains %s",
       err.text);
    ok(!trainee_same(s[3], s[0], STATES), "another seed gives another network");
    is_int(kept(), 2, "each network has a name of its own in the cache");
    ok(!open_and_score("load=x,pretrain=" RECORDING, 1, cache, s[3], &err), "two beginnings are refused: %s", err.text);
}

int main(void)
{
    test_recording();
    test_training();
    return done_testing();
}
