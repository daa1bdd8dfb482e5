#include "schedule/rewrites/ragged_scan.h"

#include <algorithm>

#include "base/match.h"
#include "scalar/value.h"
#include "schedule/nest.h"
#include "schedule/rewrites/partial_rows.h"
#include "schedule/rewrites/ragged.h"
#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/versions.h"
#include "soac/operation.h"
#include "soac/rename.h"
#include "soac/sums.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;
using soac::Lambda, soac::Stm;

namespace {

class RaggedScan {
 public:
  RaggedScan(Arena& arena, const Stm& map, const RaggedRows& rows, const BlocksPolicy& by)
      : arena_(arena), map_(map), rows_(rows), by_(by), n_(std::get<soac::Soac>(map.op).dims[0]) {}

  // longest, shortest = ..
  // if (no row is long) { the map } else { scanned; the last element of each row }
  std::vector<Stm> operator()() {
    const Expr longest = fresh("longest"), shortest = fresh("shortest"), i = fresh("i");
    const Expr size = length(i);
    Stm survey = statement(
        {longest.var(), shortest.var()},
        soac::Soac{{n_},
                   {{i.var()}, {}, {size, size}},
                   {reduction_by(arena_, Op::max, arena_.i64(0)), reduction_by(arena_, Op::min, most())}});
    const Expr are_short = longest <= by_.ragged_long;
    // Rows out of order have elements in common.
    const Expr are_out_of_order = shortest < 0;
    std::vector<Stm> scanned;
    mark_begins(scanned);
    scanned.push_back(scan());
    scanned.push_back(last_of_each());
    return {made(std::move(survey)),
            made(one_of(arena_, map_, are_short | are_out_of_order, {map_}, std::move(scanned)))};
  }

 private:
  Expr fresh(const char* name) { return arena_.fresh({Kind::i64}, name); }
  Expr at(Expr array, Expr i) { return arena_.index(array, std::span(&i, 1)); }
  Expr most() { return arena_.constant(Kind::i64, scalar::highest(Kind::i64)); }
  Expr begin(Expr row) { return scalar::substitute(arena_, rows_.begin, {{rows_.row, row}}); }
  Expr length(Expr row) {
    const Expr own = begin(row), next = begin(row + 1);
    return next - own;
  }
  Stm statement(std::vector<Var> names, soac::Operation op) {
    return {std::move(names), std::move(op), map_.where, map_.origin};
  }
  Stm made(Stm stm) { return made_by(rewrite::ragged_scan, arena_, std::move(stm)); }
  // If several rows begin in one place, only one of them has elements.
  void mark_begins(std::vector<Stm>& all) {
    const Expr begin_of_all = fresh("begin"), row = fresh("i"), e = fresh("e"), zero = arena_.i64(0);
    first_ = begin_of_all, n_elements_ = fresh("n");
    all.push_back(statement({first_.var()}, soac::Let{begin(zero)}));
    all.push_back(statement({n_elements_.var()}, soac::Let{begin(n_) - first_}));
    begins_ = arena_.fresh_array(Kind::i32, {n_elements_}, "begins");
    soac::Scatter scatter{{n_elements_}, {{e.var()}, {}, {cast(zero, Kind::i32)}}};
    scatter.of_equal = soac::OfEqual::unordered;
    const Expr place = select(zero < length(row), begin(row) - first_, -1);
    soac::Soac marks{{n_}, {{row.var()}, {}, {place, cast(arena_.i64(1), Kind::i32)}}};
    marks.scatters.push_back(std::move(scatter));
    all.push_back(statement({begins_.var()}, std::move(marks)));
  }

  Stm scan() {
    Lambda body = with_neutral(arena_, std::get<soac::Soac>(map_.op));
    soac::Reduction segmented = by_segments_of(arena_, reduction_of(body).reductions, map_.where);
    const Expr e = fresh("e"), number = first_ + e;
    std::vector<Expr> operands{at(begins_, e)};
    for (Expr operand : rows_.element.results)
      operands.push_back(
          scalar::substitute(arena_, soac::by_itself(operand), {{rows_.element.params[0], number}}));
    std::vector<Var> names;
    Stm all = statement({}, soac::Soac{{n_elements_}, {{e.var()}, {}, {}}});
    Lambda& f = std::get<soac::Soac>(all.op).body;
    for (Expr neutral : segmented.neutral) {
      names.push_back(arena_.fresh({neutral.kind()}, "so_far").var());
      if (names.size() == 1) continue;
      f.results.push_back(arena_.name(names.back()));
      scanned_.push_back(arena_.fresh_array(neutral.kind(), {n_elements_}, "scanned"));
      all.names.push_back(scanned_.back().var());
    }
    f.body.push_back(statement(std::move(names), soac::Scan{std::move(segmented), std::move(operands)}));
    return all;
  }

