#include "schedule/rewrites/row_checks.h"

#include <algorithm>

#include "schedule/rewrites/total.h"

namespace fulgurite::schedule {

using scalar::Arena, scalar::Expr, scalar::Op, scalar::Var;

namespace {

constexpr std::size_t most_conditions = 24;
// Between the ends of a row nothing wraps around: coefficients times columns stay below 2^62.
constexpr std::int64_t most_row_columns = std::int64_t{1} << 16, most_coefficient = std::int64_t{1} << 46;
// Coefficients times points of combinators inside of points stay below 2^58.
constexpr std::int64_t most_inner_points = std::int64_t{1} << 46, most_inner_coefficient = 1 << 12;

}  // namespace

RowChecks::RowChecks(Arena& arena, const soac::Lambda& body, const Row& row)
    : arena_(arena),
      column_(body.params[row.outer.size()]),
      row_(row),
      quotients_(arena, column_, row, [this](Expr e, std::vector<Expr>& wanted) {
        return is_plain(e) ? in_row(e, wanted) : Expr();
      }) {
  soac::add_bound(body, inside_);
  for (std::size_t d = 0; d < row.outer.size(); ++d) {
    outer_.emplace(body.params[d], row.outer[d]);
    inside_.erase(body.params[d]);
  }
  inside_.erase(column_);
  add_inner(body);
}

bool RowChecks::covers_indices(std::span<const Expr> indices, std::span<const Expr> shape,
                               scalar::Axes known) {
  std::vector<Range> ranges;
  std::vector<Expr> wanted;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (scalar::has(known, axis)) continue;
    const auto ends = ends_of(indices[axis], wanted);
    if (!ends || !is_plain(shape[axis])) return false;
    const Expr low = in_row(ends->low, wanted), high = in_row(ends->high, wanted);
    const Expr extent = in_row(shape[axis], wanted);
    const auto along = scalar::affine_in(arena_, low, column_);
    if (!along || mentions(extent, column_) || is_large(along->coefficient)) return false;
    ranges.push_back({extent, along->coefficient, low, high});
  }
  add(wanted);
  for (const Range& range : ranges) add(range);
  return true;
}

bool RowChecks::covers(Expr e) {
  return e.op() == Op::index ? covers_read(e) : divides(e) && covers_divisor(e.arg(1));
}

bool RowChecks::covers_quotients(Expr read) {
  const auto indices = read.args().subspan(1);
  const std::vector<Expr>& shape = arena_.info(read.arg(0).var()).shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!is_plain(indices[axis]) || !is_plain(shape[axis]) || mentions(shape[axis], column_)) return false;
    const bool is_covered = quotients_.are_in(indices[axis])
                                ? quotients_.covers(indices[axis], shape[axis])
                                : covers_indices(indices.subspan(axis, 1), std::span(&shape[axis], 1));
    if (!is_covered) return false;
  }
  return true;
}

bool RowChecks::covers_condition(Expr condition) {
  std::vector<Expr> not_negative, indices, extents;
  if (!add_parts(condition, not_negative, indices, extents)) return false;
  const auto is_in = [](const std::vector<Expr>& all) {
    return [&](Expr e) { return std::ranges::find(all, e) != all.end(); };
  };
  return std::ranges::all_of(indices, is_in(not_negative)) &&
         std::ranges::all_of(not_negative, is_in(indices)) && covers_indices(indices, extents);
}

Expr RowChecks::holds() {
  for (const Range& range : ranges_) ask_for(range);
  add(quotients_.wanted());
  if (conditions_.size() > most_conditions) return {};
  const bool only_divides = ranges_.empty() && !quotients_.all().empty();
  Expr all = only_divides ? arena_.boolean(true) : Expr(row_.last - row_.first < most_row_columns);
  for (Expr condition : conditions_) all = all & condition;
  return all;
}

bool RowChecks::add_parts(Expr condition, std::vector<Expr>& not_negative, std::vector<Expr>& indices,
                          std::vector<Expr>& extents) {
  if (condition.op() == Op::bit_and)
    return add_parts(condition.arg(0), not_negative, indices, extents) &&
           add_parts(condition.arg(1), not_negative, indices, extents);
  if (condition.op() == Op::le && condition.arg(0).is_constant(0)) {
    not_negative.push_back(condition.arg(1));
    return true;
  }
  if (condition.op() != Op::lt || condition.arg(0).kind() != scalar::Kind::i64) return false;
  indices.push_back(condition.arg(0));
  extents.push_back(condition.arg(1));
  return true;
}

