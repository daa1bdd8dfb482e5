// OpenCL text as PoCL runs it, where there is one: every operation of op.def on every kind against
// scalar::evaluate, atomics that meet, and the kernels of tests/kernels against what they are meant to
// compute.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

#include "../runtime/topology.h"
#include "every_operation.h"
#include "gpu_text.h"
#include "kernel/resources.h"
#include "kernel_run.h"
#include "runtime/failure_log.h"

namespace fulgurite {
namespace {

using namespace test;

/// As much of OpenCL 1.2 as runs one phase.
class OpenCl {
 public:
  using Handle = void*;
  OpenCl() {
    setenv("POCL_KERNEL_CACHE", "0", 1);
    runtime::test::tell_topology();
    library_ = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library_) return;
    Handle platform = nullptr;
    unsigned n = 0;
    int error = 0;
    if (call<int>("clGetPlatformIDs", 1u, &platform, &n) != 0 || n == 0) return;
    if (call<int>("clGetDeviceIDs", platform, std::uint64_t{0xffffffff}, 1u, &device_, &n) != 0 || n == 0)
      return;
    const void* none = nullptr;
    context_ = call<Handle>("clCreateContext", none, 1u, &device_, none, none, &error);
    if (error == 0)
      queue_ = call<Handle>("clCreateCommandQueue", context_, device_, std::uint64_t{0}, &error);
  }
  bool is_there() const { return queue_ != nullptr; }

  /// Runs the first phase. `buffers` and `scalars` as in Launch; failures are the last buffer's.
  void run(const kernel::Kernel& kernel, Launch& launch, std::size_t n_tasks, Bytes* failure = nullptr) {
    const std::string text = emit::print(kernel, emit::opencl);
    const char* source = text.c_str();
    int error = 0;
    const void* none = nullptr;
    Handle program = call<Handle>("clCreateProgramWithSource", context_, 1u, &source, none, &error);
    const char* options = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";
    if (call<int>("clBuildProgram", program, 1u, &device_, options, none, none) != 0) {
      std::string log(20000, '\0');
      call<int>("clGetProgramBuildInfo", program, device_, 0x1183u, log.size(), log.data(), none);
      FAIL() << log.c_str() << "\n" << text;
    }
    Handle phase = call<Handle>("clCreateKernel", program, (kernel.name + "_p0").c_str(), &error);
    ASSERT_EQ(error, 0);
    std::vector<std::pair<Handle, Bytes*>> memory;
    unsigned n_arguments = 0;
    auto pass = [&](Bytes& bytes) {
      Handle buffer =
          call<Handle>("clCreateBuffer", context_, std::uint64_t{1 | 32}, bytes.size(), bytes.data(), &error);
      memory.push_back({buffer, &bytes});
      EXPECT_EQ(call<int>("clSetKernelArg", phase, n_arguments++, sizeof buffer, &memory.back().first), 0);
    };
    std::size_t n_buffers = 0, n_scalars = 0;
    for (const kernel::Param& p : kernel.params) {
      if (p.role != kernel::Param::Role::scalar) {
        pass(launch.buffers[n_buffers++]);
        continue;
      }
      const std::size_t size = scalar::size_of(kernel.arena->info(p.name).type.kind);
      EXPECT_EQ(call<int>("clSetKernelArg", phase, n_arguments++, size, &launch.scalars[n_scalars++]), 0);
    }
    if (failure) pass(*failure);
    const std::size_t of_block = static_cast<std::size_t>(kernel::block_sizes(kernel)[0]),
                      all = n_tasks * of_block;
    ASSERT_EQ(call<int>("clEnqueueNDRangeKernel", queue_, phase, 1u, none, &all, &of_block, 0u, none, none),
              0);
    for (auto& [buffer, bytes] : memory) {
      ASSERT_EQ(call<int>("clEnqueueReadBuffer", queue_, buffer, 1u, std::size_t{0}, bytes->size(),
                          bytes->data(), 0u, none, none),
                0);
      call<int>("clReleaseMemObject", buffer);
    }
    call<int>("clReleaseKernel", phase);
    call<int>("clReleaseProgram", program);
  }

