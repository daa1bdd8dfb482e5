#include "block/side_by_side.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "kernel/traverse.h"

namespace fulgurite::block {
namespace {

using namespace kernel;

void append(Block& to, Block&& more) {
  std::ranges::move(more, std::back_inserter(to));
}

// What stands between barriers; a barrier ends each step but the last.
struct Step {
  Block statements;
  std::optional<Stm> barrier;
};

std::vector<Step> steps_of(Block&& block) {
  std::vector<Step> steps(1);
  for (Stm& s : block) {
    if (std::holds_alternative<Sync>(s.op)) {
      steps.back().barrier = std::move(s);
      steps.emplace_back();
    } else {
      steps.back().statements.push_back(std::move(s));
    }
  }
  return steps;
}

// The barrier of a block is one of its warps, too.
Stm wider(const Stm& a, const Stm& b) {
  return std::get<Sync>(a.op).level <= std::get<Sync>(b.op).level ? a : b;
}

std::set<Var> reads_of(const Stm& s) {
  return names_of({s}).reads;
}

// Takes the values out of `first` that `second` uses and that need nothing else of `first`. False if `second`
// uses anything else of it: where that is computed cannot be moved.
bool hoist_common(Block& first, const Block& second, Block& common) {
  std::set<Var> wanted = names_of(second).reads;
  std::vector<bool> moves(first.size());
  for (std::size_t k = first.size(); k-- > 0;) {  // backwards: what a value needs stands before it
    const Stm& s = first[k];
    const std::set<Var> bound = names_of({s}).binds;
    if (std::ranges::none_of(bound, [&](Var name) { return wanted.contains(name); })) continue;
    if (!std::holds_alternative<Let>(s.op)) return false;
    moves[k] = true;
    wanted.merge(reads_of(s));
  }
  Block rest;
  for (std::size_t k = 0; k < first.size(); ++k) (moves[k] ? common : rest).push_back(std::move(first[k]));
  first = std::move(rest);
  return true;
}

}  // namespace

Block side_by_side(Block first, Block second) {
  Block out;
  if (!hoist_common(first, second, out)) {
    append(out, std::move(first));
    append(out, std::move(second));
    return out;
  }
  std::vector<Step> a = steps_of(std::move(first)), b = steps_of(std::move(second));
  for (std::size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
    std::optional<Stm> barrier;
    for (auto* steps : {&a, &b}) {
      if (k >= steps->size()) continue;
      Step& step = (*steps)[k];
      append(out, std::move(step.statements));
      if (step.barrier) barrier = barrier ? wider(*barrier, *step.barrier) : *step.barrier;
    }
    if (barrier) out.push_back(*std::move(barrier));
  }
  return out;
}

}  // namespace fulgurite::block
