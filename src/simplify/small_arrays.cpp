// Arrays of few elements in functions of elements are scalars: a loop that carries a 4 x 4 matrix carries 16
// values, and its constant number of rounds is code without a loop. Points that need no arrays need no memory
// for them, and can go side by side: neighbouring lanes or threads take neighbouring points. Maps over
// several axes whose points read much that their neighbours read (products of small matrices) take the points
// of one axis, or of two, together, as arrays that they give. Last of all passes, for what it makes is longer
// text, and loops that are gone hide what was one operation.
#include <algorithm>

#include "base/match.h"
#include "simplify/points_together.h"
#include "simplify/simplify.h"
#include "simplify/unrolled.h"
#include "soac/literal.h"
#include "soac/rename.h"
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

class SmallArrays {
 public:
  SmallArrays(const Program& program, PassContext& context)
      : arena_(*program.arena), context_(context), together_(program) {}

  void program(Program& p) { scope(p.body, true); }

 private:
  // `is_top`: there are no points around it.
  void scope(std::vector<Stm>& stms, bool is_top) {
    if (!is_top) unroll_folds(stms);
    for (Stm& stm : stms) {
      auto* op = as<Soac>(stm.op);
      if (op && are_many(op->dims) && (wants(op->body) || gives_short_rows(op->body)) && unroll(op->body))
        continue;
      if (take_together(stm, is_top)) continue;
      for (auto& inner : soac::nested_in(stm))
        if (inner.role != soac::Role::operation)
          scope(inner.lambda->body, is_top && inner.role != soac::Role::points);
    }
  }

  // Whether it makes arrays in another way than element by element.
  bool wants(const Lambda& f) const {
    return std::ranges::any_of(f.body, [&](const Stm& s) {
      if (soac::is_literal(s)) return false;
      const auto nested = soac::nested_in(s);
      return binds_array(arena_, s) ||
             std::ranges::any_of(nested, [&](const auto& each) { return has_arrays(arena_, *each.lambda); });
    });
  }
  // Whether its points give arrays that are rows shorter than a vector, and are not literals already.
  bool gives_short_rows(const Lambda& f) const {
    const bool are_literals =
        std::ranges::all_of(f.body, [](const Stm& s) { return s.origin.empty() && soac::is_literal(s); });
    return !are_literals && !has_long_rounds(f) && std::ranges::any_of(f.results, [&](Expr result) {
      if (result.type().rank == 0) return false;
      const auto n = soac::few_points(arena_.info(result.var()).shape);
      return n && *n <= least_row;
    });
  }
  // Whether loops carry arrays, or elements are replaced: then there is no other way to use lanes.
  bool changes_arrays(const Lambda& f) const {
    return std::ranges::any_of(f.body, [&](const Stm& s) {
      if (as<soac::Loop>(s.op) && binds_array(arena_, s)) return true;
      if (const auto* op = as<Soac>(s.op); op && !op->scatters.empty()) return true;
      const auto nested = soac::nested_in(s);
      return std::ranges::any_of(nested, [&](const auto& each) { return changes_arrays(*each.lambda); });
    });
  }

  bool has_constant_shape(Expr array) const {
    return std::ranges::all_of(arena_.info(array.var()).shape, [](Expr e) { return e.is_constant(); });
  }

  bool unroll(Lambda& body) {
    for (Expr result : body.results)
      if (result.type().rank > 0 && !has_constant_shape(result)) return false;
    const std::int64_t most = changes_arrays(body) ? unroll_limits.looped_elements : unroll_limits.elements;
    auto done = with_literals(arena_, body, most);
    if (!done) return false;
    tell(body);
    body = *std::move(done);
    return true;
  }

  // Reductions of few points that are expressions are expressions, too.
  void unroll_folds(std::vector<Stm>& stms) {
    std::vector<Stm> out;
    for (Stm& s : stms) {
      const auto done =
          is_short_fold(s) ? unrolled(arena_, results_of(s), unroll_limits.elements) : std::nullopt;
      if (!done || !done->body.empty())
        out.push_back(std::move(s));
      else
        for (std::size_t k = 0; k < s.names.size(); ++k)
          out.push_back({{s.names[k]}, soac::Let{done->results[k].value}, s.where, s.origin});
    }
    stms = std::move(out);
  }
  bool is_short_fold(const Stm& s) const {
    const auto* op = as<Soac>(s.op);
    if (!op || op->reductions.empty() || !op->scatters.empty() || !op->partitions.empty()) return false;
    const auto n = soac::few_points(op->dims);
    return n && *n <= least_row && op->body.body.empty() && !binds_array(arena_, s);
  }
  // A function that is this statement.
  Lambda results_of(const Stm& s) const { return {{}, {s}, arena_.names(s.names)}; }

  // One version for sizes by which no read is outside of its array, which must not stand among points.
  bool take_together(Stm& stm, bool is_top) {
    auto taken = together_(stm);
    if (!taken || (taken->holds && !is_top)) return false;
    tell(std::get<Soac>(stm.op).body);
    if (!taken->holds) {
      stm.op = std::move(taken->op);
      return true;
    }
    Lambda now = results_of(stm);
    soac::Applied checked = soac::apply(arena_, now, {});
    now.body[0].op = std::move(taken->op);
    soac::Applied fast = soac::apply(arena_, now, {});
    stm.op = soac::If{taken->holds,
                      {{}, std::move(fast.body), std::move(fast.results)},
                      {{}, std::move(checked.body), std::move(checked.results)}};
    return true;
  }

  void tell(const Lambda& f) {
    for (const Stm& s : f.body) {
      if (binds_array(arena_, s) && !s.origin.empty())
        context_.log.push_back(event_of(Event::Kind::removed, s, "its few elements are scalars"));
      for (const auto& nested : soac::nested_in(s)) tell(*nested.lambda);
    }
  }

  Arena& arena_;
  PassContext& context_;
  const PointsTogether together_;
};

Program run_small_arrays(Program program, PassContext& context) {
  SmallArrays(program, context).program(program);
  return program;
}

}  // namespace

const soac::Pass small_arrays{
    "small_arrays", "arrays of few elements in functions of elements are scalars, their loops unrolled",
    run_small_arrays};

}  // namespace fulgurite::simplify
