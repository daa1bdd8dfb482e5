// The entry points of the plug-in (runtime/cpu/clang_api.h): plain data in, plain data out, no exception
// crosses.
#include <clang/Basic/Stack.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "runtime/cpu/clang_api.h"
#include "runtime/cpu/clang_plugin/stages.h"

namespace fulgurite::runtime::cpu {
namespace {

using namespace clang_plugin;

// What fulgurite_clang_result points into.
struct Output {
  std::string object, assembly, messages;
};

// Machines that no compilation uses at the moment. Making one means describing the whole processor, which
// takes a tenth of a small kernel's compilation.
class Machines {
 public:
  std::unique_ptr<llvm::TargetMachine> take(const Target& target, const std::string& cpu) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = idle_.find(cpu);
      if (found != idle_.end()) return std::move(idle_.extract(found).mapped());
    }
    return make_machine(target);
  }
  void give_back(std::unique_ptr<llvm::TargetMachine> machine, const std::string& cpu) {
    const std::lock_guard lock(mutex_);
    idle_.emplace(cpu, std::move(machine));
  }

 private:
  std::mutex mutex_;
  std::multimap<std::string, std::unique_ptr<llvm::TargetMachine>> idle_;
};

// Made when the plug-in is loaded, never destroyed: threads may compile while the process exits.
Machines& machines = *new Machines;

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    tune_back_end();
  });
}

void compile(const fulgurite_clang_request& request, Output& output) {
  const Target target = resolve_target(request.cpu);
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  const auto module =
      parse({request.text, request.text_size}, request.name, target, context, output.messages);
  if (!module) return;
  auto machine = machines.take(target, request.cpu);
  if (!machine) {
    output.messages = "no code can be made for '" + target.triple + "'";
    return;
  }
  optimise(*module, *machine);
  if (request.want_assembly != 0) {
    const auto copy = llvm::CloneModule(*module);  // generating consumes the module
    output.assembly = generate(*copy, *machine, llvm::CodeGenFileType::AssemblyFile);
  }
  output.object = generate(*module, *machine, llvm::CodeGenFileType::ObjectFile);
  machines.give_back(std::move(machine), request.cpu);
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int fulgurite_clang_version() {
  return clang_api_version;
}

[[gnu::visibility("default")]] void fulgurite_clang_compile(const fulgurite_clang_request* request,
                                                            fulgurite_clang_result* result) {
  *result = {};
  auto* output = new (std::nothrow) Output;
  if (output == nullptr) return;
  initialise();
  clang::noteBottomOfStack();
  compile(*request, *output);
  *result = {output->object.data(),
             output->object.size(),
             output->messages.data(),
             output->messages.size(),
             output->assembly.data(),
             output->assembly.size(),
             output};
}

[[gnu::visibility("default")]] void fulgurite_clang_release(fulgurite_clang_result* result) {
  delete static_cast<Output*>(result->owner);
  *result = {};
}

}  // extern "C"

}  // namespace fulgurite::runtime::cpu