 private:
  template <class R, class... Args>
  R call(const char* name, Args... args) const {
    return reinterpret_cast<R (*)(Args...)>(dlsym(library_, name))(args...);
  }

  void* library_ = nullptr;
  Handle device_ = nullptr, context_ = nullptr, queue_ = nullptr;
};

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> values_of(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class OpenClRun : public testing::Test {
 protected:
  void SetUp() override {
    if (!opencl_.is_there()) GTEST_SKIP() << "there is no OpenCL device";
  }
  OpenCl opencl_;
};

double as_double(Kind kind, Bits bits) {
  return kind == Kind::f32 ? scalar::from_bits<float>(bits) : scalar::from_bits<double>(bits);
}

Bits some_value(Kind kind, std::mt19937_64& random) {
  const Bits edges[] = {scalar::lowest(kind), scalar::highest(kind), scalar::zero(kind), scalar::one(kind)};
  if (random() % 3 == 0) return edges[random() % 4];
  Bits bits = random() >> random() % 64;
  if (kind == Kind::boolean) return bits & 1;
  if (!scalar::is_float(kind))
    return scalar::evaluate(Op::bitcast, kind, kind, random() % 2 ? bits : 0 - bits);
  if (random() % 8 == 0) return scalar::evaluate(Op::cast, Kind::f64, kind, scalar::to_bits(std::nan("")));
  const double x =
      std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -static_cast<int>(random() % 70));
  return scalar::evaluate(Op::cast, Kind::f64, kind, scalar::to_bits(x));
}

/// Equal, or as near as OpenCL promises for what is not correctly rounded.
bool agree(const scalar::OpInfo& row, Kind kind, Bits got, Bits want) {
  if (got == want) return true;
  if (!scalar::is_float(kind)) return false;
  const double x = as_double(kind, got), y = as_double(kind, want);
  if (std::isnan(x) && std::isnan(y)) return true;
  if ((row.name == "min" || row.name == "max") && x == 0 && y == 0) return true;
  const double eps = kind == Kind::f32 ? 0x1p-23 : 0x1p-52, tiny = kind == Kind::f32 ? 0x1p-126 : 0x1p-1022;
  return row.has('$') && std::fabs(x - y) <= 20 * (eps * std::fabs(y) + tiny);
}

TEST_F(OpenClRun, SlowOperationsAgreeWithEvaluate) {
  for (int k = 0; k < scalar::n_kinds; ++k) {
    const Kind kind = static_cast<Kind>(k);
    const kernel::Kernel kernel = every_operation(kind, 2048);
    std::mt19937_64 random(static_cast<unsigned>(k));
    const std::size_t n = 2048;
    Launch launch;
    for (const kernel::Param& p : kernel.params)
      launch.buffers.emplace_back(n * scalar::size_of(kernel.arena->info(p.name).type.kind));
    std::vector<std::vector<Bits>> in(4, std::vector<Bits>(n));
    for (std::size_t c = 0; c < 4; ++c)
      for (std::size_t i = 0; i < n; ++i) {
        const Kind of = c == 3 ? Kind::boolean : kind;
        in[c][i] = some_value(of, random);
        store_element(launch.buffers[c], of, static_cast<std::int64_t>(i), in[c][i]);
      }
    opencl_.run(kernel, launch, n / 32);
    for (std::size_t p = 4; p < kernel.params.size(); ++p) {
      const scalar::VarInfo& info = kernel.arena->info(kernel.params[p].name);
      std::string name = info.name.substr(2);  // r_<operation>, r_cast_<kind>
      if (name == "nan" || name == "infinity") continue;
      if (name.starts_with("cast_") || name.starts_with("bitcast_")) name.resize(name.find('_'));
      const Op op = *scalar::op_named(name);
      int wrong = 0;
      for (std::size_t i = 0; i < n && wrong < 3; ++i) {
        const bool is_select = op == Op::select;
        const Bits a = is_select ? in[3][i] : in[0][i], b = in[is_select ? 0 : 1][i],
                   c = in[is_select ? 1 : 2][i];
        const Bits want = scalar::evaluate(op, kind, info.type.kind, a, b, c);
        const Bits got = load_element(launch.buffers[p], info.type.kind, static_cast<std::int64_t>(i));
        if (agree(scalar::info(op), info.type.kind, got, want)) continue;
        ++wrong;
        ADD_FAILURE() << info.name << " of " << name_of(kind) << std::hex << ": operands " << a << " " << b
                      << " " << c << ", got " << got << ", want " << want;
      }
    }
  }
}

TEST_F(OpenClRun, SlowKernelsComputeWhatTheyAreMeantTo) {
  std::mt19937 random(1);
  {
    const std::size_t n = 1000;
    std::vector<float> x(n), sums(4);
    for (float& v : x) v = static_cast<float>(random() % 100);
    Launch launch{{bytes_of(x), bytes_of(sums)}, {n}, {}};
    opencl_.run(read_kernel("block_sum"), launch, 4);
    sums = values_of<float>(launch.buffers[1]);
    for (std::size_t b = 0; b < 4; ++b)
      EXPECT_EQ(sums[b],
                std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(b * 256),
                                x.begin() + static_cast<std::ptrdiff_t>(std::min(n, b * 256 + 256)), 0.0f));
  }
  {
    std::vector<std::int32_t> keys(1024), sorted;
    for (std::int32_t& v : keys) v = static_cast<std::int32_t>(random());
    for (std::size_t b = 0; b < 1024; b += 512) {  // bitonic: rising, then falling
      const auto at = keys.begin() + static_cast<std::ptrdiff_t>(b);
      std::sort(at, at + 256);
      std::sort(at + 256, at + 512, std::greater());
    }
    Launch launch{{bytes_of(keys), bytes_of(keys)}, {1024}, {}};
    opencl_.run(read_kernel("bitonic"), launch, 2);
    for (std::size_t b = 0; b < 1024; b += 512)
      std::sort(keys.begin() + static_cast<std::ptrdiff_t>(b),
                keys.begin() + static_cast<std::ptrdiff_t>(b + 512));
    EXPECT_EQ(values_of<std::int32_t>(launch.buffers[1]), keys);
  }
  {
    const std::size_t n = 10000;
    std::vector<std::uint8_t> keys(n);
    std::vector<std::uint32_t> bins(256), expected(256);
    for (std::uint8_t& v : keys) ++expected[v = static_cast<std::uint8_t>(random() % 256)];
    Launch launch{{bytes_of(keys), bytes_of(bins)}, {n}, {}};
    opencl_.run(read_kernel("shared_bins"), launch, 3);
    EXPECT_EQ(values_of<std::uint32_t>(launch.buffers[1]), expected);
  }
}

