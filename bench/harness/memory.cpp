#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "harness/benchmarks.h"

namespace bench {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

// Never freed: lives as long as the program.
template <class T>
T* allocate(std::int64_t elements) {
  const std::size_t bytes =
      (static_cast<std::size_t>(elements + padding) * sizeof(T) + huge_page - 1) / huge_page * huge_page;
  void* memory = std::aligned_alloc(huge_page, bytes);
  if (!memory) throw std::bad_alloc();
  madvise(memory, bytes, MADV_HUGEPAGE);
  std::memset(memory, 0, bytes);
  return static_cast<T*>(memory);
}

class Random {  // xorshift64 (Marsaglia 2003)
 public:
  std::uint32_t bits() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 16);
  }
  float unit() { return static_cast<float>(bits() >> 8) * (1.0f / 16777216.0f); }
  std::int32_t below(std::uint32_t bound) { return static_cast<std::int32_t>(bits() % bound); }

 private:
  std::uint64_t state_ = 88172645463325252u;
};

// f(array, elements) for each array that the benchmark makes.
template <class F>
void for_each_output(const Benchmark& benchmark, const Data& data, F f) {
  const auto one = [&](Output output, auto* array, std::int64_t elements) {
    if (benchmark.outputs & output) f(array, elements);
  };
  one(ints, data.out_ints, data.n);
  one(ints2, data.out_ints2, data.n);
  one(out, data.out, data.n);
  one(out2, data.out2, data.n);
  one(out3, data.out3, data.n);
  one(out_f64, data.out_f64, data.n);
  one(out2_f64, data.out2_f64, data.n);
  one(out3_f64, data.out3_f64, data.n);
  one(out_i64, data.out_i64, data.n);
  one(out_u8, data.out_u8, data.n);
  one(histogram, data.histogram, data.bins);
  one(histogram_f32, data.histogram_f32, data.bins);
  one(histogram_i64, data.histogram_i64, data.bins);
}

}  // namespace

void Peers::add(std::string benchmark, std::string name, Run run, Run publish) {
  all_.push_back({std::move(benchmark), std::move(name), run, publish});
}

Memory::Memory(std::int64_t elements) {
  Random random;
  auto fill = [&](Input input, auto& shown, std::int64_t count, auto element) {
    using Element = std::remove_const_t<std::remove_pointer_t<std::remove_reference_t<decltype(shown)>>>;
    auto* array = allocate<Element>(count);
    for (std::int64_t i = 0; i < count + padding; ++i) array[i] = static_cast<Element>(element());
    shown = array;
    inputs[static_cast<int>(input)] = array;
    element_bytes[static_cast<int>(input)] = sizeof *array;
  };
  auto between = [&](float low, float high) {
    return [&random, low, high] { return low + (high - low) * random.unit(); };
  };
  constexpr std::int64_t matrix = std::int64_t{1} << 20;
  fill(Input::small, data.small, elements, [&] { return random.below(20001) - 10000; });
  fill(Input::tied, data.tied, elements, [&] { return random.below(1000000); });
  fill(Input::unsorted, data.unsorted, elements,
       [&] { return static_cast<std::int32_t>((random.bits() << 8) ^ random.bits()); });
  fill(Input::x, data.x, elements, between(0, 1));
  fill(Input::y, data.y, elements, between(0, 1));
  fill(Input::z, data.z, elements, between(0, 1));
  fill(Input::mass, data.mass, elements, between(0, 1));
  fill(Input::spot, data.spot, elements, between(5, 30));
  fill(Input::strike, data.strike, elements, between(1, 100));
  fill(Input::years, data.years, elements, between(0.25f, 10));
  fill(Input::left, data.left, matrix, between(-0.5f, 0.5f));
  fill(Input::right, data.right, matrix, between(-0.5f, 0.5f));
  fill(Input::keys, data.keys, elements, [] { return 0; });
  fill(Input::values, data.values, elements, between(0, 1));
  fill(Input::vector, data.vector, elements, between(0, 1));
  auto unit = [&] { return random.bits() * 0x1p-32; };
  fill(Input::x_f64, data.x_f64, elements, unit);
  fill(Input::y_f64, data.y_f64, elements, unit);
  fill(Input::z_f64, data.z_f64, elements, unit);
  fill(Input::mass_f64, data.mass_f64, elements, unit);
  fill(Input::small_u8, data.small_u8, elements, [&] { return random.below(256); });
  fill(Input::any_u16, data.any_u16, elements, [&] { return random.below(65536); });
  data.row_starts = row_starts = allocate<std::int32_t>(elements);
  data.columns = columns = allocate<std::int32_t>(elements);
  for (int i = 0; i < 15; ++i)
    weights[i] = static_cast<float>(i < 8 ? i + 1 : 15 - i) / 64 + 0.001f * static_cast<float>(i);
  data.weights = weights;
  data.out_ints = allocate<std::int32_t>(elements);
  data.out = allocate<float>(elements);
  data.out2 = allocate<float>(elements);
  data.out3 = allocate<float>(elements);
  data.histogram = allocate<std::int32_t>(matrix);
  data.out_ints2 = allocate<std::int32_t>(elements);
  data.out_f64 = allocate<double>(elements);
  data.out2_f64 = allocate<double>(elements);
  data.out3_f64 = allocate<double>(elements);
  data.out_i64 = allocate<std::int64_t>(elements);
  data.out_u8 = allocate<std::uint8_t>(elements);
  data.histogram_f32 = allocate<float>(matrix);
  data.histogram_i64 = allocate<std::int64_t>(matrix);
}

void Memory::clear_outputs(const Benchmark& benchmark) {
  std::memset(data.results, 0, sizeof data.results);
  for_each_output(benchmark, data, [](auto* array, std::int64_t elements) {
    std::memset(array, 0xAB, static_cast<std::size_t>(elements) * sizeof *array);
  });
}

double Memory::checksum(const Benchmark& benchmark) const {
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += data.results[k] * (k + 1);
  const std::int64_t length = benchmark.length(data);
  if (length > data.n + padding && !(benchmark.outputs & any_histogram)) return sum;  // a wrong count
  // The checksum depends on the order of the elements.
  for_each_output(benchmark, data, [&](const auto* array, std::int64_t) {
    for (std::int64_t i = 0; i < length; ++i)
      sum += static_cast<double>(array[i]) * static_cast<double>(1 + (i & 15));
  });
  return sum;
}

void Memory::swap_elements(const Benchmark& benchmark, std::int64_t first, std::int64_t second) {
  for (Input input : benchmark.inputs) {
    const std::size_t bytes = element_bytes[static_cast<int>(input)];
    auto* array = static_cast<std::byte*>(inputs[static_cast<int>(input)]);
    std::byte* one = array + static_cast<std::size_t>(first) * bytes;
    std::swap_ranges(one, one + bytes, array + static_cast<std::size_t>(second) * bytes);
  }
}

}  // namespace bench
