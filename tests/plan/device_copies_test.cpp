// Arrays on devices: what is copied when, and what goes where a device is full. The devices are of host
// memory.
#include "plan/device_copies.h"

#include <fulgurite/array.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>

namespace fulgurite::detail {
namespace {

using runtime::Memory;

class SmallDevice final : public runtime::Device {
 public:
  explicit SmallDevice(std::size_t bytes) : free(bytes) {}

  runtime::Description describe() const override { return {}; }
  Memory allocate(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    if (bytes > free) throw OutOfMemory("the device is full");
    free -= bytes;
    return {::operator new(bytes), bytes};
  }
  void release(Memory memory) noexcept override {
    const std::lock_guard lock(mutex_);
    free += memory.bytes;
    ::operator delete(memory.data);
  }
  void upload(Memory to, const void* from, std::size_t bytes) override {
    std::memcpy(to.data, from, bytes);
    ++n_uploads;
  }
  void download(void* to, Memory from, std::size_t bytes) override {
    std::memcpy(to, from.data, bytes);
    ++n_downloads;
  }
  void copy(Memory to, Memory from, std::size_t bytes) override { std::memcpy(to.data, from.data, bytes); }
  std::shared_ptr<const runtime::Kernel> build(const runtime::KernelSource&) override { return nullptr; }
  std::optional<runtime::Failure> launch(const runtime::Kernel&, const runtime::Launch&) override {
    return {};
  }
  std::optional<runtime::Failure> wait() override { return {}; }

  std::size_t free;
  std::atomic<int> n_uploads = 0, n_downloads = 0;

 private:
  std::mutex mutex_;
};

std::shared_ptr<const void> numbers(int first) {
  auto values = std::make_shared<std::vector<int>>(25);
  std::iota(values->begin(), values->end(), first);
  return {values, values->data()};
}
constexpr std::size_t bytes = 25 * sizeof(int);

// As a program does with an argument.
int first_on(SmallDevice& device, const Elements& elements) {
  DeviceCopies& copies = elements.storage()->copies();
  const int first = *static_cast<const int*>(copies.acquire(device, bytes).data);
  copies.release(device);
  return first;
}
// As a program does with a result, whose memory may be larger.
Elements result_on(SmallDevice& device, int first) {
  const Memory memory = allocate_on(device, bytes + 20);
  device.upload(memory, numbers(first).get(), bytes);
  return storage_on(device, memory, bytes);
}

TEST(DeviceCopies, AnArrayTravelsOnceToEachDeviceAndBackIfItIsRead) {
  SmallDevice one(1000), two(1000);
  {
    const Elements a = numbers(5), again = a;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(first_on(one, i == 0 ? a : again), 5);
    EXPECT_EQ(one.n_uploads, 1);
    EXPECT_EQ(first_on(two, a), 5);
    EXPECT_EQ(two.n_uploads, 1);
    EXPECT_EQ(one.n_downloads, 0);

    const Elements r = result_on(one, 7);
    EXPECT_EQ(r.at_hand(), nullptr);
    one.n_uploads = 0;
    EXPECT_EQ(first_on(one, r), 7);
    EXPECT_EQ(one.n_uploads + one.n_downloads, 0) << "fed back, it never travels";
    for (int i = 0; i < 3; ++i) EXPECT_EQ(static_cast<const int*>(r.get())[24], 31);
    EXPECT_EQ(one.n_downloads, 1);
    EXPECT_EQ(first_on(two, r), 7);
    EXPECT_EQ(one.n_downloads, 1);
    EXPECT_EQ(one.free, 1000 - 2 * bytes - 20);
  }
  EXPECT_EQ(one.free, 1000U);
  EXPECT_EQ(two.free, 1000U);
  const Elements none = std::shared_ptr<const void>();
  EXPECT_EQ(none.get(), nullptr);
}

TEST(DeviceCopies, AFullDeviceLosesWhatWasNotUsedForLongest) {
  SmallDevice device(330);
  const Elements result = result_on(device, 1), a = numbers(2), b = numbers(3), c = numbers(4);
  first_on(device, a);
  first_on(device, b);  // 10 bytes are left
  first_on(device, a);
  EXPECT_EQ(first_on(device, c), 4);
  EXPECT_EQ(device.n_downloads, 0) << "b, which the host has, went";
  device.n_uploads = 0;
  first_on(device, a);
  EXPECT_EQ(device.n_uploads, 0);

  DeviceCopies& in_use = a.storage()->copies();
  in_use.acquire(device, bytes);
  const Memory all_but_a = allocate_on(device, 330 - bytes);
  EXPECT_EQ(device.n_downloads, 1) << "the result went, to the host";
  EXPECT_EQ(static_cast<const int*>(result.get())[24], 25);
  EXPECT_EQ(device.n_downloads, 1);
  EXPECT_THROW(allocate_on(device, 1 + 330 - bytes), OutOfMemory) << "a program is at a";
  in_use.release(device);
  device.release(all_but_a);
}

TEST(DeviceCopies, ThreadsShareCopiesWhileOthersAreEvicted) {
  SmallDevice device(5 * bytes);
  std::vector<Elements> arrays;
  for (int i = 0; i < 8; ++i) arrays.emplace_back(numbers(100 * i));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const int k = (i * (t + 1)) % 8;
        EXPECT_EQ(first_on(device, arrays[static_cast<std::size_t>(k)]), 100 * k);
      }
    });
  for (std::thread& thread : threads) thread.join();
  arrays.clear();
  EXPECT_EQ(device.free, 5 * bytes);
}

}  // namespace
}  // namespace fulgurite::detail
