// Sizes of arrays that points make are bounded by what is known before any point is computed (soac/bounds.h).
// Where a size has no such bound, as the length of a row of a ragged array has none, it is computed for every
// point first, by a combinator that does only what the size needs, and the largest bounds it:
//   map (i < n) { k = let a[i + 1] - a[i]; row: [k] = .. }    becomes
//   most = redomap (i < n) { a[i + 1] - a[i] } reduce max neutral 0
//   map (i < n) { k = let a[i + 1] - a[i]; check k <= most; row: [k] = .. }
// The check always holds where both computations of the size agree, and keeps what is written inside the
// memory where they do not, as of a sum of floats that is added up in another order. Statements around the
// size, loops and branches, are part of the first computation: a loop carries the largest size so far.
// Last of all passes, as only arrays that are still there need memory.
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/match.h"
#include "simplify/dead.h"
#include "simplify/same.h"
#include "simplify/simplify.h"
#include "soac/bounds.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/room.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::If;
using soac::Lambda;
using soac::Location;
using soac::Loop;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

/// A place in functions inside a combinator: in which function of the statement around it, in front of which
/// of the function's statements.
struct Step {
  std::size_t function, statement;
  bool repeats;  // the function runs more than once where its statement runs once
};
using Path = std::vector<Step>;

/// A size without a bound, where it has a value. If it is no extent it may be negative.
struct Wanted {
  Expr size;
  Path path;
  bool is_extent;
  Location where;
};

