#include "runtime/build_id.h"

#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "base/hash.h"

namespace fulgurite::runtime {
namespace {

// The shared object, or executable, that this code is part of, as it is in memory.
struct Loaded {
  ElfW(Addr) base = 0;
  std::span<const ElfW(Phdr)> segments;
  std::string path;

  std::string_view bytes(const ElfW(Phdr) & segment) const {
    return {reinterpret_cast<const char*>(base + segment.p_vaddr), segment.p_memsz};
  }
};

int keep_if_ours(dl_phdr_info* object, std::size_t, void* result) {
  Loaded& loaded = *static_cast<Loaded*>(result);
  const Loaded candidate{object->dlpi_addr, {object->dlpi_phdr, object->dlpi_phnum}, object->dlpi_name};
  const auto* here = reinterpret_cast<const char*>(&keep_if_ours);
  for (const ElfW(Phdr) & segment : candidate.segments) {
    if (segment.p_type != PT_LOAD) continue;
    const std::string_view bytes = candidate.bytes(segment);
    if (here < bytes.data() || here >= bytes.data() + bytes.size()) continue;
    loaded = candidate;
    return 1;
  }
  return 0;
}

const Loaded& ourselves() {
  static const Loaded& loaded = *[] {
    auto* result = new Loaded;
    dl_iterate_phdr(&keep_if_ours, result);
    if (result->path.empty()) result->path = "/proc/self/exe";  // the executable has no name there
    return result;
  }();
  return loaded;
}

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> name(realpath(path.c_str(), nullptr), &std::free);
  return name != nullptr ? name.get() : path;
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// The description of the note in which GNU's and LLVM's linkers leave a build-id; empty if there is none.
std::string_view build_id_in(std::string_view notes) {
  constexpr std::string_view owner{"GNU", 4};
  const auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes.remove_prefix(sizeof note);
    const std::size_t name_size = padded(note.n_namesz), size = name_size + padded(note.n_descsz);
    if (size > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, note.n_namesz) == owner)
      return notes.substr(name_size, note.n_descsz);
    notes.remove_prefix(size);
  }
  return {};
}

// Who links without a build-id gets a digest of the code.
std::string make_build_id(const Loaded& loaded) {
  for (const ElfW(Phdr) & segment : loaded.segments)
    if (segment.p_type == PT_NOTE)
      if (const std::string_view id = build_id_in(loaded.bytes(segment)); !id.empty()) return hexadecimal(id);
  std::string digests;
  for (const ElfW(Phdr) & segment : loaded.segments)
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0)
      digests += base::digest(loaded.bytes(segment)).hex();
  return base::digest(digests).hex();
}

}  // namespace

const std::string& build_id() {
  static const std::string& id = *new std::string(make_build_id(ourselves()));
  return id;
}

std::string beside_library(const std::string& name) {
  const std::string& library = ourselves().path;
  std::string as_opened = folder_of(library) + name;
  if (access(as_opened.c_str(), F_OK) == 0) return as_opened;
  return folder_of(resolved(library)) + name;
}

}  // namespace fulgurite::runtime
