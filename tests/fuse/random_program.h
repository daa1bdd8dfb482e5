// Random well-typed array programs, for properties and fuzzing: compositions of elementwise operations, index
// transforms, generators, reductions, conditionals, loops and nested maps over arrays of rank one and two.
// Drawn from a list of numbers: a shorter list or smaller numbers give a simpler program, so that a property
// that fails shrinks to a small program.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "random_operations.h"
#include "soac/interpret.h"

namespace fulgurite::testing {

using scalar::Site;
using scalar::Type;
using scalar::Var;
using soac::Lambda;
using soac::Stm;

class RandomProgram : RandomOperations {
 public:
  explicit RandomProgram(std::vector<std::uint8_t> numbers) : RandomOperations(std::move(numbers)) {
    program_.name = "random";
    program_.arena = arena_;
    program_.sites.push_back({soac::SiteInfo::Error::shape, {"random.cpp", 1}, "shapes {0} and {1}"});
    program_.sites.push_back({soac::SiteInfo::Error::index, {"random.cpp", 2}, "index {0} of {1}"});
    program_.sites.push_back({soac::SiteInfo::Error::arithmetic, {"random.cpp", 3}, "division by zero"});
  }

  /// x: i32[n], y: i32[n2], a: i32[m, k], b: i32[m2, k2], s: i32, with Checks that the shapes of x and y, and
  /// of a and b, are equal. `scans`: mostly running values of each other over one space.
  soac::Program program(bool scans = false) {
    scans_ = scans;
    Arena& arena = *program_.arena;
    const Expr n = size("n"), n2 = size("n2"), m = size("m"), k = size("k"), m2 = size("m2"), k2 = size("k2");
    Scope scope;
    for (const Expr& p : {arena.fresh_array(Kind::i32, {n}, "x"), arena.fresh_array(Kind::i32, {n2}, "y"),
                          arena.fresh_array(Kind::i32, {m, k}, "a"),
                          arena.fresh_array(Kind::i32, {m2, k2}, "b"), arena.fresh({Kind::i32}, "s")}) {
      program_.params.push_back(p.var());
      (p.type().rank > 0 ? scope.arrays : scope.scalars).push_back(p);
    }
    scope.scalars.push_back(arena.constant(Kind::i32, 2));
    for (auto [left, right] : {std::pair{n, n2}, {m, m2}, {k, k2}})
      scope.body.push_back({{}, soac::Check{equal(left, right), 1, {left, right}}, {"random.cpp", 1}, ""});
    fill(scope, 12, 0);
    for (std::size_t i = 1 + choices_.below(3); i > 0; --i)
      program_.results.push_back(choices_.one_in(3) ? scalar(scope, 2) : late(scope.arrays));
    program_.body = std::move(scope.body);
    return program_;
  }