TEST_F(OpenClRun, SlowTheLowestFailureIsReported) {
  const std::size_t n = 1000, m = 50;
  std::vector<std::int64_t> at(n, 3);
  for (std::size_t i : {900u, 130u, 131u, 400u, 999u}) at[i] = 60 + static_cast<std::int64_t>(i);
  std::vector<float> x(m, 2), y(n);
  Bytes keep(n, std::byte{1}), failure(sizeof(runtime::FailureCell));
  Launch launch{{bytes_of(at), bytes_of(x), keep, bytes_of(y), Bytes(4)}, {n, m, scalar::to_bits(1.5f)}, {}};
  opencl_.run(read_kernel("guarded_map"), launch, 8, &failure);
  const auto words = values_of<std::int32_t>(failure);
  const auto numbers = values_of<std::int64_t>(failure);
  EXPECT_EQ(words[0], 0);  // nobody holds the lock
  EXPECT_EQ(words[1], 7);
  EXPECT_EQ(numbers[1], 130);
  EXPECT_EQ(numbers[2], 60 + 130);
  EXPECT_EQ(numbers[3], 50);
  y = values_of<float>(launch.buffers[3]);
  EXPECT_EQ(y[0], 3.0f);
  EXPECT_EQ(values_of<std::int32_t>(launch.buffers[4])[0], 8);  // tickets
}

