// Random nests of axes: maps of one to four axes whose elements are reductions along one or two, of operands
// that are read along any of them, forwards, backwards, with strides and at distances, by operators of each
// kind; on the CPU with its own policy and with small tiles, against the interpreter.
#include "operators.h"

#include <cstdlib>
#include <string>

namespace {

using Index = Exp<std::int64_t>;

/// The index of an axis of an array: some index variables, by numbers, as one.
struct Along {
  int first = 0, second = -1;  // -1: none
  int factor = 1, from = 0;
  bool is_reversed = false;
};
/// Element [along[0], along[1]] of an array with two axes.
struct Read {
  int array = 0;
  Along along[2];
};
struct Drawn {
  int rank = 1, folded = 1;  // axes of the map and of the reduction
  std::vector<Read> reads;
  int combine = 0, op = 0, result = 0;
};
/// Extents are at most so large, and arrays as large as what is read of them.
constexpr std::int64_t most = 36, side = 2 * most + 8;
constexpr std::int64_t extents[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 35};

class Source {
 public:
  explicit Source(std::uint32_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }

  Drawn nest() {
    Drawn d;
    d.rank = one_in(4) ? 1 : one_in(3) ? 3 + below(2) : 2;
    d.folded = one_in(6) ? 2 : 1;
    const int n_reads = 1 + below(3);
    for (int k = 0; k < n_reads; ++k) {
      Read& read = d.reads.emplace_back();
      read.array = below(2);
      for (Along& along : read.along) along = draw_along(d.rank + d.folded);
      // As in products: of the reduction's axis and of one of the map's last two.
      if (d.rank > 1 && !one_in(3)) {
        read.along[k % 2] = {.first = d.rank};
        read.along[1 - k % 2] = {.first = k % 2 == 0 ? d.rank - 2 : d.rank - 1};
        if (one_in(4)) std::swap(read.along[0], read.along[1]);
        if (one_in(4)) read.along[below(2)].from = below(8);
      }
    }
    d.combine = below(4), d.op = below(8), d.result = below(3);
    return d;
  }
  std::int64_t extent() { return extents[below(std::size(extents))]; }

 private:
  Along draw_along(int n_variables) {
    Along along{below(n_variables), -1, 1, one_in(3) ? below(8) : 0, one_in(6)};
    if (one_in(5))
      along.second = below(n_variables);
    else if (one_in(6))
      along.factor = 2;
    return along;
  }
  std::mt19937 random_;
};

std::string text_of(const Drawn& d) {
  std::string text =
      "map of " + std::to_string(d.rank) + " axes, reduction along " + std::to_string(d.folded);
  for (const Read& read : d.reads) {
    text += ", array " + std::to_string(read.array) + " [";
    for (const Along& a : read.along)
      text += (a.is_reversed ? "-" : "") + std::to_string(a.factor) + " * v" + std::to_string(a.first) +
              (a.second < 0 ? "" : " + v" + std::to_string(a.second)) + " + " + std::to_string(a.from) + "; ";
    text += "]";
  }
  return text + ", combined by " + std::to_string(d.combine) + ", operator " + std::to_string(d.op) +
         ", result " + std::to_string(d.result);
}

/// The program that was drawn, of a map with `rank` axes. Its sizes are parameters.
template <std::size_t rank>
struct Nest {
  Drawn drawn;

  static Index place(const Along& along, const std::vector<Index>& variables) {
    Index at = variables[static_cast<std::size_t>(along.first)] * along.factor + along.from;
    if (along.second >= 0) at = at + variables[static_cast<std::size_t>(along.second)];
    return along.is_reversed ? side - 1 - at : at;
  }

