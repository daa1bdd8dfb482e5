#include "schedule/rewrites/steps.h"

#include <algorithm>
#include <unordered_set>

#include "schedule/rewrites/levels.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

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
  const std::vector<int> depths = depths_of(body);
  std::vector<int> levels;
  for (std::size_t i = 0; i < depths.size(); ++i)
    if (std::holds_alternative<soac::Scan>(body.body[i].op)) levels.push_back(depths[i]);
  return levels;
}

std::vector<bool> are_early(const soac::Soac& op) {
  const std::vector<int> levels = levels_of(op.body);
  const std::vector<const soac::Stm*> scans = scans_of(op.body);
  Levels by_name;
  for (std::size_t k = 0; k < scans.size(); ++k) by_name.emplace(scans[k]->names[0], levels[k]);
  std::vector<bool> early;
  for (const soac::Mapped& mapped : soac::view_of(op).mapped)
    early.push_back(level_of(op.body, std::span(&mapped.result, 1), by_name) == 0);
  return early;
}

namespace {

// The last step also computes the operands of Scans of the higher levels.
std::vector<Expr> computed_last(const soac::Soac& op) {
  const soac::OutputView outputs = soac::view_of(op);
  std::vector<Expr> last;
  const auto add = [&](std::span<const Expr> some) { last.insert(last.end(), some.begin(), some.end()); };
  for (const auto& reduced : outputs.reductions)
    if (!in_order(reduced.by)) add(reduced.operands);
  for (const auto& scattered : outputs.scatters) add(scattered.place), add(scattered.values);
  for (const auto& partition : outputs.partitions) {
    add(std::span(&partition.point_class, 1));
    add(partition.values);
  }
  const std::vector<bool> early = are_early(op);
  for (std::size_t k = 0; k < early.size(); ++k)
    if (!early[k]) last.push_back(outputs.mapped[k].result);
  return last;
}

}  // namespace

std::vector<Expr> read_again(const soac::Soac& op) {
  const std::vector<const soac::Stm*> scans = scans_of(op.body);
  if (scans.empty()) return {};
  const std::vector<int> levels = levels_of(op.body);
  std::vector<Expr> first, rest = computed_last(op);
  for (std::size_t k = 0; k < scans.size(); ++k) {
    const std::vector<Expr>& operands = std::get<soac::Scan>(scans[k]->op).operands;
    std::vector<Expr>& into = levels[k] == 0 ? first : rest;
    into.insert(into.end(), operands.begin(), operands.end());
  }
  std::unordered_set<std::uint32_t> read_first, within;  // by node
  scalar::for_each_node(first, [&](Expr e) {
    if (e.op() == scalar::Op::index) read_first.insert(e.id());
  });
  std::vector<Expr> again;
  scalar::for_each_node(rest, [&](Expr e) {
    if (e.op() == scalar::Op::index && read_first.contains(e.id())) again.push_back(e);
  });
  for (Expr e : again) scalar::for_each_node(e.args(), [&](Expr inner) { within.insert(inner.id()); });
  std::erase_if(again, [&](Expr e) { return within.contains(e.id()); });
  return again;
}

}  // namespace fulgurite::schedule
