// Updates of one array that come one after the other become one Soac: `with(with(x, even, f), odd, g)`, where
// both replace what the other one reads. Each point then reads all that it needs before it stores: elements
// change places where they lie, and no array keeps what they were. It pays where the array is changed in its
// memory (soac/update.h); elsewhere the two stay.
#include <algorithm>
#include <optional>

#include "base/match.h"
#include "fuse/fuse.h"
#include "fuse/inline.h"
#include "soac/apart.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/update.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::PassContext;
using soac::Program;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

bool is_update(const Stm& s) {
  const auto* op = base::as<Soac>(s.op);
  if (!op || !op->body.body.empty() || !op->reductions.empty() || !op->partitions.empty()) return false;
  if (op->scatters.empty() || op->outer_axes > 0 || op->axes_behind > 0) return false;
  return std::ranges::all_of(op->scatters, [](const soac::Scatter& to) {
    bool begins_as_another = to.stores_in_any_order();
    for (std::size_t k = 0; k < to.initial.results.size(); ++k)
      begins_as_another = begins_as_another && soac::contents_of(to, k);
    return begins_as_another;
  });
}

class Together {
 public:
  Together(Program& program, PassContext& context) : arena_(*program.arena), context_(context) {}

  void scope(std::vector<Stm>& stms, std::vector<Expr>& results) {
    const std::size_t n_outside = checked_.size();
    for (Stm& s : stms)
      if (const auto* check = base::as<soac::Check>(s.op))
        checked_.push_back(check->condition);
      else if (!base::as<Soac>(s.op))
        inside(s);
    checked_.resize(n_outside);
    for (std::size_t k = 0; k < stms.size(); ++k)
      while (const std::optional<std::size_t> next = next_update(stms, k)) {
        std::optional<Stm> both = together(stms, k, *next, results);
        if (!both || !context_.spend()) break;
        stms[*next] = *std::move(both);
        stms.erase(stms.begin() + static_cast<std::ptrdiff_t>(k));
        k = *next - 1;
      }
  }

 private:
  /// The bodies of a loop or of branches. A Check that stands before a loop may hold only where that
  /// iterates.
  void inside(Stm& s) {
    const auto* loop = base::as<soac::Loop>(s.op);
    if (loop && loop->trips) without_iterations_.push_back(loop->trips <= 0);
    for (auto& inner : soac::nested_in(s)) scope(inner.lambda->body, inner.lambda->results);
    if (loop && loop->trips) without_iterations_.pop_back();
  }

  /// The statement after this one whose only scatter replaces elements of what this one makes last.
  std::optional<std::size_t> next_update(const std::vector<Stm>& stms, std::size_t k) const {
    if (!is_update(stms[k])) return {};
    const auto arrays = soac::view_of(stms[k]).scatters.back().arrays;
    for (std::size_t j = k + 1; j < stms.size(); ++j) {
      if (!is_update(stms[j]) || std::get<Soac>(stms[j].op).scatters.size() != 1) continue;
      const soac::Scatter& to = std::get<Soac>(stms[j].op).scatters[0];
      bool continues = to.initial.results.size() == arrays.size();
      for (std::size_t c = 0; continues && c < arrays.size(); ++c)
        continues = soac::contents_of(to, c) == arrays[c];
      if (continues) return j;
    }
    return {};
  }

  std::optional<Stm> together(const std::vector<Stm>& stms, std::size_t k, std::size_t j,
                              const std::vector<Expr>& results) {
    const Stm &first = stms[k], &second = stms[j];
    if (!has_equal_dims(stms, k, j) || !is_for_second_alone(stms, k, j, results)) return {};
    const auto& op = std::get<Soac>(first.op);
    const auto& next = std::get<Soac>(second.op);
    std::unordered_map<Var, Expr> points;
    for (std::size_t d = 0; d < op.dims.size(); ++d)
      points.emplace(next.body.params[d], arena_.name(op.body.params[d]));
    std::vector<Expr> computed = next.body.results;
    for (Expr& e : computed) e = scalar::substitute(arena_, e, points);
    if (!reads_before(first, computed)) return {};
    Stm moved = second;
    std::get<Soac>(moved.op).body.results = std::move(computed);
    soac::Outputs outputs = soac::outputs_of(first), others = soac::outputs_of(moved);
    outputs.mapped = std::move(others.mapped);
    soac::Outputs::Scattered added = std::move(others.scatters[0]);
    added.to.goes_on = true;
    added.to.initial =
        soac::Renaming(arena_, soac::Renaming::Binders::fresh)(outputs.scatters.back().to.initial);
    outputs.scatters.push_back(std::move(added));
    Stm both = soac::with_outputs(first, std::move(outputs));
    both.where = second.where;
    both.origin = second.origin;
    if (!are_apart(both) || !is_in_place(both)) return {};
    return both;
  }