  // The map, with that instead of the reduction; the neutral element is that of a row without elements.
  Stm last_of_each() {
    Lambda body = with_neutral(arena_, std::get<soac::Soac>(map_.op));
    const std::vector<soac::Reduction> reductions = reduction_of(body).reductions;
    const Expr row = arena_.name(rows_.row), last = begin(row + 1) - 1 - first_;
    std::vector<Expr> lasts, neutral, totals;
    for (Expr scanned : scanned_) lasts.push_back(at(scanned, last));
    for (const soac::Reduction& r : reductions)
      neutral.insert(neutral.end(), r.neutral.begin(), r.neutral.end());
    const std::vector<Var> names = body.body[0].names;
    std::vector<Var> of_elements;
    for (Expr value : neutral) {
      totals.push_back(arena_.fresh({value.kind()}, "total"));
      of_elements.push_back(totals.back().var());
    }
    body.body = {
        statement(of_elements, soac::If{arena_.i64(0) < length(row), {{}, {}, lasts}, {{}, {}, neutral}})};
    std::unordered_map<Var, Expr> values;
    std::size_t at = 0;
    for (const soac::Reduction& r : reductions) {
      const std::span<const Expr> total = std::span(totals).subspan(at, r.neutral.size());
      for (Expr value : behind_initial(r, total, body.body)) values.emplace(names[at++], value);
    }
    for (Expr& result : body.results) result = scalar::substitute(arena_, result, values);
    Stm all = map_;
    const Expr point = fresh("i");
    soac::Applied renamed = soac::apply(arena_, body, std::span(&point, 1));
    std::get<soac::Soac>(all.op).body = {{point.var()}, std::move(renamed.body), std::move(renamed.results)};
    return all;
  }

  std::vector<Expr> behind_initial(const soac::Reduction& r, std::span<const Expr> total,
                                   std::vector<Stm>& body) {
    if (r.initial.empty()) return {total.begin(), total.end()};
    std::vector<Expr> operands = r.initial;
    operands.insert(operands.end(), total.begin(), total.end());
    soac::Applied joined = soac::apply(arena_, r.op, operands);
    std::ranges::move(joined.body, std::back_inserter(body));
    return joined.results;
  }

