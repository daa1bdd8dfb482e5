// Matrix products and nests of their kind, beside OpenBLAS or a kernel by hand. In each round ours and the
// peer run in turn, 15 ms of rest before each; a ratio is the median of the ratios of the rounds.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "peers/products.h"
#include "rounds.h"

namespace {

namespace fg = fulgurite;
using bench::median, bench::Options, bench::ProductShape, bench::Run;
using fg::Mat;

constexpr ProductShape squares[] = {
    {64, 64, 64},       {100, 100, 100},    {256, 256, 256},    {512, 512, 512}, {1000, 1000, 1000},
    {1021, 1021, 1021}, {1024, 1024, 1024}, {2048, 2048, 2048}, {4096, 512, 64}, {64, 512, 4096}};
constexpr ProductShape some[] = {{256, 256, 256}, {512, 512, 512}, {1021, 1021, 1021}};

// Short ones run several times together.
constexpr double together_us = 8000;

void row(const Options& options, const std::string& name, const ProductShape& s, const Run& ours,
         const Run& peer) {
  const auto times = bench::in_turn(options, together_us, {ours, peer});
  const double us = median(times[0]);
  const double operations = 2e-3 * static_cast<double>(s.m * s.n * s.k);
  fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} |\n", name, us, operations / us, median(times[1]),
             bench::median_ratio(times[0], times[1]));
  std::fflush(stdout);
}

template <class T, std::size_t rank>
fg::Array<T, static_cast<int>(rank)> elements(const std::int64_t (&shape)[rank], int factor) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  std::vector<T> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int value = static_cast<int>(i) * factor;
    x[i] = std::is_same_v<T, bool> ? value % 131 == 0 : static_cast<T>(value % 13 - 6);
  }
  return {std::move(x), std::to_array(shape)};
}

template <class A, class B, class C>
using Peer = std::function<void(const ProductShape&, const A*, const B*, C*)>;

// One program in some shapes beside its peer.
template <class A, class B = A, class C = A, class F>
void program(const Options& options, const std::string& name, std::span<const ProductShape> shapes,
             const F& f, bool is_transposed, const std::type_identity_t<Peer<A, B, C>>& peer) {
  for (const ProductShape& s : shapes) {
    const std::string full = fmt::format("{} {} x {} x {}", name, s.m, s.k, s.n);
    if (!options.wants(full)) continue;
    const fg::Array<A, 2> a = elements<A>({s.m, s.k}, 7);
    const fg::Array<B, 2> b = is_transposed ? elements<B>({s.n, s.k}, 5) : elements<B>({s.k, s.n}, 5);
    const auto theirs = std::make_unique<C[]>(static_cast<std::size_t>(s.m * s.n));
    fg::Array<C, 2> result;
    const Run ours = [&] { result = {}, result = f(a, b); };
    const Run by_peer = [&] { peer(s, a.data(), b.data(), theirs.get()); };
    ours(), by_peer();
    for (std::int64_t i = 0; i < s.m * s.n; ++i) {
      const double is = static_cast<double>(result.data()[i]),
                   wanted = static_cast<double>(theirs[static_cast<std::size_t>(i)]);
      if (std::abs(is - wanted) > 1e-3 * (1 + std::abs(wanted)))
        throw std::runtime_error(fmt::format("{}: element {} is {}, not {}", full, i, is, wanted));
    }
    row(options, full, s, ours, by_peer);
  }
}

// Products of small integers, summed in 32 bits, spelled in two ways.
template <class A, class B>
void narrow(const Options& options, const std::string& name) {
  const auto by_hand = [](const ProductShape& s, const A* a, const B* b, std::int32_t* c) {
    bench::hand_product(s, a, b, c);
  };
  const auto sums = fg::compile([](Mat<A> a, Mat<B> b) {
    return fg::generate({a.size(0), b.size(1)}, [=](fg::Exp<fg::i64> i, fg::Exp<fg::i64> j) {
      return fg::sum(fg::generate(
          a.size(1), [=](fg::Exp<fg::i64> l) { return fg::cast<int>(a(i, l)) * fg::cast<int>(b(l, j)); }));
    });
  });
  program<A, B, std::int32_t>(options, name, some, sums, false, by_hand);
  const auto products =
      fg::compile([](Mat<A> a, Mat<B> b) { return fg::matmul(fg::cast<int>(a), fg::cast<int>(b)); });
  program<A, B, std::int32_t>(options, name + " matmul", some, products, false, by_hand);
}

