// "fulgurite": reductions, by operators of all kinds, and a scan; redomaps that read nothing.
#include <limits>

#include "fulgurite_program.h"

namespace bench {
namespace {

Exp<int> reduce_plus(Vec<int> xs) {
  return fg::sum(xs);
}
Exp<int> reduce_max(Vec<int> xs) {
  return fg::max(xs);
}

using Place = std::pair<int, int>;  // value, index

Exp<Place> index_of_max(Vec<int> xs) {
  auto larger_then_first = [](Exp<Place> a, Exp<Place> b) {
    auto [a_value, a_index] = a;
    auto [b_value, b_index] = b;
    return fg::select(a_value < b_value || (a_value == b_value && b_index < a_index), b, a);
  };
  auto places = fg::map([](Exp<int> value, Exp<int> index) { return fg::make<Place>(value, index); }, xs,
                        fg::iota<int>(xs.size()));
  const Place none{std::numeric_limits<int>::min(), std::numeric_limits<int>::max()};
  return fg::reduce_comm(larger_then_first, none, places);
}
Exp<fg::i64> index_of_max_packed(Vec<int> xs) {
  return fg::max((fg::cast<fg::i64>(xs) << 32) |
                 fg::cast<fg::i64>(fg::cast<fg::u32>(~fg::iota<int>(xs.size()))));
}

Exp<fg::u32> product_2x2(Exp<fg::u32> p, Exp<fg::u32> q) {
  auto a = p & 255, b = (p >> 8) & 255, c = (p >> 16) & 255, e = p >> 24;
  auto s = q & 255, t = (q >> 8) & 255, u = (q >> 16) & 255, v = q >> 24;
  return ((a * s + b * u) & 255) | (((a * t + b * v) & 255) << 8) | (((c * s + e * u) & 255) << 16) |
         ((c * t + e * v) << 24);
}
Exp<fg::u32> reduce_2x2(Vec<int> xs) {
  return fg::iterate(
      products_2x2,
      [&](Exp<fg::u32> seed) {
        auto lifted = ((fg::cast<fg::u32>(xs) + seed) & 0xFFFFFEFFu) | 0x01000001u;
        return fg::reduce(product_2x2, identity_2x2, lifted);
      },
      seed_2x2);
}

Exp<Segment> maximum_segment_sum(Vec<int> xs) {
  auto lift = [](Exp<int> x) {
    auto p = fg::max(x, 0);
    return fg::make<Segment>(p, p, p, x);
  };
  auto join = [](Exp<Segment> a, Exp<Segment> b) {
    auto [a_best, a_prefix, a_suffix, a_total] = a;
    auto [b_best, b_prefix, b_suffix, b_total] = b;
    return fg::make<Segment>(fg::max(fg::max(a_best, b_best), a_suffix + b_prefix),
                             fg::max(a_prefix, a_total + b_prefix), fg::max(b_suffix, a_suffix + b_total),
                             a_total + b_total);
  };
  return fg::reduce(join, Segment{0, 0, 0, 0}, fg::map(lift, xs));
}

Exp<Factors> maximum_segment_product(Vec<float> xs) {
  auto lift = [](Exp<float> x) {
    auto f = 1.0 + (fg::cast<double>(x) - 0.5) * 1e-3, more = fg::max(f, 1.0);
    return fg::make<Factors>(more, more, more, f);
  };
  auto join = [](Exp<Factors> a, Exp<Factors> b) {
    auto [a_best, a_prefix, a_suffix, a_total] = a;
    auto [b_best, b_prefix, b_suffix, b_total] = b;
    return fg::make<Factors>(fg::max(fg::max(a_best, b_best), a_suffix * b_prefix),
                             fg::max(a_prefix, a_total * b_prefix), fg::max(b_suffix, a_suffix * b_total),
                             a_total * b_total);
  };
  return fg::reduce(join, Factors{1, 1, 1, 1}, fg::map(lift, xs));
}
Exp<Doubles2x2> product_of_matrices(Vec<float> xs) {
  auto near_unit = [](Exp<float> x) {
    auto e = (fg::cast<double>(x) - 0.5) * 1e-3;
    return fg::make<Doubles2x2>(1.0, e, e * -0.5, 1.0 - e * e * 0.5);
  };
  auto multiply = [](Exp<Doubles2x2> x, Exp<Doubles2x2> y) {
    auto [a, b, c, d] = x;
    auto [p, q, r, s] = y;
    return fg::make<Doubles2x2>(a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s);
  };
  return fg::reduce(multiply, Doubles2x2{1, 0, 0, 1}, fg::map(near_unit, xs));
}

Vec<int> scan_plus(Vec<int> xs) {
  return fg::scan(fg::plus, 0, xs);
}

Vec<float> scan_max(Vec<float> xs) {
  return fg::scan([](Exp<float> a, Exp<float> b) { return fg::max(a, b); }, 0.f, xs);
}

Vec<fg::u32> scan_2x2(Vec<int> xs) {
  return fg::scan(product_2x2, identity_2x2, (fg::cast<fg::u32>(xs) & 0xFFFFFEFFu) | 0x01000001u);
}

std::tuple<Exp<float>, Exp<float>, Exp<float>, Vec<float>, Vec<float>> redomap(Exp<fg::i64> n) {
  auto a = 8.f / fg::cast<float>(n);
  auto f = [](Exp<float> z) { return z / (1.f + z) + fg::exp(-z); };
  auto g = [](Exp<float> z) { return (1.f + fg::exp(-z)) / (1.f + z * z); };
  auto x = fg::map(f, fg::iota<float>(n) * a);
  auto y = fg::map(g, x * redomap_scale);
  return {fg::sum(x + y), fg::min(x), fg::max(y), x * a, y * redomap_scale};
}

Exp<float> zc(Exp<float> date) {
  return fg::exp(-0.03f * ((today - date) / year));
}
std::tuple<Exp<float>, Exp<float>, Exp<float>, Vec<float>, Vec<float>> redomap_of_paper(Exp<fg::i64> n) {
  auto freq = 6144.f / fg::cast<float>(n);
  auto begs = fg::map([=](Exp<float> i) { return freq * i * month + maturity; }, fg::iota<float>(n));
  auto ends = freq * month + begs;
  auto levels = fg::map(zc, ends) * ((begs - ends) / year);
  return {fg::sum(levels), fg::min(begs), fg::max(ends), fg::map(zc, begs), fg::map(zc, ends)};
}

Exp<float> normal_cdf(Exp<float> d) {
  auto l = fg::abs(d), k = 1.f / (1.f + 0.2316419f * l);
  auto p =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  auto tail = 0.39894228f * fg::exp(-0.5f * l * l) * p;
  return fg::select(d < 0.f, tail, 1.f - tail);
}
Exp<float> black_scholes_of_paper(Exp<fg::i64> n) {
  auto price_of_day = [=](Exp<fg::i64> day) {
    const float strike = 65.f, rate = 0.08f, volatility = 0.30f;
    auto i = fg::cast<float>(day), price = 58.f + 4.f * i / fg::cast<float>(n), years = i / 365.f;
    auto spread = volatility * fg::sqrt(years);
    auto d1 = (fg::log(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    auto n1 = normal_cdf(d1), n2 = normal_cdf(d1 - spread), discounted = strike * fg::exp(-rate * years);
    return fg::select(day % 2 == 0, price * n1 - discounted * n2,
                      discounted * (1.f - n2) - price * (1.f - n1));
  };
  return fg::sum(fg::map(price_of_day, fg::iota(n) + 1));
}

template <auto program, bool fuse>
void publish_redomap(Data& d) {
  const auto& [sum, least, most, x, y] = Program<program, fuse>::result;
  d.results[0] = sum;
  d.results[1] = least;
  d.results[2] = most;
  copy(x, d.out);
  copy(y, d.out2);
}

template <bool fuse>
void add(Peers& peers) {
  const char* name = name_of_ours(fuse);
  peers.add("ReducePlus", name, [](Data& d) {
    Program<reduce_plus, fuse>::run(view(d.small, d.n));
    d.results[0] = Program<reduce_plus, fuse>::result;
  });
  peers.add("ReduceMax", name, [](Data& d) {
    Program<reduce_max, fuse>::run(view(d.tied, d.n));
    d.results[0] = Program<reduce_max, fuse>::result;
  });
  peers.add("IndexOfMax", name, [](Data& d) {
    Program<index_of_max, fuse>::run(view(d.tied, d.n));
    d.results[0] = Program<index_of_max, fuse>::result.first;
    d.results[1] = Program<index_of_max, fuse>::result.second;
  });
  peers.add("IndexOfMaxPack", name, [](Data& d) {
    Program<index_of_max_packed, fuse>::run(view(d.tied, d.n));
    const std::int64_t packed = Program<index_of_max_packed, fuse>::result;
    d.results[0] = static_cast<std::int32_t>(packed >> 32);
    d.results[1] = static_cast<std::int32_t>(~static_cast<std::uint32_t>(packed));
  });
  peers.add("Reduce2x2MM", name, [](Data& d) {
    Program<reduce_2x2, fuse>::run(view(d.small, d.n));
    d.results[0] = Program<reduce_2x2, fuse>::result;
  });
  peers.add("MSSP", name, [](Data& d) {
    Program<maximum_segment_sum, fuse>::run(view(d.small, d.n));
    const Segment& all = Program<maximum_segment_sum, fuse>::result;
    d.results[0] = all.best;
    d.results[1] = all.prefix;
    d.results[2] = all.suffix;
    d.results[3] = all.total;
  });
  peers.add("MSPP", name, [](Data& d) {
    Program<maximum_segment_product, fuse>::run(view(d.x, d.n));
    const Factors& all = Program<maximum_segment_product, fuse>::result;
    d.results[0] = all.best;
    d.results[1] = all.prefix;
    d.results[2] = all.suffix;
    d.results[3] = all.total;
  });
  peers.add("Product2x2", name, [](Data& d) {
    Program<product_of_matrices, fuse>::run(view(d.x, d.n));
    const Doubles2x2& all = Program<product_of_matrices, fuse>::result;
    d.results[0] = all.a;
    d.results[1] = all.b;
    d.results[2] = all.c;
    d.results[3] = all.d;
  });
  peers.add(
      "ScanPlus", name, [](Data& d) { Program<scan_plus, fuse>::run(view(d.small, d.n)); },
      [](Data& d) { copy(Program<scan_plus, fuse>::result, d.out_ints); });
  peers.add(
      "ScanMax", name, [](Data& d) { Program<scan_max, fuse>::run(view(d.x, d.n)); },
      [](Data& d) { copy(Program<scan_max, fuse>::result, d.out); });
  peers.add(
      "Scan2x2MM", name, [](Data& d) { Program<scan_2x2, fuse>::run(view(d.small, d.n)); },
      [](Data& d) { copy(Program<scan_2x2, fuse>::result, reinterpret_cast<std::uint32_t*>(d.out_ints)); });
  peers.add(
      "RedomapNT", name, [](Data& d) { Program<redomap, fuse>::run(d.n); }, publish_redomap<redomap, fuse>);
  peers.add(
      "RedomapNT-paper", name, [](Data& d) { Program<redomap_of_paper, fuse>::run(d.n); },
      [](Data& d) {
        publish_redomap<redomap_of_paper, fuse>(d);
        d.results[0] *= static_cast<double>(d.n);
      });
  peers.add("BlackScholes-paper", name, [](Data& d) {
    Program<black_scholes_of_paper, fuse>::run(d.n);
    d.results[0] = Program<black_scholes_of_paper, fuse>::result;
  });
}

}  // namespace

void add_fulgurite_reductions(Peers& peers) {
  add<true>(peers);
  add<false>(peers);
}

}  // namespace bench