  /// Arguments for it: extents from 0 to 5, small values.
  static std::vector<soac::Value> arguments(std::vector<std::uint8_t> numbers) {
    Choices choices(std::move(numbers));
    const auto n = static_cast<std::int64_t>(choices.below(6)),
               m = static_cast<std::int64_t>(choices.below(6)),
               k = static_cast<std::int64_t>(choices.below(6));
    auto array = [&](std::vector<std::int64_t> shape) {
      soac::Value value{Kind::i32, shape, {}};
      std::size_t count = 1;
      for (std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
      value.bytes.resize(4 * count);
      for (std::size_t i = 0; i < count; ++i)
        value.set(i, scalar::to_bits(static_cast<std::int32_t>(choices.below(9)) - 3));
      return value;
    };
    std::vector<soac::Value> values{array({n}), array({n}), array({m, k}), array({m, k})};
    values.push_back(
        soac::Value::scalar(Kind::i32, scalar::to_bits(static_cast<std::int32_t>(choices.below(9)) - 3)));
    return values;
  }

 private:
  /// What a body can mention, and its statements so far.
  struct Scope {
    std::vector<Expr> arrays;   // i32, rank 1 or 2
    std::vector<Expr> scalars;  // i32
    std::vector<Expr> indices;  // i64
    std::vector<Stm> body;
    bool per_element = false;  // inside a function of a Soac
  };

  Expr size(const char* name) { return program_.arena->fresh(Type{}, name); }
  Expr pick(const std::vector<Expr>& from) { return from[choices_.below(from.size())]; }
  /// One of the last few: programs are chains rather than fans.
  Expr late(const std::vector<Expr>& from) {
    return from[from.size() - 1 - choices_.below(std::min<std::size_t>(from.size(), 4))];
  }
  std::vector<Expr> shape(Expr array) { return program_.arena->info(array.var()).shape; }

  void fill(Scope& scope, std::size_t most, int depth) {
    for (std::size_t i = choices_.below(most); i > 0 && !choices_.exhausted(); --i) statement(scope, depth);
  }

  void statement(Scope& scope, int depth) {
    if (scans_) return among_scans(scope, late(scope.arrays));
    switch (choices_.below(depth < 3 ? 15 : 7)) {
      case 0: return elementwise(scope, late(scope.arrays));
      case 1: return transform(scope, late(scope.arrays));
      case 2: return reduce(scope, late(scope.arrays));
      case 3: return elementwise(scope, pick(scope.arrays));
      case 4: return generate(scope, shape(pick(scope.arrays)));
      case 5: return gather(scope, late(scope.arrays));
      case 6: return sized(scope, late(scope.arrays));
      case 7: return rows(scope, late(scope.arrays), depth);
      case 8: return branch(scope, depth);
      case 9: return loop(scope, depth);
      case 10: return scan(scope, late(scope.arrays));
      case 11: return store(scope, late(scope.arrays));
      case 12: return keep(scope, late(scope.arrays));
      case 13: return update(scope, late(scope.arrays));
      default: return two_results(scope, late(scope.arrays));
    }
  }

  void among_scans(Scope& scope, Expr array) {
    switch (choices_.below(8)) {
      case 0: return elementwise(scope, array);
      case 1: return two_results(scope, array);
      case 2: return reduce(scope, array);
      case 3: return keep(scope, array);
      case 4: return store(scope, array);
      default: return scan(scope, array);
    }
  }

  Expr scalar(Scope& scope, int depth) {
    if (depth == 0 || choices_.one_in(3))
      return choices_.one_in(4) && !scope.indices.empty() ? cast(pick(scope.indices), Kind::i32)
                                                          : late(scope.scalars);
    return choices_.one_in(3) ? unary(scalar(scope, depth - 1))
                              : combine(scalar(scope, depth - 1), scalar(scope, depth - 1));
  }

  /// A Soac over dims in `scope` with element results given by f(indices).
  template <class F>
  void map(Scope& scope, const std::vector<Expr>& dims, const char* origin, F&& f) {
    soac::Soac soac;
    soac.dims = dims;
    std::vector<Expr> indices;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      indices.push_back(size("i"));
      soac.body.params.push_back(indices.back().var());
    }
    soac.body.results = f(indices);
    Stm stm{{}, {}, {"random.cpp", ++line_}, origin};
    for (Expr e : soac.body.results) {
      const Expr array = program_.arena->fresh_array(e.kind(), dims, "t");
      stm.names.push_back(array.var());
      scope.arrays.push_back(array);
    }
    stm.op = std::move(soac);
    scope.body.push_back(std::move(stm));
  }

  /// Elements at the indices of the array and of others of its shape, and scalars around them.
  Expr element(Scope& scope, Expr array, const std::vector<Expr>& indices) {
    Expr e = program_.arena->index(array, indices);
    for (std::size_t i = choices_.below(3); i > 0; --i) {
      Expr other = scalar(scope, 1);
      const Expr candidate = late(scope.arrays);
      if (shape(candidate) == shape(array)) other = program_.arena->index(candidate, indices);
      e = combine(e, other);
    }
    return choices_.one_in(3) ? unary(e) : e;
  }

