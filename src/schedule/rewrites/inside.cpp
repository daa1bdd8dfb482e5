#include "schedule/rewrites/inside.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/total.h"
#include "soac/count.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Arena, scalar::Expr, scalar::Op, scalar::Var;

constexpr std::size_t most_conditions = 24;
// Between the ends of a row nothing wraps around: coefficients times columns stay below 2^62.
constexpr std::int64_t most_row_columns = std::int64_t{1} << 16, most_coefficient = std::int64_t{1} << 46;

/// Collects what has to hold for the checks of a statement.
class Checks {
 public:
  // Checks of a function of the indices of the row and the column, which may have more parameters.
  Checks(Arena& arena, const soac::Lambda& body, const Row& row)
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
  }

  // Whether indices like these are inside of arrays of the shape can be known for the row; asks for it then,
  // but for the axes on which it is known.
  bool covers_indices(std::span<const Expr> indices, std::span<const Expr> shape, scalar::Axes known = 0) {
    std::vector<Range> ranges;
    std::vector<Expr> wanted;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (scalar::has(known, axis)) continue;
      if (!is_plain(indices[axis]) || !is_plain(shape[axis])) return false;
      const Expr index = in_row(indices[axis], wanted), extent = in_row(shape[axis], wanted);
      const auto along = scalar::affine_in(arena_, index, column_);
      if (!along || mentions(extent, column_) || is_large(along->coefficient)) return false;
      ranges.push_back({extent, along->coefficient, index, index});
    }
    add(wanted);
    for (const Range& range : ranges) add(range);
    return true;
  }

  // Whether the node's own check can be made for the row; asks for it then.
  bool covers(Expr e) {
    if (e.op() == Op::index) return covers_read(e);
    return divides(e) && covers_divisor(e.arg(1));
  }

  // Whether the checks of a read can be tested for the row, some of whose indices are made of quotients of
  // the column.
  bool covers_quotients(Expr read) {
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

  // Whether a condition, that values are between 0 and extents, can be tested for the row; adds it then.
  bool covers_condition(Expr condition) {
    std::vector<Expr> not_negative, indices, extents;
    if (!add_parts(condition, not_negative, indices, extents)) return false;
    const auto is_in = [](const std::vector<Expr>& all) {
      return [&](Expr e) { return std::ranges::find(all, e) != all.end(); };
    };
    return std::ranges::all_of(indices, is_in(not_negative)) &&
           std::ranges::all_of(not_negative, is_in(indices)) && covers_indices(indices, extents);
  }

  /// Those of the column, and what stands for them.
  Quotients& quotients() { return quotients_; }

  // Null: of too many conditions.
  Expr holds() {
    for (const Range& range : ranges_) ask_for(range);
    add(quotients_.wanted());
    if (conditions_.size() > most_conditions) return {};
    const bool only_divides = ranges_.empty() && !quotients_.all().empty();
    Expr all = only_divides ? arena_.boolean(true) : Expr(row_.last - row_.first < most_row_columns);
    for (Expr condition : conditions_) all = all & condition;
    return all;
  }

 private:
  static bool add_parts(Expr condition, std::vector<Expr>& not_negative, std::vector<Expr>& indices,
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

  bool covers_read(Expr e) {
    return covers_indices(e.args().subspan(1), arena_.info(e.arg(0).var()).shape, e.inside());
  }
  bool covers_divisor(Expr divisor) {
    if (!is_plain(divisor) || mentions(divisor, column_)) return false;
    std::vector<Expr> wanted;
    wanted.push_back(differs(in_row(divisor, wanted), arena_.constant(divisor.kind(), 0)));
    add(wanted);
    return true;
  }

  // Whether the expression has only names that are known before the points, and no reads.
  bool is_plain(Expr e) const {
    bool is_plain = e.type().lanes == 1;
    scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
      is_plain = is_plain && node.op() != Op::index && (!node.is_name() || !inside_.contains(node.var()));
    });
    return is_plain;
  }

  /// Indices of one extent from `low` to `high`, which differ by a constant.
  struct Range {
    Expr extent, coefficient, low, high;
  };
  void add(const Range& one) {
    for (Range& range : ranges_) {
      if (range.extent != one.extent || range.coefficient != one.coefficient) continue;
      const Expr above = one.low - range.high, below = one.low - range.low;
      if (is_large(above) || is_large(below) || !above.is_constant() || !below.is_constant()) continue;
      if (static_cast<std::int64_t>(above.bits()) > 0) range.high = one.low;
      if (static_cast<std::int64_t>(below.bits()) < 0) range.low = one.low;
      return;
    }
    ranges_.push_back(one);
  }

  static bool is_large(Expr e) {
    const auto value = e.is_constant() ? static_cast<std::int64_t>(e.bits()) : 0;
    return value < -most_coefficient || most_coefficient < value;
  }

  // The lowest index, which is inside, bounds what is added to it: so nothing wraps around.
  void ask_for(const Range& range) {
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
  Expr at(Expr e, Expr column) const { return scalar::substitute(arena_, e, {{column_, column}}); }

  // The value in the row, if what is wanted holds.
  Expr in_row(Expr e, std::vector<Expr>& wanted) const {
    return total(arena_, e, wanted, [&](Var name) {
      const auto found = outer_.find(name);
      return found == outer_.end() ? Expr() : found->second;
    });
  }

  void add(const std::vector<Expr>& wanted) {
    for (Expr condition : wanted)
      if (!condition.is_constant(1) && std::ranges::find(conditions_, condition) == conditions_.end())
        conditions_.push_back(condition);
  }

  Arena& arena_;
  const Var column_;
  const Row& row_;
  soac::Vars inside_;
  std::unordered_map<Var, Expr> outer_;
  std::vector<Range> ranges_;
  std::vector<Expr> conditions_;
  Quotients quotients_;
};

