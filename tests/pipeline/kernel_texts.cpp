// Digests of the kernel texts of many programs, for the three dialects. Linked with a library that Clang
// built and with one that g++ built, it prints the same: the order in which a compiler evaluates the
// arguments of a call decides nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "../simplify/pass_file.h"
#include "../soac/semantics_rows.h"
#include "base/hash.h"
#include "cuda_programs.h"
#include "soac/parse.h"

namespace {

namespace fg = fulgurite;
namespace fs = std::filesystem;

const fg::runtime::Description processor{.engine = "cpu",
                                         .name = "a processor",
                                         .n_cores = 8,
                                         .memory = std::size_t{16} << 30,
                                         .last_level_cache = std::size_t{32} << 20,
                                         .vector_bytes = 32,
                                         .is_host = true};

fg::runtime::Description accelerator(const char* engine, bool blocks_wait) {
  return {.engine = engine,
          .name = "a device",
          .n_cores = 64,
          .memory = std::size_t{16} << 30,
          .last_level_cache = std::size_t{4} << 20,
          .vector_bytes = 16,
          .is_host = false,
          .blocks_wait = blocks_wait,
          .tells_occupancy = blocks_wait};
}

void print_digest(const std::string& name, const fg::soac::Program& program, fg::Engine engine,
                  const fg::runtime::Description& device) {
  std::string texts;
  try {
    for (const fg::plan::KernelText& k :
         fg::pipeline::compile(program, {.engine = engine}, device).lowered.plan.kernels)
      texts += k.source;
  } catch (const std::exception& error) {
    texts = error.what();
  }
  fmt::print("{} {} {}\n", name, device.engine, fg::base::digest(texts).hex());
}

void print_digests(const std::string& name, const std::string& text) {
  // A pass changes the arena that the versions of a program share.
  print_digest(name, fg::soac::parse(text), fg::Engine::cpu, processor);
  print_digest(name, fg::soac::parse(text), fg::Engine::opencl, accelerator("opencl", false));
  print_digest(name, fg::soac::parse(text), fg::Engine::cuda, accelerator("cuda", true));
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

int main() {
  print_digests_of_files();
  for (const fg::soac::SemanticsRow& row : fg::soac::semantics_rows()) print_digests(row.name, row.program);
  for (const bench::CudaKernel& k : bench::cuda_kernels_of_benchmarks())
    fmt::print("{} {} {}\n", k.program, k.name, fg::base::digest(k.text).hex());
}
