// LLVM module to machine code, and the processor it is made for.
#include "runtime/cpu/clang_plugin/stages.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <clang/Basic/Version.inc>
#if defined(__x86_64__)
#include <llvm/TargetParser/X86TargetParser.h>
#endif

#include "runtime/cpu/levels.h"

namespace fulgurite::runtime::clang_plugin {

namespace {

llvm::StringMap<bool> features_of_host() {
#if CLANG_VERSION_MAJOR >= 19
  return llvm::sys::getHostCPUFeatures();
#else
  llvm::StringMap<bool> features;
  llvm::sys::getHostCPUFeatures(features);
  return features;
#endif
}

}  // namespace

Target resolve_target(std::string_view cpu) {
  Target target{llvm::sys::getDefaultTargetTriple(), std::string(cpu), {}};
  if (cpu == "native") target.cpu = llvm::sys::getHostCPUName().str();
  // A processor that LLVM does not know is "generic" to it, and so is what every processor has. Clang's name
  // for that is another one.
#if defined(__x86_64__)
  if (target.cpu == "generic") target.cpu = "x86-64";
#else
  if (cpu == "armv8-a") target.cpu = "generic";
#endif
  if (cpu != "native") return target;
  llvm::SmallVector<llvm::StringRef, 128> implied;
#if defined(__x86_64__)
  llvm::X86::getFeaturesForCPU(target.cpu, implied);
#endif
  for (const auto& feature : features_of_host())
    if (feature.second != llvm::is_contained(implied, feature.first()))
      target.features.push_back((feature.second ? "+" : "-") + feature.first().str());
#if defined(__aarch64__)
  // The code is for registers of the length that they have here, which the kernels' cache tells apart.
  target.scalable_units = static_cast<unsigned>(cpu::scalable_vector_bytes() / 16);
  if (target.scalable_units != 0) target.features.emplace_back("+sve");
#endif
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
