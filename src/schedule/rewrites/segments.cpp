#include "schedule/rewrites/segments.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/items.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Var;
using soac::Sort, soac::Stm;

namespace {

bool sorts_segments(const Stm& stm) {
  const auto* sort = base::as<Sort>(stm.op);
  return sort != nullptr && static_cast<bool>(sort->segments);
}

// Whether the statement after number k sorts, within the same segments, the result of that one, and nothing
// else reads it.
bool goes_on(const std::vector<Stm>& body, const std::vector<Expr>& results, std::size_t k) {
  if (k + 1 == body.size() || !sorts_segments(body[k + 1])) return false;
  const auto& next = std::get<Sort>(body[k + 1].op);
  if (next.segments != std::get<Sort>(body[k].op).segments) return false;
  soac::Vars read_behind;
  for (std::size_t i = k + 2; i < body.size(); ++i) soac::add_mentioned(body[i], read_behind);
  soac::add_mentioned(results, read_behind);
  const std::vector<Var>& made = body[k].names;
  const auto is_made = [&](Expr array) { return std::ranges::find(made, array.var()) != made.end(); };
  return std::ranges::none_of(made, [&](Var name) { return read_behind.contains(name); }) &&
         std::ranges::all_of(next.arrays, is_made);
}

void expand(Arena& arena, std::vector<Stm>& body, const std::vector<Expr>& results, bool is_wanted) {
  std::vector<Stm> expanded;
  for (std::size_t k = 0; k < body.size(); ++k) {
    if (!is_wanted || !sorts_segments(body[k])) {
      const bool enters = is_wanted || base::as<soac::Soac>(body[k].op) != nullptr;
      for (auto& inner : soac::nested_in(body[k]))
        expand(arena, inner.lambda->body, inner.lambda->results, enters);
      expanded.push_back(std::move(body[k]));
      continue;
    }
    const std::size_t first = k;
    while (goes_on(body, results, k)) ++k;
    std::ranges::move(by_segments(arena, std::span(body).subspan(first, k + 1 - first)),
                      std::back_inserter(expanded));
  }
  body = std::move(expanded);
}

}  // namespace

std::vector<Stm> by_segments(Arena& arena, std::span<const Stm> sorts) {
  const Stm& last = sorts.back();
  const Expr n = arena.info(last.names[0]).shape[0];
  const auto fresh = [&](Kind kind, const std::string& name) { return arena.fresh_array(kind, {n}, name); };
  Expr items = fresh(Kind::i64, "item");
  std::vector<Stm> made =
      soac::item_of_each(arena, std::get<Sort>(sorts[0].op).segments, items.var(), sorts[0]);
  // The number of the segment travels along, the first of what is sorted.
  for (const Stm& stm : sorts) {
    Sort sort = std::get<Sort>(stm.op);
    sort.segments = {};
    sort.arrays.insert(sort.arrays.begin(), items);
    sort.key.params.insert(sort.key.params.begin(), arena.fresh({Kind::i64}, "item").var());
    items = fresh(Kind::i64, "item");
    std::vector<Var> names{items.var()};
    names.insert(names.end(), stm.names.begin(), stm.names.end());
    made.push_back({std::move(names), std::move(sort), stm.where, stm.origin});
  }
  std::vector<Var>& in_order = made.back().names;
  const Expr item = arena.fresh({Kind::i64}, "item");
  Sort by_item{{items}, {{item.var()}, {}, {cast(item, Kind::u64)}}};
  std::vector<Var> names{fresh(Kind::i64, "item").var()};
  for (std::size_t k = 0; k < last.names.size(); ++k) {
    const auto& info = arena.info(last.names[k]);
    const Expr array = fresh(info.type.kind, info.name);
    in_order[k + 1] = array.var();
    by_item.arrays.push_back(array);
    by_item.key.params.push_back(arena.fresh({info.type.kind}, "x").var());
    names.push_back(last.names[k]);
  }
  made.push_back({std::move(names), std::move(by_item), last.where, last.origin});
  for (Stm& stm : made) stm = made_by(rewrite::segments, arena, std::move(stm));
  return made;
}

soac::Program without_segments(soac::Program program) {
  expand(*program.arena, program.body, program.results, true);
  return program;
}

soac::Program without_segments_inside(soac::Program program) {
  expand(*program.arena, program.body, program.results, false);
  return program;
}

}  // namespace fulgurite::schedule