  /// A Check before the two says so, if they are not the same.
  bool has_equal_dims(const std::vector<Stm>& stms, std::size_t k, std::size_t j) const {
    std::vector<Expr> checked = checked_;
    for (std::size_t n = 0; n < k; ++n)
      if (const auto* check = base::as<soac::Check>(stms[n].op)) checked.push_back(check->condition);
    const auto is_false = [&](Expr e) {
      return std::ranges::find(without_iterations_, e) != without_iterations_.end();
    };
    const auto says = [&](Expr condition, Expr x, Expr y, const auto& self) -> bool {
      if (condition.op() == Op::bit_or && is_false(condition.arg(1))) condition = condition.arg(0);
      if (condition.op() == Op::bit_and && condition.kind() == scalar::Kind::boolean)
        return self(condition.arg(0), x, y, self) || self(condition.arg(1), x, y, self);
      return condition.op() == Op::eq && ((condition.arg(0) == x && condition.arg(1) == y) ||
                                          (condition.arg(0) == y && condition.arg(1) == x));
    };
    return std::ranges::equal(
        std::get<Soac>(stms[k].op).dims, std::get<Soac>(stms[j].op).dims, [&](Expr a, Expr b) {
          return a == b || std::ranges::any_of(checked, [&](Expr c) { return says(c, a, b, says); });
        });
  }

  /// Nothing but the second one needs what the first one makes, and nothing between them changes what the
  /// first one reads, or fails.
  bool is_for_second_alone(const std::vector<Stm>& stms, std::size_t k, std::size_t j,
                           const std::vector<Expr>& results) const {
    const Vars made(stms[k].names.begin(), stms[k].names.end());
    Vars read;
    soac::add_mentioned(stms[k], read);
    if (soac::mentions_any(results, made)) return false;
    for (std::size_t n = k + 1; n < stms.size(); ++n) {
      if (n == j) continue;
      if (soac::mentions_any(stms[n], made)) return false;
      if (n > j) continue;
      if (base::as<soac::Check>(stms[n].op)) return false;
      for (const Var array : soac::updated_arrays(arena_, stms[n]))
        if (read.contains(array)) return false;
    }
    return true;
  }

  /// Rewrites what the second one computes, at the first one's points, to read what was there before: arrays
  /// that the first one makes are read at its own point, what it changes where it changes nothing.
  bool reads_before(const Stm& first, std::vector<Expr>& computed) {
    const auto& op = std::get<Soac>(first.op);
    const soac::OutputView outputs = soac::view_of(first);
    soac::Ranges ranges;
    soac::add_ranges(op.body, op.dims, ranges);
    const auto& last = outputs.scatters.back();
    std::vector<Replacement> values;
    Vars made(first.names.begin(), first.names.end());
    bool is_fine = true;
    scalar::for_each_node(computed, [&](Expr e) {
      if (e.op() != Op::index || !made.contains(e.arg(0).var())) return;
      const Var array = e.arg(0).var();
      const Expr mapped = soac::mapped_result(first, array);
      const auto component = std::ranges::find(last.arrays, array);
      const auto misses = [&](const soac::OutputView::Scattered& s) {
        return soac::StoredPlaces(arena_, op, s.place).miss(e, ranges);
      };
      if (mapped && soac::reads_at(e, op.body.params)) {
        values.emplace_back(e, mapped);
      } else if (component != last.arrays.end() && std::ranges::all_of(outputs.scatters, misses)) {
        const auto c = static_cast<std::size_t>(component - last.arrays.begin());
        values.emplace_back(e, arena_.index(last.to.initial.results[c].arg(0), e.args().subspan(1)));
      } else {
        is_fine = false;
      }
    });
    if (is_fine) put_in(arena_, values, computed, Path());
    return is_fine && !soac::mentions_any(computed, made);
  }

  /// No point stores with one scatter where another point stores with another one.
  bool are_apart(const Stm& both) const {
    const auto& op = std::get<Soac>(both.op);
    const auto scatters = soac::view_of(both).scatters;
    soac::Ranges ranges;
    soac::add_ranges(op.body, op.dims, ranges);
    const soac::StoredPlaces stored(arena_, op, scatters.back().place);
    const Expr array = scatters.back().to.initial.results[0].arg(0);
    return std::all_of(scatters.begin(), scatters.end() - 1, [&](const soac::OutputView::Scattered& other) {
      return stored.miss(arena_.index(array, other.place), ranges);
    });
  }

  bool is_in_place(const Stm& both) const {
    return std::ranges::all_of(soac::updates(arena_, std::get<Soac>(both.op), 0),
                               [](const std::optional<Var>& array) { return array.has_value(); });
  }

  Arena& arena_;
  PassContext& context_;
  std::vector<Expr> checked_;             // what Checks say that stand before the scope
  std::vector<Expr> without_iterations_;  // false in the loops around it
};

Program run_together(Program program, PassContext& context) {
  Together(program, context).scope(program.body, program.results);
  return program;
}

}  // namespace

const soac::Pass updates_together{"updates_together",
                                  "updates that replace what the other one reads become one", run_together};

}  // namespace fulgurite::fuse
