#include "fuse/changed_step.h"

#include <algorithm>
#include <map>

#include "simplify/index_algebra.h"
#include "soac/apart.h"
#include "soac/outputs.h"
#include "soac/update.h"

namespace fulgurite::fuse {

using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using simplify::IndexAlgebra;
using soac::Loop;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

/// Where an axis has points: from `begin` to below `end`.
struct Part {
  Expr begin, end;
};

/// The condition under which the value is not what the element was, and the value there.
struct Change {
  Expr condition, value;
};
std::optional<Change> change_of(Expr value, const std::function<bool(Expr)>& is_own) {
  if (value.op() != Op::select) return {};
  const Expr condition = value.arg(0), yes = value.arg(1), no = value.arg(2);
  if (is_own(yes)) return Change{logical_not(condition), no};
  if (!is_own(no)) return {};
  if (const auto inner = change_of(yes, is_own)) return Change{condition & inner->condition, inner->value};
  return Change{condition, yes};
}

/// Makes an update of the map that a step of a loop is.
class Changing {
 public:
  Changing(Arena& arena, const Loop& loop, const Step& step, const Canonical& canonical)
      : arena_(arena),
        algebra_(arena, canonical),
        map_(loop.body.body[step.statement]),
        op_(std::get<Soac>(map_.op)),
        condition_(arena.boolean(true)) {
    for (std::size_t component : step.components) former_.push_back(soac::state_of(loop)[component]);
    for (Expr extent : op_.dims) dims_.push_back(canonical(extent));
    Vars names;
    soac::add_mentioned(loop.body, names);
    for (Var name : names)
      for (Expr extent : std::vector<Expr>(arena.info(name).shape))
        if (const Expr size = canonical(extent); size.is_name()) algebra_.size(size.var());
    if (loop.trips) algebra_.iterations(loop.body.params[0], canonical(loop.trips));
  }

  /// The copies and the update. Absent: what points read of each other is too much, or it may fail.
  std::optional<ChangedStep> step() {
    std::vector<Expr> values = op_.body.results;
    take_part(values);
    remove_sites(values);
    if (is_part() && std::ranges::any_of(values, scalar::can_fail)) return {};
    make_points();
    std::vector<Stm> all;
    if (!copy_reads(values, all)) return {};
    if (all.empty() && !is_part()) return {};
    for (Expr& value : values) value = moved(value, update_.body.params);
    add_update(values, all);
    const auto taken = soac::updates(arena_, std::get<Soac>(all.back().op), 0);
    if (!std::ranges::all_of(taken, [](const auto& array) { return array.has_value(); })) return {};
    return ChangedStep{std::move(all), is_part()};
  }

 private:
  bool is_part() const { return !parts_.empty(); }

  // ---- points that change

  bool is_own(Expr e, std::size_t component) const {
    return soac::reads_at(e, op_.body.params) && e.arg(0).var() == former_[component];
  }

