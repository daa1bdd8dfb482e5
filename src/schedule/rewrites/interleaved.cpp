#include "schedule/rewrites/interleaved.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "base/match.h"
#include "schedule/rewrites/divided.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/literal.h"
#include "soac/reads_inside.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;

// Groups are fewer than 2^47: what is made of them by such factors does not wrap around.
constexpr std::int64_t most_factor = 1 << 12, most_offset = std::int64_t{1} << 40;

/// A division of a dividend that is not negative by a constant.
struct Division {
  enum class Of : std::uint8_t { quotient, remainder, flipped };  // flipped: the dividend ^ `flips`
  Of of = Of::quotient;
  Expr dividend;
  std::int64_t divisor = 1, flips = 0;
};

bool is_small(std::int64_t value) {
  return 1 <= value && value <= most_factor;
}

std::optional<Division> division(Expr e) {
  if (e.type() != scalar::Type{} || e.args().size() != 2 || !e.arg(1).is_constant()) return {};
  const auto by = static_cast<std::int64_t>(e.arg(1).bits());
  using enum Division::Of;
  if (e.op() == Op::div && is_small(by)) return Division{quotient, e.arg(0), by};
  if (e.op() == Op::rem && is_small(by)) return Division{remainder, e.arg(0), by};
  if (e.op() == Op::shr && 0 <= by && by <= 12) return Division{quotient, e.arg(0), std::int64_t{1} << by};
  if (!is_small(by)) return {};
  const auto above = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(by) + 1));
  if (e.op() == Op::bit_and && by + 1 == above) return Division{remainder, e.arg(0), above};
  if (e.op() == Op::bit_xor) return Division{flipped, e.arg(0), above, by};
  return {};
}

/// factor * name + offset, with 0 < factor and 0 <= offset.
struct Ascending {
  std::int64_t factor, offset;
};
std::optional<Ascending> ascending_in(Arena& arena, Expr e, Var name) {
  const auto along = scalar::affine_in(arena, e, name);
  if (!along || !along->coefficient.is_constant() || !along->base.is_constant()) return {};
  const Ascending found{static_cast<std::int64_t>(along->coefficient.bits()),
                        static_cast<std::int64_t>(along->base.bits())};
  if (!is_small(found.factor) || found.offset < 0 || found.offset > most_offset) return {};
  return found;
}

void for_each_node(const soac::Lambda& body, const std::function<void(Expr)>& visit) {
  soac::for_each_root(body, [&](Expr root) { scalar::for_each_node(std::span(&root, 1), visit); });
}

// How many neighbours have quotients and remainders that go on by constants from group to group: the least
// common multiple of the divisors, as far as it is small enough.
std::int64_t points_of_group(Arena& arena, const soac::Lambda& body, Var index, std::int64_t most) {
  std::int64_t points = 1;
  const auto look_at = [&](Expr e) {
    const auto divides = division(e);
    const auto along = divides ? ascending_in(arena, divides->dividend, index) : std::nullopt;
    if (!along) return;
    const std::int64_t more = std::lcm(points, divides->divisor / std::gcd(divides->divisor, along->factor));
    if (more <= most) points = more;
  };
  for_each_node(body, [&](Expr e) {
    if (e.op() == Op::index) scalar::for_each_node(e.args().subspan(1), look_at);
  });
  return points;
}

/// How many groups there are, and whether groups are full; where the number of points is a multiple of the
/// size of an array that the function reads, this is known.
struct Groups {
  Expr count, are_full;
};
Groups groups_of(Arena& arena, const soac::Lambda& body, Expr extent, std::int64_t points) {
  std::int64_t times = 1;
  Expr size = extent;
  if (extent.op() == Op::mul && extent.arg(1).is_constant()) {
    times = static_cast<std::int64_t>(extent.arg(1).bits());
    size = extent.arg(0);
  }
  const std::vector<Expr> sizes = soac::sizes_of_arrays(arena, body);
  if (std::ranges::find(sizes, size) != sizes.end() && is_small(times) && times % points == 0)
    return {size * (times / points), arena.boolean(true)};
  return {extent / points, equal(extent % points, 0)};
}

/// The points of a group, one after the other: their statements, and what they give.
class Group {
 public:
  Group(Arena& arena, const soac::Soac& op, std::size_t axis, std::int64_t points, Expr number)
      : arena_(arena),
        op_(op),
        axis_(axis),
        points_(points),
        number_(number),
        divided_(arena, [this](Expr e) {
          if (e.is_name()) {
            const auto found = values_.find(e.var());
            return found == values_.end() ? Expr() : found->second;
          }
          return divided(e);
        }) {}

  // Absent: a point does more than evaluate expressions.
  std::optional<std::vector<soac::Applied>> operator()() {
    std::vector<soac::Applied> all;
    for (std::int64_t k = 0; k < points_; ++k) {
      std::vector<Expr> arguments = arena_.names(op_.body.params);
      arguments[axis_] = number_ * points_ + k;
      soac::Applied point = soac::apply(arena_, op_.body, arguments);
      soac::Applied& made = all.emplace_back();
      if (!statements(std::move(point.body), made.body)) return {};
      for (Expr result : point.results) made.results.push_back(divided_(result));
    }
    return all;
  }

