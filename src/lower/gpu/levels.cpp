#include "lower/gpu/levels.h"

#include <algorithm>

#include "lower/slice.h"
#include "soac/walk.h"

namespace fulgurite::lower::gpu {

int level_of(const soac::Lambda& body, std::span<const Expr> operands, const Levels& levels) {
  soac::Vars needed;
  soac::add_mentioned(operands, needed);
  int level = 0;
  for (std::size_t i = body.body.size(); i-- > 0;) {
    const soac::Stm& s = body.body[i];
    if (std::ranges::none_of(s.names, [&](Var name) { return needed.contains(name); })) continue;
    if (const auto scan = levels.find(s.names[0]); scan != levels.end())
      level = std::max(level, scan->second + 1);
    else
      soac::add_mentioned(s, needed);
  }
  return level;
}

std::vector<int> levels_of(const soac::Lambda& body) {
  std::vector<int> levels;
  Levels by_name;
  for (const soac::Stm* s : scans_of(body)) {
    levels.push_back(level_of(body, std::get<soac::Scan>(s->op).operands, by_name));
    by_name.emplace(s->names[0], levels.back());
  }
  return levels;
}

}  // namespace fulgurite::lower::gpu
