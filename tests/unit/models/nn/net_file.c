/* SPDX-License-Identifier: Apache-2.0 */
/* net_file: what is written is read back; every way in which a file can be wrong is refused with its reason. */
#include "models/nn/net_file.h"

#include "harness/base/file.h"
#include "harness/base/text.h"
#include "models/nn/networks.h"
#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <string.h>

static const char *path;

static void test_round_trip(void)
{
    struct net x, y;
    struct err err = {0};
    struct rng rng;
    rng_seed(&rng, 6);
    net_make_pacm(&x);
    net_make_pacm(&y);
    net_start(&x, &rng);
    x.scale[1][7] = 0.25f;
    ok(net_save(&x, "pacm", path, &err) && net_load(&y, "pacm", path, &err), "a network is saved and loaded %s",
       err.text);
    is_mem(y.param, x.param, sizeof(float) * x.nparams, "the parameters are the same");
    is_mem(y.buffer, x.buffer, sizeof(float) * x.nbuffers, "the running statistics are the same");
    is_mem(y.scale[1], x.scale[1], sizeof(float) * DATAFLOW_WIDTH, "the scales are the same");
    net_close(&x);
    net_close(&y);
}

/* The file of an MLP, changed in one way, must be refused with this in the message. */
static void refused(const char *text, size_t n, const char *kind, const char *why)
{
    struct net net;
    struct err err = {0};
    struct rng rng;
    rng_seed(&rng, 1);
    net_make_mlp(&net);
    net_start(&net, &rng);
    float before = net.param[9];
    if (ok(file_write(path, text, n, &err), "a file is written"))
        ok(!net_load(&net, kind, path, &err) && strstr(err.text, why) && net.param[9] == before, "refused: %s",
           err.text);
    net_close(&net);
}

static void test_refusals(void)
{
    struct net n;
    struct err err = {0};
    char *text = NULL;
    size_t size = 0;
    net_make_mlp(&n);
    if (!ok(net_save(&n, "mlp", path, &err) && file_read(arena, path, 0, &text, &size, &err), "an MLP is saved"))
        return;
    refused("", 0, "mlp", "holds no network");
    refused("hello\nworld\n", 12, "mlp", "holds no network");
    refused(text, size, "pacm", "holds a 'mlp', not a 'pacm'");
    refused(text, size - 4, "mlp", "bytes of numbers");
    refused(text, 30, "mlp", "head is damaged");
    char *other = arena_copy(arena, text, size);
    other[size - 1] ^= 1;
    refused(other, size, "mlp", "checksum");
    other = arena_copy(arena, text, size);
    memcpy(other, "raingauge network 2", 19);
    refused(other, size, "mlp", "version '2'");
    other = arena_copy(arena, text, size);
    char *width = strstr(other, "174");
    memcpy(width, "173", 3);
    refused(other, size, "mlp", "other layers");
    net_close(&n);
}

int main(void)
{
    path = fixture_path("network");
    test_round_trip();
    test_refusals();
    return done_testing();
}
