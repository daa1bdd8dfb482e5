// The CUDA device on a stand-in for the driver (cuda_stand_in/machine.h), which every machine has: memory,
// transfers, order, failures, errors.
#include <fmt/format.h>

#include <cstring>
#include <thread>

#include "cuda_machine.h"
#include "runtime/stats.h"

namespace fulgurite::runtime::cuda {
namespace {

TEST_F(Cuda, CopiesUpDownAndAcross) {
  EXPECT_EQ(device().describe().name, "Stand-in GPU 1");
  EXPECT_EQ(device().describe().engine, "cuda");
  EXPECT_FALSE(device().describe().is_host);
  EXPECT_EQ(device().describe().vector_bytes, 16);
  constexpr std::size_t chunk = Staging::chunk_bytes / sizeof(int);
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, chunk - 1, chunk, chunk + 1, 4 * chunk, 9 * chunk + 7}) {
    reset_stats();
    const std::vector<int> x = numbers(n, -5);
    const Memory a = upload(x), b = device().allocate(a.bytes);
    device().copy(b, a, b.bytes);
    EXPECT_EQ(download(b), x) << n;
    EXPECT_EQ(stats().bytes_allocated, 2 * a.bytes);
    EXPECT_EQ(stats().bytes_copied, 3 * a.bytes);
    device().release(a);
    device().release(b);
  }
  EXPECT_EQ(device().wait(), std::nullopt);
}

TEST_F(Cuda, LaunchesWithArgumentsAndCounts) {
  const Memory x = upload(numbers(1000, 1)), y = device().allocate(x.bytes);
  reset_stats();
  launch_twice(x, y);
  EXPECT_EQ(download(y)[999], 2000);
  EXPECT_EQ(stats().launches, 1U);
  EXPECT_EQ(stats().bytes_moved, 88U);
  EXPECT_EQ(n_calls("launch twice_p0 of 1 times 32 "), 1);

  KernelSource pass = source(
      "pass", "signed char a, int* out, short b, int c, unsigned char d, float e, long long f",
      {1, 0, 2, 4, 1, 4, 8},
      "  out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = (int)(4 * e), out[5] = (int)(f >> 32);\n");
  pass.n_phases = 2;
  pass.text +=
      "extern \"C\" __global__ void __launch_bounds__(64) pass_p1(signed char a, int* out, short b, int c, "
      "unsigned char d, float e, long long f) {\n"
      "  extern __shared__ __align__(16) unsigned char shared[];\n"
      "  if (threadIdx.x == 63) shared[49152] = (unsigned char)(blockIdx.x + 1);\n"
      "  __syncthreads();\n"
      "  if (threadIdx.x == 0) out[6 + blockIdx.x] = shared[49152];\n"
      "}\n";
  pass.block_sizes = {32, 64};
  pass.shared_bytes = {49152, 49153};
  const float quarter = 2.25F;
  std::int64_t e = 0;
  std::memcpy(&e, &quarter, sizeof quarter);
  const std::int64_t scalars[] = {-3, -30000, -2000000000, 200, e, std::int64_t{-1} << 60},
                     n_tasks[] = {1, 3};
  const auto kernel = device().build(pass);
  void* const buffers[] = {x.data};
  device().launch(*kernel, {buffers, scalars, n_tasks});
  std::vector<int> got = download(x);
  got.resize(9);
  EXPECT_EQ(got, (std::vector<int>{-3, -30000, -2000000000, 200, 9, -(1 << 28), 1, 2, 3}));
  EXPECT_EQ(n_calls("pass_p1 may have 49153 shared bytes"), 1) << "which it has to ask for";
  EXPECT_EQ(n_calls("pass_p0 may have"), 0);
  const std::int64_t n_none[] = {0, 0}, n_too_many[] = {1, std::int64_t{1} << 31};
  device().launch(*kernel, {buffers, scalars, n_none});
  EXPECT_EQ(n_calls("launch pass"), 2);
  EXPECT_SAYS(message([&] { device().launch(*kernel, {buffers, scalars, n_too_many}); }),
              "2147483648 blocks");
  EXPECT_THROW(device().launch(*kernel, {{}, scalars, n_tasks}), InternalError);
  device().release(x);
  device().release(y);
}

// Streams of the stand-in run as late as they may.
TEST_F(Cuda, TransfersWaitForWhatUsesTheirMemoryAndForNothingElse) {
  constexpr std::size_t n = 6 * Staging::chunk_bytes / sizeof(int);
  const Memory x = upload(numbers(n, 1)), y = device().allocate(x.bytes), other = device().allocate(x.bytes);
  device().wait();
  launch_twice(x, y);
  machine().calls.clear();
  device().upload(other, numbers(n, 3).data(), other.bytes);
  EXPECT_EQ(n_calls("stream 2 waits for 1"), 0) << "memory that no launch was given";
  EXPECT_EQ(n_calls("stream 1 waits for 2"), 1) << "launches may want what was uploaded";
  device().release(x);
  const Memory again = upload(numbers(n, 7));
  EXPECT_EQ(again.data, x.data);
  EXPECT_EQ(n_calls("stream 2 waits for 1"), 1) << "the launch may still read it";
  EXPECT_EQ(download(y), [&] {
    std::vector<int> doubled = numbers(n, 1);
    for (int& i : doubled) i *= 2;
    return doubled;
  }());
  launch_twice(again, y);
  EXPECT_EQ(download(y).back(), 2 * (7 + static_cast<int>(n) - 1));
  machine().calls.clear();
  device().upload(again, numbers(n, 7).data(), again.bytes);
  EXPECT_EQ(n_calls("stream 2 waits for 1"), 0) << "the download has waited for the launch";
  for (const Memory memory : {again, y, other}) device().release(memory);
}

