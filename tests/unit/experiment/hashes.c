/* SPDX-License-Identifier: Apache-2.0 */
/* The hashes of the experiments of this tree as revision 20e4f07 computed them, with `raingauge plan X --tier T --set
 * KEY=VALUE --json`: records that were made then are still recognised. Three words were others then: retime_top
 * was formerly finalists, retime_regime final_regime, and the searcher remeasure retime. Files that came later have the
 * hashes that they came with. A change of an experiment
 * file, or of a network in it, changes its hashes: then the rows of that file are typed anew. */
#include "harness/base/text.h"
#include "harness/experiment/experiment.h"
#include "models/models.h"
#include "search/searchers.h"
#include "targets/targets.h"
#include "tests/lib/tap.h"

#include <string.h>

static const struct {
    const char *name, *tier, *sets; /* sets: separated by blanks */
    const char *hash;
} ROWS[] = {
    {"controls", "smoke", "", "8b60922295a05e50072405eac15e5d2812b818953f6ae86f6954cdc7f6a74b55"},
    {"controls", "smoke", "target=fake", "6956c98a0321d2b3995e620a8d36bab8649bdd0e75138ade3c86a99edecd086c"},
    {"controls", "short", "", "9180350b9825dcc5ed947aa8ced36b385191d754ad6a548b79fd73a92ce72ba9"},
    {"controls", "full", "", "8f448ea1ccc134dafebaefa5d5686168b4e5e3380c6e6b202878a057e45bd34c"},
    {"exploiters", "smoke", "", "470898297caf8c8ae5596b4edd1d7571d92dcf5b69521590f308561a5fc3ccca"},
    {"exploiters", "smoke", "target=fake", "f175c3c5bd7f7eec05bfe653727f970e230838998edc252ccabadefba7431a26"},
    {"exploiters", "short", "", "d9d0083d473409b8ccad350fd0503242ac2293bbc03baaf490cba7b81268f026"},
    {"exploiters", "full", "", "2da4e65a3448b25e88e215b986362cb25ab12a27ac3e77c5c4d1af5b7b68aab5"},
    {"metaschedule", "smoke", "", "26a1ce4d9f595f5b8ad94de33718f1dce00f4b5960d79faae3d7e8db67baf37a"},
    {"metaschedule", "smoke", "target=fake", "1909f375f13cfde21bd2b5f8a114ac81576bd538f329f40398cc418342dc2960"},
    {"metaschedule", "short", "", "f3a69e51ceace86e556f51b841fd9b40b07c339e903cbad5c4657d0915d1f86a"},
    {"metaschedule", "full", "", "2cac6f792f2237c6e992f5a0d63b545f1323c6f456d0e275f2d4008d1890bb68"},
    {"micro", "smoke", "", "c73cad1462d4f23e4f7de44dc300739c1b2ddee40c4a4699caa77031720e4002"},
    {"micro", "smoke", "target=fake", "43e71881a2c4dde1dc49dbc0c1e853837e4ffd7737f740249f66ded8df575c4e"},
    {"micro", "short", "", "79e29e7ba491ed0c94f126be17dcb152caf248be68da37d0f336193b6557f26b"},
    {"micro", "full", "", "97456b7b2ca54d8ad555b6cc38c018e9a9cedcef6264156bfecec214c0b4c4fe"},
    {"parity", "smoke", "", "9c6df9296da8c9596f4b7da1c2519cf38491406858dbaf0ce709d6c31b6b784f"},
    {"parity", "direction", "", "7f46917d1f7a8032220299abc22df1e5f058d9d003c6ec83f60f1ecb67a14d71"},
    {"parity", "short", "", "6c780ac4f4659022824bd42efc07fa6cfcad7b6f5ea6de3cbc55438723af0a7a"},
    {"storm-draft-drop", "smoke", "", "cb14d2ae47c5c1cc733094b463955a9b2348766ee646bd58c56f2c19eb74e740"},
    {"storm-draft-drop", "short", "", "49a4403f7ad0074018d6dad0f52464195db13e23904c3d33c96be2297688e786"},
    {"speculation", "smoke", "", "7e15b9cdf59a01dd1264065d5d8ac72c6faef32b14cd02f60e914d74f90fd5db"},
    {"speculation", "smoke", "target=fake", "150b9a43c6871bb0bc95f116045b588e2a4484c93934a4ec023187cc93000718"},
    {"speculation", "short", "", "81126d8bfaa572324586961f127dbb2f419a34175044c18b1df627f6cbdf2ecd"},
    {"speculation", "full", "", "4c3c7c6506dfb0244362243682cb72e1386103c9f0a235c0b48f70a031cacc4c"},
    {"table3", "smoke", "", "69cfa9fdbbf32a6b33d5e033054b6f16794b212db148240d4ed71ef0b52dbab5"},
    {"table3", "smoke", "target=fake", "168332b1dfe94b6fa76b258be7219b7991dbbf9613d540544fcc85a25d4b511a"},
    {"table3", "short", "", "62e5f67b622547f3ebacbcd19bec2379b6c6c4d04b212215afd31a9eb4dd6c83"},
    {"table3", "full", "", "b4ed11b2829811c13b7de6f4d58cd28c69a835978f65e093f6d21c500225601c"},
    {"threshold", "smoke", "", "6f40163e02e19572dff254378b4837553d1ad607d7f8773485b92ffd2277283e"},
    {"threshold", "smoke", "target=fake", "2d836c7a163456aefe5219fe567e976b3510b9259303b1da6489a9df0e8b28f9"},
    {"threshold", "short", "", "53a90300b8436efe8b5866c7822f3dadf71c40439718815eff2ef30e148e2856"},
    {"threshold", "full", "", "e59fb759e63a89f8c8a970c47deff5d43a0fc39484acb176bf8b64daf85c6fcf"},
    {"variance", "smoke", "", "fadaba03533bb3e08890c7e176400f7400fbef7914b2cacfb014e704a4ff501f"},
    {"variance", "smoke", "target=fake", "e89294b833c34a92f807151562e27f88f2bd465d301e602d0a37440099bdc180"},
    {"variance", "short", "", "ecff9888e9febf1df6a61d352be90a9371366f4291d3b0c0952f3ac4740b2064"},
    {"variance", "full", "", "5dbe0fb9abcc66d90adff1a4536248823b14d2686dc4e351e683d999a793cedd"},
    {"nightly", "", "", "e9f744c58d51efecee8383454413a951a2531f6c940b9cd310ca28e483e072a8"},
    {"nightly", "", "target=fake", "4b5538d1f26a90e2c48766ad6f7c50cf58b27d87259507402616e384a6bbf91f"},
    {"controls", "smoke", "seeds=3 first_seed=4", "aee8a78fccefea605cc8d7f595bc995060bfb1c9dc9ba2a4c96e8f14526af43a"},
    {"controls", "smoke", "retime_top=5 launches=7",
     "8018477d0d5b58219d6bb2574b7e8e62d34017916f394e6da7cbc7928e7b0ae2"},
    {"controls", "smoke", "retime_regime.repeat=7 regime.patience=3",
     "f093e91c93cb16c64a3f3cc0f410cdbadec1426694ef7c61161efb8200cc7806"},
    {"controls", "smoke", "target=fake target_settings.noise=0.05 target_settings.fail=0.1",
     "67db2f2728ca028ba64a3650da20bd7a56eaf2b7bb18248875978ab1b9cbb5e7"},
    {"controls", "smoke", "layout=0 machine=ryzen7-3700x",
     "8d4710e14f71ab402b485c744953df562f5794a95523e64304b37011e3392d99"},
    {"controls", "smoke", "kernels=1", "bad24f34cbd7bc7aa800efd5c2aa9eadca1b5de38dba19c4d5a4b80a11637f7c"},
    {"controls", "smoke", "retime_regime=retime regime=tvm",
     "b45cbe874fbd71da3e5462716ca96dcfc176de3b1d21e50d8f5fb1d1d25ded3b"},
    {"controls", "smoke", "retime_regime=p1-final", "6abd66ac5cfd0b72836b295037e3c1774ca78f70b358d357a04dbc9c8dd35d88"},
    {"exploiters", "smoke", "seeds=3 first_seed=4", "105ab87ac7bfe8c8cf56dcbe496c57ce86d76aea510b6177f011fb10e8903223"},
    {"exploiters", "smoke", "retime_top=5 launches=7",
     "acf3036908e788ee6c88c0f0149b35a8a389effc477db850666d3fecc48cc5c7"},
    {"exploiters", "smoke", "retime_regime.repeat=7 regime.patience=3",
     "2bf84bbc71ca1ec0aec7e350e5135888d9e76c0b8482b24fb9f2a1e2baaa2d03"},
    {"exploiters", "smoke", "target=fake target_settings.noise=0.05 target_settings.fail=0.1",
     "5e12ffe9b33be0f7685481d162ebc6dd7b081d1cd45de0977713adcc55b8fa6f"},
    {"exploiters", "smoke", "layout=0 machine=ryzen7-3700x",
     "947cdf80118a63648edeeec8b61afc7a1fdf4b4a89eb86818722b967afc0e406"},
    {"exploiters", "smoke", "kernels=1", "4b680f0dfe77ac9a2796e6ccfb3cb1d9ddb80f8d9c1233178178d939dac256ff"},
    {"exploiters", "smoke", "retime_regime=retime regime=tvm",
     "1dde4ec885ded63928ef28887d7520854cedb84fe507cf433fbfeb4d1d1f2182"},
    {"exploiters", "smoke", "retime_regime=p1-final",
     "7bacd282638139b091a3b52f03392ffecefa5a82b5b55635d1dee7b5ed196527"},
    {"metaschedule", "smoke", "seeds=3 first_seed=4",
     "bdae4fc2c7a583bec354f83d45a369d558a29c5e4feea97bb93e3339f77886b1"},
    {"metaschedule", "smoke", "retime_top=5 launches=7",
     "cca9dba6dc2bd240e56914b5367a3bf6bb89d1ef068f1f1e8948440e8ff08375"},
    {"metaschedule", "smoke", "retime_regime.repeat=7 regime.patience=3",
     "abe65736f5bad007f5ad962befe9d3476bf5f4ab4f121d5254b57b3abb7016ff"},
    {"metaschedule", "smoke", "target=fake target_settings.noise=0.05 target_settings.fail=0.1",
     "cb473c9d76cbc73d7e33bd332cd8c69a283ff063271a5126d9d06e5e903c7c72"},
    {"metaschedule", "smoke", "layout=0 machine=ryzen7-3700x",
     "0a341f824c3d87feb364c3fbdfa9e287ea82056502d706743b0d648748401b35"},
    {"metaschedule", "smoke", "kernels=1", "93e0ddc26909b368c06daf7dd5ed3d04e2c329e34b8bfa273beb68be292ce3e0"},
    {"metaschedule", "smoke", "retime_regime=retime regime=tvm",
     "62812abada3200aa6bc6f23af9b901509084390d00ebc76b07e3aeceae48741c"},
    {"metaschedule", "smoke", "retime_regime=p1-final",
     "88f96151a7a884bdbdbd24e6da473eda6dcc065d28009a63ffcf49f35ba01c1b"},
    {"table3", "smoke", "seeds=3 first_seed=4", "c94a217a5e7ee053efadd2e5d3752e2611f78b15ca64b17e182e9c200d3c9976"},
    {"table3", "smoke", "retime_top=5 launches=7", "a2f3944601bd2d4f40af5c460e88a04ce9dacad55994fb11f62aa22928eb93ed"},
    {"table3", "smoke", "retime_regime.repeat=7 regime.patience=3",
     "a52fa4282d44987448636979f88467f9cc9a76ae51850177cccc21ae5ff36809"},
    {"table3", "smoke", "target=fake target_settings.noise=0.05 target_settings.fail=0.1",
     "e7944e0ba810da4054a815b3bd3c012d40362a4c734135989bc03b30c7e237ce"},
    {"table3", "smoke", "layout=0 machine=ryzen7-3700x",
     "fba269f0f9360657ac308f42cff295bd6a260d0b5b943191f2905e66091b74fb"},
    {"table3", "smoke", "kernels=1", "9f4d1e5845fa76cf704011abead1ef3a02714bf19db4b99969009cf3bc7f9337"},
    {"table3", "smoke", "retime_regime=retime regime=tvm",
     "b992edf2115b72492a75e35c60ce5e5d9efe3c502241c8545876e487044c5b64"},
    {"table3", "smoke", "retime_regime=p1-final", "637314b7ad6ad37150e60ff4ab9f5f1181e04a6a4b91676d6f723a8217d2ad3a"},
    {"table3", "smoke", "ansor.scheduler=round_robin",
     "99b34e55d8fc934dd3d689351e2145ee83bd2b3bc0c7533a6042115014843b7d"},
    {"table3", "smoke", "dpansor.k_plus_one=true dpansor.share=false",
     "2d3d0842160f2c22d6f01ea94e30060c8bfade61423964a6728732eacbaf2652"},
    {"table3", "smoke", "ansor.model_settings.max_depth=5 ansor.settings.eps_greedy=0.2",
     "202f582a521a6876346c5ef56d207ca6d7285467172cb68a022a18100937c418"},
    {"table3", "smoke", "ansor.batch=9 dpansor.k=1,2,3",
     "af2e48c941c1bf6ee141e5b2b896097d624e27cb19ee3aa2f23ef63f5c7a97cd"},
    {"table3", "smoke", "retime_top=1", "69cfa9fdbbf32a6b33d5e033054b6f16794b212db148240d4ed71ef0b52dbab5"},
    {"table3", "short", "retime_top=3 networks=alexnet,vgg11",
     "a17bf79aa876c18317f6f3c0c7cfdc2dcb22056aa69a3e01778d1458213099d6"},
    {"table3", "smoke", "regime.min_repeat_ms=5 regime.verify=false",
     "2138a7b82c780e69bedac9a3de1357829e95664e50d5623e24947c3a6cfb0122"},
    {"controls", "smoke", "again.settings.times=3", "11187c68fa303d08afc84838ad6e13f7810c39cee5d8621e42c221bba1e1f6b4"},
    {"controls", "full", "own.trials_per_kernel=7", "8f448ea1ccc134dafebaefa5d5686168b4e5e3380c6e6b202878a057e45bd34c"},
    {"exploiters", "smoke", "droplet.settings.variant=paper",
     "2e6ce9d3725282beb5c5102cb391679e9408451e3c5d03b783f04994bde73ddb"},
};

