// Random well-formed programs and arguments for them: maps, reductions, nested and chained, branches, loops
// of scalars and of arrays, updates beside reads of what they change, checks, indices that may be out of
// range and divisors that may be zero. What two versions of a program must agree on: results, or that both
// fail.
#pragma once

#include <fulgurite/error.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>

#include "soac/interpret.h"
#include "values.h"

namespace fulgurite::soac {

class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed) : random_(seed) { program.arena = std::make_shared<Arena>(); }

  /// About `n_statements` statements outside functions.
  Program make(int n_statements) {
    program.name = "random";
    program.sites = {{SiteInfo::Error::index, {"random.cpp", 1}, "index {0} is outside an extent of {1}"},
                     {SiteInfo::Error::arithmetic, {"random.cpp", 2}, "division by zero"},
                     {SiteInfo::Error::shape, {"random.cpp", 3}, "{0} is not {1}"}};
    for (Kind kind : {Kind::f32, Kind::i32, Kind::i64}) param_array(kind, 1);
    param_array(Kind::f32, 2);
    for (Kind kind : {Kind::i64, Kind::f32, Kind::i32}) {
      scalars_.push_back(arena().fresh({kind, 0, 1}, "k"));
      program.params.push_back(scalars_.back().var());
    }
    program.body = statements(n_statements, 0);
    const std::size_t n_results = 1 + below(3);
    // Mostly arrays that were made last, which depend on most of the program.
    const auto array = [&] {
      return arrays_[arrays_.size() - 1 - below(below(3) == 0 ? arrays_.size() : 3)];
    };
    for (std::size_t i = 0; i < n_results; ++i)
      program.results.push_back(below(3) != 0 ? array() : scalar(kind(), 2));
    return program;
  }

  /// Arguments that fit, with extents 0..5 and now and then some that fill a vector.
  std::vector<Value> arguments() {
    std::vector<Value> args;
    for (Var p : program.params) {
      const scalar::VarInfo& info = arena().info(p);
      Value value{info.type.kind, {}, {}};
      std::size_t n = 1;
      for (std::size_t d = 0; d < info.shape.size(); ++d) {
        value.shape.push_back(static_cast<std::int64_t>(below(5) == 0 ? 15 + below(5) : below(6)));
        n *= static_cast<std::size_t>(value.shape.back());
      }
      value.bytes.resize(n * scalar::size_of(value.kind));
      for (std::size_t i = 0; i < n; ++i) value.set(i, bits(value.kind));
      args.push_back(std::move(value));
    }
    return args;
  }

  Program program;

 private:
  Arena& arena() { return *program.arena; }
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  Kind kind() {
    const Kind kinds[] = {Kind::f32, Kind::f32, Kind::i32, Kind::i64, Kind::boolean};
    return kinds[below(std::size(kinds))];
  }
  scalar::Bits bits(Kind kind) {
    const auto small = static_cast<std::int64_t>(below(9)) - 3;
    if (scalar::is_float(kind))
      return scalar::evaluate(scalar::Op::cast, Kind::f64, kind,
                              scalar::to_bits(static_cast<double>(small) / 2));
    return scalar::evaluate(scalar::Op::cast, Kind::i64, kind, static_cast<scalar::Bits>(small));
  }

  void param_array(Kind kind, int rank) {
    std::vector<Expr> shape;
    for (int d = 0; d < rank; ++d) {
      shape.push_back(arena().fresh({}, "n"));
      scalars_.push_back(shape.back());
    }
    arrays_.push_back(arena().fresh_array(kind, shape, "xs"));
    program.params.push_back(arrays_.back().var());
  }

  /// A scalar in scope, or a constant.
  Expr leaf(Kind kind) {
    for (int tries = 0; tries < 8 && !scalars_.empty(); ++tries) {
      const Expr e = scalars_[below(scalars_.size())];
      if (e.kind() == kind) return e;
    }
    return arena().constant(kind, bits(kind));
  }

  Expr element(Kind kind, int depth) {
    for (int tries = 0; tries < 8; ++tries) {
      const Expr array = arrays_[below(arrays_.size())];
      if (array.kind() != kind) continue;
      std::vector<Expr> indices;
      for (Expr extent : arena().info(array.var()).shape) indices.push_back(index(extent, depth));
      return arena().index(array, indices, 1);
    }
    return leaf(kind);
  }
  Expr index(Expr extent, int depth) {
    for (const auto& [i, range] : ranges_)
      if (range == extent && below(4) != 0) return i;
    const Expr any = scalar(Kind::i64, depth - 1);
    if (below(10) == 0) return any;
    return max(min(any, extent - 1), 0);
  }

  Expr scalar(Kind kind, int depth) {
    using scalar::Op;
    if (depth <= 0 || below(4) == 0) return leaf(kind);
    if (below(3) == 0) return element(kind, depth);
    if (below(6) == 0) {
      const Kind from = this->kind();
      return cast(scalar(from, depth - 1), kind);
    }
    auto more = [&](Kind k) { return scalar(k, depth - 1); };
    if (below(6) == 0) return select(more(Kind::boolean), more(kind), more(kind));
    if (kind == Kind::boolean) {
      const Op logic[] = {Op::bit_and, Op::bit_or, Op::bit_xor};
      if (below(2) == 0) return arena().apply(logic[below(3)], {more(kind), more(kind)});
      const Op order[] = {Op::lt, Op::le, Op::eq, Op::ne};
      const Kind k = this->kind();
      return arena().apply(order[below(4)], {more(k), more(k)});
    }
    if (scalar::is_integer(kind) && below(8) == 0)
      return arena().apply(std::array{Op::div, Op::rem, Op::ceil_div}[below(3)], {more(kind), more(kind)}, 2);
    const Op sums[] = {Op::add, Op::sub, Op::mul, Op::min, Op::max};
    return arena().apply(sums[below(5)], {more(kind), more(kind)});
  }

  /// Scopes: what a function binds is forgotten at its end.
  struct Mark {
    std::size_t n_scalars, n_arrays, n_ranges;
  };
  Mark open() const { return {scalars_.size(), arrays_.size(), ranges_.size()}; }
  void close(Mark mark) {
    scalars_.resize(mark.n_scalars);
    arrays_.resize(mark.n_arrays);
    ranges_.resize(mark.n_ranges);
  }

  std::vector<Stm> statements(int n, int depth) {
    std::vector<Stm> body;
    for (int i = 0; i < n; ++i) {
      const std::size_t choice = below(depth == 0 ? 15 : 8);
      if (choice == 0)
        body.push_back(branch(depth));
      else if (choice == 1)
        body.push_back(loop(depth));
      else if (choice == 2 && depth == 0)
        body.push_back(check());
      else if (choice == 3)
        body.push_back(sort(depth, body));
      else if (choice == 12)
        body.push_back(update(vectors_of_one_shape()));
      else if (choice > 12)
        body.push_back(loop_of_updates());
      else if (choice == 4)
        body.push_back({{arena().fresh({Kind::i64}, "size").var()}, Let{scalar(Kind::i64, 2)}, {}, ""});
      else
        body.push_back(soac(depth));
      body.back().where = {"random.cpp", static_cast<unsigned>(10 + i)};
      body.back().origin = "random";
      for (Var v : body.back().names)
        (arena().info(v).type.rank > 0 ? arrays_ : scalars_).push_back(arena().name(v));
    }
    return body;
  }
  int n_inner(int depth) { return depth >= 2 ? 0 : static_cast<int>(below(2)); }

  Var name(Type type, const std::vector<Expr>& shape) {
    return type.rank > 0 ? arena().fresh_array(type.kind, shape, "a").var() : arena().fresh(type, "s").var();
  }

  Expr extent() {
    if (below(4) == 0) return arena().i64(static_cast<std::int64_t>(below(4)));
    const auto& shape = arena().info(arrays_[below(arrays_.size())].var()).shape;
    const Expr e = shape[below(shape.size())];
    // Not always an extent as it is; never negative.
    return below(4) == 0 ? max(e - 1, 0) : e;
  }

  Stm soac(int depth) {
    Soac s;
    const std::size_t rank = 1 + (below(4) == 0);
    for (std::size_t d = 0; d < rank; ++d) s.dims.push_back(extent());
    const Mark mark = open();
    for (std::size_t d = 0; d < rank; ++d) {
      const Expr i = arena().fresh({}, "i");
      s.body.params.push_back(i.var());
      scalars_.push_back(i);
      ranges_.emplace_back(i, s.dims[d]);
    }
    const std::size_t n_outer_arrays = arrays_.size();
    s.body.body = statements(n_inner(depth), depth + 1);
    Stm stm;
    std::vector<Expr> mapped;
    const std::size_t n_reductions = below(3) == 0 ? 1 + below(2) : 0;
    std::vector<Type> reduced;
    for (std::size_t r = 0; r < n_reductions; ++r) s.reductions.push_back(reduction(s.body.results, reduced));
    const std::size_t n_mapped = n_reductions == 0 ? 1 + below(2) : below(2);
    for (std::size_t m = 0; m < n_mapped; ++m) {
      if (arrays_.size() > n_outer_arrays && below(2) == 0 && is_regular(arrays_.back(), s.body.params))
        s.body.results.push_back(arrays_.back());
      else
        s.body.results.push_back(scalar(kind(), 3));
    }
    std::vector<Expr> results = s.body.results;
    close(mark);
    for (Type t : reduced) stm.names.push_back(name(t, {}));
    for (std::size_t i = reduced.size(); i < results.size(); ++i) {
      std::vector<Expr> shape = s.dims;
      if (results[i].type().rank > 0) {
        const auto& inner = arena().info(results[i].var()).shape;
        shape.insert(shape.end(), inner.begin(), inner.end());
      }
      stm.names.push_back(name({results[i].kind(), static_cast<std::uint8_t>(shape.size()), 1}, shape));
    }
    stm.op = std::move(s);
    return stm;
  }

  /// Whether an array's shape means something outside: it mentions nothing bound inside, which the names'
  /// numbers tell.
  bool is_regular(Expr array, const std::vector<Var>& inside) {
    for (Expr extent : arena().info(array.var()).shape) {
      bool regular = true;
      scalar::for_each_node(std::span(&extent, 1),
                            [&](Expr e) { regular = regular && !(e.is_name() && e.var() >= inside[0]); });
      if (!regular) return false;
    }
    return true;
  }

  Reduction reduction(std::vector<Expr>& operands, std::vector<Type>& types) {
    using scalar::Op;
    Reduction r;
    auto param = [&](Kind k) { return arena().fresh({k, 0, 1}, "p"); };
    if (below(4) == 0) {  // the greatest and its place
      const Expr a = param(Kind::f32), i = param(Kind::i64), b = param(Kind::f32), j = param(Kind::i64);
      const Expr later = a < b;
      r.op = {{a.var(), i.var(), b.var(), j.var()}, {}, {select(later, b, a), select(later, j, i)}};
      r.neutral = {arena().constant(Kind::f32, scalar::lowest(Kind::f32)), arena().i64(-1)};
      for (Kind k : {Kind::f32, Kind::i64}) {
        types.push_back({k, 0, 1});
        operands.push_back(scalar(k, 2));
      }
      return r;
    }
    const Kind kinds[] = {Kind::i32, Kind::i64, Kind::f32};
    const Kind k = kinds[below(3)];
    const Op op = k == Kind::f32 ? Op::max : std::array{Op::add, Op::mul, Op::min, Op::max}[below(4)];
    const Expr a = param(k), b = param(k);
    r.op = {{a.var(), b.var()}, {}, {arena().apply(op, {a, b})}};
    r.neutral = {arena().constant(k, op == Op::add   ? scalar::zero(k)
                                     : op == Op::mul ? scalar::one(k)
                                     : op == Op::min ? scalar::highest(k)
                                                     : scalar::lowest(k))};
    if (below(3) == 0) r.initial = {arena().constant(k, bits(k))};
    r.commutative = true;
    types.push_back({k, 0, 1});
    operands.push_back(scalar(k, 3));
    return r;
  }

  Lambda function(const std::vector<Kind>& results, int depth) {
    const Mark mark = open();
    Lambda lambda;
    lambda.body = statements(n_inner(depth), depth + 1);
    for (Kind k : results) lambda.results.push_back(scalar(k, 2));
    close(mark);
    return lambda;
  }

  Stm branch(int depth) {
    const std::vector<Kind> kinds(1 + below(2), kind());
    If i;
    i.condition = scalar(Kind::boolean, 2);
    i.then_branch = function(kinds, depth);
    i.else_branch = function(kinds, depth);
    Stm stm;
    for (Kind k : kinds) stm.names.push_back(name({k, 0, 1}, {}));
    stm.op = std::move(i);
    return stm;
  }

  /// A counted loop, or a while loop that counts its trips.
  Stm loop(int depth) {
    std::vector<Kind> kinds(1 + below(2), kind());
    const bool counted = below(2) == 0;
    if (!counted) kinds.push_back(Kind::i32);
    Loop l;
    for (Kind k : kinds) l.initial.push_back(scalar(k, 2));
    const Expr limit = arena().constant(Kind::i32, 3);
    auto params = [&](bool counter) {
      std::vector<Var> vars;
      if (counter) vars.push_back(arena().fresh({}, "trip").var());
      for (Kind k : kinds) vars.push_back(arena().fresh({k, 0, 1}, "state").var());
      return vars;
    };
    if (counted) {
      l.trips = arena().i64(static_cast<std::int64_t>(below(4)) - 1);
    } else {
      l.initial.back() = arena().constant(Kind::i32, 0);
      l.condition.params = params(false);
      l.condition.results = {arena().name(l.condition.params.back()) < limit};
    }
    const std::vector<Var> vars = params(counted);
    const Mark mark = open();
    for (Var v : vars) scalars_.push_back(arena().name(v));
    l.body = function(kinds, depth);
    close(mark);
    l.body.params = vars;
    if (!counted) l.body.results.back() = arena().name(vars.back()) + 1;
    Stm stm;
    for (Kind k : kinds) stm.names.push_back(name({k, 0, 1}, {}));
    stm.op = std::move(l);
    return stm;
  }

  const std::vector<Expr>& shape(Expr array) { return arena().info(array.var()).shape; }

  /// Those arrays in scope that have the shape of one of them.
  std::vector<Expr> vectors_of_one_shape() {
    std::vector<Expr> vectors, found;
    for (Expr array : arrays_)
      if (array.type().rank == 1) vectors.push_back(array);
    const Expr like = vectors[below(vectors.size())];
    for (Expr array : vectors)
      if (shape(array) == shape(like)) found.push_back(array);
    return found;
  }

  /// One pass that updates one or two of the arrays, at places that no two points have in common, by values
  /// that may be read from both.
  Stm update(std::vector<Expr> arrays) {
    std::shuffle(arrays.begin(), arrays.end(), random_);
    arrays.resize(std::min(arrays.size(), 1 + below(2)));
    const Expr extent = shape(arrays[0])[0], zero = arena().i64(0), one = arena().i64(1),
               two = arena().i64(2);
    const Expr i = arena().fresh({}, "i");
    const Mark mark = open();
    scalars_.push_back(i);
    Soac s;
    s.body.params = {i.var()};
    std::vector<Expr> places;
    const std::size_t kind_of_places = below(3);
    if (kind_of_places == 0) {
      s.dims = {one};
      places = {max(min(scalar(Kind::i64, 1), extent - one), zero)};
    } else if (kind_of_places == 1) {
      s.dims = {extent};
      places = {i, extent - one - i};
    } else {
      s.dims = {extent / two};
      places = {two * i, two * i + one};
    }
    ranges_.emplace_back(i, s.dims[0]);
    std::vector<Expr> place_of;
    for (std::size_t k = 0; k < arrays.size(); ++k) place_of.push_back(places[below(places.size())]);
    Stm stm;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      const Expr j = arena().fresh({}, "j");
      s.scatters.push_back({{extent}, {{j.var()}, {}, {arena().index(arrays[k], std::vector{j})}}, {}});
      const std::size_t from = below(arrays.size());
      const Expr old = arena().index(arrays[from], std::vector{place_of[from]}, 1);
      s.body.results.push_back(place_of[k]);
      s.body.results.push_back(below(3) != 0 ? cast(old, arrays[k].kind()) : scalar(arrays[k].kind(), 3));
      stm.names.push_back(name(arrays[k].type(), {extent}));
    }
    if (below(2) == 0) {
      const Expr old = arena().index(arrays[0], std::vector{place_of[0]}, 1);
      s.body.results.push_back(old);
      stm.names.push_back(name({old.kind(), 1, 1}, s.dims));
    }
    close(mark);
    stm.op = std::move(s);
    return stm;
  }

  /// A counted loop whose state is two arrays, which its passes update.
  Stm loop_of_updates() {
    const std::vector<Expr> vectors = vectors_of_one_shape();
    Loop l;
    l.trips = arena().i64(static_cast<std::int64_t>(below(4)));
    const Expr trip = arena().fresh({}, "trip");
    const Mark mark = open();
    scalars_.push_back(trip);
    l.body.params = {trip.var()};
    std::vector<Expr> state;
    Stm stm;
    for (int k = 0; k < 2; ++k) {
      l.initial.push_back(vectors[below(vectors.size())]);
      const Type type = l.initial.back().type();
      state.push_back(arena().name(name(type, shape(l.initial.back()))));
      stm.names.push_back(name(type, shape(l.initial.back())));
      l.body.params.push_back(state.back().var());
      arrays_.push_back(state.back());
    }
    for (std::size_t n = 1 + below(2); n > 0; --n) {
      Stm pass = update(state);
      const auto& scatters = std::get<Soac>(pass.op).scatters;
      for (std::size_t k = 0; k < scatters.size(); ++k) {
        const Var old = scatters[k].initial.results[0].arg(0).var();
        for (Expr& array : state)
          if (array.var() == old) array = arena().name(pass.names[k]);
      }
      for (Var v : pass.names) arrays_.push_back(arena().name(v));
      l.body.body.push_back(std::move(pass));
    }
    close(mark);
    if (state[0].kind() == state[1].kind() && below(4) == 0) std::swap(state[0], state[1]);
    l.body.results = state;
    stm.op = std::move(l);
    return stm;
  }

  /// Offsets of up to four segments of n elements, about equally long.
  Stm offsets(Expr n) {
    const std::int64_t segments = 1 + static_cast<std::int64_t>(below(4));
    const Expr s = arena().fresh({}, "s"), m = arena().i64(segments);
    const Var made = arena().fresh_array(Kind::i64, {m + 1}, "offsets").var();
    return {{made}, Soac{{m + 1}, {{s.var()}, {}, {n * s / segments}}}, {"random.cpp", 9}, "random"};
  }
  /// A Sort of an array in scope, with another of its shape if there is one. Offsets stand before it.
  Stm sort(int depth, std::vector<Stm>& before) {
    const bool has_vectors =
        std::any_of(arrays_.begin(), arrays_.end(), [](Expr a) { return a.type().rank == 1; });
    if (!has_vectors) return soac(depth);
    const std::vector<Expr> vectors = vectors_of_one_shape();
    Sort s;
    s.arrays = {vectors[below(vectors.size())]};
    if (below(2) == 0) s.arrays.push_back(vectors[below(vectors.size())]);
    if (below(3) == 0) {
      before.push_back(offsets(shape(s.arrays[0])[0]));
      s.segments = arena().name(before.back().names[0]);
    }
    Stm stm;
    std::vector<Expr> element;
    for (Expr array : s.arrays) {
      element.push_back(arena().fresh({array.kind()}, "x"));
      s.key.params.push_back(element.back().var());
      stm.names.push_back(name(array.type(), shape(array)));
    }
    const Expr x = element[below(element.size())];
    const Kind kinds[] = {Kind::u8, Kind::u16, Kind::u32, Kind::u64};
    const Kind k = kinds[below(4)];
    s.key.results = {scalar::is_float(x.kind()) ? cast(arena().apply(scalar::Op::floor, {x}), k)
                                                : cast(x, k)};
    stm.op = std::move(s);
    return stm;
  }

  Stm check() {
    const Expr a = scalar(Kind::i64, 1), b = scalar(Kind::i64, 1);
    return {{}, Check{min(a, 2) <= max(b, 1), 3, {a, b}}, {}, ""};
  }

  std::mt19937_64 random_;
  std::vector<Expr> scalars_, arrays_;         // in scope
  std::vector<std::pair<Expr, Expr>> ranges_;  // indices in scope, and what they are below
};

/// The results, or nothing if the program fails with an error of its user's making.
inline std::optional<std::vector<Value>> outcome(const Program& program, std::span<const Value> args) {
  try {
    return interpret(program, args);
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
    return {};
  }
}

inline bool same(const std::optional<std::vector<Value>>& a, const std::optional<std::vector<Value>>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  if (a->size() != b->size()) return false;
  for (std::size_t i = 0; i < a->size(); ++i)
    if (!same((*a)[i], (*b)[i])) return false;
  return true;
}

}  // namespace fulgurite::soac