  void elementwise(Scope& scope, Expr array) {
    map(scope, shape(array), "map",
        [&](const std::vector<Expr>& i) { return std::vector{element(scope, array, i)}; });
  }

  void two_results(Scope& scope, Expr array) {
    map(scope, shape(array), "unzip", [&](const std::vector<Expr>& i) {
      const Expr e = element(scope, array, i);
      return std::vector{unary(e), combine(e, e)};
    });
  }

  void generate(Scope& scope, const std::vector<Expr>& dims) {
    map(scope, dims, "generate", [&](const std::vector<Expr>& i) {
      return std::vector{combine(cast(i.back(), Kind::i32), scalar(scope, 1))};
    });
  }

  void transform(Scope& scope, Expr array) {
    Arena& arena = *program_.arena;
    const std::vector<Expr> dims = shape(array);
    const Expr one = arena.i64(1), two = arena.i64(2);
    const Expr outer = dims[0], inner = dims.back();
    if (dims.size() == 1) {
      switch (choices_.below(4)) {
        case 0:  // reverse
          return map(scope, dims, "reverse", [&](const std::vector<Expr>& i) {
            return std::vector{arena.index(array, std::vector<Expr>{outer - one - i[0]})};
          });
        case 1:  // every second
          return map(scope, {(outer + one) / two}, "slice", [&](const std::vector<Expr>& i) {
            return std::vector{arena.index(array, std::vector<Expr>{i[0] * two})};
          });
        case 2:  // all but the first
          return map(scope, {max(outer - one, 0)}, "drop", [&](const std::vector<Expr>& i) {
            return std::vector{arena.index(array, std::vector<Expr>{i[0] + one})};
          });
        default:  // a matrix of copies
          return map(scope, {arena.i64(3), outer}, "replicate", [&](const std::vector<Expr>& i) {
            return std::vector{arena.index(array, std::vector<Expr>{i[1]})};
          });
      }
    }
    switch (choices_.below(4)) {
      case 0:
        return map(scope, {inner, outer}, "transpose", [&](const std::vector<Expr>& i) {
          return std::vector{arena.index(array, std::vector<Expr>{i[1], i[0]})};
        });
      case 1:
        return map(scope, {outer * inner}, "flatten", [&](const std::vector<Expr>& i) {
          return std::vector{arena.index(array, std::vector<Expr>{i[0] / inner, i[0] % inner})};
        });
      case 2:  // flattened and cut in rows of the other length
        map(scope, {outer * inner}, "flatten", [&](const std::vector<Expr>& i) {
          return std::vector{arena.index(array, std::vector<Expr>{i[0] / inner, i[0] % inner})};
        });
        array = scope.arrays.back();
        return map(scope, {inner, outer}, "reshape", [&](const std::vector<Expr>& i) {
          return std::vector{arena.index(array, std::vector<Expr>{i[0] * outer + i[1]})};
        });
      default:
        return map(scope, {outer, inner}, "reverse", [&](const std::vector<Expr>& i) {
          return std::vector{arena.index(array, std::vector<Expr>{i[0], inner - one - i[1]})};
        });
    }
  }

  void gather(Scope& scope, Expr array) {
    Arena& arena = *program_.arena;
    const std::vector<Expr> dims = shape(array);
    const Expr from = late(scope.arrays);
    map(scope, dims, "gather", [&](const std::vector<Expr>& i) {
      // Mostly inside: the element modulo a small number, plus something rarely.
      Expr at = cast(arena.apply(Op::abs, {arena.index(array, i) % 3}), Kind::i64);
      if (choices_.one_in(4)) at = at + 1;
      std::vector<Expr> indices(shape(from).size(), arena.i64(0));
      indices.back() = choices_.one_in(3) ? min(at, 0) : at;
      return std::vector{arena.index(from, indices, 2)};
    });
  }

