/* SPDX-License-Identifier: Apache-2.0 */
/* llvm16_passes: what LLVM 16's `opt -passes='default<O3>' -print-pipeline-passes` prints, cut at its one pass
 * reassociate (reassociate.h) and after its loop passes (loop_exit.h), without loop-load-elim (llvm19_passes.h) and
 * alignment-from-assumptions: each access carries its alignment. */
#pragma once

#define LLVM16_BEFORE_REASSOCIATE                                                                                      \
    "annotation2metadata,forceattrs,inferattrs,coro-early,function<eager-inv>(lower-expect,"                           \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;no-switch-range-to-icmp;no-switch-to-lookup;"           \
    "keep-loops;no-hoist-common-insts;no-sink-common-insts>,sroa<modify-cfg>,early-cse<>,callsite-splitting),"         \
    "openmp-opt,ipsccp,called-value-propagation,globalopt,function(mem2reg),function<eager-inv>(instcombine,"          \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;"              \
    "keep-loops;no-hoist-common-insts;no-sink-common-insts>),require<globals-aa>,function(invalidate<aa>),"            \
    "require<profile-summary>,cgscc(devirt<4>(inline<only-mandatory>,inline,function-attrs,argpromotion,"              \
    "openmp-opt-cgscc,function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>,speculative-execution,"                   \
    "jump-threading,correlated-propagation,simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;"                 \
    "switch-range-to-icmp;no-switch-to-lookup;keep-loops;no-hoist-common-insts;no-sink-common-insts>,"                 \
    "instcombine,aggressive-instcombine,libcalls-shrinkwrap,tailcallelim,simplifycfg<bonus-inst-threshold=1;"          \
    "no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;no-hoist-common-insts;"                \
    "no-sink-common-insts>)))"

#define LLVM16_AFTER_REASSOCIATE                                                                                       \
    "cgscc(devirt<4>(function<eager-inv>(require<opt-remark-emit>,loop-mssa(loop-instsimplify,loop-simplifycfg,"       \
    "licm<no-allowspeculation>,loop-rotate,licm<allowspeculation>,simple-loop-unswitch<nontrivial;trivial>),"          \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"   \
    "no-hoist-common-insts;no-sink-common-insts>,"                                                                     \
    "instcombine,loop(loop-idiom,indvars,loop-deletion,loop-unroll-full))))"

#define LLVM16_AFTER_LOOPS                                                                                             \
    "cgscc(devirt<4>(function<eager-inv>(sroa<modify-cfg>,vector-combine,mldst-motion<no-split-footer-bb>,"            \
    "gvn<>,sccp,bdce,instcombine,jump-threading,correlated-propagation,adce,memcpyopt,dse,"                            \
    "loop-mssa(licm<allowspeculation>),coro-elide,"                                                                    \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"   \
    "hoist-common-insts;sink-common-insts>,"                                                                           \
    "instcombine),coro-split)),deadargelim,coro-cleanup,globalopt,globaldce,elim-avail-extern,"                        \
    "rpo-function-attrs,recompute-globalsaa,function<eager-inv>(float2int,lower-constant-intrinsics,"                  \
    "loop(loop-rotate,loop-deletion),loop-distribute,inject-tli-mappings,"                                             \
    "loop-vectorize<no-interleave-forced-only;no-vectorize-forced-only;>,instcombine,"                                 \
    "simplifycfg<bonus-inst-threshold=1;forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;"      \
    "hoist-common-insts;sink-common-insts>,"                                                                           \
    "slp-vectorizer,vector-combine,instcombine,loop-unroll<O3>,transform-warning,sroa<preserve-cfg>,"                  \
    "instcombine,require<opt-remark-emit>,loop-mssa(licm<allowspeculation>),"                                          \
    "loop-sink,instsimplify,div-rem-pairs,tailcallelim,"                                                               \
    "simplifycfg<bonus-inst-threshold=1;no-forward-switch-cond;switch-range-to-icmp;no-switch-to-lookup;keep-loops;"   \
    "no-hoist-common-insts;no-sink-common-insts>),"                                                                    \
    "globaldce,constmerge,cg-profile,rel-lookup-table-converter,function(annotation-remarks)"