// A computation of sizes alone leaves out operators and conditions of loops, and the arrays that they make.
bool is_walked(soac::Role role) {
  return role != soac::Role::operation && role != soac::Role::condition;
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
  std::optional<Var> run(const Stm& s) {
    index(s);
    functions(s);
    return array_;
  }
  /// The sizes that would bound the array.
  const std::vector<Wanted>& wanted() const { return wanted_; }

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
      path_.push_back({k, 0, repeats(s)});
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
      if (const auto* loop = as<Loop>(around.op); loop && !loop->trips) assume_condition(*loop);
      place_results(around, *functions[k].lambda, functions[k].role);
      path_.push_back({k, 0, repeats(around)});
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

  // As an iteration may: the condition of its state.
  void assume_condition(const Loop& loop) {
    std::vector<Expr> state;
    for (Var param : loop.body.params) state.push_back(arena_.name(param));
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
    for (Var name : s.names) {
      const bool is_placed = placed_.contains(name) && !(op && !op->partitions.empty());
      if (is_placed || given_up_.contains(name) || want_for(name, s)) continue;
      array_ = name;
      return;
    }
    functions(s);
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
      path.push_back({function, 0, repeats(s)});
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

/// The combinator, or what stands inside it, that computes the largest value that a size has inside.
class Largest {
 public:
  Largest(Arena& arena, Expr size) : arena_(arena), size_(size) {}

  /// Binds `most`. Other names are the original's.
  Stm of(const Stm& s, std::span<const Step> path, Expr most) const {
    Stm copy{{most.var()}, s.op, s.where, as<Soac>(s.op) ? "largest size" : s.origin};
    base::match(
        copy.op,
        [&](Soac& op) {
          const auto function = soac::nested_in(copy)[path[0].function];
          Soac points{{function.extents.begin(), function.extents.end()}, std::move(*function.lambda)};
          points.reductions = {greatest()};
          if (function.role == soac::Role::points) points.outer_axes = op.outer_axes;
          points.body.results = {inside(points.body, path, false)};
          op = std::move(points);
        },
        [&](If& op) {
          for (Lambda* branch : {&op.then_branch, &op.else_branch}) branch->results = {arena_.i64(0)};
          Lambda& taken = *soac::nested_in(copy)[path[0].function].lambda;
          taken.results = {inside(taken, path, false)};
        },
        [&](Loop& op) {
          const Expr so_far = arena_.fresh(scalar::Type{}, "most");
          op.body.results.push_back(max(so_far, inside(op.body, path, true)));
          op.body.params.push_back(so_far.var());
          if (!op.trips) op.condition.params.push_back(arena_.fresh(scalar::Type{}, "most").var());
          op.initial.push_back(arena_.i64(0));
          copy.names = s.names;
          copy.names.push_back(most.var());
        },
        [](auto&) {});
    return copy;
  }

 private:
  // The size, or the largest inside the statement that the path leads to. Statements after it go, unless
  // they make the state of a loop.
  Expr inside(Lambda& f, std::span<const Step> path, bool makes_state) const {
    const auto at = f.body.begin() + static_cast<std::ptrdiff_t>(path[0].statement);
    Expr size = size_;
    std::vector<Stm> largest;
    if (path.size() > 1) {
      size = arena_.fresh(scalar::Type{}, "most");
      largest.push_back(of(*at, path.subspan(1), size));
    }
    if (!makes_state) {
      f.body.erase(at, f.body.end());
    } else if (!largest.empty() && as<Loop>(at->op)) {
      *at = std::move(largest[0]);
      return size;
    } else if (!largest.empty()) {  // beside the original, whose names it has
      soac::Renaming rename(arena_, soac::Renaming::Binders::fresh);
      largest[0] = rename(std::move(largest[0]));
      size = arena_.name(largest[0].names[0]);
    }
    // The names of a size that is read are bound before this place.
    if (!largest.empty())
      f.body.insert(f.body.begin() + static_cast<std::ptrdiff_t>(path[0].statement), std::move(largest[0]));
    return size;
  }

  soac::Reduction greatest() const {
    const Expr a = arena_.fresh(scalar::Type{}, "a"), b = arena_.fresh(scalar::Type{}, "b");
    return {{{a.var(), b.var()}, {}, {max(a, b)}}, {arena_.i64(0)}, {}, true};
  }

  Arena& arena_;
  const Expr size_;
};

class LargestSizes {
 public:
  explicit LargestSizes(soac::Program& program) : program_(program), arena_(*program.arena) {
    add_inside(program.body);
  }

  // Statements outside of combinators.
  void outside(std::vector<Stm>& stms) {
    for (std::size_t i = 0; i < stms.size(); ++i) {
      if (as<Soac>(stms[i].op)) {
        i = bounded(stms, i);
      } else {
        for (auto& inner : soac::nested_in(stms[i])) outside(inner.lambda->body);
      }
    }
  }

 private:
  void add_inside(const std::vector<Stm>& stms) {
    for (const Stm& s : stms)
      for (const auto& inner : soac::nested_in(s))
        if (as<Soac>(s.op))
          soac::add_bound(*inner.lambda, inside_);
        else
          add_inside(inner.lambda->body);
  }

  // Gives the arrays inside statement i bounds, by statements before it. Where it stands then.
  std::size_t bounded(std::vector<Stm>& stms, std::size_t i) {
    Vars given_up;
    std::unordered_map<Var, std::set<std::uint32_t>> done;  // of each array, by node id
    std::vector<Stm> before;
    for (;;) {
      Search search(program_, inside_, given_up);
      const std::optional<Var> array = search.run(stms[i]);
      if (!array) break;
      bool is_better = false;
      // From the last one on, so that places of others stay.
      std::vector<Wanted> wanted = search.wanted();
      std::ranges::stable_sort(wanted, std::greater(), [](const Wanted& w) { return places(w.path); });
      for (const Wanted& w : wanted) {
        if (!done[*array].insert(w.size.id()).second) continue;
        is_better = true;
        check(stms[i], w, computed(stms[i], w, before));
      }
      if (!is_better) given_up.insert(*array);
    }
    const std::size_t n = before.size();
    stms.insert(stms.begin() + static_cast<std::ptrdiff_t>(i), std::move_iterator(before.begin()),
                std::move_iterator(before.end()));
    return i + n;
  }

  static std::vector<std::size_t> places(const Path& path) {
    std::vector<std::size_t> all;
    for (const Step& step : path) all.insert(all.end(), {step.function, step.statement});
    return all;
  }

  // The name of the largest size, which statements before the combinator compute.
  Expr computed(const Stm& s, const Wanted& wanted, std::vector<Stm>& before) {
    const Expr most = arena_.fresh(scalar::Type{}, "most");
    std::vector<Stm> largest{Largest(arena_, wanted.size).of(s, wanted.path, most)};
    Vars live{most.var()};
    remove_dead(arena_, largest, live);
    for (const Stm& earlier : before)
      if (is_same(arena_, earlier, largest[0])) return arena_.name(earlier.names[0]);
    soac::Renaming rename(arena_, soac::Renaming::Binders::fresh);
    before.push_back(rename(std::move(largest[0])));
    for (const auto& inner : soac::nested_in(before.back())) soac::add_bound(*inner.lambda, inside_);
    return arena_.name(before.back().names[0]);
  }

  // Adds the Check that bounds the size, where the size has a value.
  void check(Stm& s, const Wanted& wanted, Expr most) {
    std::vector<Stm>* body = nullptr;
    Stm* around = &s;
    for (const Step& step : wanted.path) {
      body = &soac::nested_in(*around)[step.function].lambda->body;
      if (step.statement < body->size()) around = &(*body)[step.statement];
    }
    program_.sites = soac::sites_with_room(program_);
    const soac::Site site = soac::room_site(program_, wanted.where);
    Stm stm{
        {}, soac::within_largest(wanted.size, most, wanted.is_extent, site), wanted.where, "largest size"};
    body->insert(body->begin() + static_cast<std::ptrdiff_t>(wanted.path.back().statement), std::move(stm));
  }

  soac::Program& program_;
  Arena& arena_;
  Vars inside_;  // names bound inside combinators
};

soac::Program run_largest_sizes(soac::Program program, soac::PassContext&) {
  LargestSizes(program).outside(program.body);
  return program;
}

}  // namespace

const soac::Pass largest_sizes{
    "largest_sizes", "sizes of arrays of points that have no bound are computed before", run_largest_sizes};

}  // namespace fulgurite::simplify
