// CUDA text of loops, lanes, elements that many change and arrays in global memory, compiled by NVRTC where
// it is found.
#include <fulgurite/kernel.h>
#include <gtest/gtest.h>

#include "../emit/nvrtc.h"
#include "matrices.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Index, k::Pull;

TEST(CudaLanguage, SlowNvrtcCompilesItWithoutMemoryOfThreads) {
  const test::Nvrtc nvrtc;
  if (!nvrtc.is_there()) GTEST_SKIP() << "there is no libnvrtc.so";
  const auto compiles = [&](const std::string& text) {
    const test::Nvrtc::Result result = nvrtc(text, "sm_90");
    ASSERT_TRUE(result.is_compiled) << result.log << text;
    const test::PtxasReport report = test::ptxas_report(result.log);
    EXPECT_EQ(report.spill_stores, 0) << result.log;
    EXPECT_EQ(report.stack, 0) << result.log;
  };
  const auto turned = [](Pull<int> a) { return k::sync(k::reverse(a)); };
  compiles(k::to_cuda(k::kernel("rounds", k::block<int>(256), k::scalar<std::int64_t>(),
                                [=](Pull<int> a, Index n) { return k::iterate(n, turned, a); })));
  compiles(k::to_cuda(k::kernel("until", k::block<int>(256), [=](Pull<int> a) {
    return k::while_loop([](Pull<int> x) { return x[0] < 9; },
                         [=](Pull<int> x) { return k::map([](Exp<int> v) { return v + 1; }, turned(x)); }, a);
  })));
  compiles(k::to_cuda(k::kernel("lanes", k::block<float>(256), [](Pull<float> a) {
    return k::warps(32, [](Pull<float> part) { return k::warp_scan(plus, part); }, a);
  })));
  compiles(k::to_cuda(
      k::kernel("counts", k::block<int>(256, -1), [](Pull<int> a) { return k::histogram(64, a); })));
  compiles(k::to_cuda(k::kernel("in_global", k::block<int>(256),
                                [](Pull<int> a) { return k::reverse(k::to_global(k::reverse(a))); })));
  const auto by_data = k::kernel(
      "by_data", k::block<int>(2048, 0), k::updated<int>(), k::updated<int>(),
      [](Pull<int> a, k::Updated<int> out, k::Updated<int> counter) {
        k::par(a.size(), [&](Index i) {
          iterate(
              cast<std::int64_t>(a[i] % 3),
              [&](Index j, Exp<int> s) {
                k::when(s % 2 == 0, [&] { out.write(k::atomic_add(counter, 1), s + cast<int>(j)); });
                return s + 1;
              },
              a[i]);
        });
        return std::tuple(out, counter);
      });
  compiles(k::to_cuda(by_data));
  const auto own_arrays = k::kernel("own", k::block<int>(256), [](Pull<int> a) {
    return k::Push<int>(256, [=](const k::Push<int>::Write& write) {
      k::par(256, [&](Index i) {
        const Pull<int> mine = k::sync(
            k::push<k::Level::thread>(Pull<int>(4, [=](const Index& j) { return a[i] + cast<int>(j); })));
        write(i, mine[cast<std::int64_t>(a[i] & 3)]);
      });
    });
  });
  EXPECT_TRUE(nvrtc(k::to_cuda(own_arrays), "sm_90").is_compiled) << k::to_cuda(own_arrays);
  compiles(k::to_cuda(matrices::transpose<float>()));
  compiles(k::to_cuda(matrices::product<float>()));
}

}  // namespace
}  // namespace fulgurite
