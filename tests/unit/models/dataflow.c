/* SPDX-License-Identifier: Apache-2.0 */
/* dataflow: the blocks of a tiled product of 1024 x 1024 matrices on a GPU (blocks of 16 x 16 threads of 4 x 4
 * elements, k in 64 times 16) and of a tiled product on a CPU, worked out by hand; zeros for an element-wise kernel. */
#include "models/dataflow.h"

#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

#include <math.h>

static const char GPU_STEPS[] =
    "[[\"CHW\",2,\"local\"],[\"SP\",2,0,1024,[1,16,4,1],1],[\"SP\",2,5,1024,[1,16,4,1],1],[\"SP\",2,10,1024,[16,1],1],"
    "[\"RE\",2,[0,5,1,6,2,7,10,11,3,8,12,4,9]],[\"FSP\",3,0,1,3],[\"FSP\",3,4,2,3],[\"RE\",3,[0,4,1,5,2,6,3,7]],"
    "[\"CA\",2,3,5],[\"CHR\",1,\"shared\",[2]],[\"CA\",2,3,6],[\"CHR\",0,\"shared\",[3]],[\"CA\",1,4,6],"
    "[\"FU\",5,[0,1]],[\"AN\",5,0,5],[\"FU\",5,[1,2]],[\"AN\",5,1,4],[\"FU\",5,[2,3]],[\"AN\",5,2,6],"
    "[\"FU\",3,[0,1]],[\"SP\",3,0,1024,[1],1],[\"AN\",3,1,2],[\"FFSP\",3,0,[1,2],1,1],[\"AN\",3,1,6],"
    "[\"FU\",1,[0,1]],[\"SP\",1,0,1024,[1],1],[\"AN\",1,1,2],[\"FFSP\",1,0,[1,2],1,1],[\"AN\",1,1,6]]";
static const char CPU_STEPS[] = "[[\"SP\",2,0,512,[16],1],[\"SP\",2,2,512,[8],1],[\"RE\",2,[0,2,4,3,1]]]";

static bool blocks_of(struct arena *a, const char *spec, const char *text, bool gpu,
                      float out[DATAFLOW_BLOCKS][DATAFLOW_FIELDS])
{
    struct err err = {0};
    struct features f;
    struct dataflow *d = dataflow_open();
    struct feature_watch watch = dataflow_start(d);
    if (!feature_extract_watched(a, fixture_nest(a, spec, text), &watch, &f, &err))
        bug("%s: %s", spec, err.text);
    bool found = dataflow_blocks(d, gpu, &out[0][0]);
    dataflow_close(d);
    return found;
}

/* "2w 0r": place and type of each block. */
static void describe(float blocks[DATAFLOW_BLOCKS][DATAFLOW_FIELDS], char *out)
{
    for (int i = 0; i < DATAFLOW_BLOCKS; i++)
        for (int p = 0; p < 3; p++)
            for (int t = 0; t < 3; t++)
                if (blocks[i][DATAFLOW_PLACE + p] == 1 && blocks[i][DATAFLOW_TYPE + t] == 1) {
                    *out++ = "012"[p];
                    *out++ = "rwu"[t];
                }
    *out = 0;
}

static void check(float blocks[DATAFLOW_BLOCKS][DATAFLOW_FIELDS], int block, int field, double want, const char *what)
{
    is_near((double)blocks[block][field], log2(1 + want), 1e-6, "block %d: %s", block, what);
}

static void test_gpu(struct arena *a)
{
    float b[DATAFLOW_BLOCKS][DATAFLOW_FIELDS];
    char text[40];
    ok(blocks_of(a, "matmul n=1024 m=1024 k=1024", GPU_STEPS, true, b), "a tiled product for GPUs has blocks");
    describe(b, text);
    is_str(text, "2w0r1w0r1w1r1r2u", "the tile is zeroed, both operands are staged, the tile is updated");
    double turns = 1073741824;
    check(b, 0, DATAFLOW_WORK, 0, "zeroing takes no float operations");
    check(b, 1, DATAFLOW_WORK, 0, "staging takes no float operations");
    check(b, 7, DATAFLOW_WORK, 2 * turns * turns, "two operations a turn, times the turns twice");
    check(b, 5, DATAFLOW_WORK, 2 * turns * turns, "each access has the work of its store");
    check(b, 7, DATAFLOW_BYTES, 4 * turns, "four bytes a turn");
    check(b, 0, DATAFLOW_BYTES, 4. * 1024 * 1024, "each element is zeroed once");
    check(b, 2, DATAFLOW_BYTES, 4. * 256 * 64 * 16 * 64 * 256,
          "256 blocks stage 64 times 64 x 16 elements; TVM counts the loop over 256 threads twice");
    check(b, 0, DATAFLOW_ALLOCATED, 4. * 4 * 4, "a thread holds 4 x 4 elements");
    check(b, 1, DATAFLOW_ALLOCATED, 0, "an argument is not allocated");
    check(b, 2, DATAFLOW_ALLOCATED, 4. * 64 * 16, "a block stages 64 x 16 elements");
    is_near((double)(b[7][DATAFLOW_REUSE] + b[7][DATAFLOW_REUSE + 1] + b[7][DATAFLOW_REUSE + 2]), 1, 0,
            "one flag says how the tile is used again");
    double often = exp2((double)b[7][DATAFLOW_DISTANCE + 2]) - 1;
    check(b, 7, DATAFLOW_BYTES_PER_REUSE, 4 * turns / often, "bytes over how often they are used again");
    ok(!blocks_of(a, "matmul n=512 m=512 k=512", CPU_STEPS, true, b) && b[3][DATAFLOW_WORK] == 0,
       "a program without shared memory has no blocks on GPUs");
}

static void test_cpu(struct arena *a)
{
    float b[DATAFLOW_BLOCKS][DATAFLOW_FIELDS];
    char text[40];
    ok(blocks_of(a, "matmul n=512 m=512 k=512", CPU_STEPS, false, b), "a tiled product for CPUs has blocks");
    describe(b, text);
    is_str(text, "0w0r0r0u", "the result is zeroed and then updated from two operands");
    check(b, 3, DATAFLOW_WORK, 2. * 134217728 * 134217728, "the update has all the work");
    ok(!blocks_of(a, "map n=64 c=64 by=relu", "[]", false, b), "an element-wise kernel has no blocks");
}

int main(void)
{
    test_gpu(arena);
    test_cpu(arena);
    return done_testing();
}