/// Elements of less than a word, and floats, by compare and exchange: none gets lost, neighbours stay.
TEST_F(OpenClRun, SlowAtomicsThatMeetAddUp) {
  for (const std::string kind : {"i8", "u16", "i32", "u64", "f32", "f64"}) {
    const kernel::Kernel k =
        kernel::parse("kernel add(out sums: " + kind + "[], out greatest: " + kind + "[], one: " + kind +
                      ")\npar grid task < 16 {\nalloc shared most: " + kind +
                      "[8] at 0\npar block t < 64 {\nif t < 8 {\nstore most[t] = one\n}\n}\n"
                      "sync block\npar block t < 64 {\n"
                      "atomic add sums[t % 3] by one\natomic max most[t % 5] by " +
                      kind +
                      "(t)\n}\nsync block\npar block t < 8 {\n"
                      "load v: " +
                      kind + " = most[t]\natomic max greatest[t] by v\n}\n}\n");
    kernel::check(k, kernel::Stage::threads, "test");
    const Kind of = *scalar::kind_named(kind);
    const std::size_t size = scalar::size_of(of);
    Launch launch{{Bytes(4 * size), Bytes(8 * size)}, {scalar::one(of)}, {}};
    opencl_.run(k, launch, 16);
    auto value = [&](std::size_t buffer, int i) {
      const Bits bits = load_element(launch.buffers[buffer], of, i);
      return scalar::evaluate(Op::cast, of, Kind::i64, bits);
    };
    const int n[] = {22, 21, 21, 0};  // of 64 threads
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(value(0, i),
                scalar::evaluate(Op::cast, of, Kind::i64,
                                 scalar::evaluate(Op::cast, Kind::i32, of, static_cast<Bits>(n[i] * 16))))
          << kind;
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(value(1, i), i < 5 ? static_cast<Bits>(i < 4 ? 60 + i : 59) : 1u) << kind << i;
  }
}

/// Sums of 8 neighbours by shuffles, by 40 threads of a block of 64.
TEST_F(OpenClRun, SlowShufflesGoThroughMemory) {
  const kernel::Kernel k = kernel::parse(R"(kernel shuffles(in x: i32[], out y: i32[], out z: i32[])
par grid task < 4 {
  par block t < 64 {
    store z[task * 64 + t] = 1i32
  }
  par block t < 40 {
    let i = task * 40 + t
    load v: i32 = x[i]
    var sum = v
    for k in 0 : 3 step 1 {
      let other = t + (1 << k)
      shuffle next = sum from other width 8
      sum = sum + next
    }
    store y[i] = sum
  }
}
)");
  kernel::check(k, kernel::Stage::threads, "test");
  std::vector<std::int32_t> x(160), expected(160);
  std::iota(x.begin(), x.end(), 5);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < 8; ++j) expected[i] += x[i / 8 * 8 + j];
  Launch launch{{bytes_of(x), Bytes(160 * 4), Bytes(256 * 4)}, {}, {}};
  opencl_.run(k, launch, 4);
  EXPECT_EQ(values_of<std::int32_t>(launch.buffers[1]), expected);
  EXPECT_EQ(values_of<std::int32_t>(launch.buffers[2]), std::vector<std::int32_t>(256, 1));
}

}  // namespace
}  // namespace fulgurite
