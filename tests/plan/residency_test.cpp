// Arrays of programs on an OpenCL device: what travels when, memory of the user's as arrays, arrays as
// memory. Skipped where there is no device.
#include <fulgurite/compile.h>
#include <fulgurite/device_memory.h>
#include <fulgurite/dlpack.h>
#include <fulgurite/kernel.h>
#include <fulgurite/stats.h>

#include <gtest/gtest.h>

#include <numeric>

#include "../runtime/pocl.h"
#include "runtime/opencl/api.h"
#include "runtime/opencl/catalogue.h"

namespace fulgurite {
namespace {

namespace k = kernel;

class Residency : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    runtime::test::prepare_pocl();
    try {
      const auto doubled = k::kernel("doubled", k::block<int>(64), [](k::Pull<int> a) {
        return k::map([](Exp<int> x) { return x + x; }, a);
      });
      doubled_ = compile([=](Vec<int> x) { return k::call(doubled, x); }, {.engine = Engine::opencl});
      (*doubled_)(Array<int>(std::vector<int>(64)));
    } catch (const DeviceError&) {
      doubled_.reset();
    }
  }
  static void TearDownTestSuite() { doubled_.reset(); }
  void SetUp() override {
    if (!doubled_) GTEST_SKIP() << "there is no OpenCL device";
  }

  static std::vector<int> numbers(int n, int factor = 1) {
    std::vector<int> xs(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) xs[static_cast<std::size_t>(i)] = factor * i;
    return xs;
  }

  static std::optional<Compiled<Vec<int>(Vec<int>)>> doubled_;
};
std::optional<Compiled<Vec<int>(Vec<int>)>> Residency::doubled_;

TEST_F(Residency, WhatIsUsedTwiceTravelsOnceAndResultsOnlyIfTheyAreRead) {
  constexpr std::uint64_t bytes = 640 * sizeof(int);
  const Array<int> x = numbers(640);
  reset_stats();
  Array<int> y = (*doubled_)(x);
  EXPECT_EQ(stats().bytes_copied, bytes);
  for (int i = 0; i < 9; ++i) y = (*doubled_)(y);
  const Array<int> again = (*doubled_)(x);
  EXPECT_EQ(stats().bytes_copied, bytes) << "nothing but x has travelled";
  EXPECT_EQ(y[639], 1024 * 639);
  EXPECT_EQ(y[1], 1024);
  EXPECT_EQ(stats().bytes_copied, 2 * bytes) << "y, once";
  EXPECT_EQ(again.to_vector(), numbers(640, 2));

  // Another engine reads it where it can.
  const auto sum = compile([](Vec<int> v) { return fulgurite::sum(v); }, {.engine = Engine::cpu});
  EXPECT_EQ(sum((*doubled_)(x)), 639 * 640);

  // The caller's own memory may change between calls.
  std::vector<int> mine = numbers(64);
  EXPECT_EQ((*doubled_)(mine)[63], 126);
  mine[63] = 5;
  EXPECT_EQ((*doubled_)(mine)[63], 10);
}

TEST_F(Residency, MemoryIsSharedWithCodeOfTheDevicesUsers) {
  using namespace runtime::opencl;
  const Array<int> x = numbers(64), y = (*doubled_)(x);
  const auto memory = static_cast<Buffer>(device_memory(Engine::opencl, y));
  EXPECT_EQ(device_memory(Engine::opencl, y), memory);
  EXPECT_EQ(device_memory(Engine::opencl, Array<int>()), nullptr);
  runtime::opencl::Context context = nullptr;
  ASSERT_EQ(api().get_buffer_info(memory, value::buffer_context, sizeof context, &context, nullptr), 0);

  // The user's buffer, in the same context.
  constexpr Bits copy_from_host = 1 << 5;
  std::vector<int> values = numbers(128, 3);
  Status status = 0;
  const Owned<Buffer> buffer(
      api().create_buffer(context, value::mem_read_write | copy_from_host, 512, values.data(), &status),
      api().release_buffer);
  ASSERT_EQ(status, 0);
  const auto keeps = std::make_shared<int>(0);
  {
    reset_stats();
    const Array<int> adopted = adopt<int>(Engine::opencl, buffer.get(), {128}, keeps);
    EXPECT_EQ(device_memory(Engine::opencl, adopted), buffer.get());
    const Array<int> result = (*doubled_)(adopted);
    EXPECT_EQ(stats().bytes_copied, 0U);
    EXPECT_EQ(result.to_vector(), numbers(128, 6));
    EXPECT_EQ(adopted[2], 6);
    EXPECT_EQ(keeps.use_count(), 2);
  }
  EXPECT_EQ(keeps.use_count(), 1);
  EXPECT_THROW(adopt<int>(Engine::opencl, buffer.get(), {129}), DeviceError) << "it is smaller";
  EXPECT_THROW(adopt<int>(Engine::opencl, buffer.get(), {-1}), ShapeError);
  EXPECT_EQ((adopt<int>(Engine::opencl, nullptr, {0, 3}).size()), 0);
  EXPECT_THROW(adopt<int>(Engine::cpu, values.data(), {128}), DeviceError);
  EXPECT_THROW(use_queue(Engine::cpu, values.data()), DeviceError);
}

