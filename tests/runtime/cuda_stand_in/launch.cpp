// The driver's functions of modules, functions and launches.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "accesses.h"
#include "compile.h"
#include "findings.h"
#include "grid.h"
#include "memory.h"
#include "streams.h"

namespace fulgurite::runtime::test {
namespace {

constexpr std::int32_t most_shared_without_asking = 48 << 10, most_shared = 227 << 10;
constexpr std::int32_t most_threads_of_multiprocessor = 2048, registers_of_multiprocessor = 65536;

struct Module;

struct Function {
  std::string name;
  const Module* module;
  const KernelEntry* entry;  // null in code of the real NVRTC, which nothing here can run
  std::int32_t most_shared_at_launch = 0;
};

struct Module {
  std::unique_ptr<const Code> code;
  std::map<std::string, Function> functions;
};

Module& module_of(ModuleId id) {
  return *reinterpret_cast<Module*>(id);
}
Function& function_of(FunctionId id) {
  return *reinterpret_cast<Function*>(id);
}

// Null if it is none. "stand-in code for sm_90", the version, the name of a library.
std::unique_ptr<Module> load(const std::string& image) {
  auto module = std::make_unique<Module>();
  if (image.starts_with("\177ELF")) return module;
  std::istringstream lines(image);
  std::string what, its_version, library;
  if (!std::getline(lines, what) || !std::getline(lines, its_version) || !std::getline(lines, library) ||
      !what.starts_with("stand-in ") || its_version != version())
    return nullptr;
  note("load " + what);
  try {
    module->code = std::make_unique<const Code>(library, kernel_host());
  } catch (const std::runtime_error&) {  // it was compiled once, and is gone
    return nullptr;
  }
  return module;
}

// What the driver takes from its caller at once.
class Arguments {
 public:
  Arguments(const KernelEntry& entry, void** given, bool swaps_two)
      : values_(static_cast<std::size_t>(entry.n_parameters)) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const std::size_t from = swaps_two && i < 2 && values_.size() >= 2 ? 1 - i : i;
      std::memcpy(&values_[i], given[from], entry.parameters[i].bytes);
    }
  }

  std::vector<void*> pointers() {
    std::vector<void*> all;
    for (std::uint64_t& value : values_) all.push_back(&value);
    return all;
  }
  std::uint64_t operator[](std::size_t i) const { return values_[i]; }

 private:
  std::vector<std::uint64_t> values_;
};

// Why a launch is none, or nothing.
std::optional<Finding> refusal(const Function& function, const LaunchShape& shape,
                               const Arguments& arguments) {
  const KernelEntry& entry = *function.entry;
  const auto finding = [&](Status status, const std::string& text) {
    return Finding{status, fmt::format("kernel {}: {}", entry.name, text)};
  };
  const auto threads = static_cast<std::uint32_t>(entry.threads_of_block);
  if (shape.block_size > threads)
    return finding(status::out_of_resources, fmt::format("blocks of {} threads, and its launch bounds are {}",
                                                         shape.block_size, threads));
  // Not a rule of CUDA's: the text of our kernels is for as many threads as it says.
  if (shape.block_size < threads)
    return finding(status::invalid_value,
                   fmt::format("blocks of {} threads, and its text is for {}", shape.block_size, threads));
  const std::int64_t at_launch = shape.shared_bytes_at_launch,
                     may_have = std::max(function.most_shared_at_launch,
                                         most_shared_without_asking - entry.shared_bytes);
  if (entry.shared_bytes > most_shared_without_asking || at_launch > may_have ||
      at_launch + entry.shared_bytes > most_shared)
    return finding(
        status::invalid_value,
        fmt::format("{} bytes of shared memory at the launch and {} of its own, and it may have {} at "
                    "the launch",
                    at_launch, entry.shared_bytes, may_have));
  for (std::size_t i = 0; i < static_cast<std::size_t>(entry.n_parameters); ++i) {
    const KernelParameterKind kind = entry.parameters[i].kind;
    if (kind == KernelParameterKind::pointer && arguments[i] != 0 && allocation_of(arguments[i]) == nullptr)
      return finding(status::illegal_address,
                     fmt::format("argument {} is {}", i, described(arguments[i], 0)));
    if (kind == KernelParameterKind::boolean && arguments[i] > 1)
      return finding(status::invalid_value, fmt::format("argument {} is a bool that is {}", i, arguments[i]));
  }
  return std::nullopt;
}

