#include "schedule/rewrites/inside.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/row_checks.h"
#include "schedule/rewrites/total.h"
#include "soac/count.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Arena, scalar::Expr, scalar::Op;

// A row of a constant length up to this is a vector or two: a test of its ends is as much work.
constexpr std::uint64_t short_row = 16;

// Whether all places can be known to be inside for the row; asks for it then.
bool covers_places(RowChecks& checks, std::span<const soac::OutputView::Scattered> scatters) {
  return std::ranges::all_of(scatters, [&](const soac::OutputView::Scattered& scattered) {
    return checks.covers_indices(scattered.place, scattered.to.shape);
  });
}

// Whether all places that points scatter to can be known to be inside for the row. If no place moves along
// the row, it is tested once anyway, and the answer is no.
bool covers_places(RowChecks& checks, const soac::Soac& op) {
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
  return e.op() == Op::div ? args[0] / args[1] : args[0] % args[1];
}

/// Takes the checks out of a function that can be made for the row.
class Unchecked {
 public:
  Unchecked(Arena& arena, RowChecks& checks, bool names_quotients)
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
  using Division = std::function<Expr(Expr, std::span<const Expr> args)>;
  Expr rebuilt(Expr root, const Division& division) const {
    std::unordered_map<Expr, Expr> memo;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      std::vector<Expr> args;
      for (Expr child : e.args()) args.push_back(memo.at(child));
      memo.emplace(e, divides(e) ? division(e, args) : scalar::rebuild(arena_, e, args));
    });
    return memo.at(root);
  }
  Expr without_sites(Expr root) const {
    return rebuilt(root, [&](Expr e, std::span<const Expr> args) { return without_site(arena_, e, args); });
  }
  // With quotients of the column instead of their names.
  Expr unnamed(Expr root) const {
    return rebuilt(root, [&](Expr e, std::span<const Expr> args) {
      return memo_.at(e).op() == Op::cast ? without_site(arena_, e, args) : memo_.at(e);
    });
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
  RowChecks& checks_;
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
  RowChecks checks(arena, op.body, row);
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
  RowChecks checks(arena, body, row);
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