// A result that is given twice is copied when the program has ended. Another queue reads it at once.
TEST_F(Residency, AResultGivenTwiceIsThereWhenItIsHandedOut) {
  using namespace runtime::opencl;
  constexpr int n = 1 << 22;
  const Array<int> x = numbers(n);
  const auto twice = compile(
      [](Vec<int> a) {
        const Vec<int> b = a + a;
        return std::tuple{b, b, a};
      },
      {.engine = Engine::opencl});
  Owned<Queue> queue(nullptr, api().release_queue);
  for (int round = 0; round < 4; ++round) {
    const auto [first, second, same] = twice(x);
    void* const memories[] = {device_memory(Engine::opencl, same), device_memory(Engine::opencl, second),
                              device_memory(Engine::opencl, first)};
    if (queue == nullptr) {
      runtime::opencl::Context context = nullptr;
      ASSERT_EQ(api().get_buffer_info(static_cast<Buffer>(memories[0]), value::buffer_context, sizeof context,
                                      &context, nullptr),
                0);
      const DeviceId device = list_devices(api()).at(0).id;
      Status status = 0;
      queue = Owned<Queue>(api().create_queue(context, device, 0, &status), api().release_queue);
      ASSERT_EQ(status, 0);
    }
    int factor = 1;
    for (void* memory : memories) {
      std::vector<int> elements(n);
      ASSERT_EQ(api().read_buffer(queue.get(), static_cast<Buffer>(memory), 1, 0, n * sizeof(int),
                                  elements.data(), 0, nullptr, nullptr),
                0);
      EXPECT_EQ(elements, numbers(n, std::exchange(factor, 2)));
    }
  }
  EXPECT_THROW(use_queue(Engine::opencl, nullptr), DeviceError);
}

TEST_F(Residency, TensorsShareMemory) {
  const Array<int> y = (*doubled_)(Array<int>(numbers(64)));
  reset_stats();
  dlpack::ManagedTensor* const given = to_dlpack(y, Engine::opencl);
  EXPECT_EQ(given->tensor.device.type, dlpack::DeviceType::opencl);
  const Array<int> back = from_dlpack<int>(given);
  EXPECT_EQ(device_memory(Engine::opencl, back), device_memory(Engine::opencl, y));
  const Array<int> result = (*doubled_)(back);
  EXPECT_EQ(stats().bytes_copied, 0U);
  EXPECT_EQ(result[63], 4 * 63);
}

TEST(DlPack, TensorsOfTheHostAreArraysAndArraysTensors) {
  const Array<float, 2> m({0, 1, 2, 3, 4, 5}, {2, 3});
  dlpack::ManagedTensor* const given = to_dlpack(m);
  const dlpack::Tensor& t = given->tensor;
  EXPECT_EQ(t.data, m.data());
  EXPECT_EQ(t.rank, 2);
  EXPECT_EQ(t.extents[1], 3);
  EXPECT_EQ(t.strides[0], 3);
  EXPECT_EQ(t.type.code, dlpack::TypeCode::floating);
  EXPECT_EQ(t.type.bits, 32);
  EXPECT_THROW(from_dlpack<float>(given), FormatError) << "rank";
  EXPECT_THROW((from_dlpack<int, 2>(given)), FormatError) << "elements";
  EXPECT_EQ((from_dlpack<float, 2>(given)).to_vector(), m.to_vector());

  // One of another library: with an offset, and strides that say nothing new.
  float values[] = {9, 1, 2, 3};
  std::int64_t extents[] = {1, 3}, strides[] = {77, 1};
  static int n_deleted;
  n_deleted = 0;
  dlpack::ManagedTensor theirs{
      {values, {dlpack::DeviceType::cpu, 0}, 2, {dlpack::TypeCode::floating, 32, 1}, extents, strides, 4},
      nullptr,
      [](dlpack::ManagedTensor*) { ++n_deleted; }};
  {
    const Array<float, 2> taken = from_dlpack<float, 2>(&theirs);
    const Array<float, 2> shared = taken;
    EXPECT_EQ(shared.data(), values + 1);
    EXPECT_EQ(n_deleted, 0);
  }
  EXPECT_EQ(n_deleted, 1);
  strides[1] = 2;
  EXPECT_THROW((from_dlpack<float, 2>(&theirs)), FormatError) << "not dense";
  strides[1] = 1;
  theirs.tensor.device.type = static_cast<dlpack::DeviceType>(7);
  EXPECT_THROW((from_dlpack<float, 2>(&theirs)), DeviceError);
  EXPECT_EQ(n_deleted, 1) << "what throws leaves the tensor to the caller";
  extents[1] = 0;
  EXPECT_EQ((from_dlpack<float, 2>(&theirs)).size(), 0);
  EXPECT_EQ(n_deleted, 2);
}

}  // namespace
}  // namespace fulgurite
