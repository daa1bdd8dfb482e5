#include "schedule/rewrites/splits.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/rename.h"

namespace fulgurite::schedule {

using scalar::Arena;
using soac::Lambda;
using soac::Stm;

namespace {

constexpr std::int64_t few_columns = 64;  // at an end of an axis

/// A place where an axis may be split: the part of it that lies inside is on this side.
struct Place {
  Side inside;
  Expr condition;
  /// Columns of the end that lies outside, in arrays of every size; 0: there is no such end.
  std::int64_t end = 0;
};

// What the shapes of arrays in a body mention is what it is in all pieces.
void add_shapes(const Arena& arena, const Lambda& body, std::unordered_set<Expr>& nodes) {
  for (const Stm& stm : body.body) {
    for (soac::Var name : stm.names)
      for (Expr extent : arena.info(name).shape) scalar::for_each_new_node(extent, nodes, [](Expr) {});
    for (const auto& nested : soac::nested_in(stm)) add_shapes(arena, *nested.lambda, nodes);
  }
}

/// Finds where to split the axes of a part.
class Places {
 public:
  Places(Arena& arena, const Region& part, const std::vector<Split>* conditions)
      : part_(part),
        soac_(std::get<soac::Soac>(part.stm.op)),
        conditions_(conditions),
        indices_(arena, soac_),
        known_(indices_.everywhere()) {
    known_.insert(known_.end(), part.known.begin(), part.known.end());
    soac::for_each_root(soac_.body, [&](Expr root) { roots_.push_back(root); });
    const bool has_loops = std::ranges::any_of(soac_.body.body, [](const Stm& s) {
      return std::holds_alternative<soac::Soac>(s.op) || std::holds_alternative<soac::Loop>(s.op);
    });
    // After the end of an array every point fails: loops in the body would be there twice for nothing.
    std::unordered_set<Expr> of_shapes;
    add_shapes(arena, soac_.body, of_shapes);
    scalar::for_each_node(roots_, [&](Expr node) {
      if (of_shapes.contains(node)) return;
      const bool only_ends = has_loops && node.op() == scalar::Op::index;
      for (Expr comparison : indices_.comparisons_of(node)) add(comparison, only_ends);
    });
  }

  std::size_t innermost() const { return soac_.dims.size() - 1; }

  /// On an axis, the place with the longest first end, else with the longest last end, else any; or null.
  const Place* on_axis(std::size_t axis) const {
    const Place* best = nullptr;
    const auto rank = [](const Place& p) {
      return std::pair(p.end == 0 ? 0 : p.inside.is_behind ? 2 : 1, p.end);
    };
    for (const Place& place : places_)
      if (place.inside.axis == axis && (!best || rank(*best) < rank(place))) best = &place;
    return best;
  }
  /// The longest ends of the outer axes.
  std::vector<const Place*> ends_of_rows() const {
    std::vector<const Place*> ends;
    for (std::size_t axis = 0; axis < innermost(); ++axis)
      for (const bool is_behind : {true, false}) {
        const Place* longest = nullptr;
        for (const Place& place : places_)
          if (place.inside.axis == axis && place.inside.is_behind == is_behind && place.end > 0 &&
              (!longest || longest->end < place.end))
            longest = &place;
        if (longest) ends.push_back(longest);
      }
    return ends;
  }
  const Place* half_of_rows() const {
    for (const Place& place : places_)
      if (place.inside.axis != innermost() && place.end == 0) return &place;
    return nullptr;
  }