/* The words of a blank-separated list. There was no codegen=tvm then; target fake has no codegen. */
static int split(struct arena *a, const char *list, const char *words[], int most)
{
    int n = 0;
    if (!strstr(list, "target=fake"))
        words[n++] = "target_settings.codegen=fast";
    for (const char *at = list; *at && n < most;) {
        size_t length = strcspn(at, " ");
        words[n++] = arena_strn(a, at, length);
        at += length + (at[length] == ' ');
    }
    return n;
}

/* Records of recorded devices were hashed by the path of the recording until revision 27023c2, which gave these. Git
 * ignores that recording: whether it is there or not, the earlier hash is known. */
static void test_hashes_by_path(const struct registry *registry)
{
    static const char *const rows[][2] = {
        {"smoke", "de7ef3118d9280ac4bd310c6bab5cbe7f3a53f86e11802707fd90baa3c455f0a"},
        {"short", "c4a2b509e81b5417b8d11f29c87b0e754c1d6d689de00d47c72d57bf4567f718"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena *a = arena_open("hash");
        struct experiment_options o = {.folder = "experiments", .name = "bestk", .tier = rows[i][0]};
        struct experiment *e;
        struct err err = {0};
        if (!experiment_load(a, registry, &o, &e, &err))
            fail("bestk, tier '%s', loads: %s", o.tier, err.text);
        else
            is_str(e->plan.former_hash, rows[i][1], "bestk, tier '%s', knows the hash by path", o.tier);
        arena_close(a);
    }
}

int main(void)
{
    struct registry registry = {searchers_table(), models_table(), targets_table(), collectors_table()};
    struct err err = {0};
    if (!registry_model(&registry, "xgb", &err) || !registry_target(&registry, "cpu", &err))
        skip_all("%s", err.text);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        struct arena *a = arena_open("hash");
        const char *sets[8], *tier = ROWS[i].tier;
        struct experiment_options o = {.folder = "experiments",
                                       .name = ROWS[i].name,
                                       .tier = tier,
                                       .sets = sets,
                                       .nsets = split(a, ROWS[i].sets, sets, 8)};
        struct experiment *e;
        err = (struct err){0};
        if (!experiment_load(a, &registry, &o, &e, &err))
            fail("%s, tier '%s', with '%s' loads: %s", o.name, tier, ROWS[i].sets, err.text);
        else
            is_str(e->plan.experiment_hash, ROWS[i].hash, "%s, tier '%s', with '%s' has the hash of old", o.name, tier,
                   ROWS[i].sets);
        arena_close(a);
    }
    test_hashes_by_path(&registry);
    return done_testing();
}