bool RowChecks::covers_read(Expr e) {
  return covers_indices(e.args().subspan(1), arena_.info(e.arg(0).var()).shape, e.inside());
}

bool RowChecks::covers_divisor(Expr divisor) {
  if (!is_plain(divisor) || mentions(divisor, column_)) return false;
  std::vector<Expr> wanted;
  wanted.push_back(differs(in_row(divisor, wanted), arena_.constant(divisor.kind(), 0)));
  add(wanted);
  return true;
}

bool RowChecks::is_plain(Expr e) const {
  bool is_plain = e.type().lanes == 1;
  scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
    is_plain = is_plain && node.op() != Op::index && (!node.is_name() || !inside_.contains(node.var()));
  });
  return is_plain;
}

void RowChecks::add_inner(const soac::Lambda& body) {
  for (const soac::Stm& s : body.body)
    for (const auto& nested : soac::nested_in(s)) {
      for (std::size_t k = 0; k < nested.extents.size() && nested.role == soac::Role::points; ++k)
        if (is_plain(nested.extents[k]) && !mentions(nested.extents[k], column_))
          inner_.emplace(nested.lambda->params[k], nested.extents[k]);
      add_inner(*nested.lambda);
    }
}

std::optional<RowChecks::Ends> RowChecks::ends_of(Expr index, std::vector<Expr>& wanted) const {
  Ends ends{index, index};
  for (const auto& [name, extent] : inner_) {
    if (!mentions(index, name)) continue;
    const auto along = scalar::affine_in(arena_, index, name);
    if (!along || !along->coefficient.is_constant()) return {};
    const auto by = static_cast<std::int64_t>(along->coefficient.bits());
    if (by < -most_inner_coefficient || most_inner_coefficient < by) return {};
    const Expr last = extent - 1, zero = arena_.i64(0);
    ends.low = scalar::substitute(arena_, ends.low, {{name, by >= 0 ? zero : last}});
    ends.high = scalar::substitute(arena_, ends.high, {{name, by >= 0 ? last : zero}});
    wanted.push_back(in_row(extent, wanted) < most_inner_points);
  }
  if (!is_plain(ends.low) || !is_plain(ends.high)) return {};
  return ends;
}

void RowChecks::add(const Range& one) {
  for (Range& range : ranges_) {
    if (range.extent != one.extent || range.coefficient != one.coefficient) continue;
    const Expr above = one.high - range.high, below = one.low - range.low;
    if (is_large(above) || is_large(below) || !above.is_constant() || !below.is_constant()) continue;
    if (static_cast<std::int64_t>(above.bits()) > 0) range.high = one.high;
    if (static_cast<std::int64_t>(below.bits()) < 0) range.low = one.low;
    return;
  }
  ranges_.push_back(one);
}

bool RowChecks::is_large(Expr e) {
  const auto value = e.is_constant() ? static_cast<std::int64_t>(e.bits()) : 0;
  return value < -most_coefficient || most_coefficient < value;
}

void RowChecks::ask_for(const Range& range) {
  std::vector<Expr> wanted;
  const auto ask = [&](Expr first, Expr last) {
    const Expr low = at(range.low, first), high = at(range.high, last);
    wanted.push_back(0 <= low);
    wanted.push_back(low < range.extent);
    if (low != high) wanted.push_back(high < range.extent);
  };
  const Expr by = range.coefficient;
  if (by.is_constant()) {
    const bool ascends = static_cast<std::int64_t>(by.bits()) >= 0;
    ask(ascends ? row_.first : row_.last, ascends ? row_.last : row_.first);
  } else {
    wanted.push_back(-most_coefficient <= by);
    wanted.push_back(by <= most_coefficient);
    ask(row_.first, row_.first);
    ask(row_.last, row_.last);
  }
  add(wanted);
}

Expr RowChecks::at(Expr e, Expr column) const {
  return scalar::substitute(arena_, e, {{column_, column}});
}

Expr RowChecks::in_row(Expr e, std::vector<Expr>& wanted) const {
  return total(arena_, e, wanted, [&](Var name) {
    const auto found = outer_.find(name);
    return found == outer_.end() ? Expr() : found->second;
  });
}

void RowChecks::add(const std::vector<Expr>& wanted) {
  for (Expr condition : wanted)
    if (!condition.is_constant(1) && std::ranges::find(conditions_, condition) == conditions_.end())
      conditions_.push_back(condition);
}

}  // namespace fulgurite::schedule
