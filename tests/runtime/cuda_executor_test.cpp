// The stand-in for CUDA itself (cuda_stand_in/machine.h): what kernels compute on it, and that it finds what
// a device forbids, does otherwise than one expects, or need not do well.
#include <fmt/format.h>

#include <set>

#include "cuda_machine.h"
#include "runtime/cuda/kernel.h"

namespace fulgurite::runtime::cuda {
namespace {

struct Shape {
  std::int64_t n_blocks = 1;
  std::int32_t block_size = 32, shared_bytes = 0;
};

class CudaExecutor : public Cuda {
 protected:
  // void k_p0(int* a, int* b, long long n), of n elements each.
  KernelSource kernel(const std::string& body, const Shape& shape, const std::string& before = "") {
    return {.name = "k",
            .text = fmt::format(
                "{}extern \"C\" __global__ void __launch_bounds__({}) k_p0(int* a, int* b, long long n) "
                "{{\n{}\n}}\n",
                before, shape.block_size, body),
            .arguments = {0, 0, 8},
            .block_sizes = {shape.block_size},
            .shared_bytes = {shape.shared_bytes}};
  }

  // b of a kernel that begins with a = 0, 1, 2 ... and b = -1.
  std::vector<int> run(const KernelSource& source, const Shape& shape, std::int64_t n = 1024) {
    const auto size = static_cast<std::size_t>(n);
    const Memory a = upload(numbers(size, 0)), b = upload(std::vector<int>(size, -1));
    std::vector<int> result;
    try {
      const auto built = device().build(source);
      void* const buffers[] = {a.data, b.data};
      device().launch(*built, {buffers, {&n, 1}, {&shape.n_blocks, 1}});
      result = download(b);
    } catch (const Error&) {
      device().release(a);
      device().release(b);
      throw;
    }
    device().release(a);
    device().release(b);
    return result;
  }
  std::vector<int> run(const std::string& body, const Shape& shape = {}) {
    return run(kernel(body, shape), shape);
  }

  // What is said of a kernel that is wrong.
  std::string finding(const std::string& body, const Shape& shape = {}) {
    return message([&] { run(body, shape); });
  }

