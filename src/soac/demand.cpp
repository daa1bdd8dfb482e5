#include "soac/demand.h"

#include <unordered_map>

#include "base/match.h"
#include "soac/layout.h"
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
  void need(const std::vector<Expr>& list) {
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
        stm->op, [&](const Soac& s) { soac(s, component); },
        [&](const Scan& s) {
          need(s.operands);
          reduction(s.reduction);
        },
        [&](const Sort& sort) {
          need(sort.arrays);
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

  void soac(const Soac& s, std::size_t component) {
    need(s.dims);
    const Layout layout = layout_of(s);
    auto holds = [&](const Layout::Part& p) { return component >= p.name && component < p.name + p.n_names; };
    auto results = [&](const Layout::Part& p) {
      for (std::size_t i = 0; i < p.n_results; ++i) need(s.body.results[p.result + i]);
    };
    for (std::size_t k = 0; k < s.reductions.size(); ++k)
      if (holds(layout.reductions[k])) {
        results(layout.reductions[k]);
        reduction(s.reductions[k]);
      }
    for (std::size_t k = 0; k < s.scatters.size(); ++k)
      if (holds(layout.scatters[k])) {
        results(layout.scatters[k]);
        need(s.scatters[k].shape);
        need(s.scatters[k].initial.results);
        for (const Reduction& r : s.scatters[k].combine) reduction(r);
      }
    for (std::size_t k = 0; k < s.partitions.size(); ++k)
      if (holds(layout.partitions[k])) {
        results(layout.partitions[k]);
        need(s.partitions[k].classes);
      }
    if (holds(layout.mapped)) need(s.body.results[layout.mapped.result + component - layout.mapped.name]);
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
