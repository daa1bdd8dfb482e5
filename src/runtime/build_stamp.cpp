#include "runtime/build_stamp.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace fulgurite::runtime {
namespace {

std::string library_path() {
  Dl_info self{};
  const bool known =
      dladdr(reinterpret_cast<void*>(&library_folder), &self) != 0 && self.dli_fname != nullptr;
  return known ? self.dli_fname : "";
}

}  // namespace

const std::string& library_folder() {
  static const std::string folder = library_path().substr(0, library_path().rfind('/') + 1);
  return folder;
}

const std::string& build_stamp() {
  static const std::string stamp = build_stamp_of(library_path());
  return stamp;
}

std::string build_stamp_of(const std::string& file) {
  struct stat status{};
  if (stat(file.c_str(), &status) != 0) return "none";
  return fmt::format("{}.{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

}  // namespace fulgurite::runtime
