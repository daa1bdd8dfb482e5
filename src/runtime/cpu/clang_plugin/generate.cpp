// LLVM module to machine code, and the processor it is made for.
#include "runtime/cpu/clang_plugin/stages.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#if defined(__x86_64__)
#include <llvm/TargetParser/X86TargetParser.h>
#endif

namespace fulgurite::runtime::clang_plugin {

Target resolve_target(std::string_view cpu) {
  Target target{llvm::sys::getDefaultTargetTriple(), std::string(cpu), {}};
  if (cpu != "native") return target;
  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::SmallVector<llvm::StringRef, 128> implied;
#if defined(__x86_64__)
  llvm::X86::getFeaturesForCPU(target.cpu, implied);
#endif
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    if (feature.second != llvm::is_contained(implied, feature.first()))
      target.features.push_back((feature.second ? "+" : "-") + feature.first().str());
  return target;
}

std::unique_ptr<llvm::TargetMachine> make_machine(const Target& target) {
  std::string error;
  const llvm::Target* description = llvm::TargetRegistry::lookupTarget(target.triple, error);
  if (description == nullptr) return nullptr;
  std::string features;
  for (const std::string& feature : target.features) features += (features.empty() ? "" : ",") + feature;
  llvm::TargetOptions options;
  // Products and sums are fused where the text says so, and nowhere else.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.NoTrappingFPMath = true;
  return std::unique_ptr<llvm::TargetMachine>(
      description->createTargetMachine(target.triple, target.cpu, features, options, llvm::Reloc::PIC_,
                                       llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

std::string generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  LeftOnThrow<llvm::legacy::PassManager> passes;
  if (machine.addPassesToEmitFile(*passes, stream, nullptr, type, /*DisableVerify=*/true)) return {};
  passes->run(module);
  return std::string(bytes.str());
}

}  // namespace fulgurite::runtime::clang_plugin
