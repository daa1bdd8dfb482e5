// Running a plan on a device that knows failures only when it waits.
#include "plan/execute.h"

#include <fulgurite/error.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

namespace fulgurite::plan {
namespace {

class PatientDevice final : public runtime::Device {
 public:
  runtime::Description describe() const override { return {}; }
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
  Loaded loaded;
  loaded.plan.name = "launch_then_check";
  loaded.plan.n_slots = 4;
  loaded.plan.params = {{Kind::i64, 0, 0, -1}};
  loaded.plan.kernels = {{"k", 1, ""}};
  loaded.plan.steps = {{Constant{1, 1}}, {Launch{0, {}, {}, {1}, 1, 1}}, {Check{0, 2, {0}}}};
  loaded.device = &device;
  loaded.kernels = {device.build({})};
  loaded.sites = {{SiteText::Error::index, {}, "index {} of {}"},
                  {SiteText::Error::shape, {}, "the size is {}"}};
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

}  // namespace
}  // namespace fulgurite::plan