 private:
  void add(Expr comparison, bool only_ends) {
    if (comparison.is_constant()) return;
    if (!seen_.insert(comparison).second) return;
    const bool is_allowed =
        !conditions_ || std::ranges::find(*conditions_, comparison, &Split::condition) != conditions_->end();
    if (!is_allowed) return;
    const auto threshold = indices_.threshold_of(comparison);
    if (!threshold || indices_.value_of(comparison, known_)) return;
    const auto [axis, first, last, holds_before] = *threshold;
    const Expr extent = indices_.extents()[axis];
    const auto in_front = constant_of(last), behind = constant_of(extent - first);
    const auto is_end = [](const std::optional<std::int64_t>& n) { return n && 0 < *n && *n <= few_columns; };
    if (is_end(in_front)) {
      add({axis, last, true}, comparison, *in_front);
    } else if (is_end(behind)) {
      add({axis, first, false}, comparison, *behind);
    } else if (first == last) {
      if (!only_ends) add({axis, first, false}, comparison, 0);
    } else {
      // What a window reads outside of the array: at its ends, which are as long as the window.
      add({axis, holds_before ? first : last, !holds_before}, comparison, few_columns);
    }
  }
  // Unless the axis has been split there: between the two places of a window a comparison stays what it is.
  void add(const Side& inside, Expr comparison, std::int64_t end) {
    const bool was_split = std::ranges::any_of(
        part_.known, [&](const Side& side) { return side.axis == inside.axis && side.at == inside.at; });
    if (!was_split) places_.push_back({inside, comparison, end});
  }

  const Region& part_;
  const soac::Soac& soac_;
  const std::vector<Split>* const conditions_;
  Indices indices_;
  std::vector<Side> known_;
  std::vector<Expr> roots_;
  std::unordered_set<Expr> seen_;
  std::vector<Place> places_;
};

/// Decides what it can of a statement, of whose indices this is known, and of which comparisons not all hold.
class Decider {
 public:
  Decider(Arena& arena, const Stm& stm, const std::vector<Side>& known, std::vector<Expr> not_all = {})
      : arena_(arena),
        indices_(arena, std::get<soac::Soac>(stm.op)),
        known_(indices_.everywhere()),
        not_all_(std::move(not_all)) {
    known_.insert(known_.end(), known.begin(), known.end());
    std::unordered_set<Expr> of_shapes;
    add_shapes(arena, std::get<soac::Soac>(stm.op).body, of_shapes);
    for (Expr e : of_shapes) memo_.emplace(e, e);
  }

  Stm operator()(Stm stm) {
    Lambda& body = std::get<soac::Soac>(stm.op).body;
    scalar::Substitution substitute(arena_, [&](Expr root) { return decided(root); });
    soac::substitute_in(body, substitute);
    take_branches(body);
    return made_by(rewrite::pieces, arena_, std::move(stm));
  }

 private:
  Expr decided(Expr root) {
    std::vector<Expr> args;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (memo_.contains(e)) return;
      args.clear();
      for (Expr child : e.args()) args.push_back(memo_.at(child));
      const Expr rebuilt = scalar::rebuild(arena_, e, args);
      const Expr decided = is_of_all(rebuilt) ? arena_.boolean(false) : indices_.decided(rebuilt, known_);
      memo_.emplace(e, decided ? decided : rebuilt);
    });
    return memo_.at(root);
  }
  // Whether it is a conjunction of all these comparisons, and perhaps of others.
  bool is_of_all(Expr e) const {
    if (not_all_.empty() || e.op() != scalar::Op::bit_and || e.type().kind != scalar::Kind::boolean)
      return false;
    std::vector<Expr> operands{e}, missing = not_all_;
    while (!operands.empty() && !missing.empty()) {
      const Expr next = operands.back();
      operands.pop_back();
      std::erase(missing, next);
      if (next.op() == e.op()) operands.insert(operands.end(), next.args().begin(), next.args().end());
    }
    return missing.empty();
  }

