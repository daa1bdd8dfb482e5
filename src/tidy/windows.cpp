#include "tidy/windows.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;

struct Window {
  std::size_t at;       // statement of the block
  std::int64_t offset;  // of its first element from the group's first load
};
struct Group {
  const Load* first;
  std::vector<Window> windows;
};

std::optional<std::int64_t> distance(const Load& from, const Load& to) {
  Expr difference = to.from.index - from.from.index;
  if (!difference.is_constant()) return {};
  return static_cast<std::int64_t>(difference.bits());
}

bool is_window(const Arena& arena, const Load& load) {
  return arena.info(load.name).type.lanes > 1 && load.from.index.type().lanes == 1 &&
         load.from.stride.is_constant(1) && !load.from.mask &&
         arena.info(load.name).type.kind != Kind::boolean;
}

// Loads between which nothing is stored; a store may change what a later load reads.
std::vector<Group> groups_of(Arena& arena, const Block& block) {
  std::vector<Group> groups;
  std::size_t open = 0;  // groups before this one are closed
  for (std::size_t i = 0; i < block.size(); ++i) {
    const auto* load = std::get_if<Load>(&block[i].op);
    if (load == nullptr || !is_window(arena, *load)) {
      bool computes = load != nullptr || std::holds_alternative<Let>(block[i].op) ||
                      std::holds_alternative<Prefetch>(block[i].op) ||
                      std::holds_alternative<Fail>(block[i].op);
      if (!computes) open = groups.size();
      continue;
    }
    bool placed = false;
    for (std::size_t g = open; g < groups.size() && !placed; ++g) {
      const Load& first = *groups[g].first;
      if (first.from.buffer != load->from.buffer ||
          arena.info(first.name).type != arena.info(load->name).type)
        continue;
      if (auto offset = distance(first, *load)) {
        groups[g].windows.push_back({i, *offset});
        placed = true;
      }
    }
    if (!placed) groups.push_back({load, {{i, 0}}});
  }
  return groups;
}

Block shared(Arena& arena, const Block& body) {
  Block block;
  for (const Stm& s : body) {
    Parts parts;
    parts.block = [&](const Block& inner) { return shared(arena, inner); };
    block.push_back(map_children(s, parts));
  }
  std::vector<std::size_t> hoisted;  // last loads of groups go up to the first: a Permute needs both
  std::map<std::size_t, std::vector<std::size_t>> raise;  // statement -> the ones put before it
  for (Group& group : groups_of(arena, block)) {
    auto& windows = group.windows;
    std::size_t earliest = windows.front().at;
    std::stable_sort(windows.begin(), windows.end(),
                     [](const Window& a, const Window& b) { return a.offset < b.offset; });
    std::int64_t apart = windows.back().offset - windows.front().offset;
    if (windows.size() < 3 || apart > arena.info(group.first->name).type.lanes) continue;
    const auto low = std::get<Load>(block[windows.front().at].op),
               high = std::get<Load>(block[windows.back().at].op);
    bool indices_known = true;  // at the earliest load: indices are bound before the first of the group
    for (std::size_t i = earliest; i < block.size() && indices_known; ++i)
      if (const auto* let = std::get_if<Let>(&block[i].op))
        indices_known = !mentions(low.from.index, let->name) && !mentions(high.from.index, let->name);
    if (!indices_known) continue;
    for (std::size_t end : {windows.front().at, windows.back().at}) {
      if (end == earliest) continue;
      hoisted.push_back(end);
      raise[earliest].push_back(end);
    }
    for (std::size_t w = 1; w + 1 < windows.size(); w += 3) {
      Load inner = std::get<Load>(block[windows[w].at].op);
      auto from = static_cast<std::int32_t>(windows[w].offset - windows.front().offset);
      block[windows[w].at] = {
          Permute{inner.name, arena.name(low.name), arena.name(high.name),
                  window_lanes(arena.info(inner.name).type.lanes, from, static_cast<std::int32_t>(apart))}};
    }
  }
  Block out;
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (auto found = raise.find(i); found != raise.end())
      for (std::size_t from : found->second) out.push_back(block[from]);
    if (std::find(hoisted.begin(), hoisted.end(), i) == hoisted.end()) out.push_back(block[i]);
  }
  return out;
}

}  // namespace

const kernel::Pass share_windows{
    .name = "share_windows",
    .description = "of overlapping windows of one array, every third is put together from its neighbours",
    .run = kernel::on_body<shared>,
    .is_optional = true};

}  // namespace fulgurite::tidy