TEST_F(Cuda, TheFirstLaunchThatFailsCountsAndTheDeviceWorksOn) {
  for (const int n_good : {0, 1, 31, 32, 70}) {
    for (int i = 0; i < n_good; ++i) launch_failing(0, 0);
    launch_failing(7, 3456);
    for (int i = 0; i < 40; ++i) launch_failing(8, 1);
    EXPECT_EQ(device().wait(), (Failure{7, 3456, -3, 50})) << n_good;
    EXPECT_EQ(device().wait(), std::nullopt) << "once is enough";
    launch_failing(0, 0);
    EXPECT_EQ(device().wait(), std::nullopt);
  }
}

TEST_F(Cuda, EightThreadsBuildLaunchAndFail) {
  reset_stats();
  device();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; ++round) {
        const Memory x = upload(numbers(500, t)), y = device().allocate(x.bytes);
        launch_twice(x, y);
        const bool fails = (round + t) % 3 == 0;
        launch_failing(fails ? 1 + t : 0, 17);
        EXPECT_EQ(device().wait(), fails ? std::optional(Failure{1 + t, 17, -3, 50}) : std::nullopt);
        EXPECT_EQ(download(y)[499], 2 * (t + 499));
        device().release(x);
        device().release(y);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stats().compilations, 2U);
  EXPECT_EQ(stats().memory_hits, 8U * 50 * 2 - 2);
  EXPECT_EQ(stats().launches, 800U);
}

TEST_F(Cuda, SharesMemoryWithTheUsersOfTheDevice) {
  // As if another library had allocated it.
  const Memory users = upload(numbers(100, 1)), y = device().allocate(396);
  const auto start = reinterpret_cast<std::uintptr_t>(device().handle(users));
  void* const second = reinterpret_cast<void*>(start + sizeof(int));
  const Memory x = device().adopt(second, 396);
  EXPECT_EQ(device().handle(x), second);
  launch_twice(x, y);
  EXPECT_EQ(download(y).back(), 200);
  device().disown(x);
  // Blocks have room after the bytes that were asked for.
  EXPECT_SAYS(message([&] { device().adopt(second, 1000); }), "the array is of 1000");
  EXPECT_SAYS(message([&] { device().adopt(reinterpret_cast<void*>(16), 4); }),
              "does not know the memory at 0x10");
  device().release(users);
  device().release(y);
}

TEST_F(Cuda, LaunchesOnTheUsersStream) {
  device();
  StreamId stream = nullptr;
  DeviceEntry entry = list_devices(driver()).front();
  const Context context(driver(), entry);
  const Context::Current current(context);
  ASSERT_EQ(driver().create_stream(&stream, 0), 0);
  {
    DiskCache none({}, 0);
    CudaDevice users(entry, none, driver(), nvrtc(), stream);
    const std::int64_t n = 1;
    const Memory x = users.allocate(4), y = users.allocate(4);
    void* const buffers[] = {x.data, y.data};
    users.launch(*users.build(twice), {buffers, {&n, 1}, {&n, 1}});
    EXPECT_EQ(machine().calls.back(), "launch twice_p0 of 1 times 32 on 3")
        << "streams 1 and 2 are the other device's";
    users.release(x);
    users.release(y);
  }
  EXPECT_EQ(driver().destroy_stream(stream), 0) << "it is still there";
}

TEST_F(Cuda, AStreamSaysItsDevice) {
  const std::vector<DeviceEntry> devices = list_devices(driver());
  ASSERT_EQ(devices.size(), 2U);
  for (const DeviceEntry& entry : devices) {
    const Context context(driver(), entry);
    StreamId stream = nullptr;
    {
      const Context::Current current(context);
      ASSERT_EQ(driver().create_stream(&stream, 0), 0);
      EXPECT_EQ(device_of(driver(), devices, value::stream_legacy), entry.number) << "of the current context";
    }
    EXPECT_EQ(device_of(driver(), devices, stream), entry.number);
    EXPECT_EQ(driver().destroy_stream(stream), 0);
  }
  EXPECT_EQ(device_of(driver(), devices, value::stream_legacy), 0) << "without a current context";
  EXPECT_SAYS(message([&] { device_of(driver(), devices, value::stream_per_thread); }),
              "another stream in each thread");

  DeviceId others = devices[0].id;  // stands for a context that a user made
  ASSERT_EQ(driver().push_context(reinterpret_cast<ContextId>(&others)), 0);
  StreamId stream = nullptr;
  ASSERT_EQ(driver().create_stream(&stream, 0), 0);
  EXPECT_SAYS(message([&] { device_of(driver(), devices, stream); }),
              "another context than the primary one of the CUDA device 'Stand-in GPU 1'");
  EXPECT_EQ(driver().destroy_stream(stream), 0);
  ContextId popped = nullptr;
  driver().pop_context(&popped);
}

