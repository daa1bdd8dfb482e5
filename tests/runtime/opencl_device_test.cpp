// The OpenCL device, on the devices that this machine has: memory, launches, failures, caches. Skipped where
// there are none.
#include "runtime/opencl/device.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "kernels.h"
#include "pocl.h"
#include "runtime/opencl/api.h"
#include "runtime/opencl/catalogue.h"
#include "runtime/stats.h"

namespace fulgurite::runtime::opencl {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

constexpr std::uint64_t plenty = std::uint64_t{64} << 20;

// sum[i] = a[i] + b[i] of n elements, 64 to a block.
KernelSource add() {
  return {.name = "add",
          .text = R"(
kernel void add_p0(global const float* a, global const float* b, global float* sum, long n) {
  long i = get_global_id(0);
  if (i < n) sum[i] = a[i] + b[i];
}
)",
          .arguments = {0, 0, 0, 8},
          .block_sizes = {64}};
}

// Two phases: a sum of each block of 256, in memory that the block shares, then the sum of these.
KernelSource block_sum() {
  return {.name = "block_sum",
          .text = R"(
kernel void block_sum_p0(global const int* x, global int* partial, global int* result, long n) {
  local int shared[256];
  int t = get_local_id(0);
  long i = get_global_id(0);
  shared[t] = i < n ? x[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) shared[t] += shared[t + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) partial[get_group_id(0)] = shared[0];
}
kernel void block_sum_p1(global const int* x, global int* partial, global int* result, long n) {
  int sum = 0;
  for (long i = 0; i < (n + 255) / 256; ++i) sum += partial[i];
  *result = sum;
}
)",
          .n_phases = 2,
          .arguments = {0, 0, 0, 8},
          .block_sizes = {256, 1}};
}

// to[i] = from[index[i]] where the index is one, else the failure `site` of the lowest element.
KernelSource gather(const std::string& site = "7") {
  return {.name = "gather",
          .text = R"(
typedef struct { int lock; int site; long element; long value; long bound; } fg_failure;
void report(volatile global fg_failure* f, int site, long element, long value, long bound) {
  for (int done = 0; !done;)
    if (atomic_cmpxchg(&f->lock, 0, 1) == 0) {
      if (f->site == 0 || element < f->element) {
        f->site = site; f->element = element; f->value = value; f->bound = bound;
      }
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      atomic_xchg(&f->lock, 0);
      done = 1;
    }
}
kernel void gather_p0(global const int* from, global const int* index, global int* to, long n, int n_from,
                      global fg_failure* failure) {
  long i = get_global_id(0);
  if (i >= n) return;
  if (index[i] >= 0 && index[i] < n_from) to[i] = from[index[i]];
  else report(failure, )" +
                  site + R"(, i, index[i], n_from);
}
)",
          .arguments = {0, 0, 0, 8, 4},
          .block_sizes = {32},
          .can_fail = true};
}

