#include "runtime/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fulgurite/error.h>

#include <utility>

namespace fulgurite::runtime {

DynamicLibrary::DynamicLibrary(std::string file, LibraryAdvice advice)
    : file_(std::move(file)),
      advice_(std::move(advice)),
      handle_(dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
  if (handle_ == nullptr)
    throw DeviceError(
        fmt::format("{} cannot be opened ({}): {}", advice_.name, dlerror(), advice_.if_missing));
}

void* DynamicLibrary::address_of(const char* symbol) const {
  void* const address = dlsym(handle_, symbol);
  if (address == nullptr) throw DeviceError(fmt::format("{} lacks '{}': {}", file_, symbol, advice_.if_old));
  return address;
}

}  // namespace fulgurite::runtime
