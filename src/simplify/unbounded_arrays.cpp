#include "simplify/unbounded_arrays.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/match.h"
#include "soac/bounds.h"
#include "soac/outputs.h"
#include "soac/rename.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::If;
using soac::Lambda;
using soac::Loop;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

// Which values an operator is applied to follows from how an engine joins them, so that no computation before
// tells the sizes of arrays that it makes.
bool is_walked(soac::Role role) {
  return role != soac::Role::operation;
}

bool repeats(const Stm& s) {
  return as<Soac>(s.op) || as<Loop>(s.op);
}

/// Finds, in the order of the program, the first array inside a combinator whose size has no bound, and the
/// sizes that would give it one.
class Search {
 public:
  Search(const soac::Program& program, Vars& inside, const Vars& given_up)
      : arena_(*program.arena), inside_(inside), given_up_(given_up), bounds_(program, [&inside](Expr e) {
          bool is_known = true;
          scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
            is_known &= node.op() != scalar::Op::index && node.site() == 0 &&
                        (!node.is_name() || !inside.contains(node.var()));
          });
          return is_known;
        }) {}

  /// Absent: every array has a bound.
  std::optional<Unbounded> run(const Stm& s) {
    index(s);
    functions(s);
    if (!array_) return std::nullopt;
    return Unbounded{*array_, std::move(wanted_)};
  }

 private:
  /// How long the path is to where a name is bound, and before which statement it has a value.
  struct Bound {
    std::size_t depth, behind;
  };

  // ---- where names are bound

  void index(const Stm& s) {
    const auto functions = soac::nested_in(s);
    for (std::size_t k = 0; k < functions.size(); ++k) {
      if (!is_walked(functions[k].role)) continue;
      path_.push_back({k, 0, repeats(s), functions[k].role == soac::Role::condition});
      for (Var param : functions[k].lambda->params) bound_[param] = {path_.size(), 0};
      for (std::size_t d = 0; d < functions[k].extents.size(); ++d)
        limits_[functions[k].lambda->params[d]] = functions[k].extents[d];
      for (const Stm& inner : functions[k].lambda->body) {
        for (Var name : inner.names) bound_[name] = {path_.size(), path_.back().statement + 1};
        index(inner);
        ++path_.back().statement;
      }
      path_.pop_back();
    }
  }

  // ---- arrays without bounds

  void functions(const Stm& around) {
    const auto functions = soac::nested_in(around);
    for (std::size_t k = 0; k < functions.size() && !array_; ++k) {
      if (!is_walked(functions[k].role)) continue;
      const std::size_t before = bounds_.mark();
      for (std::size_t d = 0; d < functions[k].extents.size(); ++d)
        bounds_.set_below(functions[k].lambda->params[d], functions[k].extents[d]);
      if (const auto* branch = as<If>(around.op))
        bounds_.assume(branch->condition, functions[k].lambda == &branch->then_branch);
      if (const auto* loop = as<Loop>(around.op); loop && !loop->trips) {
        if (functions[k].role == soac::Role::condition)
          bound_state(around, *functions[k].lambda);
        else
          assume_condition(*loop);
      }
      place_results(around, *functions[k].lambda, functions[k].role);
      path_.push_back({k, 0, repeats(around), functions[k].role == soac::Role::condition});
      for (const Stm& s : functions[k].lambda->body) {
        statement(s);
        if (array_) return;
        ++path_.back().statement;
      }
      path_.pop_back();
      bounds_.forget(before);
    }
  }

  // Results of points are made where the arrays of all points have memory.
  void place_results(const Stm& around, const Lambda& f, soac::Role role) {
    for (std::size_t k = 0; k < f.results.size(); ++k)
      if (f.results[k].type().rank > 0 &&
          (role == soac::Role::points || (role == soac::Role::branch && placed_.contains(around.names[k]))))
        placed_.insert(f.results[k].var());
  }

  // The parameters of a condition are bounded as the state is.
  void bound_state(const Stm& s, const Lambda& condition) {
    for (std::size_t k = 0; k < s.names.size(); ++k)
      if (const Expr name = arena_.name(s.names[k]); name.type().rank == 0 && scalar::is_integer(name.kind()))
        bounds_.set(condition.params[k], bounds_.of(name));
  }

  // As an iteration may: the condition of its state.
  void assume_condition(const Loop& loop) {
    const std::vector<Expr> state = arena_.names(loop.body.params);
    const soac::Applied condition = soac::apply(arena_, loop.condition, state);
    for (const Stm& s : condition.body) {
      soac::add_bound(s, inside_);
      bounds_.learn(s);
    }
    bounds_.assume(condition.results[0]);
  }

  void statement(const Stm& s) {
    bounds_.learn(s);
    const auto* op = as<Soac>(s.op);
    if (op && wants_classes(s)) return;
    for (Var name : s.names) {
      const bool is_placed = placed_.contains(name) && !(op && !op->partitions.empty());
      if (is_placed || given_up_.contains(name) || want_for(name, s)) continue;
      array_ = name;
      return;
    }
    functions(s);
  }

  // Where each class begins is counted in memory of as many numbers as there are classes.
  bool wants_classes(const Stm& s) {
    for (const soac::OutputView::Partitioned& p : soac::view_of(s).partitions) {
      if (bounds_.of(p.classes).high || given_up_.contains(p.offsets)) continue;
      want(p.classes, path_, s);
      array_ = p.offsets;
      return true;
    }
    return false;
  }

  // False: the size of the array has no bound.
  bool want_for(Var array, const Stm& s) {
    const std::vector<Expr> shape = arena_.info(array).shape;
    if (shape.empty()) return true;
    Expr size = arena_.i64(1);
    for (Expr extent : shape) size = size * extent;
    if (bounds_.of(size).high) return true;
    for (Expr extent : shape) want_extent(extent, s);
    // Each has a bound, and the product of these may be more than an integer holds.
    if (wanted_.empty()) want(size, path_, s);
    return false;
  }

  // One that the statement binds beside the array is bounded by what it is inside of the statement.
  void want_extent(Expr extent, const Stm& s) {
    const auto own = extent.is_name() ? std::ranges::find(s.names, extent.var()) : s.names.end();
    if (own == s.names.end()) return want(extent, path_, s);
    const auto k = static_cast<std::size_t>(own - s.names.begin());
    const auto want_result = [&](const Lambda& f, std::size_t function) {
      Path path = path_;
      path.push_back({function, 0, repeats(s), false});
      // After the statements of the function that bind its names.
      scalar::for_each_node(std::span(&f.results[k], 1), [&](Expr e) {
        const auto bound = e.is_name() ? bound_.find(e.var()) : bound_.end();
        if (bound != bound_.end() && bound->second.depth == path.size())
          path.back().statement = std::max(path.back().statement, bound->second.behind);
      });
      want(f.results[k], std::move(path), s);
    };
    if (const auto* branch = as<If>(s.op)) {
      want_result(branch->then_branch, 0);
      want_result(branch->else_branch, 1);
    } else if (const auto* loop = as<Loop>(s.op)) {
      if (bounds_.of(loop->initial[k]).high)
        want_result(loop->body, soac::nested_in(s).size() - 1);
      else
        want(loop->initial[k], path_, s);
    } else if (const auto* op = as<Soac>(s.op)) {  // what a partition keeps
      for (Expr points : op->dims) want(points, path_, s);
    }
  }

  void want(Expr size, Path path, const Stm& s, bool is_extent = true) {
    if (bounds_.of(size).high || !seen_.insert(size.id()).second) return;
    std::size_t depth = 1;
    bool is_limited = false;
    scalar::for_each_node(std::span(&size, 1), [&](Expr e) {
      if (!e.is_name() || !inside_.contains(e.var())) return;
      depth = std::max(depth, bound_[e.var()].depth);
      // Numbers of points and iterations are computed with less.
      const auto limit = limits_.find(e.var());
      if (limit == limits_.end() || bounds_.of(e).high || bound_[e.var()].depth == 1) return;
      Path around = path;
      around.resize(bound_[e.var()].depth - 1);
      want(limit->second, std::move(around), s, false);
      is_limited = true;
    });
    if (is_limited) return;
    for (std::size_t k = depth; k < path.size(); ++k)
      if (path[k].repeats) path.resize(k);
    // A size from outside of a branch that gives the array is bounded before the branch.
    path.resize(std::min(path.size(), std::max(depth, path_.size())));
    wanted_.push_back({size, std::move(path), is_extent, s.where});
  }

  Arena& arena_;
  Vars& inside_;  // names bound inside combinators
  const Vars& given_up_;
  soac::Bounds bounds_;
  Vars placed_;  // arrays that have memory elsewhere
  Path path_;
  std::unordered_map<Var, Bound> bound_;
  std::unordered_map<Var, Expr> limits_;  // what points and iterations are numbered below
  std::optional<Var> array_;
  std::vector<Wanted> wanted_;
  std::unordered_set<std::uint32_t> seen_;  // by node id
};

}  // namespace

std::optional<Unbounded> find_unbounded(const soac::Program& program, const Stm& s, Vars& inside,
                                        const Vars& given_up) {
  return Search(program, inside, given_up).run(s);
}

}  // namespace fulgurite::simplify