class OpenCl : public testing::Test {
 protected:
  void SetUp() override {
    test::prepare_pocl();
    try {
      entries_ = list_devices(api());
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
    device_ = std::make_unique<OpenClDevice>(entries_.front(), none_);
  }

  OpenClDevice& device() { return *device_; }
  const DeviceEntry& entry() const { return entries_.front(); }

  // Memory of a test, given back after it.
  template <class T>
  Memory upload(const std::vector<T>& values) {
    const Memory memory = make<T>(values.size());
    device().upload(memory, values.data(), memory.bytes);
    return memory;
  }
  template <class T>
  Memory make(std::size_t n) {
    memories_.push_back(device().allocate(n * sizeof(T)));
    return memories_.back();
  }
  template <class T>
  std::vector<T> download(Memory memory) {
    std::vector<T> values(memory.bytes / sizeof(T));
    device().download(values.data(), memory, memory.bytes);
    return values;
  }
  void TearDown() override {
    for (const Memory memory : memories_) device().release(memory);
  }

  std::optional<Failure> launch(const Kernel& kernel, std::vector<void*> buffers,
                                std::vector<std::int64_t> scalars, std::vector<std::int64_t> n_tasks) {
    return device().launch(kernel, {buffers, scalars, n_tasks, 80, 8});
  }

 private:
  DiskCache none_{{}, 0};
  std::vector<DeviceEntry> entries_;
  std::unique_ptr<OpenClDevice> device_;
  std::vector<Memory> memories_;
};

TEST_F(OpenCl, CopiesUpDownAndAcross) {
  reset_stats();
  std::vector<int> x(100003);
  std::iota(x.begin(), x.end(), -5);
  const Memory a = upload(x), b = make<int>(x.size());
  device().copy(b, a, b.bytes);
  EXPECT_EQ(download<int>(b), x);
  EXPECT_EQ(stats().bytes_allocated, 2 * a.bytes);
  EXPECT_EQ(stats().bytes_copied, 3 * a.bytes);
  const Memory nothing = make<int>(0);
  device().copy(nothing, a, 0);
  EXPECT_NE(nothing.data, nullptr);
  EXPECT_EQ(device().wait(), std::nullopt);
}

TEST_F(OpenCl, DescribesItself) {
  const Description description = device().describe();
  EXPECT_EQ(description.engine, "opencl");
  EXPECT_EQ(description.name, entry().name);
  EXPECT_FALSE(description.name.empty());
  EXPECT_GE(description.n_cores, 1);
  EXPECT_GE(description.memory, std::size_t{1} << 20);
  EXPECT_FALSE(description.is_host);
}

// Its work need not be done when the process ends.
TEST_F(OpenCl, TheSharedDeviceIsTheWantedOne) {
  OpenClDevice& shared = OpenClDevice::shared();
  EXPECT_EQ(&shared, &OpenClDevice::shared());
  const std::vector<DeviceEntry> devices = list_devices(api());
  EXPECT_EQ(shared.describe().name, device_with(devices, choose_device(devices, wanted_device())).name);
  const std::vector<int> x(1000, 7);
  const Memory a = shared.allocate(4000), b = shared.allocate(4000);
  shared.upload(a, x.data(), 4000);
  shared.copy(b, a, 4000);
  shared.release(a);
  shared.release(b);
}

TEST_F(OpenCl, FreedMemoryIsUsedAgain) {
  const Memory first = device().allocate(100000);
  device().release(first);
  reset_stats();
  const Memory second = device().allocate(99000);
  EXPECT_EQ(second.data, first.data);
  EXPECT_EQ(stats().pool_reuses, 1U);
  device().release(second);
}

TEST_F(OpenCl, AddsVectorsInManyBlocks) {
  const auto kernel = device().build(add());
  reset_stats();
  for (const std::int64_t n : {0, 1, 64, 65, 100001}) {
    std::vector<float> x(static_cast<std::size_t>(n) + 1, 0.5F), y(x.size());
    std::iota(y.begin(), y.end(), 0.0F);
    const Memory a = upload(x), b = upload(y), sum = upload(std::vector<float>(x.size(), -1));
    EXPECT_EQ(launch(*kernel, {a.data, b.data, sum.data}, {n}, {(n + 63) / 64}), std::nullopt);
    EXPECT_EQ(device().wait(), std::nullopt);
    const std::vector<float> result = download<float>(sum);
    for (std::size_t i = 0; i + 1 < result.size(); ++i) ASSERT_EQ(result[i], y[i] + 0.5F) << i;
    EXPECT_EQ(result.back(), -1) << "beyond the end";
  }
  EXPECT_EQ(stats().launches, 5U);
  EXPECT_EQ(stats().bytes_moved, 5U * 88);
}

TEST_F(OpenCl, PhasesFollowEachOtherAndBlocksShareMemory) {
  const auto kernel = device().build(block_sum());
  for (const std::int64_t n : {1, 255, 256, 257, 10000}) {
    std::vector<int> x(static_cast<std::size_t>(n));
    std::iota(x.begin(), x.end(), 1);
    const Memory in = upload(x), partial = make<int>(40), result = make<int>(1);
    launch(*kernel, {in.data, partial.data, result.data}, {n}, {(n + 255) / 256, 1});
    EXPECT_EQ(download<int>(result).front(), n * (n + 1) / 2);
  }
}

TEST_F(OpenCl, ScalarsHaveTheirOwnSizes) {
  const auto kernel = device().build({.name = "pass",
                                      .text = R"(
kernel void pass_p0(char a, global long* to, short b, int c, uchar d, float e, long f) {
  to[0] = a; to[1] = b; to[2] = c; to[3] = d; to[4] = (long)(e * 4); to[5] = f;
}
)",
                                      .arguments = {1, 0, 2, 4, 1, 4, 8},
                                      .block_sizes = {1}});
  std::int64_t e = 0;
  const float quarter = 2.25F;
  std::memcpy(&e, &quarter, sizeof quarter);
  const Memory to = make<std::int64_t>(6);
  launch(*kernel, {to.data}, {-3, -30000, -2000000000, 200, e, std::int64_t{-1} << 60}, {1});
  EXPECT_EQ(download<std::int64_t>(to),
            (std::vector<std::int64_t>{-3, -30000, -2000000000, 200, 9, std::int64_t{-1} << 60}));
}