  /// An array whose size is computed from an element, or by a division: numbers, or the first elements of
  /// another.
  void sized(Scope& scope, Expr array) {
    Arena& arena = *program_.arena;
    const Expr zero = arena.i64(0);
    const std::vector<Expr> first(shape(array).size(), zero);
    Expr value =
        cast(choices_.one_in(2) ? arena.apply(Op::div, {arena.constant(Kind::i32, 6), scalar(scope, 1)}, 3)
                                : arena.index(array, first, 2),
             Kind::i64);
    value = max(min(value, 6), zero);
    const Expr n = size("sized");
    scope.body.push_back({{n.var()}, soac::Let{value}, {"random.cpp", ++line_}, "size"});
    const bool takes = shape(array).size() == 1 && choices_.one_in(2);
    map(scope, {takes ? min(n, shape(array)[0]) : n}, takes ? "take" : "generate",
        [&](const std::vector<Expr>& i) {
          return std::vector{takes ? element(scope, array, i) : cast(i[0], Kind::i32)};
        });
    scope.scalars.push_back(cast(n, Kind::i32));
  }

  void reduce(Scope& scope, Expr array) {
    Arena& arena = *program_.arena;
    soac::Soac soac;
    soac.dims = shape(array);
    std::vector<Expr> indices;
    for (std::size_t axis = 0; axis < soac.dims.size(); ++axis) {
      indices.push_back(size("i"));
      soac.body.params.push_back(indices.back().var());
    }
    const Expr e = element(scope, array, indices);
    soac.reductions.push_back(reduction());
    if (choices_.one_in(4)) soac.reductions[0].initial = {scalar(scope, 1)};
    soac.body.results = {e};
    const Expr s = arena.fresh({Kind::i32}, "s");
    scope.body.push_back({{s.var()}, std::move(soac), {"random.cpp", ++line_}, "reduce"});
    scope.scalars.push_back(s);
  }

  /// A Soac over the array's shape; `f` gets its indices and may add to its outputs; it gives the results.
  template <class F>
  soac::Soac over(Expr array, F&& f) {
    soac::Soac soac;
    soac.dims = shape(array);
    std::vector<Expr> indices;
    for (std::size_t axis = 0; axis < soac.dims.size(); ++axis) {
      indices.push_back(size("i"));
      soac.body.params.push_back(indices.back().var());
    }
    soac.body.results = f(soac, indices);
    return soac;
  }

  void add(Scope& scope, const std::vector<Expr>& names, soac::Soac soac, const char* origin) {
    Stm stm{{}, std::move(soac), {"random.cpp", ++line_}, origin};
    for (Expr name : names) stm.names.push_back(name.var());
    scope.body.push_back(std::move(stm));
  }

  /// Running values, beside them values computed from these, or a second scan over the computed values.
  void scan(Scope& scope, Expr array) {
    Arena& arena = *program_.arena;
    const Expr running = arena.fresh({Kind::i32}, "running");
    soac::Soac soac = over(array, [&](soac::Soac& s, const std::vector<Expr>& i) {
      soac::Scan scan;
      scan.operands = {element(scope, array, i)};
      scan.reduction = reduction();
      scan.inclusive = choices_.one_in(2);
      if (choices_.one_in(3)) scan.reduction.initial = {scalar(scope, 1)};
      s.body.body.push_back({{running.var()}, std::move(scan), {"random.cpp", ++line_}, "scan"});
      const Expr beside = combine(running, arena.index(array, i));
      if (scans_ || !choices_.one_in(4)) return std::vector{running, beside};
      const Expr of_running = arena.fresh({Kind::i32}, "of_running");
      s.body.body.push_back(
          {{of_running.var()}, soac::Scan{reduction(), {beside}, true}, {"random.cpp", ++line_}, "scan"});
      return std::vector{running, of_running};
    });
    scope.arrays.push_back(arena.fresh_array(Kind::i32, soac.dims, "scanned"));
    scope.arrays.push_back(arena.fresh_array(Kind::i32, soac.dims, "beside"));
    const std::vector<Expr> names(scope.arrays.end() - 2, scope.arrays.end());
    add(scope, names, std::move(soac), "scan");
  }