  Arena& arena_;
  const Stm& map_;
  const RaggedRows& rows_;
  const BlocksPolicy& by_;
  const Expr n_;
  Expr first_, n_elements_;  // of all rows
  Expr begins_;              // of elements, whether a row begins there
  std::vector<Expr> scanned_;
};

bool can_fail(const Stm& map, const RaggedRows& rows) {
  return soac::may_fail(map) || std::ranges::any_of(rows.element.results, scalar::can_fail);
}

// What the points of a Soac make of the reduction of a row, which is its function's only statement, besides a
// map: a statement of its own gives the reductions, so that blocks share rows there, too.
std::optional<Stm> apart(Arena& arena, Stm& s) {
  auto& op = std::get<soac::Soac>(s.op);
  if (op.reductions.empty() && op.scatters.empty() && op.partitions.empty()) return {};
  if (op.dims.size() != 1 || op.body.body.size() != 1) return {};
  const auto* reduction = base::as<soac::Soac>(op.body.body[0].op);
  if (!reduction) return {};
  std::size_t n_reduced = 0;
  for (const soac::Reduction& r : reduction->reductions) n_reduced += r.op.results.size();
  if (n_reduced == 0 || n_reduced != op.body.body[0].names.size()) return {};
  const Lambda body = with_neutral(arena, op);
  Stm reductions = unfinished(arena, {s.names, soac::Soac{op.dims, body}, s.where, s.origin});
  if (!reduces_ragged_rows(arena, reductions)) return {};
  const Expr row = arena.fresh({Kind::i64}, "i");
  std::unordered_map<Var, Expr> given{{op.body.params[0], row}};
  const std::vector<Var>& names = body.body[0].names;
  for (std::size_t k = 0; k < names.size(); ++k)
    given.emplace(names[k], arena.index(arena.name(reductions.names[k]), std::span(&row, 1)));
  op.body.body.clear();
  op.body.params = {row.var()};
  for (Expr& result : op.body.results) result = scalar::substitute(arena, result, given);
  s = made_by(rewrite::ragged_scan, arena, std::move(s));
  return reductions;
}

bool is_scan(const Stm& s) {
  return base::as<soac::Scan>(s.op) != nullptr;
}
// Whether it reduces a row whose length differs from point to point.
bool reduces_a_row(const Stm& s, const soac::Vars& of_point) {
  const auto* inner = base::as<soac::Soac>(s.op);
  if (!inner || inner->reductions.empty()) return false;
  soac::Vars mentioned;
  soac::add_mentioned(inner->dims, mentioned);
  return std::ranges::any_of(mentioned, [&](Var name) { return of_point.contains(name); });
}

// Scans at whose points such rows are reduced: few blocks scan, and each would reduce all rows of its points.
// The Scans get a statement of their own, which gives what the rest of the function mentions.
std::optional<Stm> scans_apart(Arena& arena, Stm& s) {
  auto& op = std::get<soac::Soac>(s.op);
  std::vector<Stm>& body = op.body.body;
  soac::Vars of_point;
  soac::add_bound(op.body, of_point);
  const auto first = std::ranges::find_if(body, [&](const Stm& stm) { return reduces_a_row(stm, of_point); });
  if (op.dims.size() != 1 || first == body.end() || !std::any_of(body.begin(), first, is_scan)) return {};
  if (std::any_of(first, body.end(), is_scan)) return {};
  soac::Vars mentioned;
  for (auto stm = first; stm != body.end(); ++stm) soac::add_mentioned(*stm, mentioned);
  soac::add_mentioned(op.body.results, mentioned);
  Stm scans{{}, soac::Soac{op.dims, {op.body.params, {body.begin(), first}, {}}}, s.where, s.origin};
  const Expr point = arena.fresh({Kind::i64}, "i");
  std::unordered_map<Var, Expr> given{{op.body.params[0], point}};
  for (auto stm = body.begin(); stm != first; ++stm)
    for (Var name : stm->names) {
      if (!mentioned.contains(name)) continue;
      if (arena.info(name).type.rank != 0) return {};
      const Expr array = arena.fresh_array(arena.info(name).type.kind, op.dims, arena.info(name).name);
      scans.names.push_back(array.var());
      std::get<soac::Soac>(scans.op).body.results.push_back(arena.name(name));
      given.emplace(name, arena.index(array, std::span(&point, 1)));
    }
  body.erase(body.begin(), first);
  op.body.params = {point.var()};
  scalar::Substitution places(arena, [&](Expr e) {
    const auto found = e.is_name() ? given.find(e.var()) : given.end();
    return found == given.end() ? Expr() : found->second;
  });
  soac::substitute_in(op.body, places);
  s = made_by(rewrite::ragged_scan, arena, std::move(s));
  return made_by(rewrite::ragged_scan, arena, std::move(scans));
}

void add(Arena& arena, Stm s, const BlocksPolicy& by, bool may_ask, std::vector<Stm>& all) {
  if (std::optional<Stm> scans = scans_apart(arena, s)) all.push_back(std::move(*scans));
  s = with_length(arena, std::move(s));
  if (std::optional<Stm> reductions = apart(arena, s)) add(arena, std::move(*reductions), by, may_ask, all);
  const std::optional<RaggedRows> rows = may_ask ? reduces_ragged_rows(arena, s) : std::nullopt;
  if (!rows || can_fail(s, *rows)) return all.push_back(std::move(s));
  std::ranges::move(RaggedScan(arena, s, *rows, by)(), std::back_inserter(all));
}

}  // namespace

Stm with_length(const Arena& arena, Stm map) {
  auto& f = std::get<soac::Soac>(map.op).body;
  if (f.body.size() != 2) return map;
  const auto* length = base::as<soac::Let>(f.body[0].op);
  auto* reduction = base::as<soac::Soac>(f.body[1].op);
  if (!length || !reduction || reduction->dims.size() != 1) return map;
  const Expr name = arena.name(f.body[0].names[0]);
  if (reduction->dims[0] != name || length->value.op() != Op::sub) return map;
  Stm without = f.body[1];
  std::get<soac::Soac>(without.op).dims[0] = length->value;
  soac::Vars mentioned;
  soac::add_mentioned(without, mentioned);
  soac::add_mentioned(f.results, mentioned);
  if (mentioned.contains(name.var())) return map;
  f.body = {std::move(without)};
  return map;
}

soac::Program scan_long_rows(soac::Program program, const BlocksPolicy& by) {
  Arena& arena = *program.arena;
  return rewrite_soacs(std::move(program), [&](Stm s, bool is_in_loop, std::vector<Stm>& all) {
    add(arena, std::move(s), by, !is_in_loop, all);
  });
}

}  // namespace fulgurite::schedule
