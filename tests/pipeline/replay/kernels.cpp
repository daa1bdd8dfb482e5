// Before the kernel language, whose names some enumerators of the kernel IR have.
#include "block/block_kernel.h"
#include "kernel/parse.h"
#include "replayed.h"

#include <fmt/format.h>

#include <filesystem>
#include <random>

#include "../../block/listings.h"
#include "../../block/matrices.h"
#include "../../block/random_kernel.h"
#include "sections.h"

namespace fulgurite::testing_replay {
namespace {

namespace k = fulgurite::kernel;

constexpr int n_drawn = 100;

void add(std::vector<RecordedKernel>& all, std::string name, const detail::block::Kernel& recorded) {
  all.push_back({std::move(name), recorded.ir});
}

void add_drawn(std::vector<RecordedKernel>& all) {
  std::mt19937 random(1);
  for (int number = 0; number < n_drawn; ++number) {
    const int bits = 1 + static_cast<int>(random() % 8);
    const random_kernels::Steps steps = random_kernels::drawn(random, bits, 6);
    const auto kernel = k::kernel("random", k::block<int>(std::int64_t{1} << bits),
                                  [&](k::Pull<int> a) { return random_kernels::staged(steps, a); });
    add(all, fmt::format("kernel drawn {}", number), kernel.get());
  }
}

}  // namespace

std::vector<RecordedKernel> recorded_kernels() {
  std::vector<RecordedKernel> all;
  papers::for_each_listing(
      [&](const std::string& name, const auto& recorded) { add(all, "kernel " + name, recorded.get()); });
  add(all, "kernel transpose", matrices::transpose<float>().get());
  add(all, "kernel product", matrices::product<float>().get());
  add_drawn(all);
  for (const Section& section :
       sections(std::filesystem::path(FULGURITE_TEST_DATA) / "replay" / "recorded.kernels"))
    all.push_back({section.name, kernel::parse(section.text)});
  return all;
}

}  // namespace fulgurite::testing_replay
