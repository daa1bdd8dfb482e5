// Sizes of arrays that points make are bounded by what is known before any point is computed (soac/bounds.h).
// Where a size has no such bound, as the length of a row of a ragged array has none, it is computed for every
// point first, by a combinator that does only what the size needs, and the largest bounds it:
//   map (i < n) { k = let a[i + 1] - a[i]; row: [k] = .. }    becomes
//   most = redomap (i < n) { a[i + 1] - a[i] } reduce max neutral 0
//   map (i < n) { k = let a[i + 1] - a[i]; check k <= most; row: [k] = .. }
// The check always holds where both computations of the size agree, and keeps what is written inside the
// memory where they do not, as of a sum of floats that is added up in another order. Statements around the
// size, loops and branches, are part of the first computation: a loop carries the largest size so far. Where
// the first computation would need arrays without bounds itself, sizes are tried (tried_sizes.h).
// Last of all passes, as only arrays that are still there need memory.
#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <unordered_map>

#include "base/match.h"
#include "simplify/dead.h"
#include "simplify/same.h"
#include "simplify/simplify.h"
#include "simplify/tried_sizes.h"
#include "simplify/unbounded_arrays.h"
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
          points.reductions = {greatest(arena_)};
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
  // By array, the node ids of the sizes that have been asked for.
  using Asked = std::unordered_map<Var, std::set<std::uint32_t>>;

  void add_inside(std::span<const Stm> stms) {
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
    Asked done;
    std::vector<Stm> before;
    while (auto found = find_unbounded(program_, stms[i], inside_, given_up)) {
      bool is_better = false;
      for (const Wanted& w : last_first(std::move(found->wanted))) {
        if (!done[found->array].insert(w.size.id()).second || is_bound_there(stms[i], w)) continue;
        const Expr most = computed(stms[i], w, before);
        if (!most) continue;
        is_better = true;
        check(stms[i], w, most);
      }
      if (!is_better && !tried(stms[i], found->array, before)) given_up.insert(found->array);
    }
    const std::size_t n = before.size();
    stms.insert(stms.begin() + static_cast<std::ptrdiff_t>(i), std::move_iterator(before.begin()),
                std::move_iterator(before.end()));
    return i + n;
  }

  // From the last one on, so that places of others stay.
  static std::vector<Wanted> last_first(std::vector<Wanted> wanted) {
    std::ranges::stable_sort(wanted, std::greater(), [](const Wanted& w) { return places(w.path); });
    return wanted;
  }

  static std::vector<std::size_t> places(const Path& path) {
    std::vector<std::size_t> all;
    for (const Step& step : path) all.insert(all.end(), {step.function, step.statement});
    return all;
  }

  // Whether the size has a value only after the statement that needs a bound of it: that of a loop's state.
  static bool is_bound_there(const Stm& s, const Wanted& wanted) {
    const Stm* at = &s;
    for (const Step& step : wanted.path) {
      const std::vector<Stm>& body = soac::nested_in(*at)[step.function].lambda->body;
      if (step.statement >= body.size()) return false;
      at = &body[step.statement];
    }
    Vars bound;
    soac::add_bound(*at, bound);
    return soac::mentions_any({&wanted.size, 1}, bound);
  }

  // The name of the largest size, which statements before the combinator compute; absent: they would need
  // arrays without bounds themselves.
  Expr computed(const Stm& s, const Wanted& wanted, std::vector<Stm>& before) {
    if (std::ranges::any_of(wanted.path, &Step::is_condition)) return {};
    const Expr most = arena_.fresh(scalar::Type{}, "most");
    std::vector<Stm> largest{Largest(arena_, wanted.size).of(s, wanted.path, most)};
    Vars live{most.var()};
    remove_dead(arena_, largest, live);
    for (const Stm& earlier : before)
      if (is_same(arena_, earlier, largest[0])) return arena_.name(earlier.names[0]);
    soac::Renaming rename(arena_, soac::Renaming::Binders::fresh);
    largest[0] = rename(std::move(largest[0]));
    return put(std::move(largest[0]), before) ? arena_.name(before.back().names[0]) : Expr();
  }

  // Whether it has bounds for all that its points make. Then it stands before the combinator.
  bool put(Stm largest, std::vector<Stm>& before) {
    add_inside({&largest, 1});
    if (find_unbounded(program_, largest, inside_)) return false;
    before.push_back(std::move(largest));
    return true;
  }

  // Bounds all arrays of the statement of the combinator's points that makes the array, by tries.
  bool tried(Stm& s, Var array, std::vector<Stm>& before) {
    const Expr room = arena_.fresh(scalar::Type{}, "room"), most = arena_.fresh(scalar::Type{}, "most");
    Stm checked = s;
    const Vars together = bound_beside(s, array);
    Asked done;
    while (auto found = find_unbounded(program_, checked, inside_)) {
      if (!together.contains(found->array)) break;
      bool is_better = false;
      for (const Wanted& w : last_first(std::move(found->wanted))) {
        if (!done[found->array].insert(w.size.id()).second || is_bound_there(checked, w)) continue;
        is_better = true;
        check(checked, w, room);
      }
      if (!is_better) return false;
    }
    if (!put(tried_sizes(arena_, checked, room, most), before)) return false;
    scalar::Substitution substitute(arena_, [&](Expr e) { return e == room ? most : Expr(); });
    soac::substitute_in(checked, substitute);
    s = std::move(checked);
    return true;
  }

  // What the statement of a function of s binds that binds the array, at any depth.
  static Vars bound_beside(const Stm& s, Var array) {
    for (const auto& inner : soac::nested_in(s))
      for (const Stm& each : inner.lambda->body) {
        Vars bound;
        soac::add_bound(each, bound);
        if (bound.contains(array)) return bound;
      }
    return {};
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
