#include "soac/sort_network.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_map>

#include "base/match.h"
#include "soac/kept_arrays.h"
#include "soac/operation.h"
#include "soac/rename.h"
#include "soac/sort_keys.h"

namespace fulgurite::soac {

using scalar::Op;

namespace {

// Whether elements with equal keys are equal: the key is the element with its bits changed one by one, or
// with a constant added.
bool tells_elements(const Sort& op) {
  if (op.arrays.size() != 1) return false;
  Expr e = op.key.results[0];
  for (;;) {
    if (e.is_name()) return e.var() == op.key.params[0];
    const bool has_constant = e.args().size() == 2 && e.arg(1).is_constant() && scalar::is_integer(e.kind());
    const bool is_wider = e.op() == Op::cast && scalar::is_integer(e.arg(0).kind()) &&
                          size_of(e.kind()) >= size_of(e.arg(0).kind());
    if (!is_wider && e.op() != Op::bitcast && e.op() != Op::bit_not &&
        !(has_constant && (e.op() == Op::bit_xor || e.op() == Op::add)))
      return false;
    e = e.arg(0);
  }
}

// Whether the elements are floats, and the keys their order: only NaNs have a key in common.
bool has_order_of_floats(Arena& arena, const Sort& op) {
  const Expr x = arena.name(op.key.params[0]);
  return op.arrays.size() == 1 && scalar::is_float(x.kind()) && op.key.results[0] == ordered_bits(arena, x);
}

// As many as the lower half of a u32 tells.
constexpr std::int64_t most_places = 1 << 16;

// A number whose upper half is a key, and whose lower half is a place; the key's own kind where none is as
// wide.
Kind kind_with_numbers(Kind key) {
  return size_of(key) == 8 ? key : size_of(key) == 4 ? Kind::u64 : Kind::u32;
}

class Network {
 public:
  Network(Arena& arena, const Stm& sort)
      : arena_(arena), s_(sort), op_(std::get<Sort>(sort.op)), n_(arena.info(sort.names[0]).shape[0]) {}

  std::vector<Stm> operator()() {
    const Kind kind = op_.key.results[0].kind(), numbered = kind_with_numbers(kind);
    if (tells_elements(op_)) {
      rounds(op_.arrays, [&](const Exprs& a, const Exprs& b) {
        const Expr left = key_of(arena_, op_, a), right = key_of(arena_, op_, b);
        return left < right;
      });
      all_.back().names = s_.names;
    } else if (has_order_of_floats(arena_, op_)) {
      by_order_of_floats();
    } else if (numbered != kind) {
      by_numbered_keys(numbered);
    } else {
      by_keys_and_numbers();
    }
    return std::move(all_);
  }

 private:
  using Exprs = std::vector<Expr>;
  using IsBefore = std::function<Expr(const Exprs& a, const Exprs& b)>;
  using Body = std::function<Exprs(std::vector<Stm>& to, Expr i, const Exprs& state)>;

  // The upper half of a number is an element's key, the lower half its place, and no two are equal.
  void by_numbered_keys(Kind kind) {
    const Expr half = arena_.constant(kind, 4 * size_of(kind));
    const Exprs sorted = rounds(keys([&](Expr key, Expr i) {
                                  const Expr upper = cast(key, kind) << half, lower = cast(i, kind);
                                  return Exprs{upper | lower};
                                }),
                                [](const Exprs& a, const Exprs& b) { return a[0] < b[0]; });
    const Expr mask = arena_.constant(kind, (std::uint64_t{1} << (4 * size_of(kind))) - 1);
    gather([&](Expr i) { return cast(at(sorted[0], i) & mask, Kind::i64); });
  }

  void by_keys_and_numbers() {
    const Exprs sorted = rounds(keys([](Expr key, Expr i) { return Exprs{key, cast(i, Kind::i32)}; }),
                                [](const Exprs& a, const Exprs& b) {
                                  const Expr is_less = a[0] < b[0], is_equal = equal(a[0], b[0]);
                                  const Expr is_first = a[1] < b[1];
                                  return is_less | (is_equal & is_first);
                                });
    gather([&](Expr i) { return cast(at(sorted[1], i), Kind::i64); });
  }

