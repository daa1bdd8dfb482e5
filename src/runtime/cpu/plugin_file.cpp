#include "runtime/cpu/plugin_file.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "runtime/cpu/relocation.h"

namespace fulgurite::runtime::cpu {
namespace {

// Reads the headers of an ELF file and compares what they promise with the file's size.
class File {
 public:
  explicit File(const std::string& path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status{};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) {
      const int error = errno;
      close_file();
      refuse(fmt::format("cannot be read ({})", std::strerror(error)));
    }
    is_regular_ = S_ISREG(status.st_mode);
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~File() { close_file(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t loaded_size() const;

 private:
  void close_file() const {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[noreturn]] void refuse(const std::string& reason) const {
    throw CompileError(fmt::format(
        "the compiler plug-in {} {}: install libfulgurite.so and libfulgurite_clang.so of one build of "
        "Fulgurite in one folder",
        path_, reason));
  }
  [[noreturn]] void refuse_as_damaged() const {
    refuse(fmt::format("is damaged: its headers promise more than its {} bytes", size_));
  }

  template <class T>
  std::vector<T> table(std::uint64_t offset, std::uint64_t count) const {
    std::vector<T> entries(count);
    const std::uint64_t bytes = count * sizeof(T);
    if (bytes > size_ || offset > size_ - bytes ||
        pread(descriptor_, entries.data(), bytes, static_cast<off_t>(offset)) != static_cast<ssize_t>(bytes))
      refuse_as_damaged();
    return entries;
  }
  bool is_inside(std::uint64_t offset, std::uint64_t bytes) const {
    return bytes <= size_ && offset <= size_ - bytes;
  }

  const std::string& path_;
  const int descriptor_;
  bool is_regular_ = false;
  std::uint64_t size_ = 0;
};

std::size_t File::loaded_size() const {
  if (!is_regular_) refuse("is not a file");
  if (size_ < sizeof(ElfW(Ehdr))) refuse(fmt::format("has {} bytes and is no library", size_));
  const ElfW(Ehdr) header = table<ElfW(Ehdr)>(0, 1).front();
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_DYN ||
      header.e_machine != ThisMachine::machine || header.e_phentsize != sizeof(ElfW(Phdr)))
    refuse("is not a library for this machine");
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const ElfW(Phdr) & segment : table<ElfW(Phdr)>(header.e_phoff, header.e_phnum)) {
    if (segment.p_type != PT_LOAD) continue;
    if (!is_inside(segment.p_offset, segment.p_filesz)) refuse_as_damaged();
    first = std::min<std::uint64_t>(first, segment.p_vaddr);
    last = std::max<std::uint64_t>(last, segment.p_vaddr + segment.p_memsz);
  }
  if (first > last) refuse("is not a library for this machine");
  // The sections' table is what a linker writes last, so a copy that was interrupted lacks it even where the
  // file has its final size.
  const auto sections = table<ElfW(Shdr)>(header.e_shoff, header.e_shnum);
  const bool has_names =
      header.e_shstrndx < sections.size() && sections[header.e_shstrndx].sh_type == SHT_STRTAB;
  if (!sections.empty() && !has_names) refuse("is damaged: its last bytes were not written");
  return last - first;
}

}  // namespace

std::size_t loaded_size(const std::string& path) {
  return File(path).loaded_size();
}

}  // namespace fulgurite::runtime::cpu
