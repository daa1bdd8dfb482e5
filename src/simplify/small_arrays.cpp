// Arrays of few elements in functions of elements are scalars: a loop that carries a 4 x 4 matrix carries 16
// values, and its constant number of rounds is code without a loop. Points that need no arrays need no memory
// for them, and can go side by side: neighbouring lanes or threads take neighbouring points. Maps over
// several axes whose points read much that their neighbours read (products of small matrices) take the points
// of one axis, or of two, together, as arrays that they give. Last of all passes, for what it makes is longer
// text, and loops that are gone hide what was one operation.
#include <algorithm>

#include "base/match.h"
#include "simplify/simplify.h"
#include "simplify/unrolled.h"
#include "soac/literal.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::Event;
using soac::Lambda;
using soac::PassContext;
using soac::Program;
using soac::Soac;
using soac::Stm;

namespace {

// Fewer points than this are not worth lanes of their own.
constexpr std::int64_t least_points = 8;
// Rows with at least this many points are vectors by themselves.
constexpr std::int64_t least_row = 8;

class SmallArrays {
 public:
  SmallArrays(Arena& arena, PassContext& context) : arena_(arena), context_(context) {}

  void scope(std::vector<Stm>& stms) {
    for (Stm& stm : stms) {
      auto* op = as<Soac>(stm.op);
      if (op && are_many(op->dims) && wants(op->body) && unroll(op->body)) continue;
      if (op && take_together(stm)) continue;
      for (auto& inner : soac::nested_in(stm))
        if (inner.role != soac::Role::operation) scope(inner.lambda->body);
    }
  }

 private:
  static bool are_many(const std::vector<Expr>& dims) {
    const auto few = soac::few_points(dims);
    return !few || *few >= least_points;
  }

  bool binds_array(const Stm& s) const {
    return std::ranges::any_of(s.names, [&](Var name) { return arena_.info(name).type.rank > 0; });
  }
  bool has_arrays(const Lambda& f) const {
    return std::ranges::any_of(f.body, [&](const Stm& s) {
      const auto nested = soac::nested_in(s);
      return binds_array(s) ||
             std::ranges::any_of(nested, [&](const auto& each) { return has_arrays(*each.lambda); });
    });
  }
  // Whether it makes arrays in another way than element by element.
  bool wants(const Lambda& f) const {
    return std::ranges::any_of(f.body, [&](const Stm& s) {
      if (soac::is_literal(s)) return false;
      const auto nested = soac::nested_in(s);
      return binds_array(s) ||
             std::ranges::any_of(nested, [&](const auto& each) { return has_arrays(*each.lambda); });
    });
  }
  // Whether loops carry arrays, or elements are replaced: then there is no other way to use lanes.
  bool changes_arrays(const Lambda& f) const {
    return std::ranges::any_of(f.body, [&](const Stm& s) {
      if (as<soac::Loop>(s.op) && binds_array(s)) return true;
      if (const auto* op = as<Soac>(s.op); op && !op->scatters.empty()) return true;
      const auto nested = soac::nested_in(s);
      return std::ranges::any_of(nested, [&](const auto& each) { return changes_arrays(*each.lambda); });
    });
  }

  // ---- points of some axes together

  // Whether its points give scalars, do not depend on each other, and reduce a constant number of points.
  bool may_take_together(const Soac& op) const {
    if (!op.reductions.empty() || !op.scatters.empty() || !op.partitions.empty() || op.axes_behind > 0)
      return false;
    const bool has_loops = std::ranges::any_of(op.body.body, [](const Stm& s) {
      const auto* inner = as<Soac>(s.op);
      return inner && !inner->reductions.empty() && soac::few_points(inner->dims);
    });
    const bool has_scans =
        std::ranges::any_of(op.body.body, [](const Stm& s) { return as<soac::Scan>(s.op) != nullptr; });
    if (has_scans) return false;
    const bool are_scalars = std::ranges::all_of(op.body.results, [](Expr e) { return e.type().rank == 0; });
    return has_loops && are_scalars && op.dims.size() > 1 && !has_arrays(op.body);
  }

