#include "schedule/rewrites/networks.h"

#include <utility>

#include "schedule/lanes/kept_arrays.h"
#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/versions.h"
#include "soac/sort_network.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Arena, scalar::Expr;
using soac::Soac, soac::Stm;

namespace {

// Puts networks in place of the sorts of a map, if lanes keep its rows. Where that suits; absent: nowhere.
Expr use_networks(Arena& arena, Stm& map, const Lanes& lanes) {
  auto& op = std::get<Soac>(map.op);
  const std::int64_t vector = lanes.device.vector_bytes;
  const Expr are_short =
      soac::use_networks(arena, op.body, lanes.by.network_bytes * vector * vector / (64 * 64));
  if (!are_short) return {};
  const auto kept = kept_by_lanes(arena, op, choose(arena, op, lanes), lanes, soac::same_for_all_points(op));
  if (!kept || !kept->are_short.is_constant(1)) return {};
  return are_short & kept->suit(op, lanes.by);
}

// Sorts by networks in maps of their own, before a map whose rows lanes do not keep.
Expr use_networks_before(Arena& arena, const Stm& map, const Lanes& lanes, std::vector<Stm>& all) {
  all = soac::with_sorts_before(arena, map);
  Expr suits;
  for (std::size_t k = 0; k < all.size(); ++k) {
    auto& body = std::get<Soac>(all[k].op).body;
    body = slice(arena, body, body.results);
    if (k + 1 == all.size()) break;
    const Expr suits_rows = soac::may_fail(all[k]) ? Expr() : use_networks(arena, all[k], lanes);
    if (!suits_rows) return {};
    suits = suits ? suits & suits_rows : suits_rows;
  }
  return suits;
}

}  // namespace

soac::Program sort_by_networks(soac::Program program, int vector_bytes, const LanesPolicy& by) {
  Arena& arena = *program.arena;
  const soac::EqualSizes sizes(program);
  const Lanes lanes{sizes, {.vector_bytes = vector_bytes}, by};
  return rewrite_soacs(std::move(program), [&](Stm s, bool, std::vector<Stm>& all) {
    std::vector<Stm> sorted{s};
    Expr suits = use_networks(arena, sorted[0], lanes);
    if (!suits) suits = use_networks_before(arena, s, lanes, sorted);
    if (!suits || suits.is_constant(0)) return all.push_back(std::move(s));
    for (Stm& each : sorted) each = made_by(rewrite::networks, arena, std::move(each));
    all.push_back(one_of(arena, s, suits, std::move(sorted), {s}));
  });
}

}  // namespace fulgurite::schedule