  // Branches that are decided now give way to what they take.
  void take_branches(Lambda& f) {
    soac::Renaming rename(arena_, soac::Renaming::Binders::keep);
    std::vector<Stm> stms;
    for (Stm& s : f.body) take(s, rename, stms);
    f.body = std::move(stms);
    rename.in_place(f.results);
    for (Stm& s : f.body)
      for (auto& nested : soac::nested_in(s)) take_branches(*nested.lambda);
  }
  static void take(const Stm& s, soac::Renaming& rename, std::vector<Stm>& out) {
    const auto* branches = base::as<soac::If>(s.op);
    if (!branches || !branches->condition.is_constant()) {
      out.push_back(rename(s));
      return;
    }
    const Lambda& taken = branches->condition.bits() ? branches->then_branch : branches->else_branch;
    for (const Stm& inner : taken.body) take(inner, rename, out);
    for (std::size_t k = 0; k < s.names.size(); ++k) rename.bind(s.names[k], rename(taken.results[k]));
  }

  Arena& arena_;
  Indices indices_;
  std::vector<Side> known_;
  std::vector<Expr> not_all_;
  std::unordered_map<Expr, Expr> memo_;
};

// The rows outside of at least one of these sides. Conditions that hold on their sides alone do not all hold.
Region outside_of(Arena& arena, const Region& part, const RowPieces& pieces) {
  Region here = part;
  Indices indices(arena, std::get<soac::Soac>(part.stm.op));
  for (std::size_t k = 0; k < pieces.sides.size(); ++k) {
    Side other = pieces.sides[k];
    const auto inside = indices.value_of(pieces.conditions[k], std::span(&other, 1));
    other.is_behind = !other.is_behind;
    const auto outside = indices.value_of(pieces.conditions[k], std::span(&other, 1));
    if (inside != true || outside != false) return here;
  }
  here.stm = Decider(arena, part.stm, part.known, pieces.conditions)(part.stm);
  return here;
}

Region on_sides(Arena& arena, const Region& part, std::span<const Side> sides) {
  Region here{part.stm, part.known, part.is_of_rows, part.has_few_rows};
  here.known.insert(here.known.end(), sides.begin(), sides.end());
  here.stm = Decider(arena, part.stm, here.known)(part.stm);
  return here;
}

}  // namespace

std::optional<std::int64_t> most_columns(Arena& arena, const Region& part) {
  const std::vector<Expr>& dims = std::get<soac::Soac>(part.stm.op).dims;
  if (dims.empty()) return {};
  std::vector<Expr> lows{arena.i64(0)}, highs{dims.back()};
  for (const Side& side : part.known)
    if (side.axis + 1 == dims.size()) (side.is_behind ? lows : highs).push_back(side.at);
  std::optional<std::int64_t> most;
  for (Expr low : lows)
    for (Expr high : highs)
      if (const auto n = constant_of(high - low); n && (!most || *n < *most)) most = n;
  return most;
}

std::optional<Pieces> split(Arena& arena, const Region& part, const std::vector<Split>* conditions) {
  if (std::get<soac::Soac>(part.stm.op).dims.empty()) return {};
  if (const auto most = most_columns(arena, part); most && *most <= few_columns && !part.known.empty())
    return {};
  const Places places(arena, part, conditions);
  const Place* place = places.on_axis(places.innermost());
  if (!place) return {};
  Side before = place->inside, behind = place->inside;
  before.is_behind = false, behind.is_behind = true;
  return Pieces{before.at, on_sides(arena, part, std::span(&before, 1)),
                on_sides(arena, part, std::span(&behind, 1)), place->condition};
}

std::optional<RowPieces> split_rows(Arena& arena, const Region& part, const std::vector<Split>* conditions,
                                    bool may_halve) {
  if (part.is_of_rows || std::get<soac::Soac>(part.stm.op).dims.size() < 2) return {};
  const Places places(arena, part, conditions);
  RowPieces pieces;
  if (const Place* half = places.half_of_rows(); half && may_halve) {
    Side other = half->inside;
    other.is_behind = !other.is_behind;
    pieces.sides = {half->inside};
    pieces.conditions = {half->condition};
    pieces.inside = on_sides(arena, part, pieces.sides);
    pieces.others = on_sides(arena, part, std::span(&other, 1));
    return pieces;
  }
  for (const Place* end : places.ends_of_rows()) {
    pieces.sides.push_back(end->inside);
    pieces.conditions.push_back(end->condition);
  }
  if (pieces.sides.empty()) return {};
  pieces.are_ends = true;
  pieces.inside = on_sides(arena, part, pieces.sides);
  pieces.others = outside_of(arena, part, pieces);
  pieces.inside.is_of_rows = pieces.others.is_of_rows = pieces.others.has_few_rows = true;
  return pieces;
}