  std::vector<Exp<float>> reads(const Mat<float>& a, const Mat<float>& b,
                                const std::vector<Index>& variables) const {
    std::vector<Exp<float>> values;
    for (const Read& read : drawn.reads) {
      const Mat<float>& of = read.array == 0 ? a : b;
      values.push_back(of(place(read.along[0], variables), place(read.along[1], variables)));
    }
    return values;
  }
  Exp<float> operand(const Mat<float>& a, const Mat<float>& b, const std::vector<Index>& variables) const {
    const std::vector<Exp<float>> values = reads(a, b, variables);
    Exp<float> all = values[0];
    for (std::size_t k = 1; k < values.size(); ++k) all = combined(all, values[k]);
    return all;
  }
  Exp<float> combined(Exp<float> x, Exp<float> y) const {
    switch (drawn.combine) {
      case 0: return x * y;
      case 1: return x + y;
      case 2: return fg::select(x < y, x, y - x);
      default: return fg::abs(x - y) * 2.f;
    }
  }

  Exp<float> reduced(const fg::Vec<float>& x) const {
    switch (drawn.op) {
      case 0: return fg::min(x);
      case 1:
        return fg::reduce([](Exp<float> u, Exp<float> v) { return fg::select(v != 0.f, v, u); }, 0.f, x);
      case 2: {
        const auto [sum, largest] = fg::reduce(
            [](Exp<std::tuple<float, float>> u, Exp<std::tuple<float, float>> v) {
              const auto [p, q] = u;
              const auto [r, s] = v;
              return std::tuple{p + r, fg::max(q, s)};
            },
            std::tuple{0.f, -1000.f}, fg::zip(x, x));
        return sum - largest;
      }
      case 3: return fg::fold([](Exp<float> u, Exp<float> v) { return u + v; }, 3.f, x);
      default: return fg::sum(x);
    }
  }

  // Sums of products of small integers, of which one operation takes several; whether some pair holds.
  Exp<float> narrow(const Mat<float>& a, const Mat<float>& b, Index n,
                    const std::vector<Index>& variables) const {
    const auto pairs = [&](auto f) {
      return fg::generate(n, [&](Index l) {
        std::vector<Index> all = variables;
        all.push_back(l);
        if (drawn.folded == 2) all.push_back(l);
        const std::vector<Exp<float>> values = reads(a, b, all);
        return f(values.front(), values.back());
      });
    };
    if (drawn.op == 7)
      return fg::cast<float>(fg::any(pairs([](auto x, auto y) { return (x > 6.f) & (y > 5.f); })));
    return fg::cast<float>(fg::sum(pairs([&](auto x, auto y) {
      const auto byte = fg::cast<int>(fg::cast<std::int8_t>(x * 16.f));
      if (drawn.combine == 0) return byte * fg::cast<int>(fg::cast<std::uint8_t>(y * 32.f));
      return byte * fg::cast<int>(fg::cast<std::int16_t>(y * 4096.f));
    })));
  }

  Exp<float> element(const Mat<float>& a, const Mat<float>& b, const std::vector<Index>& sizes,
                     std::vector<Index> variables) const {
    if (drawn.op >= 6) return result(narrow(a, b, sizes[rank], variables), variables);
    const auto along = [&](Index n, auto f) {
      return reduced(fg::generate(n, [&](Index l) {
        std::vector<Index> all = variables;
        all.push_back(l);
        return f(all);
      }));
    };
    constexpr std::size_t inner = rank;
    const Exp<float> value = along(sizes[inner], [&](const std::vector<Index>& outer) {
      if (drawn.folded == 1) return operand(a, b, outer);
      return fg::sum(fg::generate(sizes[inner + 1], [&](Index l) {
        std::vector<Index> all = outer;
        all.push_back(l);
        return operand(a, b, all);
      }));
    });
    return result(value, variables);
  }
  Exp<float> result(const Exp<float>& value, const std::vector<Index>& variables) const {
    if (drawn.result == 0) return value;
    const Exp<float> number = fg::cast<float>(variables.back());
    return drawn.result == 1 ? fg::max(value, 0.f) + number : fg::select(number < 3.f, value, -value);
  }

