#include "lower/ragged_rows.h"

#include <algorithm>
#include <utility>

#include "base/match.h"
#include "lower/short_rows.h"
#include "schedule/rewrites/slice.h"
#include "soac/rename.h"

namespace fulgurite::lower {

namespace {

constexpr std::int64_t rows_together = 64;
constexpr std::int64_t room = 2048;  // for elements of these rows
constexpr std::int64_t most_row_lanes = 64;

const soac::Soac* reduction_of(const soac::Soac& op) {
  if (op.dims.size() != 1 || op.body.body.size() != 1) return nullptr;
  const auto* inner = base::as<soac::Soac>(op.body.body[0].op);
  if (!inner || inner->dims.size() != 1 || !inner->body.body.empty()) return nullptr;
  std::size_t n_operands = 0;
  for (const soac::Reduction& r : inner->reductions) n_operands += r.neutral.size();
  return n_operands > 0 && n_operands == inner->body.results.size() ? inner : nullptr;
}

// Whether an element is read at a place that is read: a gather, of which full vectors need fewer.
bool gathers(std::span<const Expr> roots) {
  bool found = false;
  scalar::for_each_node(roots, [&](Expr e) {
    if (e.op() != Op::index) return;
    const auto places = e.args().subspan(1);
    scalar::for_each_node(places, [&](Expr place) { found = found || place.op() == Op::index; });
  });
  return found;
}

}  // namespace

std::optional<RaggedRows> ragged_rows(scalar::Arena& arena, const soac::Stm& map) {
  const auto& op = std::get<soac::Soac>(map.op);
  const soac::Soac* reduction = reduction_of(op);
  if (!reduction || reduction->dims[0].op() != Op::sub) return {};
  const Var row = op.body.params[0], j = reduction->body.params[0];
  const Expr end = reduction->dims[0].arg(0), begin = reduction->dims[0].arg(1);
  const Expr next = arena.add(arena.name(row), arena.i64(1));
  if (scalar::can_fail(begin) || scalar::substitute(arena, begin, {{row, next}}) != end) return {};
  const Expr place = arena.add(begin, arena.name(j)), number = arena.fresh({Kind::i64}, "number");
  scalar::Substitution numbered(arena, [&](Expr e) { return e == place ? number : Expr(); });
  RaggedRows rows{row, begin, {{number.var()}, {}, {}}};
  for (Expr operand : reduction->body.results) rows.element.results.push_back(numbered(operand));
  const auto is_of_element = [&](Expr e) { return !mentions(e, row) && !mentions(e, j); };
  if (!std::ranges::all_of(rows.element.results, is_of_element)) return {};
  return rows;
}

std::optional<RaggedRows> dear_ragged_rows(scalar::Arena& arena, const soac::Stm& map) {
  std::optional<RaggedRows> rows = ragged_rows(arena, map);
  if (!rows || !schedule::commutes(*reduction_of(std::get<soac::Soac>(map.op))) ||
      !gathers(rows->element.results))
    return {};
  return rows;
}

void walk_ragged_rows(const Emitter& e, const soac::Stm& map, const RaggedRows& rows, Expr from, Expr to,
                      const Policy& policy, const std::function<void(const soac::Stm& map, Expr i)>& row) {
  scalar::Arena& arena = e.arena();
  const auto i64 = [&](std::int64_t value) { return arena.i64(value); };
  const auto begin_of = [&](Expr i) {
    return e.lower(scalar::substitute(arena, rows.begin, {{rows.row, i}}));
  };

  soac::Stm reduced = map;  // the map behind the reduction
  std::vector<soac::Stm>& statements = std::get<soac::Soac>(reduced.op).body.body;
  soac::Lambda of_row{{rows.row}, std::exchange(statements, {}), {}};  // the reduction of what was left
  const std::vector<Var> totals = of_row.body[0].names;
  auto& reduction = std::get<soac::Soac>(of_row.body[0].op);
  const Expr place = arena.add(rows.begin, arena.name(reduction.body.params[0]));
  std::vector<Var> elements, buffers;
  for (Expr& operand : reduction.body.results) {
    elements.push_back(arena.fresh_array(operand.kind(), {i64(room)}, "elements").var());
    buffers.push_back(e.allocate_shared(operand.kind(), room));
    operand = arena.index(arena.name(elements.back()), std::span(&place, 1));
  }
  const Var failed = e.allocate_shared(Kind::i32, 1);
  Policy in_vectors = policy;
  in_vectors.rows = in_vectors.touch = false;
  const auto reduce = [&](Expr i, Expr length) {
    const soac::Applied here = soac::apply(arena, of_row, std::span(&i, 1));
    Range range;
    range.begin = i64(0), range.end = length;
    const std::int64_t lanes = std::min<std::int64_t>(2 * policy.tail_lanes, most_row_lanes);
    const Emitter at_row = e.at_element(i);
    finish(at_row, here.body[0], reduce_short_row(at_row, here.body[0], range, lanes));
    for (std::size_t k = 0; k < totals.size(); ++k)
      e.bind_name(totals[k], e.lower(arena.name(here.body[0].names[k])));
  };

  e.for_loop(from, to, i64(rows_together), "first", [&](Expr first) {
    const Expr last = e.bind(arena.min(arena.add(first, i64(rows_together)), to), "last");
    const Expr begin = begin_of(first), end = begin_of(last);
    const Expr base = e.bind(arena.sub(i64(0), begin), "base");
    for (std::size_t k = 0; k < elements.size(); ++k) {
      e.set_destination(elements[k], {buffers[k], base});
      e.made(elements[k]);
    }
    const Expr are_there = e.declare(arena.boolean(false), "are_there");
    e.if_then(e.bind(arena.le(e.bind(arena.sub(end, begin), "n"), i64(room)), "fit"), [&] {
      e.store_plain(failed, i64(0), arena.constant(Kind::i32, 0));
      const soac::Stm fill{elements, soac::Soac{{end}, rows.element}, map.where, map.origin};
      Range range;
      range.begin = begin, range.end = end;
      const auto note = [&] { e.store_plain(failed, i64(0), arena.constant(Kind::i32, 1)); };
      block_loop(e.on_failure(note), fill, range, in_vectors);
      e.assign(are_there, arena.eq(e.load_plain(failed, i64(0), "failed"), arena.constant(Kind::i32, 0)));
    });
    const Expr usable = e.snapshot(are_there, "usable");
    e.for_loop(first, last, i64(1), "row", [&](Expr i) {
      const Expr own = begin_of(i), next = begin_of(arena.add(i, i64(1)));
      const Expr ends_inside = arena.le(next, end), begins_inside = arena.le(begin, own);
      const Expr inside = arena.logical_and(begins_inside, ends_inside);
      const auto together = [&] {
        reduce(i, e.bind(arena.sub(next, own), "length"));
        row(reduced, i);
      };
      e.if_then_else(e.bind(arena.logical_and(usable, inside), "is_there"), together, [&] { row(map, i); });
    });
  });
}

}  // namespace fulgurite::lower
