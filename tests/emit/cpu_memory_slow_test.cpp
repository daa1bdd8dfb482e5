// The prelude's memory accesses: what they read and write, and that masked-off lanes touch nothing, with
// arrays that end at an unmapped page.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <random>

#include "compiled_prelude.h"

namespace fulgurite::emit::testing {
namespace {

using std::int64_t, std::uint8_t;

// Memory between two pages that cannot be touched.
class Fenced {
 public:
  Fenced() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* memory = mmap(nullptr, 3 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory for a fenced page");
    start_ = static_cast<std::byte*>(memory);
    mprotect(start_ + page_, page_, PROT_READ | PROT_WRITE);
  }
  ~Fenced() { munmap(start_, 3 * page_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  std::byte* begin() const { return start_ + page_; }
  std::byte* end() const { return start_ + 2 * page_; }

 private:
  std::size_t page_;
  std::byte* start_;
};

const char* text_of_kind = R"(
void load_KIND_xN(const KIND* p, u64 m, KIND* r) {
  fg_store_KIND_xN(r, fg_load_masked_KIND_xN(p, mask_xN(m), (KINDxN)(KIND)77));
}
void store_KIND_xN(KIND* p, u64 m, const KIND* v) { fg_store_masked_KIND_xN(p, fg_load_KIND_xN(v), mask_xN(m)); }
void reversed_load_KIND_xN(const KIND* p, u64 m, KIND* r) { fg_store_KIND_xN(r, fg_load_reversed_masked_KIND_xN(p, mask_xN(m))); }
void reversed_store_KIND_xN(KIND* p, u64 m, const KIND* v) {
  fg_store_reversed_masked_KIND_xN(p, fg_load_KIND_xN(v), mask_xN(m));
}
void strided_load_KIND_xN(const KIND* p, u64 m, KIND* r) { fg_store_KIND_xN(r, fg_load_strided_masked_KIND_xN(p, 3, mask_xN(m))); }
void strided_store_KIND_xN(KIND* p, u64 m, const KIND* v) {
  fg_store_strided_masked_KIND_xN(p, 3, fg_load_KIND_xN(v), mask_xN(m));
}
void gather_KIND_xN(const KIND* p, u64 m, KIND* r) {
  fg_store_KIND_xN(r, fg_gather_KIND_xN(p, fg_lane_i64_xN() * 3, mask_xN(m)));
}
void gather_near_KIND_xN(const KIND* p, u64 m, KIND* r) {
  fg_store_KIND_xN(r, fg_gather_near_KIND_xN(p, fg_lane_i32_xN() * 3, mask_xN(m)));
}
void scatter_KIND_xN(KIND* p, u64 m, const KIND* v) {
  fg_scatter_KIND_xN(p, fg_lane_i64_xN() * 3, fg_load_KIND_xN(v), mask_xN(m));
}
i64 pack_KIND_xN(KIND* p, u64 m, const KIND* v) {
  fg_pack_KIND_xN(p, fg_load_KIND_xN(v), mask_xN(m));
  return fg_count_b1_xN(mask_xN(m));
}
void forward_KIND_xN(const KIND* p, KIND* r) { fg_store_KIND_xN(r, fg_load_reversed_KIND_xN(p)); }
)";

const char* text_of_mask = R"(
static b1xN mask_xN(u64 m) { return fg_ne_u64_xN((u64xN)m >> fg_lane_u64_xN() & (u64xN)(u64)1, (u64xN)(u64)0); }
u64 bits_xN(u64 m) { return fg_mask_bits_b1_xN(mask_xN(m)); }
u64 any_all_xN(u64 m) { return fg_any_b1_xN(mask_xN(m)) + 2 * fg_all_b1_xN(mask_xN(m)); }
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

template <class T>
class Memory : public ::testing::Test {};
using Elements = ::testing::Types<uint8_t, std::int16_t, std::uint32_t, int64_t, float, double>;
TYPED_TEST_SUITE(Memory, Elements);

template <class T>
std::string kind_of() {
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
  return (std::is_signed_v<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
}

TYPED_TEST(Memory, SlowTouchesOnlyWhatTheMaskAllows) {
  using T = TypeParam;
  std::string kind = kind_of<T>(), text;
  for (int n : lane_counts)
    text += replaced(text_of_mask + replaced(text_of_kind, "KIND", kind), "xN", "x" + std::to_string(n));
  for (const std::string& cpu : levels()) {
    Compiled compiled(text, cpu);
    for (int lanes : lane_counts) {
      auto reader = [&](const std::string& name) {
        return compiled.find<void(const T*, std::uint64_t, T*)>(fmt::format("{}_{}_x{}", name, kind, lanes));
      };
      auto writer = [&](const std::string& name) {
        return compiled.find<void(T*, std::uint64_t, const T*)>(fmt::format("{}_{}_x{}", name, kind, lanes));
      };
      std::mt19937_64 random(static_cast<unsigned>(lanes));
      for (int round = 0; round < 12; ++round) {
        std::uint64_t mask = round == 0 ? 0 : random() >> random() % 64;
        if (lanes < 64) mask &= (std::uint64_t{1} << lanes) - 1;
        if (round == 1) mask = ~std::uint64_t{0} >> (64 - lanes);
        int last = 63, first = 0;  // the highest and lowest lanes that are on
        while (last >= 0 && !(mask >> last & 1)) --last;
        while (first < 64 && !(mask >> first & 1)) ++first;
        auto on = [&](int lane) { return (mask >> lane & 1) != 0; };
        T value[64], result[64];
        for (int l = 0; l < 64; ++l) value[l] = static_cast<T>(l + 100);

        // Contiguous, strided by 3 and by index: arrays of which only the lanes that are on exist, at a
        // page's end.
        for (int stride : {1, 3}) {
          Fenced page;
          T* p = reinterpret_cast<T*>(page.end()) - (last * stride + 1);
          for (int l = 0; l <= last * stride; ++l) p[l] = static_cast<T>(l + 1);
          for (const char* name : {stride == 1 ? "load" : "strided_load", stride == 1 ? "load" : "gather"}) {
            reader(name)(p, mask, result);
            for (int l = 0; l < lanes; ++l)
              ASSERT_EQ(result[l],
                        on(l) ? static_cast<T>(l * stride + 1) : static_cast<T>(stride == 1 ? 77 : 0))
                  << cpu << " " << name << " x" << lanes;
          }
          for (const char* name :
               {stride == 1 ? "store" : "strided_store", stride == 1 ? "store" : "scatter"}) {
            for (int l = 0; l <= last * stride; ++l) p[l] = static_cast<T>(l + 1);
            writer(name)(p, mask, value);
            for (int l = 0; l <= last * stride; ++l)
              ASSERT_EQ(p[l], l % stride == 0 && on(l / stride) ? value[l / stride] : static_cast<T>(l + 1))
                  << cpu << " " << name << " x" << lanes;
          }
        }
        // Backwards: lane l at p[-l], the page begins with the highest lane that is on.
        if (mask != 0) {
          Fenced page;
          T* p = reinterpret_cast<T*>(page.begin()) + last;
          for (int l = 0; l <= last; ++l) p[-l] = static_cast<T>(l + 1);
          reader("reversed_load")(p, mask, result);
          for (int l = 0; l < lanes; ++l)
            ASSERT_EQ(result[l], on(l) ? static_cast<T>(l + 1) : T(0)) << cpu << " reversed x" << lanes;
          writer("reversed_store")(p, mask, value);
          for (int l = 0; l <= last; ++l)
            ASSERT_EQ(p[-l], on(l) ? value[l] : static_cast<T>(l + 1)) << cpu << " reversed x" << lanes;
        }
        // Packed: as many elements as lanes are on, and after them no more than there are lanes.
        {
          Fenced page;
          int count = __builtin_popcountll(mask);
          T* p = reinterpret_cast<T*>(page.end()) - (count + lanes);
          auto* pack = compiled.template find<int64_t(T*, std::uint64_t, const T*)>(
              fmt::format("pack_{}_x{}", kind, lanes));
          ASSERT_EQ(pack(p, mask, value), count) << cpu << " pack x" << lanes;
          for (int l = 0, next = 0; l < lanes; ++l)
            if (on(l)) {
              ASSERT_EQ(p[next++], value[l]) << cpu << " pack x" << lanes;
            }
        }
        ASSERT_EQ(compiled.template find<std::uint64_t(std::uint64_t)>(fmt::format("bits_x{}", lanes))(mask),
                  mask);
        ASSERT_EQ(
            compiled.template find<std::uint64_t(std::uint64_t)>(fmt::format("any_all_x{}", lanes))(mask),
            (mask != 0) + 2u * (__builtin_popcountll(mask) == lanes));
      }
    }
  }
}

}  // namespace
}  // namespace fulgurite::emit::testing
