// Running a plan on a device that knows failures only when it waits.
#include "plan/execute.h"

#include <fulgurite/error.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace fulgurite::plan {
namespace {

// A device whose memory the host may read and write.
runtime::Description host() {
  runtime::Description description{};
  description.is_host = true;
  return description;
}

class PatientDevice final : public runtime::Device {
 public:
  runtime::Description describe() const override { return host(); }
  runtime::Memory allocate(std::size_t bytes) override { return {std::malloc(bytes + 1), bytes}; }
  void release(runtime::Memory memory) noexcept override { std::free(memory.data); }
  void upload(runtime::Memory, const void*, std::size_t) override {}
  void download(void*, runtime::Memory, std::size_t) override {}
  void copy(runtime::Memory, runtime::Memory, std::size_t) override {}
  std::shared_ptr<const runtime::Kernel> build(const runtime::KernelSource&) override {
    return std::make_shared<runtime::Kernel>();
  }
  std::optional<runtime::Failure> launch(const runtime::Kernel&, const runtime::Launch&) override {
    if (fails) pending_ = runtime::Failure{1, 3, -7, 20};
    return std::nullopt;
  }
  std::optional<runtime::Failure> wait() override { return std::exchange(pending_, std::nullopt); }

  bool fails = false;

 private:
  std::optional<runtime::Failure> pending_;
};

// A launch, then a check that the only parameter is not 0.
Loaded launch_then_check(PatientDevice& device) {
  Plan plan;
  plan.name = "launch_then_check";
  plan.n_slots = 4;
  plan.params = {{Kind::i64, 0, 0, -1}};
  plan.kernels = {{"k", 1, ""}};
  plan.steps = {{Constant{1, 1}}, {Launch{0, {}, {}, {1}, 1, 1}}, {Check{0, 2, {0}}}};
  Loaded loaded = without_kernels(std::move(plan), device, device.describe());
  loaded.kernels = {device.build({})};
  loaded.sites = {{SiteText::Error::index, {}, "index {0} of {1}"},
                  {SiteText::Error::shape, {}, "the size is {0}"}};
  return loaded;
}

void run(const Loaded& loaded, std::uint64_t size) {
  detail::ArgumentView argument{};
  argument.bits = size;
  execute(loaded, {&argument, 1}, {});
}

TEST(Execute, FailuresThatOnlyAWaitTellsAreErrors) {
  PatientDevice device;
  const Loaded loaded = launch_then_check(device);
  EXPECT_NO_THROW(run(loaded, 5));
  device.fails = true;
  EXPECT_THROW(run(loaded, 5), IndexError);
  device.fails = false;
  EXPECT_NO_THROW(run(loaded, 5));
}

TEST(Execute, AnEarlierFailureComesFirstAndIsNotTheNextRuns) {
  PatientDevice device;
  const Loaded loaded = launch_then_check(device);
  EXPECT_THROW(run(loaded, 0), ShapeError);
  device.fails = true;
  EXPECT_THROW(run(loaded, 0), IndexError);
  device.fails = false;
  EXPECT_NO_THROW(run(loaded, 5));
}

// Kernel 0 goes on until it ran `trips` times, kernel 1 adds one to its second array into its first. Both ask
// the flags, their last array; so do kernels on real devices.
class LoopDevice final : public runtime::Device {
 public:
  explicit LoopDevice(int trips) : trips_(trips) {}
  runtime::Description describe() const override { return host(); }
  runtime::Memory allocate(std::size_t bytes) override {
    ++n_allocated, ++n_live;
    return {std::calloc(bytes, 1), bytes};
  }
  void release(runtime::Memory memory) noexcept override {
    --n_live;
    std::free(memory.data);
  }
  void upload(runtime::Memory to, const void* from, std::size_t bytes) override {
    std::memcpy(to.data, from, bytes);
  }
  void download(void* to, runtime::Memory from, std::size_t bytes) override {
    std::memcpy(to, from.data, bytes);
  }
  void copy(runtime::Memory, runtime::Memory, std::size_t) override {}
  struct Numbered final : runtime::Kernel {
    int number = 0;
  };
  std::shared_ptr<const runtime::Kernel> build(const runtime::KernelSource& source) override {
    auto kernel = std::make_shared<Numbered>();
    kernel->number = source.name == "condition" ? 0 : 1;
    return kernel;
  }
  std::optional<runtime::Failure> launch(const runtime::Kernel& kernel,
                                         const runtime::Launch& launch) override {
    ++n_launches;
    auto* const flags = static_cast<std::int32_t*>(launch.buffers.back());
    if (flags[0] == 0) return std::nullopt;
    if (static_cast<const Numbered&>(kernel).number == 0) {
      flags[0] = trips_-- > 0;
      flags[1] += flags[0];
    } else {
      *static_cast<std::int32_t*>(launch.buffers[0]) = *static_cast<std::int32_t*>(launch.buffers[1]) + 1;
    }
    return std::nullopt;
  }
  std::optional<runtime::Failure> wait() override {
    ++n_waits;
    return std::nullopt;
  }

  int n_allocated = 0, n_live = 0, n_launches = 0, n_waits = 0;

 private:
  int trips_;
};

// The state is place 0, which a new array follows in each iteration, and slot 4, which counts up.
Loaded loop(LoopDevice& device) {
  Plan plan;
  plan.name = "loop";
  plan.n_slots = 6;
  plan.n_places = 3;
  plan.kernels = {{"condition", 1, ""}, {"body", 1, ""}};
  plan.steps = {
      {Constant{0, 1}},
      {Constant{1, 2}},
      {Constant{4, 0}},
      {Allocate{0, Kind::i32, {0}}},
      {Allocate{1, Kind::i32, {1}}},
      {Converge{{{Launch{0, {1}, {}, {0}, 0, 0}}},
                1,
                {{Allocate{2, Kind::i32, {0}}},
                 {Launch{1, {2, 0, 1}, {}, {0}, 0, 0}},
                 {Share{0, 2}},
                 {Release{2}},
                 {Compute{Op::add, Kind::i64, Kind::i64, 4, 4, 0, 0, 0}}}}},
      {Release{1}},
      {Fetch{5, 0, Kind::i32}},
  };
  plan.results = {{Kind::i64, 0, 4, -1}, {Kind::i32, 0, 5, -1}};
  Loaded loaded = without_kernels(std::move(plan), device, device.describe());
  for (const KernelText& kernel : loaded.plan.kernels)
    loaded.kernels.push_back(device.build({kernel.name, ""}));
  return loaded;
}

TEST(Execute, IterationsAreLaunchedAheadInTheMemoryOfTwo) {
  for (const int trips : {0, 1, 2, 3, 6, 7, 8, 40, 100}) {
    SCOPED_TRACE(trips);
    LoopDevice device(trips);
    detail::ResultValue results[2];
    execute(loop(device), {}, results);
    EXPECT_EQ(results[0].bits, static_cast<std::uint64_t>(trips));
    EXPECT_EQ(results[1].bits, static_cast<std::uint64_t>(trips));
    EXPECT_LE(device.n_allocated, 4);
    EXPECT_EQ(device.n_live, 0);
    EXPECT_LE(device.n_launches, 4 * (trips + 1));
    EXPECT_LE(device.n_waits, 10 + trips / 32);
  }
}

}  // namespace
}  // namespace fulgurite::plan