  // Keys tell the elements but for NaNs, which stand together, and get their order after.
  void by_order_of_floats() {
    const Exprs sorted = rounds(keys([](Expr key, Expr) { return Exprs{key}; }),
                                [](const Exprs& a, const Exprs& b) { return a[0] < b[0]; });
    const Expr given = op_.arrays[0], zero = arena_.i64(0);
    const Exprs numbers = tabulated(
        [&](Expr i) { return Exprs{float_of_ordered_bits(arena_, at(sorted[0], i), given.kind())}; });
    const auto is_nan = [&](Expr i) { return arena_.apply(Op::isnan, {at(given, i)}); };
    const Expr i = fresh("i"), j = fresh("j"), place = fresh("place"), n_nans = fresh("n_nans");
    Soac count{{n_}, {{i.var()}, {}, {cast(is_nan(i), Kind::i64)}}};
    count.reductions.push_back(reduction_by(arena_, Op::add, zero));
    all_.push_back(statement(std::move(count)));
    all_.back().names = {n_nans.var()};
    const Expr state = arena_.fresh_array(given.kind(), {n_}, "s");
    Lambda f{{j.var(), place.var(), state.var()}, {}, {}};
    // Others are stored nowhere.
    const Expr to = let(f.body, select(is_nan(j), place, -1), "to");
    const Expr next = with(f.body, state, to, at(given, j));
    f.results = {place + cast(is_nan(j), Kind::i64), next};
    const Expr trips = select(equal(n_nans, zero), zero, n_), first = n_ - n_nans;
    Stm fill = statement(Loop{{first, numbers[0]}, trips, {}, std::move(f)});
    fill.names = {fresh("place").var(), s_.names[0]};
    all_.push_back(std::move(fill));
  }

  // An array for each value that `of` makes of the key and the place of an element.
  Exprs keys(const std::function<Exprs(Expr key, Expr i)>& of) {
    return tabulated([&](Expr i) {
      Exprs elements;
      for (Expr array : op_.arrays) elements.push_back(at(array, i));
      return of(key_of(arena_, op_, elements), i);
    });
  }
  Exprs tabulated(const std::function<Exprs(Expr i)>& of) {
    const Expr i = fresh("i");
    const Exprs values = of(i);
    Exprs made;
    Stm s = statement(Soac{{n_}, {{i.var()}, {}, values}});
    for (Expr value : values) made.push_back(array_of(value.kind(), s));
    all_.push_back(std::move(s));
    return made;
  }

  // Binds the sorted elements: each from the place that `place` says.
  void gather(const std::function<Expr(Expr i)>& place) {
    tabulated([&](Expr i) {
      Exprs elements;
      for (Expr array : op_.arrays) elements.push_back(at(array, place(i)));
      return elements;
    });
    all_.back().names = s_.names;
  }

  // All exchanges. Elements that meet are `p` apart first, then, in passes with ever smaller distances, those
  // that earlier rounds left p out of order.
  Exprs rounds(const Exprs& arrays, const IsBefore& is_before) {
    const Expr zero = arena_.i64(0), one = arena_.i64(1);
    const Expr log = let(all_, 64 - arena_.apply(Op::clz, {max(n_ - 1, zero)}), "log");
    return loop(all_, log, arrays, [&](std::vector<Stm>& round, Expr k, const Exprs& state) {
      const Expr shift = let(round, log - 1 - k, "shift"), p = let(round, one << shift, "p");
      return loop(round, k + 1, state, [&](std::vector<Stm>& pass, Expr b, const Exprs& before) {
        const Expr is_first = equal(b, zero), farther = (one << (log - b)) - p;
        const Expr apart = let(pass, select(is_first, p, farther), "apart");
        const Expr begin = let(pass, select(is_first, zero, p), "begin");
        const Expr rest = let(pass, max(n_ - apart - begin, zero), "rest");
        // Runs of p elements, of which every second one begins an exchange.
        const Expr whole = (rest >> (shift + 1)) << shift, last = min(rest & (p + p - 1), p);
        return loop(pass, whole + last, before, [&](std::vector<Stm>& step, Expr c, const Exprs& now) {
          const Expr run = (c >> shift) << (shift + 1);
          const Expr i = let(step, run + (c & (p - 1)) + begin, "i"), j = let(step, i + apart, "j");
          return exchanged(step, now, i, j, is_before);
        });
      });
    });
  }

  Exprs exchanged(std::vector<Stm>& to, const Exprs& arrays, Expr i, Expr j, const IsBefore& is_before) {
    Exprs left, right, after;
    for (Expr array : arrays) {
      left.push_back(let(to, at(array, i), "left"));
      right.push_back(let(to, at(array, j), "right"));
    }
    const Expr turn = let(to, is_before(right, left), "turn");
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      const Expr lower = select(turn, right[k], left[k]), upper = select(turn, left[k], right[k]);
      const Expr half = with(to, arrays[k], i, lower);
      after.push_back(with(to, half, j, upper));
    }
    return after;
  }

  // The array with another value at a place.
  Expr with(std::vector<Stm>& to, Expr array, Expr place, Expr value) {
    const Expr point = fresh("point"), i = fresh("i");
    Soac op{{arena_.i64(1)}, {{point.var()}, {}, {place, value}}};
    op.scatters.push_back({{n_}, {{i.var()}, {}, {at(array, i)}}, {}, OfEqual::unordered});
    Stm s = statement(std::move(op));
    const Expr made = array_of(array.kind(), s);
    to.push_back(std::move(s));
    return made;
  }

