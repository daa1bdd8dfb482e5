#include "fuse/past_updates.h"

#include <algorithm>
#include <unordered_map>

#include "soac/apart.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/update.h"

namespace fulgurite::fuse {

using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::Soac;
using soac::Stm;

namespace {

/// What an array becomes, and where elements are replaced.
struct Update {
  Var becomes;
  soac::StoredPlaces replaced;
};

std::unordered_map<Var, Update> updates_of(Arena& arena, const Stm& s, std::span<const Var> wanted) {
  const auto& op = std::get<Soac>(s.op);
  const soac::OutputView outputs = soac::view_of(s);
  std::unordered_map<Var, Update> found;
  for (std::size_t g = 0; g < op.scatters.size(); ++g)
    for (std::size_t k = 0; k < outputs.scatters[g].arrays.size(); ++k) {
      const auto from = soac::contents_of(op.scatters[g], k);
      if (!from || std::ranges::find(wanted, *from) == wanted.end()) continue;
      found.emplace(*from, Update{outputs.scatters[g].arrays[k], {arena, op, outputs.scatters[g].place}});
    }
  return found;
}

}  // namespace

std::optional<Stm> past_update(Arena& arena, const Stm& map, const Stm& update,
                               std::span<const Var> updated) {
  if (soac::may_fail(map)) return {};
  const std::unordered_map<Var, Update> updates = updates_of(arena, update, updated);
  soac::Ranges ranges;
  soac::add_ranges(map, ranges);
  bool misses = true;
  soac::for_each_root(map, [&](Expr root) {
    misses = misses && !(root.is_name() && updates.contains(root.var()));
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      const auto found = e.op() == scalar::Op::index ? updates.find(e.arg(0).var()) : updates.end();
      misses = misses && (found == updates.end() || found->second.replaced.miss(e, ranges));
    });
  });
  if (!misses) return {};
  soac::Renaming rename(arena, soac::Renaming::Binders::keep);
  for (const auto& [from, to] : updates) rename.bind(from, arena.name(to.becomes));
  return rename(map);
}

bool keeps_updates(Arena& arena, const Producer& producer, const Stm& reader, const Path& path) {
  Stm together = reader;
  std::vector<Stm> before;
  inline_reads(arena, producer, together, before, path);
  if (!before.empty()) return false;
  const std::vector<Var> kept = soac::updated_arrays(arena, together);
  return std::ranges::all_of(soac::updated_arrays(arena, reader),
                             [&](Var array) { return std::ranges::find(kept, array) != kept.end(); });
}

}  // namespace fulgurite::fuse
