// Three groups of pages: code with the stubs it needs, constants with addresses of outside symbols,
// variables.
#include "standalone/loader.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "runtime/cpu/relocation.h"
#include "standalone/error.h"
#include "standalone/memory.h"

namespace fulgurite::standalone {

namespace {

using runtime::cpu::Relocated;
using runtime::cpu::stub_size;
using runtime::cpu::ThisMachine;

enum Group { code, constants, variables, n_groups };

// Callers that were built with -fsanitize=function look for a signature before the code that they call.
constexpr std::size_t prefix_size = 64;

std::size_t round_up(std::size_t n, std::size_t to) {
  return (n + to - 1) / to * to;
}

class Loader {
 public:
  Loader(std::string_view object, Module& module, fg_runtime_error* error)
      : object_(object), module_(module), error_(error) {}

  fg_runtime_status load() {
    const bool is_loaded = read() && place() && relocate_all() && protect();
    return is_loaded ? FG_RUNTIME_OK : status_;
  }
  void find(const std::string_view* names, void** addresses, std::size_t n_names) const {
    for (const Elf64_Sym& symbol : symbols_) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL) continue;
      if (symbol.st_shndx >= placed_.size() || placed_[symbol.st_shndx] == nullptr) continue;
      const std::string_view name = name_of(symbol);
      for (std::size_t i = 0; i < n_names; ++i)
        if (names[i] == name) addresses[i] = placed_[symbol.st_shndx] + symbol.st_value;
    }
  }

