// Arrays of few elements in functions of elements are scalars: a loop that carries a 4 x 4 matrix carries 16
// values, and its constant number of rounds is code without a loop. Points that need no arrays need no memory
// for them, and can go side by side: neighbouring lanes or threads take neighbouring points. Last of all
// passes, for what it makes is longer text, and loops that are gone hide what was one operation.
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

class SmallArrays {
 public:
  SmallArrays(Arena& arena, PassContext& context) : arena_(arena), context_(context) {}

  void scope(std::vector<Stm>& stms) {
    for (Stm& stm : stms) {
      auto* op = as<Soac>(stm.op);
      if (op && are_many(op->dims) && wants(op->body) && unroll(op->body)) continue;
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

  bool has_constant_shape(Expr array) const {
    return std::ranges::all_of(arena_.info(array.var()).shape, [](Expr e) { return e.is_constant(); });
  }

  bool unroll(Lambda& body) {
    for (Expr result : body.results)
      if (result.type().rank > 0 && !has_constant_shape(result)) return false;
    const std::int64_t most =
        changes_arrays(body) ? unroll_limits.looped_elements : unroll_limits.elements;
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

const soac::Pass small_arrays{"small_arrays",
                              "arrays of few elements in functions of elements are scalars, their loops unrolled",
                              run_small_arrays};

}  // namespace fulgurite::simplify