  void with_seeds(int n, const std::function<void()>& check) {
    for (machine().seed = 1; machine().seed <= static_cast<std::uint64_t>(n); ++machine().seed) {
      SCOPED_TRACE(fmt::format("seed {}", machine().seed));
      check();
    }
    machine().seed = 0;
  }
};

TEST_F(CudaExecutor, ThreadsAndBlocksRunInAnyOrder) {
  std::set<std::vector<int>> orders;
  with_seeds(5, [&] {
    std::vector<int> order = run("b[atomicAdd(a, 1)] = blockIdx.x * 32 + threadIdx.x;", {.n_blocks = 8});
    order.resize(256);
    EXPECT_TRUE(orders.insert(order).second);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, numbers(256, 0));
  });
}

TEST_F(CudaExecutor, BarriersShufflesAndSharedMemoryWork) {
  const Shape shape{.n_blocks = 4, .block_size = 128, .shared_bytes = 50000};
  const std::string reversed =
      "  __shared__ __align__(16) unsigned char shared[512];\n"
      "  __shared__ int sum;\n"
      "  extern __shared__ __align__(16) unsigned char more[];\n"
      "  int* const values = (int*)(shared + 0);\n"
      "  const int t = threadIdx.x, first = blockIdx.x * 128;\n"
      "  values[t] = a[first + t];\n"
      "  ((int*)more)[12499 - t] = 1000;\n"
      "  if (t == 0) sum = 0;\n"
      "  __syncthreads();\n"
      "  int v = values[127 - t];\n"
      "  for (int step = 1; step < 32; step *= 2) v += __shfl_sync(0xffffffffu, v, (t & 31) ^ step, 32);\n"
      "  if ((t & 31) == 0) atomicAdd(&sum, v);\n"
      "  values[127 - t] = t;\n"
      "  __syncwarp();\n"
      "  const int next = values[(127 - t) ^ 1];\n"
      "  __syncthreads();\n"
      "  b[first + t] = sum + next + ((int*)more)[12499 - (t + 1) % 128];\n";
  with_seeds(10, [&] {
    const std::vector<int> got = run(reversed, shape);
    for (int i = 0; i < 512; ++i) {
      const int first = i / 128 * 128, sum = 128 * first + 127 * 64;
      ASSERT_EQ(got[static_cast<std::size_t>(i)], sum + (i % 128 ^ 1) + 1000) << i;
    }
  });
}

TEST_F(CudaExecutor, WhatIsOutOfRangeIsFound) {
  EXPECT_SAYS(finding("b[threadIdx.x] = a[threadIdx.x + n - 31];"),
              "CUDA_ERROR_ILLEGAL_ADDRESS (700): kernel k_p0, block 0: thread 31 loads 4 bytes at");
  EXPECT_SAYS(finding("if (blockIdx.x == 2) b[-1ll - threadIdx.x] = 0;", {.n_blocks = 3}), "block 2: thread");
  EXPECT_SAYS(finding("a[1ll << 40] = 0;"), "where there is no allocation");
  EXPECT_SAYS(finding("int* volatile none = nullptr; *none = 0;"), "stores 4 bytes at 0x0");
  EXPECT_SAYS(finding("atomicAdd(a + (1 << 30), 1);"), "changes a volatile or atomic variable of 4 bytes");
  EXPECT_SAYS(finding("__shared__ int s[4];\ns[threadIdx.x & 4] = 1;\nb[0] = s[0];"),
              "stores 4 bytes at 16 of the 16 that its block shares");
  EXPECT_SAYS(finding("*(long long*)(a + 1) = 0;"), "CUDA_ERROR_MISALIGNED_ADDRESS (716)");
  EXPECT_EQ(
      run("int own[40];\nfor (int i = 0; i < 40; ++i) own[i] = a[i];\nb[threadIdx.x] = own[n % 40];")[31], 24)
      << "after all of them the device works on";
}

TEST_F(CudaExecutor, LaunchesMustFitTheirText) {
  Shape shape{.block_size = 64};
  KernelSource other = kernel("b[0] = 1;", shape);
  other.block_sizes = {32};
  EXPECT_SAYS(message([&] { run(other, shape); }), "blocks of 32 threads, and its text is for 64");
  EXPECT_SAYS(finding("__shared__ unsigned char s[50000];\ns[n] = 1;\n"), "and 50000 of its own");
  EXPECT_SAYS(finding("extern __shared__ unsigned char s[];\ns[n] = 1;\n"),
              "at 1024 of the 0 that its block shares");

  // The driver cannot see what it is given; what is no address of its memory and no bool is none.
  KernelSource swapped = source("k", "long long n, int* b", {8, 8}, "b[0] = n;");
  const std::int64_t scalars[] = {16, 16}, n_tasks = 1;
  EXPECT_SAYS(message([&] { device().launch(*device().build(swapped), {{}, scalars, {&n_tasks, 1}}); }),
              "argument 1 is 0 bytes at 0x10");
  swapped = source("k", "bool is_there, bool is_new", {1, 1}, "");
  EXPECT_SAYS(message([&] { device().launch(*device().build(swapped), {{}, scalars, {&n_tasks, 1}}); }),
              "argument 0 is a bool that is 16");

  const Context context(driver(), list_devices(driver()).front());
  const Context::Current current(context);
  const Module module(
      std::make_shared<Context>(driver(), list_devices(driver()).front()), "k",
      nvrtc().compile(kernel("extern __shared__ unsigned char s[];\nb[0] = s[0] = 1;", {}), 90));
  FunctionId function = nullptr;
  ASSERT_EQ(driver().get_function(&function, module.id(), "k_p0"), 0);
  Address none = 0;
  std::int64_t n = 0;
  void* arguments[] = {&none, &none, &n};
  const auto launch = [&](std::uint32_t n_threads, std::uint32_t shared_bytes) {
    return driver().launch(function, 1, 1, 1, n_threads, 1, 1, shared_bytes, nullptr, arguments, nullptr);
  };
  EXPECT_EQ(launch(64, 0), 701) << "more threads than the launch bounds";
  EXPECT_EQ(launch(32, 60000), 1) << "more shared memory than was asked for";
  EXPECT_EQ(driver().set_function_attribute(function, value::function_shared_bytes_at_launch, 228 << 10), 1);
  EXPECT_EQ(driver().set_function_attribute(function, value::function_shared_bytes_at_launch, 60000), 0);
  EXPECT_EQ(launch(32, 60000), 0);
  EXPECT_EQ(driver().synchronise_stream(nullptr), 700) << "the null addresses";
}

TEST_F(CudaExecutor, BarriersInDivergentCodeAreFound) {
  with_seeds(4, [&] {
    const std::string ended = finding("if (threadIdx.x == 5) return;\n__syncthreads();\nb[threadIdx.x] = 1;");
    EXPECT_TRUE(ended.find("threads of its block have ended") != ended.npos ||
                ended.find("ends, and others of its block wait") != ended.npos)
        << ended;
    EXPECT_SAYS(finding("if (threadIdx.x < 7) {\n  __syncthreads();\n} else {\n  __syncthreads();\n}"),
                "and others of its block in line");
    EXPECT_SAYS(
        finding("if (threadIdx.x < 7) __syncthreads();\nelse __syncwarp(0xffffff80u);\n__syncwarp();"),
        "threads wait for each other");
    EXPECT_SAYS(finding("__syncwarp(0xfffffffeu);"), "and is none of them");
    EXPECT_SAYS(finding("if (threadIdx.x < 7)\n  __syncwarp();\nelse\n  __syncwarp();"),
                "waits for its warp in line");
    EXPECT_SAYS(finding("if (threadIdx.x < 8) b[threadIdx.x] = __shfl_sync(0xffu, 1, 9, 32);"),
                "from lane 9, which does not take part");
    EXPECT_SAYS(finding("b[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0, 33);"), "shuffles among 33 lanes");
  });
  EXPECT_EQ(run("if (threadIdx.x < 8) b[threadIdx.x] = __shfl_sync(0xffu, (int)threadIdx.x, 9, 4);")[6], 5);
  EXPECT_EQ(run("if (threadIdx.x >= 8) return;\n__syncwarp();\nb[threadIdx.x] = 3;")[7], 3)
      << "others have ended";
}

TEST_F(CudaExecutor, ThreadsThatWaitForeverAreFound) {
  EXPECT_SAYS(finding("while (*(volatile int*)b != 7) {}"), "wait for something that does not happen");
}

TEST_F(CudaExecutor, RacesOfSharedMemoryAreFound) {
  const auto neighbours = [](const std::string& barrier) {
    return "__shared__ int s[64];\ns[threadIdx.x] = a[threadIdx.x];\n" + barrier +
           "\nb[threadIdx.x] = s[threadIdx.x ^ 1];\n";
  };
  const Shape shape{.block_size = 64};
  with_seeds(4, [&] {
    EXPECT_SAYS(finding(neighbours(""), shape), "races: thread");
    EXPECT_EQ(run(neighbours("__syncthreads();"), shape)[62], 63);
    EXPECT_EQ(run(neighbours("__syncwarp();"), shape)[62], 63);
    EXPECT_SAYS(finding("__shared__ int s[64];\ns[threadIdx.x] = 1;\n__syncwarp();\nb[threadIdx.x] = "
                        "s[threadIdx.x ^ 32];",
                        shape),
                "races: thread")
        << "of two warps";
    EXPECT_SAYS(
        finding("__shared__ int s;\nif (threadIdx.x == 63) s = 1;\n__syncthreads();\nb[threadIdx.x] = s;\n"
                "if (threadIdx.x == 0) s = 2;",
                shape),
        "without a barrier")
        << "a store behind loads";
  });
  EXPECT_EQ(run("__shared__ int s;\nif (threadIdx.x == 0) s = 0;\n__syncthreads();\natomicAdd(&s, "
                "1);\n__syncthreads();\n"
                "b[threadIdx.x] = s;",
                shape)[63],
            64);
}

// Block 0 leaves a number for block 1.
TEST_F(CudaExecutor, StoresAreSeenLateWithoutAFence) {
  const auto hand_over = [](const std::string& fence, const std::string& other_fence) {
    return "  volatile int* const flag = b + 1000;\n"
           "  __shared__ int turn;\n"
           "  if (threadIdx.x == 0) turn = atomicAdd(a + 1000, 1);\n"
           "  __syncthreads();\n"
           "  if (turn == 1000) {\n"
           "    b[threadIdx.x] = 7 + threadIdx.x;\n"
           "    __syncthreads();\n"
           "    if (threadIdx.x == 0) { " +
           fence +
           " *flag = 1; }\n"
           "  } else {\n"
           "    if (threadIdx.x == 0) { while (*flag != 1) {} " +
           other_fence +
           " }\n"
           "    __syncthreads();\n"
           "    b[64 + threadIdx.x] = b[threadIdx.x ^ 32];\n"
           "  }\n";
  };
  const Shape shape{.n_blocks = 2, .block_size = 64};
  with_seeds(10, [&] {
    std::vector<int> expected = numbers(64, 7);
    std::rotate(expected.begin(), expected.begin() + 32, expected.end());
    const auto got = [&](const std::string& text) {
      const std::vector<int> b = run(text, shape);
      return std::vector<int>(b.begin() + 64, b.begin() + 128);
    };
    EXPECT_EQ(got(hand_over("__threadfence();", "__threadfence();")), expected);
    EXPECT_NE(got(hand_over("", "__threadfence();")), expected);
    EXPECT_NE(got(hand_over("__threadfence();", "")), expected);
  });
}

}  // namespace
}  // namespace fulgurite::runtime::cuda