  bool take_together(Stm& stm) {
    const auto& op = std::get<Soac>(stm.op);
    if (!may_take_together(op)) return false;
    const std::size_t n = op.dims.size();
    const auto columns = soac::few_points(std::span(op.dims).last(1));
    const auto rows = soac::few_points(std::span(op.dims).subspan(n - 2, 1));
    if (n > 2 && columns && *columns >= least_row && rows && *rows > 1 && *rows <= unroll_limits.elements)
      return take_together(stm, n - 2, 1, 1);
    std::size_t taken = 0;
    std::int64_t points = 1;
    while (taken + 1 < n) {
      const auto more = soac::few_points(std::span(op.dims).subspan(n - taken - 1, 1));
      if (!more || points * *more > unroll_limits.elements) break;
      points *= *more;
      ++taken;
    }
    return points > 1 && take_together(stm, n - taken, taken, 0);
  }

  // Points of the axes [first, first + count) together, `behind` axes standing after these.
  bool take_together(Stm& stm, std::size_t first, std::size_t count, std::size_t behind) {
    const auto& op = std::get<Soac>(stm.op);
    if (!are_many({op.dims.begin(), op.dims.begin() + static_cast<std::ptrdiff_t>(first)})) return false;
    if (op.outer_axes == 0 || op.outer_axes > first) {
      if (soac::may_fail(op.body)) return false;
    }
    Soac outer{{}, {}};
    outer.outer_axes = op.outer_axes < op.dims.size() - count ? op.outer_axes : 0;
    outer.axes_behind = behind;
    Soac inner{{}, {{}, op.body.body, op.body.results}};
    for (std::size_t d = 0; d < op.dims.size(); ++d) {
      const bool is_inner = first <= d && d < first + count;
      (is_inner ? inner : outer).dims.push_back(op.dims[d]);
      (is_inner ? inner : outer).body.params.push_back(op.body.params[d]);
    }
    Stm arrays{{}, {}, stm.where, ""};
    for (Expr result : op.body.results) {
      arrays.names.push_back(arena_.fresh_array(result.kind(), inner.dims, "elements").var());
      outer.body.results.push_back(arena_.name(arrays.names.back()));
    }
    arrays.op = std::move(inner);
    outer.body.body.push_back(std::move(arrays));
    if (!unroll(outer.body) || !shares_reads(outer.body)) return false;
    stm.op = std::move(outer);
    return true;
  }

  // Whether the elements, each by itself, would read half as much again as they do together.
  bool shares_reads(const Lambda& f) const {
    std::vector<Expr> all;
    std::size_t alone = 0;
    const auto reads = [](const std::vector<Expr>& roots) {
      std::size_t n = 0;
      scalar::for_each_node(roots, [&](Expr e) { n += e.op() == scalar::Op::index; });
      return n;
    };
    for (const Stm& s : f.body) {
      if (!soac::is_literal(s)) return false;
      for (const std::vector<Expr>& point : soac::points_of(arena_, std::get<Soac>(s.op))) {
        alone += reads(point);
        all.insert(all.end(), point.begin(), point.end());
      }
    }
    return 2 * alone >= 3 * reads(all);
  }

  bool has_constant_shape(Expr array) const {
    return std::ranges::all_of(arena_.info(array.var()).shape, [](Expr e) { return e.is_constant(); });
  }

  bool unroll(Lambda& body) {
    for (Expr result : body.results)
      if (result.type().rank > 0 && !has_constant_shape(result)) return false;
    const std::int64_t most = changes_arrays(body) ? unroll_limits.looped_elements : unroll_limits.elements;
    auto done = unrolled(arena_, body, most);
    if (!done) return false;
    tell(body);
    for (std::size_t k = 0; k < body.results.size(); ++k) {
      Unrolled::Result& result = done->results[k];
      if (result.value) {
        body.results[k] = result.value;
        continue;
      }
      const scalar::VarInfo info = arena_.info(body.results[k].var());
      done->body.push_back(
          soac::literal(arena_, info.type.kind, info.shape, result.elements, body.body.back().where));
      body.results[k] = arena_.name(done->body.back().names[0]);
    }
    body.body = std::move(done->body);
    return true;
  }

  void tell(const Lambda& f) {
    for (const Stm& s : f.body) {
      if (binds_array(s) && !s.origin.empty())
        context_.log.push_back(event_of(Event::Kind::removed, s, "its few elements are scalars"));
      for (const auto& nested : soac::nested_in(s)) tell(*nested.lambda);
    }
  }

  Arena& arena_;
  PassContext& context_;
};

Program run_small_arrays(Program program, PassContext& context) {
  SmallArrays(*program.arena, context).scope(program.body);
  return program;
}

}  // namespace

const soac::Pass small_arrays{
    "small_arrays", "arrays of few elements in functions of elements are scalars, their loops unrolled",
    run_small_arrays};

}  // namespace fulgurite::simplify
