#include "soac/demand.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "base/match.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using base::as;
using base::match;

namespace {

class Demand {
 public:
  explicit Demand(const Program& program) : arena_(*program.arena) {
    define(program.body);
    checks(program.body);
    need(program.results);
    while (!waiting_.empty()) {
      const Expr e = waiting_.back();
      waiting_.pop_back();
      if (e.is_name()) name(e.var());
      for (Expr child : e.args()) need(child);
    }
  }
  std::unordered_set<Var> names() { return std::move(names_); }

 private:
  struct Definition {
    const Stm* stm;
    std::size_t component;
  };

  void define(const std::vector<Stm>& body) {
    for (const Stm& stm : body) {
      for (std::size_t i = 0; i < stm.names.size(); ++i) definitions_[stm.names[i]] = {&stm, i};
      if (const auto* loop = as<Loop>(stm.op)) {
        // A state that an iteration reads is needed from the one before.
        const std::size_t first = loop->trips ? 1 : 0;
        for (std::size_t i = first; i < loop->body.params.size(); ++i)
          definitions_[loop->body.params[i]] = {&stm, i - first};
        for (std::size_t i = 0; i < loop->condition.params.size(); ++i)
          definitions_[loop->condition.params[i]] = {&stm, i};
      }
      for (const auto& inner : nested_in(stm)) define(inner.lambda->body);
    }
  }

  void need(Expr e) {
    if (seen_.insert(e.node()).second) waiting_.push_back(e);
  }
  void need(std::span<const Expr> list) {
    for (Expr e : list) need(e);
  }
  void checks(const std::vector<Stm>& body) {
    for (const Stm& stm : body)
      if (const auto* check = as<Check>(stm.op)) {
        need(check->condition);
        need(check->operands);
      }
  }

  void name(Var var) {
    names_.insert(var);
    need(arena_.info(var).shape);
    auto found = definitions_.find(var);
    if (found == definitions_.end()) return;
    const auto [stm, i] = found->second;
    const bool first_time = reached_.insert(stm).second;
    if (first_time)
      for (const auto& inner : nested_in(*stm)) checks(inner.lambda->body);
    const std::size_t component = i;
    match(
        stm->op, [&](const Soac&) { soac(*stm, var); },
        [&](const Scan& s) {
          need(s.operands);
          if (s.segments) need(s.segments);
          reduction(s.reduction);
        },
        [&](const Sort& sort) {
          need(sort.arrays);
          if (sort.segments) need(sort.segments);
          need(sort.key.results);
        },
        [&](const If& branch) {
          need(branch.condition);
          need(branch.then_branch.results[component]);
          need(branch.else_branch.results[component]);
        },
        [&](const Loop& loop) {
          if (loop.trips) need(loop.trips);
          need(loop.condition.results);
          need(loop.initial[component]);
          need(loop.body.results[component]);
          names_.insert(stm->names[component]);
        },
        [](const Check&) {},
        [&](const Call& call) {
          need(call.arrays);
          need(call.scalars);
          for (Expr former : call.former)
            if (former) need(former);
          for (Var result : stm->names) need(arena_.info(result).shape);
        },
        [&](const Let& let) { need(let.value); });
  }

  void reduction(const Reduction& r) {
    need(r.op.results);
    need(r.neutral);
    need(r.initial);
  }

  void soac(const Stm& stm, Var wanted) {
    need(std::get<Soac>(stm.op).dims);
    const auto is_in = [&](std::span<const Var> names) {
      return std::ranges::find(names, wanted) != names.end();
    };
    const OutputView outputs = view_of(stm);
    for (const OutputView::Reduced& r : outputs.reductions)
      if (is_in(r.names)) {
        need(r.operands);
        reduction(r.by);
      }
    for (const OutputView::Scattered& s : outputs.scatters)
      if (is_in(s.arrays)) {
        need(s.place);
        need(s.values);
        need(s.to.shape);
        need(s.to.initial.results);
        for (const Reduction& r : s.to.combine) reduction(r);
      }
    for (const OutputView::Partitioned& p : outputs.partitions)
      if (p.kept == wanted || p.offsets == wanted || is_in(p.arrays)) {
        need(p.point_class);
        need(p.values);
        need(p.classes);
      }
    for (const Mapped& m : outputs.mapped)
      if (m.array == wanted) need(m.result);
  }

  const Arena& arena_;
  std::unordered_map<Var, Definition> definitions_;
  std::unordered_set<const scalar::Node*> seen_;
  std::unordered_set<const Stm*> reached_;
  std::unordered_set<Var> names_;
  std::vector<Expr> waiting_;
};

}  // namespace

std::unordered_set<Var> needed_names(const Program& program) {
  return Demand(program).names();
}

}  // namespace fulgurite::soac
