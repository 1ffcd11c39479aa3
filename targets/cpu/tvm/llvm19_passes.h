/* SPDX-License-Identifier: Apache-2.0 */
/* llvm19_passes: what LLVM 19's `opt -passes='default<O3>' -print-pipeline-passes` prints, without loop-load-elim and
 * what is for other languages. That pass compares each access of a loop's body with every other, a third of the time of
 * all passes, and seconds for bodies of a thousand accesses. It changed none of 75 of TVM's programs. The text does not
 * say that loops are unrolled fully up to 300 instructions: that is an option of the process (codegen.c). */
#pragma once

#define LLVM19_PASSES                                                                                                  \
    "forceattrs,inferattrs,function<eager-inv>(ee-instrument<>,lower-expect,"                                          \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;no-switch-range-to-icmp;no-switch-to-lookup;keep-"      \
    "loops;no-hoist-common-insts;no-sink-common-insts;speculate-blocks;simplify-cond-branch;no-speculate-"             \
    "unpredictables>,"                                                                                                 \
    "sroa<modify-cfg>,early-cse<>,callsite-splitting),openmp-opt,ipsccp,called-value-propagation,globalopt,"           \
    "function<eager-inv>(mem2reg,instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,"                   \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"   \
    "no-hoist-common-insts;no-sink-common-insts;speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>),"  \
    "always-inline,require<globals-aa>,function(invalidate<aa>),require<profile-summary>,"                             \
    "cgscc(devirt<4>(inline,function-attrs<skip-non-recursive-function-attrs>,argpromotion,openmp-opt-cgscc,"          \
    "function<eager-inv;no-rerun>(sroa<modify-cfg>,early-cse<memssa>,"                                                 \
    "speculative-execution<only-if-divergent-target>,jump-threading,correlated-propagation,"                           \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"   \
    "no-hoist-common-insts;no-sink-common-insts;speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,"   \
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,aggressive-instcombine,"                        \
    "libcalls-shrinkwrap,tailcallelim,"                                                                                \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"   \
    "no-hoist-common-insts;no-sink-common-insts;speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,"   \
    "reassociate,constraint-elimination,loop-mssa(loop-instsimplify,loop-simplifycfg,"                                 \
    "licm<no-allowspeculation>,loop-rotate<header-duplication;no-prepare-for-lto>,licm<allowspeculation>,"             \
    "simple-loop-unswitch<nontrivial;trivial>),"                                                                       \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"   \
    "no-hoist-common-insts;no-sink-common-insts;speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,"   \
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,loop(loop-idiom,indvars,"                       \
    "simple-loop-unswitch<nontrivial;trivial>,loop-deletion,loop-unroll-full),sroa<modify-cfg>,"                       \
    "vector-combine,mldst-motion<no-split-footer-bb>,gvn<>,sccp,bdce,"                                                 \
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,jump-threading,correlated-propagation,"         \
    "adce,memcpyopt,dse,move-auto-init,loop-mssa(licm<allowspeculation>),coro-elide,"                                  \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"   \
    "hoist-common-insts;sink-common-insts;speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,"         \
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>),function-attrs,"                               \
    "function(require<should-not-run-function-passes>),coro-split)),deadargelim,globalopt,"                            \
    "globaldce,elim-avail-extern,rpo-function-attrs,recompute-globalsaa,function<eager-inv>(float2int,"                \
    "lower-constant-intrinsics,chr,loop(loop-rotate<header-duplication;no-prepare-for-lto>,loop-deletion),"            \
    "loop-distribute,inject-tli-mappings,loop-vectorize<no-interleave-forced-only;no-vectorize-forced-only;>,"         \
    "infer-alignment,instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,"                               \
    "simplifycfg<bonus-inst-threshold=1;forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;"      \
    "hoist-common-insts;sink-common-insts;speculate-blocks;simplify-cond-branch;no-speculate-unpredictables>,"         \
    "slp-vectorizer,vector-combine,instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,"                 \
    "loop-unroll<O3>,transform-warning,sroa<preserve-cfg>,infer-alignment,"                                            \
    "instcombine<max-iterations=1;no-use-loop-info;no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),"             \
    "alignment-from-assumptions,loop-sink,instsimplify,div-rem-pairs,tailcallelim,"                                    \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"   \
    "no-hoist-common-insts;no-sink-common-insts;speculate-blocks;simplify-cond-branch;speculate-unpredictables>),"     \
    "globaldce,constmerge,cg-profile,function(annotation-remarks)"