TEST_F(Cuda, LaunchesOnTheLegacyStream) {
  DiskCache none({}, 0);
  device();
  CudaDevice users(list_devices(driver()).front(), none, driver(), nvrtc(), value::stream_legacy);
  const std::int64_t n = 1;
  const Memory x = users.allocate(4), y = users.allocate(4);
  const int one = 1;
  users.upload(x, &one, 4);
  void* const buffers[] = {x.data, y.data};
  users.launch(*users.build(twice), {buffers, {&n, 1}, {&n, 1}});
  EXPECT_EQ(machine().calls.back(), "launch twice_p0 of 1 times 32 on 0");
  int result = 0;
  users.download(&result, y, 4);
  EXPECT_EQ(result, 2);
  users.release(x);
  users.release(y);
}

// Whoever asks for the memory may read it at once, by means of his own.
TEST_F(Cuda, HandedOutMemoryHasWhatWasCopiedAndComputedThere) {
  const auto ints_at = [&](Memory memory) {
    const auto* const ints = static_cast<const int*>(device().handle(memory));
    return std::vector<int>(ints, ints + memory.bytes / sizeof(int));
  };
  const Memory x = upload(numbers(100, 1)), copy = device().allocate(x.bytes), y = device().allocate(x.bytes);
  EXPECT_EQ(ints_at(x), numbers(100, 1));
  device().copy(copy, x, x.bytes);
  EXPECT_EQ(ints_at(copy), numbers(100, 1));
  launch_twice(copy, y);
  EXPECT_EQ(ints_at(y).back(), 200);
  const Memory again = upload(numbers(100, 5));
  device().copy(copy, again, again.bytes);
  device().wait();
  EXPECT_EQ(ints_at(copy), numbers(100, 5));
  for (const Memory memory : {x, copy, y, again}) device().release(memory);
}

TEST_F(Cuda, OutOfMemoryEmptiesThePoolFirst) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  const Memory first = device().allocate(14 * mebibyte), kept = device().allocate(20 * mebibyte);
  device().release(first);
  EXPECT_EQ(n_calls("free"), 0);
  const Memory second = device().allocate(40 * mebibyte);
  EXPECT_EQ(n_calls("free"), 1);
  const std::string text = message([&] { device().allocate(10 * mebibyte); });
  EXPECT_SAYS(text, "OutOfMemory: an array of 10485760 bytes (10 MiB) was asked for");
  EXPECT_SAYS(text,
              "'Stand-in GPU 1' has 67108864 bytes (64 MiB), of which 4194304 bytes are free and this "
              "program's arrays have 62914560 bytes (60 MiB)");
  EXPECT_SAYS(message([&] { device().allocate(std::size_t{1} << 60); }), "1152921504606846976 bytes");

  // What a launch needs, too.
  const Memory x = upload({1}), y = device().allocate(4), spare = device().allocate(mebibyte);
  device().release(spare);
  machine().calls.clear();
  machine().statuses["cuLaunchKernel"] = {2};
  launch_twice(x, y);
  EXPECT_EQ(n_calls("free"), 1);
  EXPECT_EQ(download(y), (std::vector<int>{2}));
  machine().statuses["cuLaunchKernel"] = {2, 2};
  EXPECT_THROW(launch_twice(x, y), OutOfMemory);
  for (const Memory memory : {kept, second, x, y}) device().release(memory);
}

TEST_F(Cuda, ALostDeviceIsAnErrorInTheDriversWords) {
  const Memory x = upload({1, 2}), y = device().allocate(8);
  for (const char* function : {"cuLaunchKernel", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync",
                               "cuMemcpyDtoDAsync", "cuStreamSynchronize"}) {
    machine().statuses[function] = {700};
    const std::string text = message([&] {
      launch_twice(x, y);
      device().wait();
      device().upload(x, numbers(2, 0).data(), 8);
      device().copy(x, y, 8);
      download(x);
    });
    EXPECT_SAYS(text, "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered");
    EXPECT_SAYS(text, "FULGURITE_CUDA_DEVICE");
    EXPECT_TRUE(machine().statuses[function].empty()) << function;
  }
  device().release(x);
  device().release(y);
  machine().statuses["cuDevicePrimaryCtxRetain"] = {700};
  DiskCache none({}, 0);
  EXPECT_SAYS(message([&] { make(none); }), "making a context on the CUDA device 'Stand-in GPU 1'");
}

}  // namespace
}  // namespace fulgurite::runtime::cuda
