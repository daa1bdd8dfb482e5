// Digests of the kernel texts of many programs, for processors of three widths and three kinds of devices.
// Linked with a library that Clang built and with one that g++ built, it prints the same: the order in which
// a compiler evaluates the arguments of a call decides nothing. With the name of a program it prints the
// texts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "../simplify/pass_file.h"
#include "../soac/semantics_rows.h"
#include "base/hash.h"
#include "explained_programs.h"
#include "machines.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace {

namespace fg = fulgurite;
namespace fs = std::filesystem;

using fg::testing_pipeline::Machine, fg::testing_pipeline::processor, fg::testing_pipeline::accelerator;

std::vector<Machine> machines() {
  return {{"x86-64-v2", fg::Engine::cpu, processor(16)},
          {"x86-64-v3", fg::Engine::cpu, processor(32)},
          {"x86-64-v4", fg::Engine::cpu, processor(64)},
          {"opencl", fg::Engine::opencl, accelerator("opencl", false)},
          {"cuda", fg::Engine::cuda, accelerator("cuda", true)},
          {"emulator", fg::Engine::emulator, accelerator("emulator", true)}};
}

// The program whose texts are wanted; empty: digests of all.
std::string_view wanted;

void print_digest(const std::string& name, const fg::soac::Program& program, const Machine& machine) {
  std::string texts;
  try {
    for (const fg::plan::KernelText& k :
         fg::pipeline::compile(program, {.engine = machine.engine}, machine.device).lowered.plan.kernels)
      texts += k.source;
  } catch (const std::exception& error) {
    texts = error.what();
  }
  if (wanted.empty())
    fmt::print("{} {} {}\n", name, machine.name, fg::base::digest(texts).hex());
  else
    fmt::print("---- {} {}\n{}\n", name, machine.name, texts);
}

// A pass changes the arena that the versions of a program share: each machine has the program for itself.
void print_digests(const std::string& name, const std::string& text) {
  if (!wanted.empty() && wanted != name) return;
  for (const Machine& machine : machines()) print_digest(name, fg::soac::parse(text), machine);
}

// Programs of the folders whose tests are files.
void print_digests_of_files() {
  std::vector<fs::path> files;
  for (const char* folder : {"fuse", "simplify", "soac"})
    for (const fs::directory_entry& entry :
         fs::directory_iterator(fs::path(FULGURITE_TEST_DATA) / ".." / folder))
      if (entry.path().extension() == ".soac") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files)
    print_digests(path.stem().string(), fg::testing::read_pass_file(path).before);
}

}  // namespace

int main(int n_arguments, char** arguments) {
  if (n_arguments > 1) wanted = arguments[1];
  print_digests_of_files();
  for (const fg::soac::SemanticsRow& row : fg::soac::semantics_rows()) print_digests(row.name, row.program);
  for (const auto& examples :
       {fg::testing_pipeline::benchmark_examples(), fg::testing_pipeline::guide_examples()})
    for (const fg::testing_pipeline::Example& example : examples)
      print_digests(example.name, fg::soac::print(example.program));
}