  /// A histogram by small values, or the last of each; or a vector permuted (reversed, or turned by one).
  void store(Scope& scope, Expr array) {
    Arena& arena = *program_.arena;
    const bool permutes = shape(array).size() == 1 && choices_.one_in(2);
    const bool reverses = choices_.one_in(2), overwrites = !permutes && choices_.one_in(2);
    const std::vector<Expr> to = permutes ? shape(array) : std::vector{arena.i64(5)};
    soac::Soac soac = over(array, [&](soac::Soac& s, const std::vector<Expr>& i) {
      soac::Scatter scatter;
      scatter.shape = to;
      const Expr j = size("j");
      scatter.initial.params = {j.var()};
      scatter.initial.results = {combine(cast(j, Kind::i32), scalar(scope, 1))};
      if (!permutes && !overwrites) scatter.combine.push_back(reduction());
      if (permutes && choices_.one_in(2))
        scatter.of_equal = choices_.one_in(2) ? soac::OfEqual::any : soac::OfEqual::unordered;
      s.scatters.push_back(std::move(scatter));
      const Expr e = element(scope, array, i);
      const Expr place = !permutes ? cast(e, Kind::i64) : reverses ? Expr(to[0] - 1 - i[0]) : i[0] + 1;
      return std::vector{place, e};
    });
    scope.arrays.push_back(arena.fresh_array(Kind::i32, to, "stored"));
    add(scope, {scope.arrays.back()}, std::move(soac), permutes || overwrites ? "scatter" : "histogram");
  }

  /// The elements of some classes, sorted by class.
  void keep(Scope& scope, Expr array) {
    Arena& arena = *program_.arena;
    const std::int64_t n_classes = choices_.one_in(2) ? 1 : 3;
    soac::Soac soac = over(array, [&](soac::Soac& s, const std::vector<Expr>& i) {
      s.partitions.push_back({arena.i64(n_classes), 1});
      const Expr e = element(scope, array, i);
      return std::vector<Expr>{cast(e, Kind::i64), arena.index(array, i)};
    });
    const Expr total = size("kept"),
               offsets = arena.fresh_array(Kind::i64, {arena.i64(n_classes + 1)}, "offsets");
    scope.arrays.push_back(arena.fresh_array(Kind::i32, {total}, "sorted"));
    scope.scalars.push_back(cast(total, Kind::i32));
    add(scope, {total, offsets, scope.arrays.back()}, std::move(soac), "partition");
  }

  /// An array with its first element, or every one before the last, replaced.
  void update(Scope& scope, Expr array) {
    Arena& arena = *program_.arena;
    if (shape(array).size() != 1) return elementwise(scope, array);
    const Expr n = shape(array)[0], one = arena.i64(1);
    const bool first = choices_.one_in(2);
    soac::Soac soac;
    soac.dims = {first ? one : max(n - one, 0)};
    const Expr i = size("i"), j = size("j");
    soac.body.params = {i.var()};
    const Expr value =
        first ? scalar(scope, 1) : combine(cast(i, Kind::i32), arena.index(array, std::vector<Expr>{i}));
    soac.body.results = {i, value};
    soac.scatters.push_back({{n}, {{j.var()}, {}, {arena.index(array, std::vector<Expr>{j})}}, {}});
    scope.arrays.push_back(arena.fresh_array(Kind::i32, {n}, "updated"));
    add(scope, {scope.arrays.back()}, std::move(soac), "with");
  }

  Scope inner_scope(const Scope& outer) {
    Scope inner = outer;
    inner.body.clear();
    return inner;
  }