std::uint64_t next_seed() {
  static std::uint64_t n_launches = 0;
  return machine().seed * 1'000'003 + n_launches++;
}

}  // namespace
}  // namespace fulgurite::runtime::test

using namespace fulgurite::runtime::test;

EXPORTED Status cuModuleLoadData(ModuleId* id, const void* image) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuModuleLoadData")) return *code;
  std::unique_ptr<Module> module = load(static_cast<const char*>(image));
  if (module == nullptr) return status::invalid_image;
  return make(id, module.release());
}
EXPORTED Status cuModuleUnload(ModuleId id) {
  const Lock lock(machine().mutex);
  if (contexts_here().empty()) return status::invalid_context;
  finish_everything();
  delete &module_of(id);
  --machine().n_objects;
  return 0;
}
EXPORTED Status cuModuleGetFunction(FunctionId* id, ModuleId module_id, const char* name) {
  const Lock lock(machine().mutex);
  Module& module = module_of(module_id);
  const KernelEntry* const entry = module.code == nullptr ? nullptr : module.code->entry(name);
  if (module.code != nullptr && entry == nullptr) return status::not_found;
  Function& function = module.functions[name];
  function.name = name;
  function.module = &module;
  function.entry = entry;
  *id = reinterpret_cast<FunctionId>(&function);
  return 0;
}

EXPORTED Status cuFuncGetAttribute(std::int32_t* to, Attribute attribute, FunctionId id) {
  const Lock lock(machine().mutex);
  const KernelEntry* const entry = function_of(id).entry;
  switch (attribute) {
    case value::function_threads_of_block: *to = entry == nullptr ? 1024 : entry->threads_of_block; break;
    case value::function_shared_bytes: *to = entry == nullptr ? 0 : entry->shared_bytes; break;
    case value::function_thread_bytes: *to = 0; break;
    case value::function_registers: *to = machine().registers; break;
    default: return status::invalid_value;
  }
  return 0;
}
EXPORTED Status cuFuncSetAttribute(FunctionId id, Attribute attribute, std::int32_t bytes) {
  const Lock lock(machine().mutex);
  if (attribute != value::function_shared_bytes_at_launch) return status::invalid_value;
  Function& function = function_of(id);
  note(fmt::format("{} may have {} shared bytes", function.name, bytes));
  if (bytes > most_shared - (function.entry == nullptr ? 0 : function.entry->shared_bytes))
    return status::invalid_value;
  function.most_shared_at_launch = bytes;
  return 0;
}
EXPORTED Status cuOccupancyMaxActiveBlocksPerMultiprocessor(std::int32_t* to, FunctionId,
                                                            std::int32_t block_size, std::size_t) {
  const Lock lock(machine().mutex);
  *to = std::min(most_threads_of_multiprocessor / block_size,
                 registers_of_multiprocessor / (machine().registers * block_size));
  return 0;
}
EXPORTED Status cuLaunchKernel(FunctionId id, std::uint32_t grid, std::uint32_t grid_y, std::uint32_t grid_z,
                               std::uint32_t block, std::uint32_t block_y, std::uint32_t block_z,
                               std::uint32_t shared, StreamId stream, void** given, void** extra) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuLaunchKernel")) return *code;
  if (grid == 0 || block == 0 || grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 ||
      extra != nullptr)
    return status::invalid_value;
  const Function& function = function_of(id);
  note(fmt::format("launch {} of {} times {} on {}", function.name, grid, block, stream_of(stream).number()));
  if (function.entry == nullptr) return 0;
  LaunchShape shape{grid, block, shared};
  const CudaMutant mutant = machine().mutant;
  if (mutant == CudaMutant::smaller_grid) --shape.n_blocks;
  if (mutant == CudaMutant::smaller_block && block > warp_lanes) shape.block_size -= warp_lanes;
  Arguments arguments(*function.entry, given, mutant == CudaMutant::swapped_arguments);
  if (auto finding = refusal(function, shape, arguments)) {
    report(*std::move(finding));
    return take_finding();
  }
  stream_of(stream).enqueue([&function, shape, arguments, seed = next_seed()]() mutable {
    std::vector<void*> pointers = arguments.pointers();
    Grid(*function.entry, *function.module->code, shape, pointers.data(), seed).run();
  });
  return 0;
}
