// What perf and debuggers are told of machine code in memory.
#include "runtime/cpu/code_names.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "kernels.h"
#include "runtime/cpu/compiler.h"
#include "runtime/cpu/module.h"

extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};
struct jit_descriptor {
  std::uint32_t version, action_flag;
  jit_code_entry *relevant_entry, *first_entry;
};
extern jit_descriptor __jit_debug_descriptor;
}

namespace fulgurite::runtime::cpu {
namespace {

class Debug {
 public:
  explicit Debug(const char* words) { setenv("FULGURITE_DEBUG", words, 1); }
  ~Debug() { unsetenv("FULGURITE_DEBUG"); }
};

int n_registered() {
  int n = 0;
  for (const jit_code_entry* entry = __jit_debug_descriptor.first_entry; entry != nullptr;
       entry = entry->next_entry)
    ++n;
  return n;
}

TEST(CodeNames, PerfHasAMapOfFunctions) {
  const std::string file = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::filesystem::remove(file);
  const std::string object = compile("saxpy", test::saxpy().text, {});
  const Module without(object, "nobody asks");
  EXPECT_FALSE(std::filesystem::exists(file));
  const Debug perf("perf");
  const Module module(object, "energy, waves.cpp:7");
  std::ifstream in(file);
  std::uintptr_t begin = 0;
  std::size_t size = 0;
  std::string name;
  in >> std::hex >> begin >> size;
  std::getline(in, name);
  EXPECT_EQ(name, " saxpy_p0 of energy, waves.cpp:7");
  EXPECT_EQ(begin, reinterpret_cast<std::uintptr_t>(module.find("saxpy_p0")));
  EXPECT_GT(size, 16u);
  std::filesystem::remove(file);
}

TEST(CodeNames, DebuggersKnowObjectsWhileTheyLive) {
  const std::string object = compile("saxpy", test::saxpy().text, {.lines = true});
  EXPECT_GT(object.size(), compile("saxpy", test::saxpy().text, {}).size()) << "tables of lines";
  const int before = n_registered();
  const Debug gdb("captures,gdb");
  {
    const Module first(object);
    auto second = std::make_unique<Module>(object);
    EXPECT_EQ(n_registered(), before + 2);
    const jit_code_entry& newest = *__jit_debug_descriptor.first_entry;
    Elf64_Ehdr header;
    std::memcpy(&header, newest.symfile_addr, sizeof header);
    bool holds_function = false;
    const auto function = reinterpret_cast<std::uintptr_t>(second->find("saxpy_p0"));
    for (int k = 0; k < header.e_shnum; ++k) {
      Elf64_Shdr section;
      std::memcpy(&section, newest.symfile_addr + header.e_shoff + sizeof section * static_cast<unsigned>(k),
                  sizeof section);
      holds_function |= section.sh_addr <= function && function < section.sh_addr + section.sh_size;
    }
    EXPECT_TRUE(holds_function) << "sections have the addresses where they are";
    second.reset();
    EXPECT_EQ(n_registered(), before + 1);
  }
  EXPECT_EQ(n_registered(), before);
}

}  // namespace
}  // namespace fulgurite::runtime::cpu
