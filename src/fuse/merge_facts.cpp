#include "fuse/merge_facts.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/match.h"
#include "soac/update.h"

namespace fulgurite::fuse {

using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

/// Names that the Soac mentions other than as an array of which its body reads the element at its own point.
Vars mentioned_elsewhere(const Stm& stm, const Soac& soac, const std::vector<Expr>& roots) {
  Vars elsewhere;
  soac::add_mentioned(soac::roots_of(stm), elsewhere);
  for (Expr root : roots)
    if (root && root.is_name()) elsewhere.insert(root.var());
  scalar::for_each_node(roots, [&](Expr e) {
    if (soac::reads_at(e, soac.body.params)) return;
    for (Expr operand : e.args())
      if (operand.is_name()) elsewhere.insert(operand.var());
  });
  for (const auto& inner : soac::nested_in(stm))
    if (inner.role != soac::Role::points) soac::add_mentioned(*inner.lambda, elsewhere);
  return elsewhere;
}

}  // namespace

bool have_common(const Vars& a, const Vars& b) {
  const auto& [few, many] = a.size() < b.size() ? std::tie(a, b) : std::tie(b, a);
  return std::any_of(few.begin(), few.end(), [&](Var v) { return many.contains(v); });
}

bool binds_any(const Stm& stm, const Vars& names) {
  return std::any_of(stm.names.begin(), stm.names.end(), [&](Var v) { return names.contains(v); });
}

void BodyFacts::add(Set& set, const Set& more) {
  for (std::size_t k = 0; k < set.size(); ++k) set[k] |= more[k];
}

BodyFacts::BodyFacts(Arena& arena, const std::vector<Stm>& stms, const Vars& kept)
    : arena_(arena), kept_(kept), needs_(stms.size()) {
  before_.assign(stms.size(), Set((stms.size() + 63) / 64));
  for (std::size_t k = 0; k < stms.size(); ++k) {
    facts_.push_back(facts_of(stms[k]));
    for (Var v : facts_[k].mentioned)
      if (const auto found = maker_.find(v); found != maker_.end()) needs_[k].push_back(found->second);
    std::sort(needs_[k].begin(), needs_[k].end());
    needs_[k].erase(std::unique(needs_[k].begin(), needs_[k].end()), needs_[k].end());
    for (std::size_t need : needs_[k]) {
      add(before_[k], before_[need]);
      add(before_[k], need);
    }
    for (Var v : stms[k].names) maker_.emplace(v, k);
    current_.push_back(k);
    order_.push_back(k);
    position_.push_back(k);
    if (!facts_[k].updated.empty()) updating_.push_back(k);
  }
}

MergeFacts BodyFacts::facts_of(const Stm& stm) {
  MergeFacts facts;
  std::vector<Expr> roots;
  soac::for_each_root(stm, [&](Expr e) { roots.push_back(e); });
  scalar::for_each_node(roots, [&](Expr e) {
    ++facts.n_nodes;
    if (e.is_name()) facts.mentioned.insert(e.var());
    if (e.op() == Op::index) facts.read.insert(e.arg(0).var());
  });
  for (Var array : soac::updated_arrays(arena_, stm))
    if (!kept_.contains(array)) facts.updated.insert(array);
  facts.is_check = base::as<soac::Check>(stm.op) != nullptr;
  const auto* soac = base::as<Soac>(stm.op);
  if (!soac) return facts;
  facts.elsewhere = mentioned_elsewhere(stm, *soac, roots);
  std::size_t hash = 0;
  for (Expr extent : soac->dims) hash = hash * 31 + extent.id();
  auto& alike = spaces_[hash];
  auto known = std::find_if(alike.begin(), alike.end(), [&](const auto& s) { return s.first == soac->dims; });
  if (known == alike.end()) known = alike.insert(known, {soac->dims, n_spaces_++});
  facts.space = known->second;
  return facts;
}

std::size_t BodyFacts::current(std::size_t statement) const {
  while (current_[statement] != statement) {
    current_[statement] = current_[current_[statement]];
    statement = current_[statement];
  }
  return statement;
}

std::optional<std::size_t> BodyFacts::maker(Var name) const {
  const auto found = maker_.find(name);
  return found == maker_.end() ? std::nullopt : std::optional(current(found->second));
}

std::vector<std::size_t> BodyFacts::needs(std::size_t statement) const {
  std::vector<std::size_t> needs;
  for (std::size_t need : needs_[statement]) needs.push_back(current(need));
  return needs;
}

bool BodyFacts::is_after(std::size_t later, std::size_t earlier) const {
  return has(before_[later], earlier);
}

bool BodyFacts::is_between(std::size_t earlier, std::size_t later) const {
  if (!has(before_[later], earlier)) return false;
  return std::ranges::any_of(needs_[later],
                             [&](std::size_t need) { return has(before_[current(need)], earlier); });
}

void BodyFacts::merged(std::size_t first, std::size_t second, const std::vector<std::size_t>& order,
                       MergeFacts facts) {
  current_[second] = first;
  facts_[first] = std::move(facts);
  facts_[second] = {};
  const auto at = [this](std::size_t position) {
    return order_.begin() + static_cast<std::ptrdiff_t>(position);
  };
  const std::size_t from = position_[first];
  order_.erase(at(position_[second]));
  std::copy(order.begin(), order.end(), at(from));
  for (std::size_t k = from; k < order_.size(); ++k) position_[order_[k]] = k;

  std::vector<std::size_t>& needs = needs_[first];
  needs.insert(needs.end(), needs_[second].begin(), needs_[second].end());
  for (std::size_t& need : needs) need = current(need);
  std::sort(needs.begin(), needs.end());
  needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
  std::erase(needs, first);
  Set& before = before_[first];
  add(before, before_[second]);
  before[first / 64] &= ~(std::uint64_t{1} << first % 64);
  for (std::size_t k = from; k < order_.size(); ++k) {
    Set& of_k = before_[order_[k]];
    if (order_[k] == first || has(of_k, first) == has(of_k, second)) continue;  // has all, or nothing
    add(of_k, before);
    add(of_k, first);
  }

  std::erase_if(updating_, [&](std::size_t k) { return k == first || k == second; });
  if (!facts_[first].updated.empty()) updating_.push_back(first);
}

}  // namespace fulgurite::fuse
