// Our own pass list. The text that we print says already how memory is read, how wide vectors are and what is
// unrolled, and it comes from expressions that share equal subterms; so neither loop nor SLP vectoriser runs,
// nor unroller, nor any analysis between functions. What is left to do is what the C spelling hides: helpers
// are inlined, locals become values, equal values meet, and invariant ones leave their loops. Measured on a
// map, a reduction and Black-Scholes, this takes a third of the time of -O2 and gives the same inner loops.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopStrengthReduce.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "runtime/cpu/clang_plugin/stages.h"

namespace fulgurite::runtime::clang_plugin {
namespace {

// Every function that is local to the text is a helper of its kernels. Clang notes the widest vector of each
// function; LLVM would describe the processor anew for every width it meets, which takes longer than to
// inline a dozen helpers.
void inline_helpers(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (const char* said_by_machine :
         {"min-legal-vector-width", "target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(said_by_machine);
    if (function.isDeclaration() || !function.hasLocalLinkage()) continue;
    if (!function.hasFnAttribute(llvm::Attribute::NoInline))
      function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
}

// Nests as deep as those of tiles, whose addresses are sums of an index of each loop around, and whose
// innermost loops do little else than the arithmetic for which they are there.
constexpr unsigned deep = 4;

struct StrengthOfDeepLoops : llvm::PassInfoMixin<StrengthOfDeepLoops> {
  static llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& loops,
                                     llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater) {
    if (loop.getLoopDepth() < deep || !loop.isInnermost()) return llvm::PreservedAnalyses::all();
    return llvm::LoopStrengthReducePass().run(loop, loops, results, updater);
  }
};

struct StrengthReduction : llvm::PassInfoMixin<StrengthReduction> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& functions) {
    const auto all = functions.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder();
    if (llvm::none_of(all, [](const llvm::Loop* loop) { return loop->getLoopDepth() >= deep; }))
      return llvm::PreservedAnalyses::all();
    return llvm::createFunctionToLoopPassAdaptor(StrengthOfDeepLoops()).run(function, functions);
  }
};

llvm::FunctionPassManager function_passes() {
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  // Once more: arrays whose addresses were in locals of helpers, which the first time had to become values.
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(StrengthReduction());
  return passes;
}

}  // namespace

void tune_back_end() {
#ifndef FULGURITE_LLVM_SHARED
  auto& options = llvm::cl::getRegisteredOptions();
  for (const char* name : {"disable-lsr", "disable-post-ra"}) {
    const auto found = options.find(name);
    if (found != options.end()) static_cast<llvm::cl::opt<bool>*>(found->second)->setValue(true);
  }
#endif
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  struct Analyses {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager calls;
    llvm::ModuleAnalysisManager modules;
  };
  LeftOnThrow<Analyses> all;
  auto& [loops, functions, calls, modules] = *all;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);

  inline_helpers(module);
  LeftOnThrow<llvm::ModulePassManager> passes;
  // Lifetimes: else a local of a helper that is inlined into a loop would be carried from round to round.
  passes->addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/true));
  passes->addPass(llvm::createModuleToFunctionPassAdaptor(function_passes()));
  passes->run(module, modules);
}

}  // namespace fulgurite::runtime::clang_plugin