namespace {

void add_split(Expr condition, std::vector<Split>& splits) {
  const Split found{condition};
  if (std::ranges::find(splits, found) == splits.end()) splits.push_back(found);
}

void add_splits(Arena& arena, const Region& part, std::int64_t most, std::int64_t most_rows,
                std::vector<Split>& splits) {
  if (const auto rows = split_rows(arena, part, nullptr, most_rows > 0)) {
    for (Expr condition : rows->conditions) add_split(condition, splits);
    add_splits(arena, rows->inside, most, most_rows - 1, splits);
    return add_splits(arena, rows->others, most, most_rows - 1, splits);
  }
  if (most == 0) return;
  const auto pieces = split(arena, part, nullptr);
  if (!pieces) return;
  add_split(pieces->condition, splits);
  add_splits(arena, pieces->before, most - 1, 0, splits);
  add_splits(arena, pieces->behind, most - 1, 0, splits);
}

std::int64_t n_nodes(const Stm& stm) {
  std::vector<Expr> roots;
  soac::for_each_root(stm, [&](Expr root) { roots.push_back(root); });
  std::int64_t n = 0;
  scalar::for_each_node(roots, [&](Expr) { ++n; });
  return n;
}

/// How long the code is of the pieces that these splits make, in nodes of expressions: as walks take them.
class Text {
 public:
  Text(Arena& arena, const std::vector<Split>& splits, const SplitLimits& limits)
      : arena_(arena), splits_(splits), loops_(limits.loops) {}

  std::int64_t rows(const Region& part, std::size_t n_more) const {
    const auto pieces = n_more > 0 ? split_rows(arena_, part, &splits_, true) : std::nullopt;
    if (!pieces || pieces->conditions.size() > n_more) return columns(part, n_more);
    const std::size_t fewer = n_more - pieces->conditions.size();
    return rows(pieces->inside, fewer) + rows(pieces->others, fewer);
  }

 private:
  std::int64_t columns(const Region& part, std::size_t n_more) const {
    const auto pieces = n_more > 0 ? split(arena_, part, &splits_) : std::nullopt;
    if (pieces) return columns(pieces->before, n_more - 1) + columns(pieces->behind, n_more - 1);
    const auto most = part.known.empty() ? std::nullopt : most_columns(arena_, part);
    const bool is_short = part.has_few_rows || (most && *most <= few_columns);
    return n_nodes(part.stm) * (is_short ? 1 : loops_);
  }

  Arena& arena_;
  const std::vector<Split>& splits_;
  const std::int64_t loops_;
};

}  // namespace

std::vector<Split> splits_of(Arena& arena, const Stm& stm, const SplitLimits& limits) {
  if (limits.columns == 0 || std::get<soac::Soac>(stm.op).dims.empty()) return {};
  const std::int64_t most_text = limits.text * limits.loops * n_nodes(stm);
  for (std::int64_t columns = limits.columns, rows = limits.rows; columns > 0;) {
    std::vector<Split> splits;
    add_splits(arena, {stm}, columns, rows, splits);
    const Text text(arena, splits, limits);
    if (splits.empty() || text.rows({stm}, splits.size()) <= most_text) return splits;
    if (rows > 0)
      --rows;
    else
      columns /= 2;
  }
  return {};
}

}  // namespace fulgurite::schedule
