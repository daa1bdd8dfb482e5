#include "fuse/merge_facts.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "soac/update.h"

namespace fulgurite::fuse {

using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Stm;
using soac::Vars;

MergeFacts facts_of(Arena& arena, const Stm& stm, const Vars& kept) {
  MergeFacts facts;
  std::vector<Expr> roots;
  soac::for_each_root(stm, [&](Expr e) { roots.push_back(e); });
  scalar::for_each_node(roots, [&](Expr e) {
    ++facts.n_nodes;
    if (e.is_name()) facts.mentioned.insert(e.var());
    if (e.op() == Op::index) facts.read.insert(e.arg(0).var());
  });
  for (Var array : soac::updated_arrays(arena, stm))
    if (!kept.contains(array)) facts.updated.insert(array);
  return facts;
}

bool have_common(const Vars& a, const Vars& b) {
  const auto& [few, many] = a.size() < b.size() ? std::tie(a, b) : std::tie(b, a);
  return std::any_of(few.begin(), few.end(), [&](Var v) { return many.contains(v); });
}

bool binds_any(const Stm& stm, const Vars& names) {
  return std::any_of(stm.names.begin(), stm.names.end(), [&](Var v) { return names.contains(v); });
}

BodyFacts::BodyFacts(Arena& arena, const std::vector<Stm>& stms, const Vars& kept) : after_(stms.size()) {
  std::unordered_map<Var, std::size_t> made_by;
  for (std::size_t k = 0; k < stms.size(); ++k) {
    facts_.push_back(facts_of(arena, stms[k], kept));
    facts_[k].id = k;
    for (Var v : facts_[k].mentioned)
      if (const auto found = made_by.find(v); found != made_by.end())
        facts_[k].needs.push_back(found->second);
    std::sort(facts_[k].needs.begin(), facts_[k].needs.end());
    facts_[k].needs.erase(std::unique(facts_[k].needs.begin(), facts_[k].needs.end()), facts_[k].needs.end());
    for (Var v : stms[k].names) made_by.emplace(v, k);
    current_.push_back(k);
  }
  renumber();
}

void BodyFacts::renumber() {
  position_.resize(current_.size());
  updating_.clear();
  for (std::size_t k = 0; k < facts_.size(); ++k) {
    position_[facts_[k].id] = k;
    if (!facts_[k].updated.empty()) updating_.push_back(k);
  }
}

std::size_t BodyFacts::position_of(std::size_t id) const {
  while (current_[id] != id) id = current_[id];
  return position_[id];
}

std::vector<std::size_t> BodyFacts::needs(std::size_t position) const {
  std::vector<std::size_t> positions;
  for (std::size_t id : facts_[position].needs)
    if (const std::size_t at = position_of(id); at < position) positions.push_back(at);
  return positions;
}

const std::vector<bool>& BodyFacts::after(std::size_t position) {
  std::optional<std::vector<bool>>& known = after_[position];
  if (known) return *known;
  std::vector<bool> after(facts_.size(), false);
  for (std::size_t k = position + 1; k < facts_.size(); ++k)
    after[k] = std::ranges::any_of(facts_[k].needs, [&](std::size_t id) {
      const std::size_t at = position_of(id);
      return at == position || (at < k && after[at]);
    });
  return known.emplace(std::move(after));
}

void BodyFacts::merged(std::size_t first, std::size_t second, const std::vector<std::size_t>& order,
                       MergeFacts facts) {
  facts.id = current_.size();
  current_.push_back(facts.id);
  for (std::size_t position : {first, second}) {
    current_[facts_[position].id] = facts.id;
    facts.needs.insert(facts.needs.end(), facts_[position].needs.begin(), facts_[position].needs.end());
  }
  for (std::size_t& id : facts.needs)
    while (current_[id] != id) id = current_[id];
  std::sort(facts.needs.begin(), facts.needs.end());
  facts.needs.erase(std::unique(facts.needs.begin(), facts.needs.end()), facts.needs.end());
  std::erase(facts.needs, facts.id);
  std::vector<MergeFacts> moved;
  for (std::size_t position : order)
    moved.push_back(position == first ? std::move(facts) : std::move(facts_[position]));
  std::move(moved.begin(), moved.end(), facts_.begin() + static_cast<std::ptrdiff_t>(first));
  facts_.erase(facts_.begin() + static_cast<std::ptrdiff_t>(second));
  after_.assign(facts_.size(), std::nullopt);
  renumber();
}

}  // namespace fulgurite::fuse
