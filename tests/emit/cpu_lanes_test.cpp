// The prelude's masks, selections, comparisons and moves between lanes; and which sections stand before
// a kernel.
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "compiled_prelude.h"

namespace fulgurite::emit::testing {
namespace {

using std::int32_t, std::int64_t, std::uint8_t;

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

// The text for each lane count, with N for the count and H for half of it.
std::string for_lanes(const std::string& text, bool with_one) {
  std::string result;
  for (int lanes : lane_counts)
    if (lanes > 1 || with_one)
      result +=
          replaced(replaced(text, "xN", "x" + std::to_string(lanes)), "xH", "x" + std::to_string(lanes / 2));
  return result;
}

TEST(CpuLanes, HalvesAndNumbers) {
  std::string text = for_lanes(R"(
void halves_xN(const i32* a, i32* r) {
  i32xN v = fg_load_i32_xN(a);
  i32 n = sizeof(i32xN) / 8;
  fg_store_i32_xH(r, fg_low_i32_xN(v));
  fg_store_i32_xH(r + n, fg_high_i32_xN(v));
  fg_store_i32_xH(r + 2 * n, fg_even_i32_xN(v));
  fg_store_i32_xH(r + 3 * n, fg_odd_i32_xN(v));
}
void mask_halves_xN(const u8* a, u8* r) {
  i32 n = sizeof(i32xN) / 8;
  fg_store_b1_xH(r, fg_even_b1_xN(fg_load_b1_xN(a)));
  fg_store_b1_xH(r + n, fg_high_b1_xN(fg_load_b1_xN(a)));
}
)",
                               false) +
                     for_lanes("void numbers_xN(f64* r) { fg_store_f64_xN(r, fg_lane_f64_xN()); }\n", true);
  for (const std::string& cpu : levels()) {
    Compiled compiled(text, cpu);
    int32_t a[64], r[128];
    uint8_t m[64], mr[64];
    double d[64];
    for (int l = 0; l < 64; ++l) a[l] = 100 + l, m[l] = l % 3 == 0;
    for (int lanes : lane_counts) {
      std::string x = "_x" + std::to_string(lanes);
      compiled.find<void(double*)>("numbers" + x)(d);
      for (int l = 0; l < lanes; ++l) EXPECT_EQ(d[l], l);
      if (lanes == 1) continue;
      const int n = lanes / 2;
      compiled.find<void(const int32_t*, int32_t*)>("halves" + x)(a, r);
      compiled.find<void(const uint8_t*, uint8_t*)>("mask_halves" + x)(m, mr);
      for (int l = 0; l < n; ++l) {
        EXPECT_EQ(r[l], a[l]) << cpu << x;
        EXPECT_EQ(r[n + l], a[n + l]) << cpu << x;
        EXPECT_EQ(r[2 * n + l], a[2 * l]) << cpu << x;
        EXPECT_EQ(r[3 * n + l], a[2 * l + 1]) << cpu << x;
        EXPECT_EQ(mr[l], m[2 * l]) << cpu << x;
        EXPECT_EQ(mr[n + l], m[n + l]) << cpu << x;
      }
    }
  }
}

TEST(CpuLanes, ComparisonsMasksAndSelection) {
  std::string text = for_lanes(R"(
void compare_xN(const f32* a, const f32* b, u8* r) {
  f32xN x = fg_load_f32_xN(a), y = fg_load_f32_xN(b);
  b1xN eq = fg_eq_f32_xN(x, y), lt = fg_lt_f32_xN(x, y), le = fg_le_f32_xN(x, y);
  fg_store_b1_xN(r, eq);
  fg_store_b1_xN(r + 64, fg_ne_f32_xN(x, y));
  fg_store_b1_xN(r + 128, lt);
  fg_store_b1_xN(r + 192, le);
  fg_store_b1_xN(r + 256, fg_isnan_f32_xN(x));
  fg_store_b1_xN(r + 320, fg_isinf_f32_xN(x));
  fg_store_b1_xN(r + 384, fg_isfinite_f32_xN(x));
  fg_store_b1_xN(r + 448, (!eq & le) ^ lt);                 // never
  fg_store_b1_xN(r + 512, fg_select_b1_xN(lt, fg_splat_b1_xN(1), eq));
  fg_store_b1_xN(r + 576, fg_le_b1_xN(lt, le) & fg_max_b1_xN(lt, !lt) & !fg_min_b1_xN(lt, !lt) & fg_eq_b1_xN(lt, lt) & !fg_lt_b1_xN(le, lt));
}
void select_xN(const f32* a, const f32* b, f32* r) {
  f32xN x = fg_load_f32_xN(a), y = fg_load_f32_xN(b);
  fg_store_f32_xN(r, fg_select_f32_xN(fg_lt_f32_xN(x, y), x, y));
}
void count_xN(const f32* a, i64* r) { fg_store_i64_xN(r, fg_cast_b1_i64_xN(fg_cast_f32_b1_xN(fg_load_f32_xN(a)))); }
void bits_xN(const f32* a, u32* r) { fg_store_u32_xN(r, fg_bitcast_f32_u32_xN(fg_load_f32_xN(a))); }
)",
                               true);
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  float a[64], b[64];
  for (int l = 0; l < 64; ++l) {
    const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, nan, infinity, -infinity, 3.5f};
    a[l] = values[l % 8];
    b[l] = values[l / 8];
  }
  for (const std::string& cpu : levels()) {
    Compiled compiled(text, cpu);
    for (int lanes : lane_counts) {
      std::string x = "_x" + std::to_string(lanes);
      for (int at = 0; at < 64; at += lanes) {
        uint8_t r[640];
        float selected[64];
        int64_t count[64];
        std::uint32_t bits[64];
        compiled.find<void(const float*, const float*, uint8_t*)>("compare" + x)(a + at, b + at, r);
        compiled.find<void(const float*, const float*, float*)>("select" + x)(a + at, b + at, selected);
        compiled.find<void(const float*, int64_t*)>("count" + x)(a + at, count);
        compiled.find<void(const float*, std::uint32_t*)>("bits" + x)(a + at, bits);
        for (int l = 0; l < lanes; ++l) {
          float p = a[at + l], q = b[at + l];
          const bool expected[] = {p == q,
                                   p != q,
                                   p < q,
                                   p <= q,
                                   std::isnan(p),
                                   std::isinf(p),
                                   std::isfinite(p),
                                   false,
                                   p < q ? true : p == q,
                                   true};
          for (int k = 0; k < 10; ++k)
            EXPECT_EQ(r[64 * k + l], expected[k]) << cpu << x << " test " << k << " of " << p << ", " << q;
          float other = p < q ? p : q;
          EXPECT_TRUE(selected[l] == other || (std::isnan(selected[l]) && std::isnan(other)));
          EXPECT_EQ(count[l], p != 0);
          std::uint32_t exact;
          std::memcpy(&exact, &p, 4);
          EXPECT_EQ(bits[l], exact);
        }
      }
    }
  }
}

