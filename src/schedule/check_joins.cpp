#include "schedule/check_joins.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/print.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/posts.h"
#include "schedule/words.h"

namespace fulgurite::schedule {

namespace {

/// What a join asks of an output's operator. any: nothing, and there need not be one. some: that there is
/// one; commutes, chooses, atomic: that it is of this kind. none: that there is none, but one value for each
/// place; unordered: moreover that any of several values may stay.
enum class Asks : std::uint8_t { any, some, commutes, chooses, atomic, none, unordered };

struct Rule {
  Join join;
  bool reduction, scan, scatter, partition;  // the outputs that it joins
  Asks asks;
  bool uses_memory;  // it leaves something in memory of the launch
};

constexpr Rule rules[] = {
    {Join::accumulators, true, false, false, false, Asks::commutes, false},
    {Join::chain, true, false, false, false, Asks::some, false},
    {Join::runs, true, true, false, false, Asks::any, false},
    {Join::tree, true, true, false, false, Asks::any, false},
    {Join::in_order, true, true, true, true, Asks::any, false},
    {Join::partials, true, false, false, false, Asks::some, true},
    {Join::carried, false, true, false, false, Asks::any, true},
    {Join::handed_on, false, true, false, true, Asks::any, true},
    {Join::packed, false, false, true, true, Asks::none, false},
    {Join::counted, false, false, false, true, Asks::any, true},
    {Join::copies, false, false, true, false, Asks::commutes, false},
    {Join::bins, false, false, true, true, Asks::any, true},
    {Join::taken, false, false, true, false, Asks::chooses, false},
    {Join::atomic, false, false, true, false, Asks::atomic, false},
    {Join::exchange, false, false, true, false, Asks::unordered, false},
    {Join::winner, false, false, true, false, Asks::none, true},
    {Join::ranked, false, false, true, false, Asks::none, false},
    {Join::abreast, true, false, false, false, Asks::some, false},
};

const Rule& rule_of(Join join) {
  return *std::ranges::find(rules, join, &Rule::join);
}
static_assert(std::size(rules) == std::size(joins));

bool takes(const Rule& rule, Combine::Part part) {
  switch (part) {
    case Combine::Part::reduction: return rule.reduction;
    case Combine::Part::scan: return rule.scan;
    case Combine::Part::scatter: return rule.scatter;
    case Combine::Part::partition: return rule.partition;
  }
  return false;
}

/// The operator of a reduction or a scatter; null: it has none, or is something else.
const soac::Reduction* operator_of(const soac::Soac& op, const Combine& combine) {
  if (combine.part == Combine::Part::reduction) return &op.reductions[combine.which];
  if (combine.part == Combine::Part::scatter && !op.scatters[combine.which].combine.empty())
    return &op.scatters[combine.which].combine[0];
  return nullptr;
}

/// What is wrong with the operator; empty: nothing.
std::string_view fault_of_operator(scalar::Arena& arena, Asks asks, const soac::Soac& op,
                                   const Combine& combine) {
  const soac::Reduction* by = operator_of(op, combine);
  const bool is_scatter = combine.part == Combine::Part::scatter;
  switch (asks) {
    case Asks::any: return {};
    case Asks::some: return by ? "" : "without an operator";
    case Asks::commutes: return by && by->commutative ? "" : "with an operator that is not known to commute";
    case Asks::chooses:
      return by && takes_right(arena, by->op) ? "" : "with an operator that does not choose an operand";
    case Asks::atomic:
      return is_scatter && atomic_of(op.scatters[combine.which])
                 ? ""
                 : "with an operator that is no operation of memory";
    case Asks::none: return by ? "with an operator" : "";
    case Asks::unordered:
      return is_scatter && op.scatters[combine.which].stores_in_any_order()
                 ? ""
                 : "where one of several values has to stay";
  }
  return {};
}

}  // namespace

std::vector<std::string> faults_of_joins(scalar::Arena& arena, const Nest& nest, const soac::Soac& op,
                                         const Combine& combine) {
  std::vector<std::string> faults;
  for (const Combine::Level& level : combine.levels) {
    const bool needs_cut = level.unit == Unit::lane || level.unit == Unit::thread;
    if (needs_cut && !outermost(nest, level.unit))
      faults.push_back(fmt::format("combines by {} without such a cut", name_of(level.unit)));
    const Rule& rule = rule_of(level.how);
    if (!takes(rule, combine.part)) {
      faults.push_back(fmt::format("combines a {} by {}, which is for other outputs",
                                   word_of(kinds_of_output, combine.part), name_of(level.how)));
      continue;
    }
    if (const auto fault = fault_of_operator(arena, rule.asks, op, combine); !fault.empty())
      faults.push_back(fmt::format("combines by {} {}", name_of(level.how), fault));
    if (rule.uses_memory && combine.memory.empty())
      faults.push_back(fmt::format("combines by {} without memory", name_of(level.how)));
  }
  return faults;
}

}  // namespace fulgurite::schedule