TEST_F(OpenCl, ReportsTheLowestFailureAndWorksOn) {
  const auto kernel = device().build(gather());
  std::vector<int> from(50), index(10000);
  std::iota(from.begin(), from.end(), 100);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<int>(i % 50);
  const Memory f = upload(from), to = make<int>(index.size()), good = upload(index);
  for (const std::size_t i : {9999UL, 6000UL, 3456UL, 3457UL}) index[i] = -3 - static_cast<int>(i % 2);
  const Memory bad = upload(index);
  const auto gather_by = [&](const Memory& at) {
    return launch(*kernel, {f.data, at.data, to.data}, {10000, 50}, {313});
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(gather_by(bad), std::nullopt) << "not known yet";
    EXPECT_EQ(device().wait(), (Failure{7, 3456, -3, 50}));
    EXPECT_EQ(device().wait(), std::nullopt) << "once is enough";
    gather_by(good);
    EXPECT_EQ(device().wait(), std::nullopt);
    EXPECT_EQ(download<int>(to)[9999], 149);
  }
}

// What later launches find may be a consequence, though its element is lower. More launches than records.
TEST_F(OpenCl, TheFirstLaunchThatFailsCounts) {
  const auto early = device().build(gather("1")), late = device().build(gather("2"));
  const Memory from = upload(std::vector<int>{5}), to = make<int>(100);
  const Memory good = upload(std::vector<int>(100, 0)), worse = upload(std::vector<int>(100, 1));
  std::vector<int> one_is_bad(100, 0);
  one_is_bad[40] = 9;
  const Memory bad = upload(one_is_bad);
  for (const int n_good : {0, 1, 31, 32, 70}) {
    for (int i = 0; i < n_good; ++i) launch(*late, {from.data, good.data, to.data}, {100, 1}, {4});
    launch(*early, {from.data, bad.data, to.data}, {100, 1}, {4});
    for (int i = 0; i < 40; ++i) launch(*late, {from.data, worse.data, to.data}, {100, 1}, {4});
    EXPECT_EQ(device().wait(), (Failure{1, 40, 9, 1})) << n_good;
  }
  EXPECT_EQ(device().wait(), std::nullopt);
}

TEST_F(OpenCl, ATextThatIsRefusedIsQuoted) {
  KernelSource source = add();
  source.text += "kernel void broken(global int* x) { *x = undeclared; }\n";
  for (int round = 0; round < 2; ++round) {
    try {
      device().build(source);
      FAIL();
    } catch (const DeviceError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("undeclared"), std::string::npos) << text;
      EXPECT_NE(text.find("'add'"), std::string::npos) << text;
    }
  }
  source = add();
  source.n_phases = 2;
  source.block_sizes = {64, 64};
  EXPECT_THROW(device().build(source), InternalError) << "add_p1 is missing";
  source = add();
  source.block_sizes = {1 << 30};
  EXPECT_THROW(device().build(source), DeviceError) << "no such blocks";
  source = add();
  source.shared_bytes = {1 << 30};
  EXPECT_THROW(device().build(source), DeviceError) << "no such memory";
  EXPECT_NE(device().build(add()), nullptr);
}