void run(const Options& options) {
  fmt::print("| program | us | Gop/s | peer us | ours / peer |\n|---|---|---|---|---|\n");
  const auto blas = [](bool is_transposed) {
    return [=](const ProductShape& s, const auto* a, const auto* b, auto* c) {
      bench::blas_product(s, a, b, c, is_transposed);
    };
  };
  const auto by_hand = [](const ProductShape& s, const auto* a, const auto* b, auto* c) {
    bench::hand_product(s, a, b, c);
  };
  if (bench::has_blas()) {
    const auto floats = fg::compile([](Mat<float> a, Mat<float> b) { return fg::matmul(a, b); });
    program<float>(options, "f32", squares, floats, false, blas(false));
    const auto doubles = fg::compile([](Mat<double> a, Mat<double> b) { return fg::matmul(a, b); });
    program<double>(options, "f64", squares, doubles, false, blas(false));
    const auto transposed =
        fg::compile([](Mat<float> a, Mat<float> b) { return fg::matmul(a, fg::transpose(b)); });
    program<float>(options, "f32 transposed", some, transposed, true, blas(true));
  }
  const auto ints = fg::compile([](Mat<int> a, Mat<int> b) { return fg::matmul(a, b); });
  program<std::int32_t>(options, "i32", some, ints, false, by_hand);
  const auto longs = fg::compile([](Mat<std::int64_t> a, Mat<std::int64_t> b) { return fg::matmul(a, b); });
  program<std::int64_t>(options, "i64", some, longs, false, by_hand);
  narrow<std::uint8_t, std::int8_t>(options, "u8 x i8");
  narrow<std::int8_t, std::int8_t>(options, "i8 x i8");
  narrow<std::int16_t, std::int16_t>(options, "i16 x i16");
  const auto truths = fg::compile([](Mat<bool> a, Mat<bool> b) {
    return fg::generate({a.size(0), b.size(1)}, [=](fg::Exp<fg::i64> i, fg::Exp<fg::i64> j) {
      return fg::any(fg::generate(a.size(1), [=](fg::Exp<fg::i64> l) { return a(i, l) & b(l, j); }));
    });
  });
  program<bool>(options, "boolean", some, truths, false, by_hand);
  const auto distances = fg::compile([](Mat<float> a, Mat<float> b) {
    return fg::generate({a.size(0), b.size(1)}, [=](fg::Exp<fg::i64> i, fg::Exp<fg::i64> j) {
      return fg::min(fg::generate(a.size(1), [=](fg::Exp<fg::i64> l) { return a(i, l) + b(l, j); }));
    });
  });
  program<float>(options, "min-plus f32", some, distances, false, bench::hand_distances);
  const auto pairs = fg::compile([](Mat<float> a, Mat<float> b) {
    return fg::map(
        [=](fg::Vec<float> x) {
          return fg::map(
              [=](fg::Vec<float> y) {
                return fg::sum(fg::map([](auto p, auto q) { return (p - q) * (p - q); }, x, y));
              },
              fg::rows(b));
        },
        fg::rows(a));
  });
  program<float>(options, "pairs f32", some, pairs, true, bench::hand_pairs);
}

// The same product of 512 x 512 written without its name, beside the named form.
using Index = fg::Exp<fg::i64>;

// [i, j] = f(number of points, l -> elements of row i and of column j)
auto at_all(const auto& a, const auto& b, auto f) {
  return fg::generate({a.size(0), b.size(1)}, [=](Index i, Index j) {
    return f(a.size(1), [=](Index l) { return std::tuple{a(i, l), b(l, j)}; });
  });
}

struct Complex {
  float re, im;
};
struct Span {
  float low, high;
};
struct Nearest {
  float distance;
  fg::i64 place;
};

constexpr ProductShape form_shape{512, 512, 512};

void form(const Options& options, const std::string& name, const auto& f, const auto& named,
          const auto&... arguments) {
  if (!options.wants(name)) return;
  const auto ours = fg::compile(f), theirs = fg::compile(named);
  const Run run = [&] { (void)ours(arguments...); }, run_named = [&] { (void)theirs(arguments...); };
  run(), run_named();
  row(options, name, form_shape, run, run_named);
}

