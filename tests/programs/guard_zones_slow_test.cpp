// Kernels store nothing outside of what is allocated for them, where arrays of points have exactly the room
// that their bounds say: each allocation stands between two guard zones, which are looked at after each
// launch. Elements of the lanes of a point alternate, so one that is stored beyond a bound is beyond the
// whole array.
#include <gtest/gtest.h>

#include <map>

#include "compared.h"
#include "irregular.h"
#include "runtime/cpu/device.h"

namespace fulgurite::programs {
namespace {

class GuardZones final : public runtime::Device {
 public:
  std::vector<std::string> faults;

  runtime::Description describe() const override {
    runtime::Description all = cpu_.describe();
    all.is_host = all.reads_host = false;  // what a program is called with is allocated here too
    return all;
  }
  runtime::Memory allocate(std::size_t bytes) override {
    auto zones = std::make_unique<Zones>(bytes);
    std::byte* data = zones->data();
    all_.emplace(data, std::move(zones));
    return {data, bytes};
  }
  void release(runtime::Memory memory) noexcept override { all_.erase(static_cast<std::byte*>(memory.data)); }
  void upload(runtime::Memory to, const void* from, std::size_t bytes) override {
    cpu_.upload(to, from, bytes);
  }
  void download(void* to, runtime::Memory from, std::size_t bytes) override {
    cpu_.download(to, from, bytes);
  }
  void copy(runtime::Memory to, runtime::Memory from, std::size_t bytes) override {
    cpu_.copy(to, from, bytes);
  }
  std::shared_ptr<const runtime::Kernel> build(const runtime::KernelSource& source) override {
    return cpu_.build(source);
  }
  std::optional<runtime::Failure> launch(const runtime::Kernel& kernel,
                                         const runtime::Launch& launch) override {
    const std::optional<runtime::Failure> failure = cpu_.launch(kernel, launch);
    for (auto& [data, zones] : all_) {
      const std::optional<std::ptrdiff_t> at = zones->stored();
      if (!at) continue;
      const auto buffer =
          std::ranges::find(launch.buffers, static_cast<void*>(data)) - launch.buffers.begin();
      faults.push_back("buffer " + std::to_string(buffer) + ": byte " + std::to_string(*at) + " of " +
                       std::to_string(zones->size) + " is stored");
      zones->restore();
    }
    return failure;
  }
  std::optional<runtime::Failure> wait() override { return std::nullopt; }

 private:
  // Bytes between guard zones of a page each, on a line of the cache, as kernels expect.
  struct Zones {
    static constexpr std::size_t page = 4096, line = 64;
    static constexpr std::byte untouched{0xA5};

    explicit Zones(std::size_t bytes) : size(bytes), all(bytes + 2 * page + line, untouched) {}
    std::byte* data() {
      const auto from = reinterpret_cast<std::uintptr_t>(all.data()) + page;
      return all.data() + page + (line - from % line) % line;
    }
    /// The place of a byte of a zone that is not as it was, counted from the first byte between them.
    std::optional<std::ptrdiff_t> stored() {
      const std::byte *begin = all.data(), *end = begin + all.size(), *first = data();
      for (const std::byte* at = begin; at < end; at = at + 1 == first ? first + size : at + 1)
        if (*at != untouched) return at - first;
      return std::nullopt;
    }
    void restore() { std::fill(all.begin(), all.end(), untouched); }

    std::size_t size;
    std::vector<std::byte> all;
  };

  runtime::cpu::CpuDevice cpu_;
  std::map<std::byte*, std::unique_ptr<Zones>> all_;
};

std::string between_guard_zones(const soac::Program& program, const Runs& runs, const Options& given,
                                Tally& tally) {
  Options options = given;
  options.engine = Engine::cpu;
  static auto& device = *new GuardZones;  // results may outlive the test
  device.faults.clear();
  return on_device(device, program, runs, options, tally);
}

TEST(GuardZones, SlowPropertyIrregularNestsStoreInsideOfTheirBounds) {
  campaign(between_guard_zones, parameter("max_success", 100), irregular::any_nests);
}

TEST(GuardZones, SlowPropertyProgramsStoreInsideOfTheirBounds) {
  campaign(between_guard_zones, parameter("max_success", 100));
}

TEST(GuardZones, SlowProgramsThatWereOnceWrongStoreInsideOfTheirBounds) {
  Tally tally;
  for (const Kept& kept : all_kept())
    for (const Precision precision : {Precision::fast, Precision::strict})
      EXPECT_EQ(between_guard_zones(kept.program, kept.arguments, {.precision = precision}, tally), "")
          << kept.name;
}

}  // namespace
}  // namespace fulgurite::programs