 private:
  bool refuse(std::string_view why) {
    status_ = fail(error_, FG_FORMAT_ERROR, "the code of a kernel cannot be loaded: ", why);
    return false;
  }
  bool lacks_memory() {
    status_ = fail(error_, FG_OUT_OF_MEMORY, "no memory for the code of a kernel");
    return false;
  }
  bool is_inside(std::size_t offset, std::size_t size) const {
    return offset <= object_.size() && size <= object_.size() - offset;
  }
  template <class T>
  T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, object_.data() + offset, sizeof value);
    return value;
  }
  std::string_view name_of(const Elf64_Sym& symbol) const {
    if (symbol.st_name >= names_.sh_size) return {};
    const char* start = object_.data() + names_.sh_offset + symbol.st_name;
    return {start, strnlen(start, names_.sh_size - symbol.st_name)};
  }

  bool read() {
    if (!is_inside(0, sizeof(Elf64_Ehdr))) return refuse("it ends too soon");
    const auto header = at<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_REL ||
        header.e_machine != ThisMachine::machine ||
        !is_inside(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr)))
      return refuse("it is no relocatable object for this machine");
    sections_ = Several<Elf64_Shdr>(header.e_shnum);
    placed_ = Several<char*>(header.e_shnum);
    if (sections_.is_null() || placed_.is_null()) return lacks_memory();
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr& section = sections_[i] = at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
      if (section.sh_type != SHT_NOBITS && !is_inside(section.sh_offset, section.sh_size))
        return refuse("a section lies outside of it");
      if (section.sh_type == SHT_NOBITS && section.sh_size > std::size_t{1} << 30)
        return refuse("its variables are too large");
    }
    for (const Elf64_Shdr& section : sections_)
      if (section.sh_type == SHT_SYMTAB && !read_symbols(section)) return false;
    return true;
  }
  bool read_symbols(const Elf64_Shdr& section) {
    if (section.sh_link >= sections_.size()) return refuse("its symbols have no names");
    names_ = sections_[section.sh_link];
    if (names_.sh_type == SHT_NOBITS) return refuse("its symbols have no names");
    symbols_ = Several<Elf64_Sym>(section.sh_size / sizeof(Elf64_Sym));
    if (symbols_.is_null()) return lacks_memory();
    for (std::size_t i = 0; i < symbols_.size(); ++i)
      symbols_[i] = at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
    return true;
  }

  static Group group_of(const Elf64_Shdr& section) {
    if ((section.sh_flags & SHF_EXECINSTR) != 0) return code;
    return (section.sh_flags & SHF_WRITE) != 0 ? variables : constants;
  }
  static bool is_loaded(const Elf64_Shdr& section) { return (section.sh_flags & SHF_ALLOC) != 0; }

  // Copies the sections to fresh memory.
  bool place() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    Several<std::size_t> offsets(sections_.size());
    if (offsets.is_null()) return lacks_memory();
    std::size_t offset = 0;
    for (int group = code; group < n_groups; ++group) {
      start_[group] = offset = round_up(offset, page);
      if (group == code) offset += prefix_size;
      for (std::size_t i = 0; i < sections_.size(); ++i) {
        const Elf64_Shdr& section = sections_[i];
        if (!is_loaded(section) || group_of(section) != group) continue;
        const std::size_t alignment = section.sh_addralign < 1 ? 1 : section.sh_addralign;
        if ((section.sh_flags & SHF_TLS) != 0 || alignment > page || (alignment & (alignment - 1)) != 0)
          return refuse("a section is of an unknown kind");
        offsets[i] = offset = round_up(offset, alignment);
        offset += section.sh_size;
      }
      offset = round_up(offset, stub_size);
      if (group == code) {
        stubs_ = offset;
        offset += stub_size * symbols_.size();
      } else if (group == constants) {
        addresses_ = offset;
        offset += sizeof(void*) * symbols_.size();
      }
    }
    start_[n_groups] = module_.size = round_up(offset, page);
    void* memory = mmap(nullptr, module_.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return lacks_memory();
    module_.memory = memory;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      if (!is_loaded(section)) continue;
      placed_[i] = bytes() + offsets[i];
      if (section.sh_type != SHT_NOBITS && section.sh_size != 0)
        std::memcpy(placed_[i], object_.data() + section.sh_offset, section.sh_size);
    }
    return true;
  }
  char* bytes() const { return static_cast<char*>(module_.memory); }

  // A stub in the code group jumps to a function of the process, which may be more than 2 GiB away.
  char* outside(const Elf64_Sym& symbol, std::size_t index) {
    char* stub = bytes() + stubs_ + stub_size * index;
    if (*stub == 0) {
      char name[64] = {};
      const std::string_view full = name_of(symbol);
      if (full.size() < sizeof name) std::memcpy(name, full.data(), full.size());
      void* target = dlsym(RTLD_DEFAULT, name);
      if (target == nullptr) {
        refuse("it calls a function that this process does not have");
        return nullptr;
      }
      runtime::cpu::write_stub(stub, target);
    }
    return stub;
  }
  char* address(const Elf64_Sym& symbol, std::size_t index) {
    if (symbol.st_shndx == SHN_UNDEF) return outside(symbol, index);
    if (symbol.st_shndx >= placed_.size() || placed_[symbol.st_shndx] == nullptr ||
        symbol.st_value > sections_[symbol.st_shndx].sh_size) {
      refuse("a symbol lies nowhere");
      return nullptr;
    }
    return placed_[symbol.st_shndx] + symbol.st_value;
  }

  bool relocate_all() {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_REL) return refuse("its relocations lack addends");
      if (section.sh_type == SHT_RELA && !relocate(section)) return false;
    }
    return true;
  }
  bool relocate(const Elf64_Shdr& relocations) {
    if (relocations.sh_info >= sections_.size()) return refuse("relocations of no section");
    char* const section = placed_[relocations.sh_info];
    if (section == nullptr) return true;
    const std::size_t section_size = sections_[relocations.sh_info].sh_size;
    for (std::size_t i = 0; i < relocations.sh_size / sizeof(Elf64_Rela); ++i) {
      const auto r = at<Elf64_Rela>(relocations.sh_offset + i * sizeof(Elf64_Rela));
      const std::size_t index = ELF64_R_SYM(r.r_info);
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(r.r_info));
      const std::size_t width = ThisMachine::width(type);
      if (index >= symbols_.size() || section_size < width || r.r_offset > section_size - width)
        return refuse("a relocation lies outside its section");
      char* const target = address(symbols_[index], index);
      if (target == nullptr) return false;
      const Relocated result = ThisMachine::apply({.type = type,
                                                   .where = section + r.r_offset,
                                                   .target = target,
                                                   .addend = r.r_addend,
                                                   .slot = bytes() + addresses_ + sizeof target * index});
      if (result == Relocated::too_far) return refuse("its parts are too far apart");
      if (result == Relocated::unknown) return refuse("a relocation is of an unknown kind");
    }
    return true;
  }

  bool protect() {
    // Nothing on x86-64, whose instructions are read from where data is written.
    __builtin___clear_cache(bytes() + start_[code], bytes() + start_[code + 1]);
    for (const Group group : {code, constants}) {
      const std::size_t from = start_[group], to = start_[group + 1];
      const int protection = group == code ? PROT_READ | PROT_EXEC : PROT_READ;
      if (from == to || mprotect(bytes() + from, to - from, protection) == 0) continue;
      status_ =
          fail(error_, FG_SYSTEM_ERROR,
               "the system does not let this process make code executable, so kernels cannot be loaded");
      return false;
    }
    return true;
  }

  const std::string_view object_;
  Module& module_;
  fg_runtime_error* const error_;
  fg_runtime_status status_ = FG_RUNTIME_OK;
  Several<Elf64_Shdr> sections_;
  Several<Elf64_Sym> symbols_;
  Elf64_Shdr names_{};
  Several<char*> placed_;  // sections in memory; null if not loaded
  std::size_t start_[n_groups + 1] = {};
  std::size_t stubs_ = 0, addresses_ = 0;  // offsets of one stub and one address a symbol
};

}  // namespace

fg_runtime_status load_object(std::string_view object, const std::string_view* names, void** addresses,
                              std::size_t n_names, Module& module, fg_runtime_error* error) {
  Loader loader(object, module, error);
  const fg_runtime_status status = loader.load();
  if (status == FG_RUNTIME_OK)
    loader.find(names, addresses, n_names);
  else
    unload(module);
  return status;
}

void unload(Module& module) {
  if (module.memory != nullptr) munmap(module.memory, module.size);
  module = {};
}

}  // namespace fulgurite::standalone
