#include "runtime/cpu/compiler.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "base/check.h"
#include "base/stack.h"
#include "runtime/cpu/clang_api.h"
#include "runtime/cpu/plugin_file.h"
#include "runtime/host.h"
#include "runtime/plugin_path.h"

namespace fulgurite::runtime::cpu {
namespace {

struct Plugin {
  fulgurite_clang_compile_function compile = nullptr;
  fulgurite_clang_release_function release = nullptr;
};

// Clang stops with a message when it has used 8 MiB, and takes that it has them.
constexpr std::size_t compiler_stack = std::size_t{16} << 20;

// What Clang and LLVM allocate while they are loaded and make themselves ready. For what they lack later they
// are asked.
constexpr std::size_t working_memory = std::size_t{16} << 20;

std::atomic<bool> loaded{false};

// LLVM's constructors do not expect to find no memory, so it is looked for before they run.
void check_memory(const std::string& path) {
  const std::size_t bytes = loaded_size(path) + working_memory;
  void* const space = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED)
    throw OutOfMemory(
        fmt::format("the compiler plug-in {} needs {} MiB of address space, which this process does not get: "
                    "raise its limit "
                    "(ulimit -v), or run where the kernels are in the cache, which do not need the plug-in",
                    path, bytes >> 20));
  munmap(space, bytes);
}

struct Close {
  void operator()(void* handle) const { dlclose(handle); }
};

template <class Function>
Function resolve(void* handle, const char* name) {
  return reinterpret_cast<Function>(dlsym(handle, name));
}

// The plug-in stays loaded until the process ends: LLVM cannot be unloaded and loaded again. A library that
// is not the plug-in is closed.
Plugin load_plugin() {
  const std::string path = plugin_path("libfulgurite_clang.so");
  check_memory(path);
  const std::unique_ptr<void, Close> handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (handle == nullptr)
    throw CompileError(
        fmt::format("the compiler plug-in cannot be loaded ({}): install libfulgurite.so and "
                    "libfulgurite_clang.so of one build of Fulgurite in one folder",
                    dlerror()));
  const auto start = resolve<fulgurite_clang_start_function>(handle.get(), clang_start_symbol);
  const std::string_view identity = start != nullptr ? start() : "";
  const Plugin plugin{resolve<fulgurite_clang_compile_function>(handle.get(), clang_compile_symbol),
                      resolve<fulgurite_clang_release_function>(handle.get(), clang_release_symbol)};
  if (identity != plugin_identity || plugin.compile == nullptr || plugin.release == nullptr)
    throw CompileError(fmt::format(
        "{} {}: install libfulgurite.so and libfulgurite_clang.so of one build of Fulgurite in one folder",
        path,
        identity.empty() ? std::string("is not a compiler plug-in of this version of Fulgurite")
                         : fmt::format("is the compiler plug-in of another build ({}, this library needs {})",
                                       identity, plugin_identity)));
  dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  // The C library loads its unwinder when it first needs it. An exception that says that there is no memory
  // left may pass pthread_once, and finds it then.
  void* frame = nullptr;
  backtrace(&frame, 1);
  loaded.store(true, std::memory_order_relaxed);
  return plugin;
}

// A plug-in that could not be loaded is tried again by the next call.
const Plugin& plugin() {
  static const Plugin result = load_plugin();
  return result;
}

class Result : public fulgurite_clang_result {
 public:
  explicit Result(const Plugin& plugin) : fulgurite_clang_result{}, plugin_(plugin) {}
  ~Result() { plugin_.release(this); }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;

 private:
  const Plugin& plugin_;
};

std::string run(std::string_view name, std::string_view text, const CompileOptions& options,
                bool want_assembly) {
  const std::string name_text(name);
  const fulgurite_clang_request request{.text = text.data(),
                                        .text_size = text.size(),
                                        .name = name_text.c_str(),
                                        .cpu = options.cpu.c_str(),
                                        .want_assembly = want_assembly,
                                        .want_lines = options.lines};
  const Plugin& compiler = plugin();
  return base::with_stack(compiler_stack, [&] {
    // Given back when there is none left, so that this can be said.
    auto reserve = std::make_unique_for_overwrite<std::byte[]>(std::size_t{1} << 20);
    Result result(compiler);
    compiler.compile(&request, &result);
    reserve.reset();
    if (result.out_of_memory != 0)
      throw OutOfMemory(
          fmt::format("the compiler found no memory left while it compiled kernel '{}', a text of {} bytes: "
                      "free memory, or "
                      "raise this process's limit (ulimit -v)",
                      name, text.size()));
    FULGURITE_CHECK(result.object_size != 0, "the compiler refuses kernel '{}':\n{}\n{}", name,
                    std::string_view(result.messages, result.messages_size), text);
    return want_assembly ? std::string(result.assembly, result.assembly_size)
                         : std::string(result.object, result.object_size);
  });
}

}  // namespace

std::string compile(std::string_view name, std::string_view text, const CompileOptions& options) {
  return run(name, text, options, false);
}

std::string assembly(std::string_view name, std::string_view text, const CompileOptions& options) {
  return run(name, text, options, true);
}

bool compiler_loaded() {
  return loaded.load(std::memory_order_relaxed);
}

std::string compiler_identity(const CompileOptions& options) {
  return fmt::format("{} cpu {}{}", plugin_identity, options.cpu == "native" ? host().identity : options.cpu,
                     options.lines ? " with lines" : "");
}

}  // namespace fulgurite::runtime::cpu