TEST(CpuLanes, FusedMultiplyAddRoundsOnce) {
  std::string text = for_lanes(R"(
void fma_xN(const f32* a, f32* r) {
  f32xN x = fg_load_f32_xN(a);
  fg_store_f32_xN(r, fg_fma_f32_xN(x, x, (f32xN)(-1.0f)));
}
void stream_xN(const f32* a, f32* r) { fg_store_stream_f32_xN(r, fg_load_f32_xN(a)); fg_stream_fence_b1_x1(); }
)",
                               true);
  alignas(64) float a[64], r[64];
  for (int l = 0; l < 64; ++l) a[l] = 1 + std::ldexp(static_cast<float>(l + 1), -23);
  for (const std::string& cpu : levels()) {
    Compiled compiled(text, cpu);
    for (int lanes : lane_counts) {
      std::string x = "_x" + std::to_string(lanes);
      compiled.find<void(const float*, float*)>("fma" + x)(a, r);
      for (int l = 0; l < lanes; ++l) EXPECT_EQ(r[l], std::fma(a[l], a[l], -1.0f)) << cpu << x;
      compiled.find<void(const float*, float*)>("stream" + x)(a, r);
      for (int l = 0; l < lanes; ++l) EXPECT_EQ(r[l], a[l]) << cpu << x;
    }
  }
}

TEST(CpuLanes, RunsOfNumbersAreConvertedAsTheirElementsAre) {
  const std::string text = for_lanes(
      "void run_xN(i64 first, f32* r) { fg_store_f32_xN(r, fg_cast_run_i64_f32_xN(fg_lane_i64_xN() + "
      "first)); }\n",
      false);
  constexpr int64_t of_i32 = int64_t{1} << 31;
  for (const std::string& cpu : levels()) {
    const Compiled compiled(text, cpu);
    for (int lanes : lane_counts) {
      if (lanes == 1) continue;
      auto* run = compiled.find<void(int64_t, float*)>(fmt::format("run_x{}", lanes));
      for (int64_t first : {int64_t{0}, int64_t{1}, int64_t{-5}, int64_t{16777213}, of_i32 - 80,
                            of_i32 - lanes - 1, of_i32 - lanes, of_i32 - 3, of_i32, -of_i32, -of_i32 - 3,
                            int64_t{1} << 40, std::numeric_limits<int64_t>::max() - 70}) {
        std::vector<float> r(static_cast<std::size_t>(lanes));
        run(first, r.data());
        for (int l = 0; l < lanes; ++l)
          EXPECT_EQ(r[static_cast<std::size_t>(l)], static_cast<float>(first + l))
              << cpu << " " << lanes << " " << first;
      }
    }
  }
}

TEST(CpuPrelude, PrintsWhatIsNamedAndWhatThatNeeds) {
  std::string text = cpu_prelude("fg_exp_f32_x16(x); fg_context* c;");
  auto times = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(times(" fg_exp_f32_x16(f32x16 x) {"), 1);
  EXPECT_EQ(times(" fg_clamp__f32_x16(f32x16 x"), 1);
  EXPECT_EQ(times("log"), 0);
  EXPECT_EQ(times("_x8("), 0);
  EXPECT_EQ(times("KIND"), 0);
  EXPECT_LT(text.size(), 12000u);
}

TEST(CpuPrelude, RefusesAnUnknownFunction) {
  EXPECT_THROW(cpu_prelude("fg_frobnicate_f32_x16(x)"), InternalError);
}

}  // namespace
}  // namespace fulgurite::emit::testing
