// Sections are laid out in three groups of pages: code with the stubs it needs, constants with addresses of
// outside symbols, variables.
#include "runtime/cpu/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <fulgurite/error.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/debug.h"
#include "runtime/cpu/relocation.h"

namespace fulgurite::runtime::cpu {
namespace {

enum Group { code, constants, variables, n_groups };

// Callers that were built with -fsanitize=function look for a signature before the code that they call.
constexpr std::size_t prefix_size = 64;

std::size_t round_up(std::size_t n, std::size_t to) {
  return (n + to - 1) / to * to;
}

class Loader {
 public:
  explicit Loader(std::string_view object) : object_(object) {}

  void load();
  void* memory() const { return memory_; }
  std::size_t size() const { return size_; }
  std::unordered_map<std::string, void*> functions() const;
  // All of them, for perf.
  std::vector<CodeRange> ranges() const;
  // The object with the addresses of its sections, for debuggers.
  std::string with_addresses() const;

 private:
  template <class T>
  T at(std::size_t offset) const;
  template <class T>
  std::vector<T> table(const Elf64_Shdr& section) const;
  std::string name(std::size_t offset) const;

  void read();
  void place();
  void relocate(const Elf64_Shdr& relocations);
  void protect() const;
  char* address(const Elf64_Sym& symbol, std::size_t index);
  char* outside(const Elf64_Sym& symbol, std::size_t index);

  std::string_view object_;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Sym> symbols_;
  Elf64_Shdr names_{};

  std::vector<char*> placed_;  // sections in memory; null if not loaded
  std::array<std::size_t, n_groups + 1> start_{};
  char* memory_ = nullptr;
  std::size_t size_ = 0;
  std::size_t stubs_ = 0, addresses_ = 0;  // offsets of one stub and one address a symbol
};

template <class T>
T Loader::at(std::size_t offset) const {
  FULGURITE_CHECK(offset <= object_.size() && sizeof(T) <= object_.size() - offset, "object ends at byte {}",
                  object_.size());
  T value;
  std::memcpy(&value, object_.data() + offset, sizeof value);
  return value;
}

template <class T>
std::vector<T> Loader::table(const Elf64_Shdr& section) const {
  std::vector<T> entries;
  for (std::size_t i = 0; i + sizeof(T) <= section.sh_size; i += sizeof(T))
    entries.push_back(at<T>(section.sh_offset + i));
  return entries;
}

std::string Loader::name(std::size_t offset) const {
  FULGURITE_CHECK(offset < names_.sh_size && names_.sh_offset + names_.sh_size <= object_.size(),
                  "symbol without a name");
  const char* start = object_.data() + names_.sh_offset + offset;
  return {start, strnlen(start, names_.sh_size - offset)};
}

void Loader::read() {
  const auto header = at<Elf64_Ehdr>(0);
  FULGURITE_CHECK(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_type == ET_REL &&
                      header.e_machine == ThisMachine::machine,
                  "not a relocatable object for {}", ThisMachine::name);
  for (std::size_t i = 0; i < header.e_shnum; ++i)
    sections_.push_back(at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_SYMTAB) continue;
    symbols_ = table<Elf64_Sym>(section);
    FULGURITE_CHECK(section.sh_link < sections_.size(), "symbols without names");
    names_ = sections_[section.sh_link];
  }
}

Group group_of(const Elf64_Shdr& section) {
  if ((section.sh_flags & SHF_EXECINSTR) != 0) return code;
  return (section.sh_flags & SHF_WRITE) != 0 ? variables : constants;
}

// Copies the sections to fresh memory.
void Loader::place() {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<std::size_t> offsets(sections_.size());
  std::size_t offset = 0;
  for (int group = code; group < n_groups; ++group) {
    start_[static_cast<std::size_t>(group)] = offset = round_up(offset, page);
    if (group == code) offset += prefix_size;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      if ((section.sh_flags & SHF_ALLOC) == 0 || group_of(section) != group) continue;
      FULGURITE_CHECK((section.sh_flags & SHF_TLS) == 0, "thread-local variables in a kernel");
      FULGURITE_CHECK(
          section.sh_addralign <= page && section.sh_size < object_.size() + (std::size_t{1} << 30),
          "section of {} bytes", section.sh_size);
      offsets[i] = offset = round_up(offset, section.sh_addralign < 1 ? 1 : section.sh_addralign);
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
  start_[n_groups] = size_ = round_up(offset, page);

  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw OutOfMemory(fmt::format("no memory for the code of a kernel, {} bytes", size_));
  memory_ = static_cast<char*>(memory);
  placed_.assign(sections_.size(), nullptr);
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const Elf64_Shdr& section = sections_[i];
    if ((section.sh_flags & SHF_ALLOC) == 0) continue;
    placed_[i] = memory_ + offsets[i];
    if (section.sh_type == SHT_NOBITS || section.sh_size == 0) continue;
    FULGURITE_CHECK(
        section.sh_offset <= object_.size() && section.sh_size <= object_.size() - section.sh_offset,
        "section beyond the object's end");
    std::memcpy(placed_[i], object_.data() + section.sh_offset, section.sh_size);
  }
}

// A stub in the code group jumps to a function of the process, which may be more than 2 GiB away.
char* Loader::outside(const Elf64_Sym& symbol, std::size_t index) {
  char* stub = memory_ + stubs_ + stub_size * index;
  if (*stub == 0) {
    const std::string function = name(symbol.st_name);
    void* target = dlsym(RTLD_DEFAULT, function.c_str());
    if (target == nullptr)
      throw CompileError(fmt::format("a kernel calls '{}', which this process does not have", function));
    write_stub(stub, target);
  }
  return stub;
}

char* Loader::address(const Elf64_Sym& symbol, std::size_t index) {
  if (symbol.st_shndx == SHN_UNDEF) return outside(symbol, index);
  FULGURITE_CHECK(symbol.st_shndx < placed_.size() && placed_[symbol.st_shndx] != nullptr,
                  "symbol '{}' lies nowhere", name(symbol.st_name));
  return placed_[symbol.st_shndx] + symbol.st_value;
}

void Loader::relocate(const Elf64_Shdr& relocations) {
  FULGURITE_CHECK(relocations.sh_info < sections_.size(), "relocations of no section");
  char* section = placed_[relocations.sh_info];
  if (section == nullptr) return;
  const std::size_t section_size = sections_[relocations.sh_info].sh_size;
  for (const auto& r : table<Elf64_Rela>(relocations)) {
    const std::size_t index = ELF64_R_SYM(r.r_info);
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(r.r_info));
    const std::size_t width = ThisMachine::width(type);
    FULGURITE_CHECK(index < symbols_.size() && width <= section_size && r.r_offset <= section_size - width,
                    "relocation outside its section");
    const Relocated result = ThisMachine::apply({.type = type,
                                                 .where = section + r.r_offset,
                                                 .target = address(symbols_[index], index),
                                                 .addend = r.r_addend,
                                                 .slot = memory_ + addresses_ + sizeof(void*) * index});
    FULGURITE_CHECK(result != Relocated::too_far, "relocation of type {} in a kernel reaches too far", type);
    FULGURITE_CHECK(result != Relocated::unknown, "relocation of type {} in a kernel", type);
  }
}