// A row of a constant length up to this is a vector or two: a test of its ends is as much work.
constexpr std::uint64_t short_row = 16;

// Whether all places can be known to be inside for the row; asks for it then.
bool covers_places(Checks& checks, std::span<const soac::OutputView::Scattered> scatters) {
  return std::ranges::all_of(scatters, [&](const soac::OutputView::Scattered& scattered) {
    return checks.covers_indices(scattered.place, scattered.to.shape);
  });
}

// Whether all places that points scatter to can be known to be inside for the row. If no place moves along
// the row, it is tested once anyway, and the answer is no.
bool covers_places(Checks& checks, const soac::Soac& op) {
  const Expr columns = op.dims.back();
  if (columns.is_constant() && columns.bits() <= short_row) return false;
  const soac::OutputView outputs = soac::view_of(op);
  const auto moves = [&](const soac::OutputView::Scattered& scattered) {
    return std::ranges::any_of(scattered.place,
                               [&](Expr index) { return mentions(index, op.body.params.back()); });
  };
  return std::ranges::any_of(outputs.scatters, moves) && covers_places(checks, outputs.scatters);
}

// The node without its own check.
Expr without_site(Arena& arena, Expr e, std::span<const Expr> args) {
  if (e.op() == Op::index) return arena.index(args[0], args.subspan(1));
  if (e.op() == Op::div) return args[0] / args[1];
  return args[0] % args[1];
}

/// Takes the checks out of a function that can be made for the row.
class Unchecked {
 public:
  Unchecked(Arena& arena, Checks& checks, bool names_quotients)
      : arena_(arena), checks_(checks), names_quotients_(names_quotients) {}