  /// A function mapped over the outermost axis; rows of matrices are arrays in it.
  void rows(Scope& scope, Expr array, int depth) {
    Arena& arena = *program_.arena;
    soac::Soac soac;
    soac.dims = {shape(array)[0]};
    const Expr i = size("row");
    soac.body.params = {i.var()};
    Scope inner = inner_scope(scope);
    inner.per_element = true;
    inner.indices.push_back(i);
    if (shape(array).size() == 2)
      map(inner, {shape(array)[1]}, "row", [&](const std::vector<Expr>& j) {
        return std::vector{arena.index(array, std::vector<Expr>{i, j[0]})};
      });
    else
      inner.scalars.push_back(arena.index(array, std::vector<Expr>{i}));
    fill(inner, 5, depth + 1);
    const Expr last = late(inner.arrays);
    bool known_size = true;
    scalar::for_each_node(shape(last), [&](Expr e) {
      if (e.is_name() && e.var() > i.var()) known_size = false;
    });
    const bool gives_row = shape(last).size() == 1 && known_size && choices_.one_in(2) && depth == 0;
    soac.body.results = {gives_row ? last : scalar(inner, 2)};
    soac.body.body = std::move(inner.body);
    std::vector<Expr> dims = soac.dims;
    if (gives_row) dims.push_back(shape(last)[0]);
    const Expr result = arena.fresh_array(Kind::i32, dims, "rows");
    scope.body.push_back({{result.var()}, std::move(soac), {"random.cpp", ++line_}, "map"});
    scope.arrays.push_back(result);
  }

  void branch(Scope& scope, int depth) {
    Arena& arena = *program_.arena;
    Scope yes = inner_scope(scope), no = inner_scope(scope);
    fill(yes, 3, depth + 1);
    fill(no, 3, depth + 1);
    const Expr condition = scalar(scope, 1) < scalar(scope, 1);
    const Expr a = late(yes.arrays), b = late(no.arrays);
    soac::If op{condition, {{}, {}, {scalar(yes, 2)}}, {{}, {}, {scalar(no, 2)}}};
    Stm stm{{arena.fresh({Kind::i32}, "c").var()}, {}, {"random.cpp", ++line_}, "cond"};
    scope.scalars.push_back(arena.name(stm.names[0]));
    if (shape(a) == shape(b)) {
      op.then_branch.results.push_back(a);
      op.else_branch.results.push_back(b);
      scope.arrays.push_back(arena.fresh_array(Kind::i32, shape(a), "z"));
      stm.names.push_back(scope.arrays.back().var());
    }
    op.then_branch.body = std::move(yes.body);
    op.else_branch.body = std::move(no.body);
    stm.op = std::move(op);
    scope.body.push_back(std::move(stm));
  }

  void loop(Scope& scope, int depth) {
    Arena& arena = *program_.arena;
    soac::Loop op;
    op.trips = arena.i64(static_cast<std::int64_t>(choices_.below(4)));
    const Expr k = size("k"), state = arena.fresh({Kind::i32}, "state");
    op.initial = {scalar(scope, 1)};
    op.body.params = {k.var(), state.var()};
    Scope inner = inner_scope(scope);
    inner.indices.push_back(k);
    inner.scalars.push_back(state);
    const Expr start = late(scope.arrays);
    const Expr array_state = arena.fresh_array(Kind::i32, shape(start), "carried");
    const bool with_array = !scope.per_element && choices_.one_in(2);
    if (with_array) {
      op.initial.push_back(start);
      op.body.params.push_back(array_state.var());
      inner.arrays.push_back(array_state);
    }
    fill(inner, 4, depth + 1);
    op.body.results = {scalar(inner, 2)};
    Stm stm{{arena.fresh({Kind::i32}, "l").var()}, {}, {"random.cpp", ++line_}, "iterate"};
    scope.scalars.push_back(arena.name(stm.names[0]));
    if (with_array) {
      const Expr end = late(inner.arrays);
      op.body.results.push_back(shape(end) == shape(start) ? end : array_state);
      scope.arrays.push_back(arena.fresh_array(Kind::i32, shape(start), "last"));
      stm.names.push_back(scope.arrays.back().var());
    }
    op.body.body = std::move(inner.body);
    stm.op = std::move(op);
    scope.body.push_back(std::move(stm));
  }

  soac::Program program_;
  bool scans_ = false;
  unsigned line_ = 10;
};

}  // namespace fulgurite::testing