void forms_of_floats(const Options& options) {
  const auto n = form_shape.n;
  const auto a = elements<float>({n, n}, 7), b = elements<float>({n, n}, 5);
  const auto matmul = [](Mat<float> x, Mat<float> y) { return fg::matmul(x, y); };
  const auto product = [](Index size, auto pair) {
    return fg::generate(size, [=](Index l) {
      const auto [x, y] = pair(l);
      return x * y;
    });
  };
  form(
      options, "form: sum",
      [=](Mat<float> x, Mat<float> y) {
        return at_all(x, y, [=](Index size, auto pair) { return fg::sum(product(size, pair)); });
      },
      matmul, a, b);
  form(
      options, "form: reduce",
      [=](Mat<float> x, Mat<float> y) {
        return at_all(x, y, [=](Index size, auto pair) {
          return fg::reduce([](auto p, auto q) { return p + q; }, 0.f, product(size, pair));
        });
      },
      matmul, a, b);
  form(
      options, "form: sums of a cube",
      [](Mat<float> x, Mat<float> y) {
        return fg::sum(fg::generate({x.size(0), y.size(1), x.size(1)},
                                    [=](Index i, Index j, Index l) { return x(i, l) * y(l, j); }),
                       fg::axis(2));
      },
      matmul, a, b);
  form(
      options, "form: two sums in a tuple",
      [](Mat<float> x, Mat<float> y) {
        return at_all(x, y, [](Index size, auto pair) {
          return fg::reduce(
              [](fg::Exp<std::tuple<float, float>> u, fg::Exp<std::tuple<float, float>> v) {
                const auto [p, q] = u;
                const auto [r, s] = v;
                return std::tuple{p + r, q + s};
              },
              std::tuple{0.f, 0.f}, fg::generate(size, [=](Index l) {
                const auto [p, q] = pair(l);
                return std::tuple{p * q, p * p * q};
              }));
        });
      },
      [](Mat<float> x, Mat<float> y) {
        return std::tuple{fg::matmul(x, y), fg::matmul(fg::map([](auto p) { return p * p; }, x), y)};
      },
      a, b);
  form(
      options, "form: nearest, a struct",
      [](Mat<float> x, Mat<float> y) {
        return at_all(x, y, [](Index size, auto pair) {
          return fg::reduce(
              [](fg::Exp<Nearest> u, fg::Exp<Nearest> v) {
                const auto [p, k] = u;
                const auto [q, l] = v;
                return fg::make<Nearest>(fg::select(q < p, q, p), fg::select(q < p, l, k));
              },
              Nearest{1e30f, -1}, fg::generate(size, [=](Index l) {
                const auto [p, q] = pair(l);
                return fg::make<Nearest>(p + q, l);
              }));
        });
      },
      [](Mat<float> x, Mat<float> y) {
        return at_all(x, y, [](Index size, auto pair) {
          return fg::argmin(fg::generate(size, [=](Index l) {
            const auto [p, q] = pair(l);
            return p + q;
          }));
        });
      },
      a, b);
}

void forms_of_operands(const Options& options) {
  const auto n = form_shape.n;
  const auto a = elements<float>({n, n}, 7), b = elements<float>({n, n}, 5);
  form(
      options, "form: rows of one operand and columns of the other, in maps",
      [](Mat<float> x, Mat<float> y) {
        return fg::map(
            [=](fg::Vec<float> row) {
              return fg::map([=](fg::Vec<float> column) { return fg::sum(row * column); },
                             fg::rows(fg::transpose(y)));
            },
            fg::rows(x));
      },
      [](Mat<float> x, Mat<float> y) { return fg::matmul(x, y); }, a, b);
  form(
      options, "form: rows of both operands",
      [](Mat<float> x, Mat<float> y) {
        return fg::generate({x.size(0), y.size(0)}, [=](Index i, Index j) {
          return fg::sum(fg::generate(x.size(1), [=](Index l) { return x(i, l) * y(j, l); }));
        });
      },
      [](Mat<float> x, Mat<float> y) { return fg::matmul(x, fg::transpose(y)); }, a, b);
  const auto c = elements<float>({8, n, n / 4}, 7), d = elements<float>({8, n / 4, n}, 5);
  form(
      options, "form: a batch, in one generate",
      [](fg::Acc<float, 3> x, fg::Acc<float, 3> y) {
        return fg::generate({x.size(0), x.size(1), y.size(2)}, [=](Index k, Index i, Index j) {
          return fg::sum(fg::generate(x.size(2), [=](Index l) { return x(k, i, l) * y(k, l, j); }));
        });
      },
      [](fg::Acc<float, 3> x, fg::Acc<float, 3> y) {
        return fg::map([](Mat<float> u, Mat<float> v) { return fg::matmul(u, v); }, fg::slices(x),
                       fg::slices(y));
      },
      c, d);
}