  /// If all results change under one condition, the part of each axis where that may hold; the values are
  /// what they are there.
  void take_part(std::vector<Expr>& values) {
    std::vector<Change> changes;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto change = change_of(values[k], [&](Expr e) { return is_own(e, k); });
      if (!change || (k > 0 && !(changes[0].condition == change->condition))) return;
      changes.push_back(*change);
    }
    std::vector<Expr> conjuncts, rest;
    soac::add_conjuncts(changes[0].condition, conjuncts);
    std::vector<Part> parts;
    Expr condition = arena_.boolean(true);
    for (Expr extent : dims_) parts.push_back({arena_.i64(0), extent});
    for (Expr conjunct : conjuncts)
      if (narrow(conjunct, parts))
        condition = condition & conjunct;
      else
        rest.push_back(conjunct);
    if (rest.size() == conjuncts.size()) return;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Expr own = arena_.index(arena_.name(former_[k]), arena_.names(op_.body.params));
      values[k] = changes[k].value;
      for (Expr conjunct : rest) values[k] = select(conjunct, values[k], own);
    }
    parts_ = std::move(parts);
    condition_ = condition;
  }

  /// Takes in a comparison of an index with a size that points do not know better.
  bool narrow(Expr comparison, std::vector<Part>& parts) const {
    if (comparison.op() != Op::lt && comparison.op() != Op::le && comparison.op() != Op::eq) return false;
    const Expr left = comparison.arg(0), right = comparison.arg(1);
    if (left.type() != scalar::Type{}) return false;
    const bool is_strict = comparison.op() == Op::lt;
    for (std::size_t d = 0; d < parts.size(); ++d) {
      const auto is_index = [&](Expr e) { return e.is_name() && e.var() == op_.body.params[d]; };
      if (is_index(right) && is_bound(left)) {
        add_begin(parts[d], left, is_strict, dims_[d]);
        if (comparison.op() == Op::eq) add_end(parts[d], left, false, dims_[d]);
        return true;
      }
      if (is_index(left) && is_bound(right)) {
        add_end(parts[d], right, is_strict, dims_[d]);
        if (comparison.op() == Op::eq) add_begin(parts[d], right, false, dims_[d]);
        return true;
      }
    }
    return false;
  }
  bool is_bound(Expr e) const {
    return soac::is_extent(e) &&
           std::ranges::none_of(op_.body.params, [&](Var param) { return scalar::mentions(e, param); });
  }

  void add_begin(Part& part, Expr least, bool is_after, Expr extent) const {
    const std::int64_t more = is_after ? 1 : 0;
    const Expr begin = between(least, -more, extent, extent) + more;
    part.begin = part.begin.is_constant(0) ? begin : Expr(max(part.begin, begin));
  }
  void add_end(Part& part, Expr most, bool is_before, Expr extent) const {
    const std::int64_t more = is_before ? 0 : 1;
    const Expr end = between(most, -more, extent - more, extent) + more;
    part.end = part.end == extent ? end : Expr(min(part.end, end));
  }
  /// The bound, kept within what makes a difference, so that nothing wraps around.
  Expr between(Expr bound, std::int64_t least, Expr most, Expr extent) const {
    return algebra_.is_below(bound, extent) ? bound : Expr(min(max(bound, arena_.i64(least)), most));
  }

  std::vector<Expr> extents() const {
    if (!is_part()) return dims_;
    std::vector<Expr> dims;
    for (const auto& [begin, end] : parts_) {
      const Expr extent = end - begin;
      dims.push_back(algebra_.is_below(begin, end + 1) ? extent : Expr(max(extent, 0)));
    }
    return dims;
  }

  /// The points of the update, and their places in the whole space.
  void make_points() {
    update_.dims = extents();
    update_.body.params = fresh_points();
    for (std::size_t d = 0; d < dims_.size(); ++d)
      place_.push_back(moved(arena_.name(op_.body.params[d]), update_.body.params));
  }
  std::vector<Var> fresh_points() const {
    std::vector<Var> points;
    for (Var param : op_.body.params)
      points.push_back(arena_.fresh(scalar::Type{}, arena_.info(param).name).var());
    return points;
  }
  /// What the map computes, at a point of the part.
  Expr moved(Expr e, std::span<const Var> points) const {
    std::unordered_map<Var, Expr> to;
    for (std::size_t d = 0; d < points.size(); ++d) {
      const Expr point = arena_.name(points[d]);
      to.emplace(op_.body.params[d], is_part() ? parts_[d].begin + point : point);
    }
    return scalar::substitute(arena_, e, to);
  }

  // ---- reads

  /// Reads of elements that exist, as far as is known at points that change, cannot fail.
  void remove_sites(std::vector<Expr>& values) {
    const IndexAlgebra::Scope points(algebra_);
    Expr known = condition_;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      algebra_.range(op_.body.params[d], dims_[d]);
      known = known & (0 < dims_[d]);
    }
    const IndexAlgebra::Assumption changes(algebra_, known);
    for (Expr& value : values) value = algebra_(value);
  }

  /// What an expression asks of points: their axes, as bits, and elements that other points change.
  struct Asks {
    scalar::Axes axes = 0;
    bool changed = false;
  };
  std::unordered_map<Expr, Asks> asks_of(const std::vector<Expr>& values,
                                         const std::function<bool(Expr)>& is_changed) const {
    std::unordered_map<Expr, Asks> all;
    scalar::for_each_node(values, [&](Expr e) {
      Asks asks{0, is_changed(e)};
      for (std::size_t d = 0; d < dims_.size(); ++d)
        if (e.is_name() && e.var() == op_.body.params[d]) asks.axes |= scalar::Axes{1} << d;
      for (Expr operand : e.args()) {
        asks.axes |= all.at(operand).axes;
        asks.changed = asks.changed || all.at(operand).changed;
      }
      all.emplace(e, asks);
    });
    return all;
  }

  /// An expression of the map's points, and the element of a new array that is its value at the update's.
  struct Copied {
    Expr value, element;
  };

  /// Copies what points read that other points change. False: some of it depends on all axes, or may fail.
  bool copy_reads(std::vector<Expr>& values, std::vector<Stm>& all) {
    const soac::StoredPlaces stored(arena_, update_, place_);
    soac::Ranges ranges;
    soac::add_ranges(update_.body, update_.dims, ranges);
    const auto is_changed = [&](Expr e) {
      return e.op() == Op::index && std::ranges::find(former_, e.arg(0).var()) != former_.end() &&
             !soac::reads_at(e, op_.body.params) && !stored.miss(moved(e, update_.body.params), ranges);
    };
    const std::unordered_map<Expr, Asks> asks = asks_of(values, is_changed);
    const scalar::Axes all_axes = (scalar::Axes{1} << dims_.size()) - 1;
    std::map<scalar::Axes, std::vector<Copied>> by_axes;
    bool is_fine = true;
    scalar::Substitution substitute(arena_, [&](Expr e) {
      const auto [axes, changed] = asks.at(e);
      if (!changed) return e;
      // A negation is part of the operation that takes it.
      if (axes != all_axes && e.type().rank == 0 && e.op() != Op::neg && !scalar::can_fail(e))
        return by_axes[axes].emplace_back(e, copy_of(e, axes)).element;
      is_fine = is_fine && !is_changed(e);
      return Expr();
    });
    for (Expr& value : values) value = substitute(value);
    for (const auto& [axes, copied] : by_axes) all.push_back(copies(axes, copied));
    return is_fine;
  }

  /// The element of a new array that is the value of `e`.
  Expr copy_of(Expr e, scalar::Axes axes) const {
    std::vector<Expr> shape, indices;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      if (!scalar::has(axes, d)) continue;
      shape.push_back(if_any_point(update_.dims[d], axes));
      indices.push_back(arena_.name(update_.body.params[d]));
    }
    if (axes == 0) {
      shape.push_back(if_any_point(arena_.i64(1), axes));
      indices.push_back(arena_.i64(0));
    }
    return arena_.index(arena_.fresh_array(e.kind(), std::move(shape), "former"), indices);
  }

  /// The extent, or 0 if the update has no point, so that nothing is read which no point reads.
  Expr if_any_point(Expr extent, scalar::Axes axes) const {
    Expr guarded = extent;
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      const Expr other = update_.dims[d];
      const bool is_known =
          scalar::has(axes, d) || other == extent || algebra_.is_below(arena_.i64(0), other);
      if (!is_known) guarded = select(0 < other, guarded, 0);
    }
    return guarded;
  }

  Stm copies(scalar::Axes axes, std::span<const Copied> copied) const {
    Soac map{arena_.info(copied[0].element.arg(0).var()).shape, {}};
    const std::vector<Var> points = fresh_points();
    for (std::size_t d = 0; d < points.size(); ++d)
      if (scalar::has(axes, d)) map.body.params.push_back(points[d]);
    if (axes == 0) map.body.params.push_back(points[0]);
    Stm stm{{}, {}, map_.where, "what others change"};
    for (const auto& [value, element] : copied) {
      map.body.results.push_back(moved(value, points));
      stm.names.push_back(element.arg(0).var());
    }
    stm.op = std::move(map);
    return stm;
  }

  // ---- the update

  void add_update(const std::vector<Expr>& values, std::vector<Stm>& all) {
    soac::Scatter to{arena_.info(former_[0]).shape, {}};
    to.of_equal = soac::OfEqual::unordered;
    to.initial.params = fresh_points();
    for (Var array : former_)
      to.initial.results.push_back(arena_.index(arena_.name(array), arena_.names(to.initial.params)));
    std::vector<Var> arrays;
    for (std::size_t k = 0; k < former_.size(); ++k)
      arrays.push_back(arena_.fresh_array(values[k].kind(), to.shape, arena_.info(map_.names[k]).name).var());
    soac::Outputs outputs;
    outputs.scatters.push_back({std::move(to), place_, values, std::move(arrays)});
    Stm stm{{}, std::move(update_), map_.where, map_.origin};
    all.push_back(soac::with_outputs(std::move(stm), std::move(outputs)));
  }

  Arena& arena_;
  IndexAlgebra algebra_;
  const Stm& map_;
  const Soac& op_;
  std::vector<Expr> dims_;   // of the map
  std::vector<Var> former_;  // the state, by result
  std::vector<Part> parts_;  // by axis; none: all points change
  Expr condition_;           // holds at all points of the parts
  Soac update_;              // without results
  std::vector<Expr> place_;  // of its points
};

}  // namespace

std::optional<ChangedStep> changed_step(Arena& arena, const Loop& loop, const Step& step,
                                        const Canonical& canonical) {
  return Changing(arena, loop, step, canonical).step();
}

}  // namespace fulgurite::fuse