TEST_F(OpenCl, ContractsNothingByItself) {
  KernelSource source{.name = "fuse",
                      .text = R"(
kernel void fuse_p0(global float* x) { x[3] = x[0] * x[1] + x[2]; }
)",
                      .arguments = {0},
                      .block_sizes = {1}};
  const float e = 0x1p-12F;
  const Memory x = upload(std::vector<float>{1 + e, 1 + e, -(1 + 2 * e), -1});
  launch(*device().build(source), {x.data}, {}, {1});
  EXPECT_EQ(download<float>(x)[3], 0.0F);
}

TEST_F(OpenCl, TellsKernelsApartAndFindsThemAgain) {
  reset_stats();
  KernelSource source = add();
  const auto first = device().build(source);
  EXPECT_EQ(device().build(source), first);
  EXPECT_EQ(stats().memory_hits, 1U);
  source.block_sizes = {32};
  EXPECT_NE(device().build(source), first);
  EXPECT_EQ(stats().compilations, 2U);
}

TEST_F(OpenCl, FindsOnDiskWhatAnotherDeviceObjectCompiled) {
  const TemporaryDirectory directory;
  DiskCache disk(directory.path(), plenty);
  OpenClDevice one(entry(), disk), other(entry(), disk);
  reset_stats();
  one.build(block_sum());
  EXPECT_EQ(stats().compilations, 1U);
  EXPECT_EQ(stats().misses, 1U);
  const auto kernel = other.build(block_sum());
  EXPECT_EQ(stats().compilations, 1U);
  EXPECT_EQ(stats().disk_hits, 1U);
  // Which works, too.
  std::vector<int> x(1000, 3), result(1);
  const Memory in = other.allocate(4000), partial = other.allocate(16), to = other.allocate(4);
  other.upload(in, x.data(), 4000);
  void* buffers[] = {in.data, partial.data, to.data};
  const std::int64_t n = 1000, tasks[] = {4, 1};
  other.launch(*kernel, {buffers, {&n, 1}, tasks});
  other.download(result.data(), to, 4);
  EXPECT_EQ(result[0], 3000);
  for (const Memory memory : {in, partial, to}) other.release(memory);
}

TEST_F(OpenCl, ADamagedEntryIsCompiledAgain) {
  const TemporaryDirectory directory;
  DiskCache disk(directory.path(), plenty);
  OpenClDevice one(entry(), disk);
  one.build(add());
  for (const auto& file : fs::directory_iterator(directory.path())) fs::resize_file(file.path(), 300);
  one.forget_kernels();
  reset_stats();
  one.build(add());
  EXPECT_EQ(stats().compilations, 1U);
  one.forget_kernels();
  one.build(add());
  EXPECT_EQ(stats().disk_hits, 1U);
}

TEST_F(OpenCl, EightThreadsBuildAndLaunch) {
  reset_stats();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      const auto kernel = device().build(gather(std::to_string(1 + thread % 2)));
      std::vector<int> from(500), index(500), result(500);
      std::iota(from.begin(), from.end(), 1000 * thread);
      std::iota(index.begin(), index.end(), 0);
      const Memory f = device().allocate(2000), at = device().allocate(2000), to = device().allocate(2000);
      void* buffers[] = {f.data, at.data, to.data};
      const std::int64_t scalars[] = {500, 500}, tasks[] = {16};
      for (int round = 0; round < 50; ++round) {
        const bool fails = (round + thread) % 3 == 0;
        index[17] = fails ? 5000 + thread : 17;
        device().upload(f, from.data(), 2000);
        device().upload(at, index.data(), 2000);
        device().launch(*kernel, {buffers, scalars, tasks});
        const Failure own{1 + thread % 2, 17, 5000 + thread, 500};
        EXPECT_EQ(device().wait(), fails ? std::optional(own) : std::nullopt);
        device().download(result.data(), to, 2000);
        EXPECT_EQ(result[499], from[499]);
      }
      for (const Memory memory : {f, at, to}) device().release(memory);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stats().compilations, 2U);
  EXPECT_EQ(stats().memory_hits, 6U);
  EXPECT_EQ(stats().launches, 400U);
}