  Exprs loop(std::vector<Stm>& to, Expr trips, const Exprs& initial, const Body& body) {
    const Expr i = fresh("i");
    Lambda f{{i.var()}, {}, {}};
    Exprs state, made;
    for (Expr array : initial) state.push_back(arena_.fresh_array(array.kind(), {n_}, "s"));
    for (Expr array : state) f.params.push_back(array.var());
    f.results = body(f.body, i, state);
    Stm s = statement(Loop{initial, trips, {}, std::move(f)});
    for (Expr array : initial) made.push_back(array_of(array.kind(), s));
    to.push_back(std::move(s));
    return made;
  }

  Expr let(std::vector<Stm>& to, Expr value, std::string_view name) {
    const Expr bound = arena_.fresh(value.type(), std::string(name));
    to.push_back(statement(Let{value}));
    to.back().names = {bound.var()};
    return bound;
  }

  Expr at(Expr array, Expr i) { return arena_.index(array, std::span(&i, 1)); }
  Expr fresh(const char* name) { return arena_.fresh({Kind::i64}, name); }
  Stm statement(Operation op) const { return {{}, std::move(op), s_.where, s_.origin}; }
  // Binds an array of n elements.
  Expr array_of(Kind kind, Stm& s) {
    const Expr array = arena_.fresh_array(kind, {n_}, "sorted");
    s.names.push_back(array.var());
    return array;
  }

  Arena& arena_;
  const Stm& s_;
  const Sort& op_;
  const Expr n_;
  std::vector<Stm> all_;
};

// The bytes that are exchanged for an element.
std::int64_t bytes_of_element(Arena& arena, const Sort& sort) {
  const Kind key = sort.key.results[0].kind(), numbered = kind_with_numbers(key);
  const std::size_t number = numbered == key ? size_of(Kind::i32) : 0;
  const bool is_alone = tells_elements(sort) || has_order_of_floats(arena, sort);
  return static_cast<std::int64_t>(is_alone ? size_of(sort.arrays[0].kind()) : size_of(numbered) + number);
}

}  // namespace

std::vector<Stm> sorted_by_network(Arena& arena, const Stm& sort) {
  return Network(arena, sort)();
}

Expr use_networks(Arena& arena, Lambda& function, std::int64_t bytes) {
  std::vector<Stm> all;
  Expr are_short;
  const auto add = [&](Expr is_short) {
    if (is_short) are_short = are_short ? are_short & is_short : is_short;
  };
  for (Stm& s : function.body) {
    const auto* sort = base::as<Sort>(s.op);
    if (sort && !sort->segments) {
      const std::int64_t most = std::min(bytes / bytes_of_element(arena, *sort), most_places);
      add(arena.info(s.names[0]).shape[0] <= most);
      std::ranges::move(sorted_by_network(arena, s), std::back_inserter(all));
      continue;
    }
    if (!base::as<Soac>(s.op))
      for (auto& inner : nested_in(s)) add(use_networks(arena, *inner.lambda, bytes));
    all.push_back(std::move(s));
  }
  function.body = std::move(all);
  return are_short;
}

std::vector<Stm> with_sorts_before(Arena& arena, const Stm& map) {
  Stm rest = map;
  auto& op = std::get<Soac>(rest.op);
  const auto is_shared = same_for_all_points(op);
  Lambda so_far{op.body.params, {}, {}};
  std::unordered_map<Var, Expr> rows_of;
  std::vector<Stm> all;
  for (Stm& s : op.body.body) {
    so_far.body.push_back(s);
    if (!base::as<Sort>(s.op)) continue;
    const Expr n = arena.info(s.names[0]).shape[0], j = arena.fresh({Kind::i64}, "j");
    if (!is_shared({&n, 1})) return {};
    Stm rows{{}, Soac{op.dims, so_far}, map.where, s.origin};
    std::vector<Expr> shape = op.dims, elements;
    shape.push_back(n);
    for (Var name : s.names) {
      const Expr array = arena.name(name);
      std::get<Soac>(rows.op).body.results.push_back(array);
      rows.names.push_back(arena.fresh_array(array.kind(), shape, "rows").var());
      elements.push_back(arena.index(array, std::span(&j, 1)));
    }
    Renaming rename(arena, Renaming::Binders::fresh);
    all.push_back(rename(std::move(rows)));
    for (std::size_t k = 0; k < s.names.size(); ++k)
      rows_of.emplace(s.names[k], arena.name(all.back().names[k]));
    s.op = Soac{{n}, {{j.var()}, {}, std::move(elements)}};
  }
  scalar::Substitution from_rows(arena, [&](Expr e) {
    const auto found = e.op() == Op::index ? rows_of.find(e.arg(0).var()) : rows_of.end();
    if (found == rows_of.end() || e.site() != 0) return Expr();
    std::vector<Expr> place;
    for (Var index : op.body.params) place.push_back(arena.name(index));
    place.push_back(from_rows(e.arg(1)));
    return arena.index(found->second, place);
  });
  substitute_in(rest, from_rows);
  if (!all.empty()) all.push_back(std::move(rest));
  return all;
}

}  // namespace fulgurite::soac
