#include "compile.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/hash.h"

namespace fulgurite::runtime::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* sources = FULGURITE_CUDA_STAND_IN_SOURCES;
// Products are not contracted, as NVRTC is told, and every access of memory that threads may share is seen.
constexpr const char* command =
    "clang++-19 -std=c++17 -O1 -w -fPIC -shared -Wl,-Bsymbolic -nostdinc++ -nostdlib++ -fuse-ld=lld "
    "-fvisibility=hidden "
    "-fno-strict-aliasing -fno-exceptions -ffp-contract=off -fsanitize=thread "
    "-mllvm -tsan-instrument-func-entry-exit=0 -mllvm -tsan-instrument-atomics=0 "
    "-mllvm -tsan-distinguish-volatile=1";

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Besides the text, all that decides what Clang makes of it.
const std::string& words() {
  static const std::string& all = *new std::string(command + content(fs::path(sources) / "kernel_host.h") +
                                                   content(fs::path(sources) / "kernel_words.h") +
                                                   content(fs::path(sources) / "kernel_accesses.cpp"));
  return all;
}

}  // namespace

std::string version() {
  static const std::string& digest = *new std::string(base::digest(words()).hex());
  return digest;
}

Compiled compile(const std::string& host_text) {
  static std::atomic<int> n_tries{0};
  const fs::path folder = FULGURITE_CUDA_STAND_IN_KERNELS;
  fs::create_directories(folder);
  const std::string library = (folder / (base::digest(words() + host_text).hex() + ".so")).string();
  if (fs::exists(library)) return {library, {}};

  const std::string own = fmt::format("{}/{}_{}", folder.string(), getpid(), n_tries++);
  std::ofstream(own + ".cu") << host_text;
  const std::string all =
      fmt::format("{0} -include '{1}/kernel_words.h' -x c++ '{2}.cu' -x none '{3}' -o '{2}.so' 2>'{2}.log'",
                  command, sources, own, FULGURITE_CUDA_KERNEL_ACCESSES);
  const int failed = std::system(all.c_str());
  Compiled result;
  if (failed == 0) {
    fs::rename(own + ".so", library);  // another process may have made it, too
    result.library = library;
  } else {
    result.log = content(own + ".log");
  }
  fs::remove(own + ".cu");
  fs::remove(own + ".log");
  return result;
}

Code::Code(const std::string& library, const KernelHost& host)
    : handle_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
  *static_cast<const KernelHost**>(dlsym(handle_, "fg_host")) = &host;
  entries_ = static_cast<const KernelEntry*>(dlsym(handle_, "fg_entries"));
  image_ = static_cast<const char* const*>(dlsym(handle_, "fg_image"));
}

Code::~Code() {
  dlclose(handle_);
}

const KernelEntry* Code::entry(const std::string& name) const {
  for (const KernelEntry* e = entries_; e->name != nullptr; ++e)
    if (name == e->name) return e;
  return nullptr;
}

bool Code::has(cuda::Address address) const {
  return address >= reinterpret_cast<cuda::Address>(image_[0]) &&
         address < reinterpret_cast<cuda::Address>(image_[1]);
}

}  // namespace fulgurite::runtime::test