TEST_F(OpenCl, OutOfMemorySaysHowMuchThereIs) {
  for (const std::size_t bytes : {std::size_t{1} << 60, entry().memory + 1}) {
    try {
      device().allocate(bytes);
      FAIL();
    } catch (const OutOfMemory& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(std::to_string(bytes)), std::string::npos) << text;
      EXPECT_NE(text.find(std::to_string(entry().memory)), std::string::npos) << text;
      EXPECT_NE(text.find(entry().name), std::string::npos) << text;
    }
  }
}

// A driver that has no memory for large buffers while others exist; it is the real one otherwise.
int n_large_buffers = 0;

Buffer create_one_large_buffer(Context context, Bits flags, std::size_t bytes, void* from, Status* status) {
  if (bytes >= 1 << 20 && n_large_buffers == 1) {
    *status = value::mem_object_allocation_failure;
    return nullptr;
  }
  if (bytes >= 1 << 20) ++n_large_buffers;
  return api().create_buffer(context, flags, bytes, from, status);
}

Status release_one_large_buffer(Buffer buffer) {
  n_large_buffers = 0;
  return api().release_buffer(buffer);
}

TEST_F(OpenCl, FreedMemoryGoesBackBeforeMemoryIsOut) {
  Api poor = api();
  poor.create_buffer = create_one_large_buffer;
  poor.release_buffer = release_one_large_buffer;
  DiskCache none({}, 0);
  OpenClDevice device(entry(), none, poor);
  const Memory first = device.allocate(1 << 20);
  EXPECT_THROW(device.allocate(2 << 20), OutOfMemory);
  device.release(first);
  const Memory second = device.allocate(2 << 20);
  EXPECT_NE(second.data, nullptr);
  device.release(second);
}

// A context and a queue that a user has.
TEST_F(OpenCl, RunsOnTheUsersQueueAndMemory) {
  Status status = 0;
  const DeviceId id = entry().id;
  const Owned<Context> context(api().create_context(nullptr, 1, &id, nullptr, nullptr, &status),
                               api().release_context);
  const Owned<Queue> queue(api().create_queue(context.get(), id, 0, &status), api().release_queue);
  const Owned<Queue> any_order(api().create_queue(context.get(), id, value::queue_out_of_order, &status),
                               api().release_queue);
  ASSERT_EQ(status, 0);
  EXPECT_THROW(OpenClDevice::use_queue(any_order.get()), DeviceError);

  DiskCache none({}, 0);
  OpenClDevice users(entry(), none, api(), queue.get());
  const std::vector<float> x(64, 1.5F);
  const Owned<Buffer> buffer(api().create_buffer(context.get(), value::mem_read_write, 256, nullptr, &status),
                             api().release_buffer);
  const Memory sum = users.allocate(256), adopted = users.adopt(buffer.get(), 256);
  EXPECT_EQ(users.handle(adopted), buffer.get());
  EXPECT_THROW(users.adopt(buffer.get(), 257), DeviceError);
  EXPECT_THROW(device().adopt(buffer.get(), 256), DeviceError) << "another context";
  users.upload(adopted, x.data(), 256);
  void* const buffers[] = {adopted.data, adopted.data, sum.data};
  const std::int64_t n = 64, n_tasks = 1;
  users.launch(*users.build(add()), {buffers, {&n, 1}, {&n_tasks, 1}});
  std::vector<float> result(64);
  // What the user enqueues comes after it.
  EXPECT_EQ(api().read_buffer(queue.get(), static_cast<Buffer>(users.handle(sum)), 1, 0, 256, result.data(),
                              0, nullptr, nullptr),
            0);
  EXPECT_EQ(result[63], 3.0F);
  users.disown(adopted);
  users.release(sum);
}

TEST_F(OpenCl, ALostDeviceIsAnError) {
  Api lost = api();
  lost.finish = [](Queue) -> Status { return -5; };
  DiskCache none({}, 0);
  OpenClDevice device(entry(), none, lost);
  try {
    device.wait();
    FAIL();
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("CL_OUT_OF_RESOURCES"), std::string::npos) << text;
    EXPECT_NE(text.find("FULGURITE_OPENCL_DEVICE"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace fulgurite::runtime::opencl