  fg::Acc<float, rank> operator()(Mat<float> a, Mat<float> b, Index n0, Index n1, Index n2, Index n3,
                                  Index k0, Index k1) const {
    const std::vector<Index> free{n0, n1, n2, n3};
    std::vector<Index> sizes(free.begin(), free.begin() + rank);
    sizes.push_back(k0);
    sizes.push_back(k1);
    const auto at = [&](auto... variables) { return element(a, b, sizes, {variables...}); };
    if constexpr (rank == 1)
      return fg::generate(n0, [&](Index i) { return at(i); });
    else if constexpr (rank == 2)
      return fg::generate({n0, n1}, [&](Index i, Index j) { return at(i, j); });
    else if constexpr (rank == 3)
      return fg::generate({n0, n1, n2}, [&](Index i, Index j, Index k) { return at(i, j, k); });
    else
      return fg::generate({n0, n1, n2, n3},
                          [&](Index i, Index j, Index k, Index l) { return at(i, j, k, l); });
  }
};

const char* const policies[] = {
    "",
    "tile_least_rows=1 tile_least_depth=1 tile_rows=3 tile_chained_rows_16_registers=3 tile_task_rows=5 "
    "tile_task_columns=64 tile_depth=7 fold_chain=3 fold_rows=1 fold_least_columns=1 fold_least_rows=5 "
    "fold_block=64",
};

std::uint32_t parameter(const std::string& name, std::uint32_t otherwise) {
  const char* all = std::getenv("RC_PARAMS");
  const std::string text = all == nullptr ? "" : all;
  const std::size_t at = text.find(name + "=");
  return at == text.npos ? otherwise
                         : static_cast<std::uint32_t>(std::stoul(text.substr(at + name.size() + 1)));
}

/// On arrays a and b, with sizes that the source draws.
template <std::size_t rank>
void test(const Drawn& drawn, Source& source, const fg::Array<float, 2>& a, const fg::Array<float, 2>& b) {
  const Nest<rank> nest{drawn};
  const auto expected = fg::compile(nest, {.engine = fg::Engine::interpreter});
  std::vector<decltype(fg::compile(nest))> tested;
  for (const char* policy : policies)
    tested.push_back(fg::compile(nest, {.engine = fg::Engine::cpu, .policy = policy}));
  for (int sample = 0; sample < 4; ++sample) {
    std::array<std::int64_t, 6> sizes;
    for (std::int64_t& size : sizes)
      size = rank > 2 ? std::min<std::int64_t>(source.extent(), 9) : source.extent();
    if (sample == 0) sizes = {9, 17, 6, 8, 17, 3};
    SCOPED_TRACE(::testing::PrintToString(sizes));
    const auto run = [&](const auto& f) {
      return f(a, b, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]).to_vector();
    };
    const std::vector<float> right = run(expected);
    for (const auto& f : tested) EXPECT_EQ(run(f), right);
  }
}

TEST(Nests, SlowPropertyRandomOnesGiveWhatTheInterpreterGives) {
  const std::uint32_t seed = parameter("seed", 1), n = parameter("max_success", 30);
  const fg::Array<float, 2> a(values<float>(side * side, 1), {side, side});
  const fg::Array<float, 2> b(values<float>(side * side, 2), {side, side});
  for (std::uint32_t number = 0; number < n && !::testing::Test::HasFailure(); ++number) {
    Source source(seed * 1000003 + number);
    const Drawn nest = source.nest();
    SCOPED_TRACE("nest " + std::to_string(number) + ": " + text_of(nest));
    switch (nest.rank) {
      case 1: test<1>(nest, source, a, b); break;
      case 2: test<2>(nest, source, a, b); break;
      case 3: test<3>(nest, source, a, b); break;
      default: test<4>(nest, source, a, b);
    }
  }
}

}  // namespace