 private:
  bool statements(std::vector<soac::Stm> from, std::vector<soac::Stm>& to) {
    return std::ranges::all_of(from, [&](soac::Stm& s) {
      if (auto* branches = base::as<soac::If>(s.op)) return chosen(s, *branches, to);
      if (!base::as<soac::Let>(s.op)) return false;
      soac::map_roots(s, [&](Expr root) { return divided_(root); });
      to.push_back(std::move(s));
      return true;
    });
  }
  // Only the branch that the number of the point chooses.
  bool chosen(const soac::Stm& s, soac::If& branches, std::vector<soac::Stm>& to) {
    const Expr condition = divided_(branches.condition);
    if (!condition.is_constant()) return false;
    soac::Lambda& branch = condition.bits() ? branches.then_branch : branches.else_branch;
    if (!statements(std::move(branch.body), to)) return false;
    for (std::size_t k = 0; k < s.names.size(); ++k) values_.emplace(s.names[k], divided_(branch.results[k]));
    return true;
  }

  Expr divided(Expr e) {
    const auto found = division(e);
    if (!found || !mentions(found->dividend, number_.var())) return {};
    const auto along = ascending_in(arena_, divided_(found->dividend), number_.var());
    if (!along) return {};
    const auto [factor, offset] = *along;
    const std::int64_t by = found->divisor;
    if (factor % by == 0) {
      switch (found->of) {
        case Division::Of::quotient: return number_ * (factor / by) + offset / by;
        case Division::Of::remainder: return arena_.i64(offset % by);
        case Division::Of::flipped: return number_ * factor + (offset ^ found->flips);
      }
    }
    if (by % factor != 0 || offset >= factor) return {};
    if (found->of == Division::Of::quotient) return number_ / (by / factor);
    if (found->of == Division::Of::remainder) return number_ % (by / factor) * factor + offset;
    return {};
  }

  Arena& arena_;
  const soac::Soac& op_;
  const std::size_t axis_;
  const std::int64_t points_;
  const Expr number_;
  std::unordered_map<Var, Expr> values_;  // of statements whose branch is known
  scalar::Substitution divided_;
};

std::int64_t n_nodes(const soac::Lambda& body) {
  std::int64_t n = 0;
  for_each_node(body, [&](Expr) { ++n; });
  return n;
}

}  // namespace

std::optional<Interleaved> interleaved(Arena& arena, const soac::Stm& s, std::size_t axis,
                                       const InterleaveLimits& limits,
                                       const std::function<bool(Expr)>& is_known) {
  const auto& op = std::get<soac::Soac>(s.op);
  const soac::OutputView outputs = soac::view_of(s);
  if (!maps_scalars(op, outputs)) return {};
  const std::int64_t points = points_of_group(arena, op.body, op.body.params[axis], limits.points);
  if (points < 2 || n_nodes(op.body) * points > limits.nodes) return {};
  const Expr number = arena.fresh({Kind::i64}, "group");
  const auto [count, are_full] = groups_of(arena, op.body, op.dims[axis], points);
  const auto all = Group(arena, op, axis, points, number)();
  if (!all) return {};
  soac::Soac groups{op.dims, {op.body.params, {}, {}}};
  groups.outer_axes = op.outer_axes <= axis ? op.outer_axes : 0;
  groups.axes_behind = op.dims.size() - 1 - axis;
  groups.dims[axis] = count;
  groups.body.params[axis] = number.var();
  for (const soac::Applied& point : *all)
    groups.body.body.insert(groups.body.body.end(), point.body.begin(), point.body.end());
  const Expr row[] = {arena.i64(points)};
  soac::Stm result{{}, {}, s.where, s.origin};
  for (std::size_t k = 0; k < outputs.mapped.size(); ++k) {
    std::vector<Expr> elements;
    for (const soac::Applied& point : *all) elements.push_back(point.results[k]);
    soac::Stm array = soac::literal(arena, outputs.mapped[k].result.kind(), row, elements, s.where);
    groups.body.results.push_back(arena.name(array.names[0]));
    groups.body.body.push_back(std::move(array));
  }
  Expr holds = are_full;
  if (groups.outer_axes == 0) {
    const auto inside = soac::take_checks(arena, groups.body, groups.dims, is_known);
    if (!inside) return {};
    holds = holds & *inside;
  }
  if (holds.is_constant(0)) return {};
  for (const soac::Mapped& mapped : outputs.mapped) {
    const scalar::VarInfo info = arena.info(mapped.array);
    std::vector<Expr> shape = groups.dims;
    shape.insert(shape.end() - static_cast<std::ptrdiff_t>(groups.axes_behind), row[0]);
    result.names.push_back(arena.fresh_array(info.type.kind, shape, info.name).var());
  }
  result.op = std::move(groups);
  return Interleaved{made_by(rewrite::interleaved, arena, std::move(result)), holds};
}

}  // namespace fulgurite::schedule
