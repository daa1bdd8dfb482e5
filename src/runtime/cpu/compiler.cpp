#include "runtime/cpu/compiler.h"

#include <dlfcn.h>
#include <fulgurite/error.h>

#include <atomic>

#include "base/check.h"
#include "runtime/build_stamp.h"
#include "runtime/cpu/clang_api.h"
#include "runtime/host.h"

namespace fulgurite::runtime::cpu {
namespace {

struct Plugin {
  fulgurite_clang_compile_function compile = nullptr;
  fulgurite_clang_release_function release = nullptr;
};

std::atomic<bool> loaded{false};

std::string plugin_path() {
  return library_folder() + "libfulgurite_clang.so";
}

template <class Function>
Function resolve(void* handle, const char* name, const std::string& path) {
  void* const symbol = dlsym(handle, name);
  if (symbol == nullptr)
    throw CompileError(fmt::format("{} lacks '{}': it belongs to another version of Fulgurite", path, name));
  return reinterpret_cast<Function>(symbol);
}

// The plug-in stays loaded until the process ends: LLVM cannot be unloaded and loaded again.
Plugin load_plugin() {
  const std::string path = plugin_path();
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr)
    throw CompileError(fmt::format(
        "the compiler plug-in cannot be loaded ({}): it must lie beside libfulgurite.so", dlerror()));
  const int version = resolve<fulgurite_clang_version_function>(handle, clang_version_symbol, path)();
  if (version != clang_api_version)
    throw CompileError(
        fmt::format("{} has interface {}, this library needs {}: install both from one version of Fulgurite",
                    path, version, clang_api_version));
  const Plugin plugin{resolve<fulgurite_clang_compile_function>(handle, clang_compile_symbol, path),
                      resolve<fulgurite_clang_release_function>(handle, clang_release_symbol, path)};
  loaded.store(true, std::memory_order_relaxed);
  return plugin;
}

// A plug-in that could not be loaded is tried again by the next call.
const Plugin& plugin() {
  static const Plugin result = load_plugin();
  return result;
}

struct Result : fulgurite_clang_result {
  Result() : fulgurite_clang_result{} {}
  ~Result() { plugin().release(this); }
  Result(const Result&) = delete;
  Result& operator=(const Result&) = delete;
};

std::string run(std::string_view name, std::string_view text, const CompileOptions& options,
                bool want_assembly) {
  const std::string name_text(name);
  const fulgurite_clang_request request{.text = text.data(),
                                        .text_size = text.size(),
                                        .name = name_text.c_str(),
                                        .cpu = options.cpu.c_str(),
                                        .want_assembly = want_assembly};
  Result result;
  plugin().compile(&request, &result);
  FULGURITE_CHECK(result.object_size != 0, "the compiler refuses kernel '{}':\n{}\n{}", name,
                  std::string_view(result.messages, result.messages_size), text);
  return want_assembly ? std::string(result.assembly, result.assembly_size)
                       : std::string(result.object, result.object_size);
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
  static const std::string stamp = build_stamp_of(plugin_path());
  return fmt::format("fulgurite {} clang {} plug-in {} cpu {}", FULGURITE_VERSION, FULGURITE_LLVM_VERSION,
                     stamp, options.cpu == "native" ? host().identity : options.cpu);
}

}  // namespace fulgurite::runtime::cpu
