#include "lower/carry.h"

#include <algorithm>

#include "schedule/rewrites/slice.h"
#include "soac/rename.h"
#include "walk/arrays.h"

namespace fulgurite::lower {

namespace {

bool is_same_operator(scalar::Arena& arena, const soac::Lambda& a, const soac::Lambda& b) {
  if (!a.body.empty() || !b.body.empty()) return false;
  std::vector<Expr> args;
  for (Var param : a.params) args.push_back(arena.name(param));
  return a.results == soac::apply(arena, b, args).results;
}

Expr element(const Emitter& e, const Destination& array, Expr number) {
  return e.lower(element_of(e, array, number));
}

}  // namespace

int scan_like(scalar::Arena& arena, const soac::Soac& op, const soac::Layout& layout, std::size_t reduction) {
  const soac::Reduction& r = op.reductions[reduction];
  const soac::Layout::Part& part = layout.reductions[reduction];
  const auto operands = std::span(op.body.results).subspan(part.result, part.n_results);
  const std::vector<const soac::Stm*> scans = schedule::scans_of(op.body);
  for (std::size_t k = 0; k < scans.size(); ++k) {
    const auto& scan = std::get<soac::Scan>(scans[k]->op);
    if (std::ranges::equal(scan.operands, operands) && scan.reduction.initial == r.initial &&
        scan.reduction.neutral == r.neutral && is_same_operator(arena, scan.reduction.op, r.op))
      return static_cast<int>(k);
  }
  return -1;
}

soac::Reduction reduction_by(scalar::Arena& arena, scalar::Op op, Expr neutral) {
  const Expr a = arena.fresh({neutral.kind()}, "a"), b = arena.fresh({neutral.kind()}, "b");
  return {{{a.var(), b.var()}, {}, {arena.apply(op, {a, b})}}, {neutral}, {}, true};
}

soac::Reduction integer_sum(scalar::Arena& arena) {
  return reduction_by(arena, Op::add, arena.i64(0));
}

void clear(const Emitter& e, Expr n, const Destination& to) {
  scalar::Arena& arena = e.arena();
  e.for_loop(arena.i64(0), extent(e, n), arena.i64(1), "c",
             [&](Expr c) { e.store_plain(to.buffer, element(e, to, c), arena.i64(0)); });
}

Expr count_off(const Emitter& e, const Destination& counts, Expr runs, Expr classes,
               const Destination& offsets) {
  scalar::Arena& arena = e.arena();
  classes = extent(e, classes), runs = e.lower(runs);
  Expr so_far = e.declare(arena.i64(0), "so_far"), one = arena.i64(1);
  e.for_loop(arena.i64(0), classes, one, "c", [&](Expr c) {
    const Expr offset = e.snapshot(so_far, "so_far");
    e.store_plain(offsets.buffer, element(e, offsets, c), offset);
    e.for_loop(arena.i64(0), runs, one, "t", [&](Expr t) {
      Expr at = element(e, counts, arena.add(arena.mul(t, classes), c));
      Expr count = e.load_plain(counts.buffer, at, "count");
      Expr before = e.snapshot(so_far, "so_far");
      e.store_plain(counts.buffer, at, before);
      e.assign(so_far, e.lower(arena.add(before, count)));
    });
  });
  Expr all = e.snapshot(so_far, "all");
  e.store_plain(offsets.buffer, element(e, offsets, classes), all);
  return all;
}

}  // namespace fulgurite::lower
