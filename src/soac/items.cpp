#include "soac/items.h"

#include <limits>

#include "soac/operation.h"

namespace fulgurite::soac {

std::vector<Stm> item_of_each(Arena& arena, Expr offsets, Var items, const Stm& like) {
  const auto at = [&](Expr array, Expr i) { return arena.index(array, std::span(&i, 1)); };
  const auto fresh = [&](const char* name) { return arena.fresh({Kind::i64}, name); };
  const Expr n = arena.info(items).shape[0], count = arena.info(offsets.var()).shape[0] - 1;
  const auto statement = [&](Var name, Operation op) {
    return Stm{{name}, std::move(op), like.where, like.origin};
  };

  // If several items begin in one place, only one of them has elements.
  const Expr begun = arena.fresh_array(Kind::i64, {n}, like.origin), s = fresh("i");
  Scatter scatter{{n}, {{fresh("i").var()}, {}, {arena.i64(0)}}};
  scatter.of_equal = OfEqual::unordered;
  const Expr first = at(offsets, s), end = at(offsets, s + 1);
  Soac begin{{count}, {{s.var()}, {}, {select(first < end, first, -1), s}}};
  begin.scatters.push_back(std::move(scatter));

  const Expr i = fresh("i"), item = fresh("item");
  Reduction greatest =
      reduction_by(arena, scalar::Op::max, arena.i64(std::numeric_limits<std::int64_t>::min()));
  Scan scan{std::move(greatest), {at(begun, i)}, true, offsets};
  Soac spread{{n}, {{i.var()}, {statement(item.var(), std::move(scan))}, {item}}};
  return {statement(begun.var(), std::move(begin)), statement(items, std::move(spread))};
}

}  // namespace fulgurite::soac