void Loader::protect() const {
  // Nothing on x86-64, whose instructions are read from where data is written.
  __builtin___clear_cache(memory_ + start_[code], memory_ + start_[code + 1]);
  const auto set = [&](Group group, int protection) {
    const std::size_t from = start_[group], to = start_[static_cast<std::size_t>(group) + 1];
    if (from == to) return;
    if (mprotect(memory_ + from, to - from, protection) != 0)
      throw DeviceError(
          "the system does not let this process make code executable, so kernels cannot be loaded");
  };
  set(code, PROT_READ | PROT_EXEC);
  set(constants, PROT_READ);
}

void Loader::load() {
  read();
  place();
  for (const Elf64_Shdr& section : sections_) {
    FULGURITE_CHECK(section.sh_type != SHT_REL, "relocations without addends in a kernel");
    if (section.sh_type == SHT_RELA) relocate(section);
  }
  protect();
}

std::unordered_map<std::string, void*> Loader::functions() const {
  std::unordered_map<std::string, void*> found;
  for (const Elf64_Sym& symbol : symbols_)
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL &&
        symbol.st_shndx < placed_.size() && placed_[symbol.st_shndx] != nullptr)
      found.emplace(name(symbol.st_name), placed_[symbol.st_shndx] + symbol.st_value);
  return found;
}

std::vector<CodeRange> Loader::ranges() const {
  std::vector<CodeRange> found;
  for (const Elf64_Sym& symbol : symbols_)
    if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx < placed_.size() &&
        placed_[symbol.st_shndx] != nullptr)
      found.push_back({name(symbol.st_name), placed_[symbol.st_shndx] + symbol.st_value, symbol.st_size});
  return found;
}

std::string Loader::with_addresses() const {
  std::string object(object_);
  const auto header = at<Elf64_Ehdr>(0);
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    Elf64_Shdr section = sections_[i];
    section.sh_addr = reinterpret_cast<Elf64_Addr>(placed_[i]);
    std::memcpy(object.data() + header.e_shoff + i * sizeof section, &section, sizeof section);
  }
  return object;
}

}  // namespace

Module::Module(std::string_view object, std::string_view label) {
  Loader loader(object);
  try {
    loader.load();
    functions_ = loader.functions();
    if (base::debugs("perf")) tell_perf(loader.ranges(), label);
    if (base::debugs("gdb")) debugged_ = std::make_unique<DebuggedObject>(loader.with_addresses());
  } catch (...) {
    if (loader.memory() != nullptr) munmap(loader.memory(), loader.size());
    throw;
  }
  memory_ = loader.memory();
  size_ = loader.size();
}

Module::Module(Module&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      size_(other.size_),
      functions_(std::move(other.functions_)),
      debugged_(std::move(other.debugged_)) {}

Module::~Module() {
  debugged_.reset();
  if (memory_ != nullptr) munmap(memory_, size_);
}

void* Module::find(const std::string& function) const {
  const auto found = functions_.find(function);
  return found == functions_.end() ? nullptr : found->second;
}

}  // namespace fulgurite::runtime::cpu
