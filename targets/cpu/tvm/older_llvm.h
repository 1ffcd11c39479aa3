/* SPDX-License-Identifier: Apache-2.0 */
/* older_llvm: the functions of an older LLVM, looked up in its shared library (tvm_llvm.c). The header files are those
 * of the LLVM that this program is built with: all of these have been the same since LLVM 16. */
#pragma once
#include <llvm-c/Core.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Support.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdbool.h>

#define EACH_FUNCTION(X)                                                                                               \
    X(LLVMBuildICmp)                                                                                                   \
    X(LLVMBuildTrunc)                                                                                                  \
    X(LLVMConstIntGetZExtValue)                                                                                        \
    X(LLVMContextCreate)                                                                                               \
    X(LLVMContextDispose)                                                                                              \
    X(LLVMCountIncoming)                                                                                               \
    X(LLVMCreateBuilderInContext)                                                                                      \
    X(LLVMCreateMemoryBufferWithMemoryRangeCopy)                                                                       \
    X(LLVMCreatePassBuilderOptions)                                                                                    \
    X(LLVMCreateTargetDataLayout)                                                                                      \
    X(LLVMCreateTargetMachine)                                                                                         \
    X(LLVMDisposeBuilder)                                                                                              \
    X(LLVMDisposeErrorMessage)                                                                                         \
    X(LLVMDisposeMemoryBuffer)                                                                                         \
    X(LLVMDisposeMessage)                                                                                              \
    X(LLVMDisposeModule)                                                                                               \
    X(LLVMDisposePassBuilderOptions)                                                                                   \
    X(LLVMDisposeTargetData)                                                                                           \
    X(LLVMDisposeTargetMachine)                                                                                        \
    X(LLVMGetBasicBlockParent)                                                                                         \
    X(LLVMGetBufferSize)                                                                                               \
    X(LLVMGetBufferStart)                                                                                              \
    X(LLVMGetCalledValue)                                                                                              \
    X(LLVMGetDefaultTargetTriple)                                                                                      \
    X(LLVMGetEntryBasicBlock)                                                                                          \
    X(LLVMGetErrorMessage)                                                                                             \
    X(LLVMGetFirstBasicBlock)                                                                                          \
    X(LLVMGetFirstFunction)                                                                                            \
    X(LLVMGetFirstInstruction)                                                                                         \
    X(LLVMGetFirstParam)                                                                                               \
    X(LLVMGetFirstUse)                                                                                                 \
    X(LLVMGetHostCPUFeatures)                                                                                          \
    X(LLVMGetHostCPUName)                                                                                              \
    X(LLVMGetICmpPredicate)                                                                                            \
    X(LLVMGetIncomingValue)                                                                                            \
    X(LLVMGetInstructionOpcode)                                                                                        \
    X(LLVMGetInstructionParent)                                                                                        \
    X(LLVMGetMDKindIDInContext)                                                                                        \
    X(LLVMGetModuleContext)                                                                                            \
    X(LLVMGetNextBasicBlock)                                                                                           \
    X(LLVMGetNextFunction)                                                                                             \
    X(LLVMGetNextInstruction)                                                                                          \
    X(LLVMGetNextParam)                                                                                                \
    X(LLVMGetNextUse)                                                                                                  \
    X(LLVMGetNumOperands)                                                                                              \
    X(LLVMGetOperand)                                                                                                  \
    X(LLVMGetTargetFromTriple)                                                                                         \
    X(LLVMGetTypeContext)                                                                                              \
    X(LLVMGetVersion)                                                                                                  \
    X(LLVMGetTypeKind)                                                                                                 \
    X(LLVMGetUser)                                                                                                     \
    X(LLVMGetValueName2)                                                                                               \
    X(LLVMInsertIntoBuilder)                                                                                           \
    X(LLVMInstallFatalErrorHandler)                                                                                    \
    X(LLVMInstructionEraseFromParent)                                                                                  \
    X(LLVMInstructionRemoveFromParent)                                                                                 \
    X(LLVMIsAInstruction)                                                                                              \
    X(LLVMIsConstant)                                                                                                  \
    X(LLVMParseCommandLineOptions)                                                                                     \
    X(LLVMParseIRInContext)                                                                                            \
    X(LLVMPassBuilderOptionsSetLoopInterleaving)                                                                       \
    X(LLVMPassBuilderOptionsSetLoopVectorization)                                                                      \
    X(LLVMPassBuilderOptionsSetSLPVectorization)                                                                       \
    X(LLVMPositionBuilderBefore)                                                                                       \
    X(LLVMPrintModuleToString)                                                                                         \
    X(LLVMReplaceAllUsesWith)                                                                                          \
    X(LLVMRunPasses)                                                                                                   \
    X(LLVMSetMetadata)                                                                                                 \
    X(LLVMSetModuleDataLayout)                                                                                         \
    X(LLVMSetOperand)                                                                                                  \
    X(LLVMSetTarget)                                                                                                   \
    X(LLVMTargetMachineEmitToMemoryBuffer)                                                                             \
    X(LLVMTypeOf)

/* Of LLVM 16 only, whose C interface cannot ask for the flags nsw and nuw of an instruction: its C++ members. */
#define EACH_FLAG(X)                                                                                                   \
    X(has_nsw, bool (*has_nsw)(LLVMValueRef), "_ZNK4llvm11Instruction15hasNoSignedWrapEv")                             \
    X(has_nuw, bool (*has_nuw)(LLVMValueRef), "_ZNK4llvm11Instruction17hasNoUnsignedWrapEv")                           \
    X(set_nsw, void (*set_nsw)(LLVMValueRef, bool), "_ZN4llvm11Instruction18setHasNoSignedWrapEb")                     \
    X(set_nuw, void (*set_nuw)(LLVMValueRef, bool), "_ZN4llvm11Instruction20setHasNoUnsignedWrapEb")

struct older_llvm {
#define MEMBER(f) __typeof__(f) *f;
    EACH_FUNCTION(MEMBER)
#undef MEMBER
#define MEMBER(name, declaration, symbol) declaration;
    EACH_FLAG(MEMBER)
#undef MEMBER
};