// Sums x + y of all pairs of elements: their least and greatest.
void forms_of_sums(const Options& options) {
  const auto n = form_shape.n;
  const auto a = elements<float>({n, n}, 7), b = elements<float>({n, n}, 5);
  const auto sums = [](Index count, auto pair) {
    return fg::generate(count, [=](Index l) {
      const auto [p, q] = pair(l);
      return p + q;
    });
  };
  form(
      options, "form: span, a struct",
      [=](Mat<float> x, Mat<float> y) {
        return at_all(x, y, [=](Index count, auto pair) {
          return fg::reduce(
              [](fg::Exp<Span> u, fg::Exp<Span> v) {
                const auto [p, q] = u;
                const auto [r, s] = v;
                return fg::make<Span>(fg::min(p, r), fg::max(q, s));
              },
              Span{1e30f, -1e30f}, fg::map([](auto s) { return fg::make<Span>(s, s); }, sums(count, pair)));
        });
      },
      [=](Mat<float> x, Mat<float> y) {
        const auto least = at_all(x, y, [=](Index count, auto pair) { return fg::min(sums(count, pair)); });
        const auto most = at_all(x, y, [=](Index count, auto pair) { return fg::max(sums(count, pair)); });
        return std::tuple{least, most};
      },
      a, b);
  form(
      options, "form: least and its number in a tuple",
      [=](Mat<float> x, Mat<float> y) {
        return at_all(x, y, [=](Index count, auto pair) {
          const auto [least, number] = fg::reduce(
              [](fg::Exp<std::tuple<float, fg::i64>> u, fg::Exp<std::tuple<float, fg::i64>> v) {
                const auto [p, k] = u;
                const auto [q, l] = v;
                return std::tuple{fg::select(q < p, q, p), fg::select(q < p, l, k)};
              },
              std::tuple{1e30f, fg::i64(-1)},
              fg::map([](auto s, auto l) { return std::tuple{s, l}; }, sums(count, pair),
                      fg::iota<fg::i64>(count)));
          return least + fg::cast<float>(number);
        });
      },
      [=](Mat<float> x, Mat<float> y) {
        return at_all(x, y, [=](Index count, auto pair) {
          const auto all = sums(count, pair);
          return fg::min(all) + fg::cast<float>(fg::argmin(all));
        });
      },
      a, b);
}

void forms_of_others(const Options& options) {
  const auto n = form_shape.n;
  const auto size = static_cast<std::size_t>(n * n);
  const fg::Array<Complex, 2> a(std::vector<Complex>(size, {1, 2}), {n, n}),
      b(std::vector<Complex>(size, {2, 1}), {n, n});
  form(
      options, "form: complex, a struct",
      [](Mat<Complex> x, Mat<Complex> y) {
        return at_all(x, y, [](Index count, auto pair) {
          return fg::reduce(
              [](fg::Exp<Complex> u, fg::Exp<Complex> v) {
                const auto [p, q] = u;
                const auto [r, s] = v;
                return fg::make<Complex>(p + r, q + s);
              },
              Complex{0, 0}, fg::generate(count, [=](Index l) {
                const auto [u, v] = pair(l);
                const auto [p, q] = u;
                const auto [r, s] = v;
                return fg::make<Complex>(p * r - q * s, p * s + q * r);
              }));
        });
      },
      [](Mat<Complex> x, Mat<Complex> y) {
        const auto part = [](const auto& of, bool is_real) {
          return fg::generate({of.size(0), of.size(1)}, [=](Index i, Index j) {
            const auto [p, q] = of(i, j);
            return is_real ? p : q;
          });
        };
        const auto xr = part(x, true), xi = part(x, false), yr = part(y, true), yi = part(y, false);
        const auto real = fg::matmul(xr, yr) - fg::matmul(xi, yi);
        const auto imaginary = fg::matmul(xr, yi) + fg::matmul(xi, yr);
        return std::tuple{real, imaginary};
      },
      a, b);
  const auto c = elements<int>({n, n}, 7), d = elements<int>({n, n}, 5);
  form(
      options, "form: the last that is not zero, beside the largest",
      [](Mat<int> x, Mat<int> y) {
        return at_all(x, y, [](Index count, auto pair) {
          return fg::reduce([](fg::Exp<int> u, fg::Exp<int> v) { return fg::select(v != 0, v, u); }, 0,
                            fg::generate(count, [=](Index l) {
                              const auto [p, q] = pair(l);
                              return p * q;
                            }));
        });
      },
      [](Mat<int> x, Mat<int> y) {
        return at_all(x, y, [](Index count, auto pair) {
          return fg::max(fg::generate(count, [=](Index l) {
            const auto [p, q] = pair(l);
            return p * q;
          }));
        });
      },
      c, d);
}

}  // namespace

int main(int count, char** arguments) {
  const Options options =
      bench::options_of(count, arguments, "Matrix products beside OpenBLAS or a kernel by hand");
  try {
    run(options);
    forms_of_floats(options);
    forms_of_operands(options);
    forms_of_sums(options);
    forms_of_others(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench products: {}\n", error.what());
    return 1;
  }
}