  // Whether there are any, or quotients of the column, which get names.
  bool in(soac::Lambda& body) {
    changed_ = std::erase_if(body.body, [this](const soac::Stm& s) {
                 const auto* check = base::as<soac::Check>(s.op);
                 return check && checks_.covers_condition(check->condition);
               }) > 0;
    if (names_quotients_) soac::for_each_root(body, [&](Expr root) { add_needed(root); });
    scalar::Substitution substitute(arena_, [&](Expr root) {
      scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
        if (!memo_.contains(e)) memo_.emplace(e, replaced(e));
      });
      return memo_.at(root);
    });
    soac::substitute_in(body, substitute);
    return changed_;
  }

 private:
  // What is computed of a point: of an array of another shape that is read at the point's number, not the
  // indices.
  void add_needed(Expr root) {
    std::vector<Expr> open{root};
    while (!open.empty()) {
      const Expr e = open.back();
      open.pop_back();
      if (!needed_.insert(e).second || is_by_number(e)) continue;
      open.insert(open.end(), e.args().begin(), e.args().end());
    }
  }
  bool is_by_number(Expr e) const {
    if (e.op() != Op::index || e.args().size() < 3) return false;
    if (std::ranges::none_of(e.args().subspan(1), has_division)) return false;
    const std::vector<Expr>& shape = arena_.info(e.arg(0).var()).shape;
    Expr number = arena_.i64(0);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const Expr extent = without_sites(shape[axis]), index = without_sites(e.arg(axis + 1));
      number = number * extent + index;
    }
    return !has_division(number);
  }
  static bool has_division(Expr root) {
    bool has_any = false;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) { has_any = has_any || divides(e); });
    return has_any;
  }
  Expr without_sites(Expr root) const {
    std::unordered_map<Expr, Expr> memo;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      std::vector<Expr> args;
      for (Expr child : e.args()) args.push_back(memo.at(child));
      memo.emplace(e, divides(e) ? without_site(arena_, e, args) : scalar::rebuild(arena_, e, args));
    });
    return memo.at(root);
  }

  // With quotients of the column instead of their names.
  Expr unnamed(Expr root) const {
    std::unordered_map<Expr, Expr> memo;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      std::vector<Expr> args;
      for (Expr child : e.args()) args.push_back(memo.at(child));
      const bool is_named = divides(e) && memo_.at(e).op() == Op::cast;
      const Expr kept = divides(e) ? memo_.at(e) : scalar::rebuild(arena_, e, args);
      memo.emplace(e, is_named ? without_site(arena_, e, args) : kept);
    });
    return memo.at(root);
  }

  Expr replaced(Expr e) {
    const Expr name = needed_.contains(e) ? checks_.quotients().named(e) : Expr();
    changed_ = changed_ || name;
    if (name) return name;
    std::vector<Expr> args;
    for (Expr child : e.args()) args.push_back(memo_.at(child));
    if (needed_.contains(e) && e.op() == Op::index && divides_column(e)) {
      if (!is_by_number(e)) return read(e, std::move(args));
      for (std::size_t axis = 1; axis < args.size(); ++axis) args[axis] = unnamed(e.arg(axis));
    }
    const bool is_checked = e.site() != 0 && (e.op() == Op::index || divides(e));
    const bool is_covered = is_checked && checks_.covers(e);
    changed_ = changed_ || is_covered;
    return is_covered ? without_site(arena_, e, args) : scalar::rebuild(arena_, e, args);
  }

  bool divides_column(Expr read) {
    return std::ranges::any_of(read.args().subspan(1),
                               [&](Expr index) { return checks_.quotients().are_in(index); });
  }

  Expr read(Expr e, std::vector<Expr> args) {
    if (!checks_.covers_quotients(e)) return scalar::rebuild(arena_, e, args);
    Quotients& quotients = checks_.quotients();
    for (std::size_t axis = 1; axis < args.size(); ++axis)
      if (quotients.are_in(e.arg(axis)))
        args[axis] = quotients.narrow(e.arg(axis), [&](Expr part) { return memo_.at(part); });
    return without_site(arena_, e, args);
  }

  Arena& arena_;
  Checks& checks_;
  const bool names_quotients_;
  std::unordered_map<Expr, Expr> memo_;
  std::unordered_set<Expr> needed_;
  bool changed_ = false;
};

// Whether statements only compute scalars and change single elements.
bool are_steps(const std::vector<soac::Stm>& body) {
  return std::ranges::all_of(body, [](const soac::Stm& s) {
    const auto* op = base::as<soac::Soac>(s.op);
    return (op && op->body.body.empty() && soac::is_one_point(*op)) || base::as<soac::Check>(s.op) ||
           base::as<soac::Let>(s.op);
  });
}

}  // namespace

std::optional<Inside> inside(Arena& arena, const soac::Stm& s, const Row& row) {
  const auto& op = std::get<soac::Soac>(s.op);
  if (op.dims.size() != row.outer.size() + 1) return {};
  Checks checks(arena, op.body, row);
  soac::Stm result = s;
  const bool changed = Unchecked(arena, checks, true).in(std::get<soac::Soac>(result.op).body);
  const bool scatters_inside = covers_places(checks, op);
  if (!changed && !scatters_inside) return {};
  const Expr holds = checks.holds();
  if (!holds) return {};
  return Inside{made_by(rewrite::inside, arena, std::move(result)), holds, scatters_inside,
                checks.quotients().all()};
}

std::optional<Inside> inside_loop(Arena& arena, const soac::Stm& s, Expr trips) {
  const soac::Lambda& body = std::get<soac::Loop>(s.op).body;
  constexpr std::uint64_t few_trips = 4;
  if (trips.is_constant() && trips.bits() <= few_trips) return {};
  if (!are_steps(body.body)) return {};
  const Row row{{}, arena.i64(0), trips - 1};
  Checks checks(arena, body, row);
  soac::Stm result = s;
  soac::Lambda& unchecked = std::get<soac::Loop>(result.op).body;
  if (!Unchecked(arena, checks, false).in(unchecked)) return {};
  const bool scatters_inside = std::ranges::all_of(body.body, [&](const soac::Stm& step) {
    const auto* op = base::as<soac::Soac>(step.op);
    return !op || covers_places(checks, soac::view_of(*op).scatters);
  });
  const Expr holds = checks.holds();
  if (!holds) return {};
  return Inside{made_by(rewrite::inside, arena, std::move(result)), holds, scatters_inside};
}

}  // namespace fulgurite::schedule
