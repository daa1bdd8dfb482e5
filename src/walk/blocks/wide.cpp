#include "walk/blocks/wide.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::walk::blocks {

namespace {

class Widening {
 public:
  Widening(const scalar::Arena& arena, const kernel::Block& body, std::span<const Expr> numbers)
      : arena_(arena), body_(body), numbers_(numbers) {
    for (std::size_t at = 0; at < body.size(); ++at) find(at);
  }

  kernel::Block operator()() {
    for (const auto& [buffer, of] : touched_) join(buffer, of);
    kernel::Block out;
    for (std::size_t at = 0; at < body_.size(); ++at) {
      const auto joined = joined_.find(at);
      if (joined == joined_.end())
        out.push_back(body_[at]);
      else if (joined->second)
        out.push_back({std::move(*joined->second), body_[at].line});
    }
    return out;
  }

 private:
  // The statements that touch the elements of a buffer, by their numbers; others that do.
  struct Touched {
    std::map<std::size_t, std::size_t> loads, stores;
    bool is_loaded_elsewhere = false, is_stored_elsewhere = false;
  };

  void find(std::size_t at) {
    const kernel::Stm& s = body_[at];
    const auto* load = base::as<kernel::Load>(s.op);
    const auto* store = base::as<kernel::Store>(s.op);
    if (load && note(load->from, touched_[load->from.buffer].loads, at)) return;
    if (store && note(store->to, touched_[store->to.buffer].stores, at)) return;
    const kernel::Names names = kernel::names_of({s});
    for (Var v : names.reads) touched_[v].is_loaded_elsewhere = true;
    for (Var v : names.stores) touched_[v].is_stored_elsewhere = true;
    assigned_.insert(names.assigns.begin(), names.assigns.end());
  }

  // Whether it is the first access of its kind to one of the elements, and surely happens.
  bool note(const kernel::Access& a, std::map<std::size_t, std::size_t>& statements, std::size_t at) const {
    const auto number = std::ranges::find(numbers_, a.index);
    if (number == numbers_.end() || a.mask || (a.stride && !a.stride.is_constant(1))) return false;
    return statements.emplace(number - numbers_.begin(), at).second;
  }

  // The loads move up to the first, the stores down to the last: past accesses to other elements only.
  void join(Var buffer, const Touched& of) {
    const std::size_t n = numbers_.size();
    if (n * size_of(arena_.info(buffer).type.kind) > kernel::wide_bytes || of.is_stored_elsewhere) return;
    if (of.is_loaded_elsewhere && !of.stores.empty()) return;
    for (const auto& [number, store] : of.stores)
      if (const auto load = of.loads.find(number); load != of.loads.end() && load->second > store) return;
    if (of.loads.size() == n) {
      kernel::WideLoad all{{}, buffer, numbers_[0]};
      for (const auto& [number, at] : of.loads) {
        all.names.push_back(std::get<kernel::Load>(body_[at].op).name);
        joined_[at] = {};
      }
      joined_[of.loads.at(0)] = std::move(all);
    }
    if (of.stores.size() == n) {
      kernel::WideStore all{buffer, numbers_[0], {}};
      for (const auto& [number, at] : of.stores)
        all.values.push_back(std::get<kernel::Store>(body_[at].op).value);
      if (std::ranges::any_of(all.values, [&](Expr value) { return changes(value); })) return;
      for (const auto& [number, at] : of.stores) joined_[at] = {};
      joined_[of.stores.at(n - 1)] = std::move(all);
    }
  }
  bool changes(Expr value) const {
    bool found = false;
    scalar::for_each_node(std::span(&value, 1),
                          [&](Expr e) { found |= e.is_name() && assigned_.contains(e.var()); });
    return found;
  }

  const scalar::Arena& arena_;
  const kernel::Block& body_;
  const std::span<const Expr> numbers_;
  std::map<Var, Touched> touched_;
  std::unordered_set<Var> assigned_;
  std::unordered_map<std::size_t, std::optional<kernel::Operation>> joined_;  // nothing: with another
};

}  // namespace

kernel::Block widen(const scalar::Arena& arena, const kernel::Block& body, std::span<const Expr> numbers) {
  return Widening(arena, body, numbers)();
}

bool lie_at_their_numbers(const Emitter& e, std::span<const Var> arrays) {
  return std::ranges::all_of(arrays, [&](Var array) {
    const Destination& to = e.destination(array);
    return (!to.base || to.base.is_constant(0)) && (!to.step || to.step.is_constant(1));
  });
}

void in_runs(const Emitter& e, const Block& block, int n, Expr t, Expr from, Expr to,
             const std::function<void(Expr number)>& point) {
  scalar::Arena& arena = e.arena();
  Expr whole = e.bind(to & -n, "whole");
  Expr first = e.bind(from + t * n, "first");
  e.for_loop(first, whole, arena.i64(std::int64_t{block.threads} * n), "i", [&](Expr i) {
    std::vector<Expr> numbers;
    const kernel::Block points = e.block([&] {
      for (int k = 0; k < n; ++k) {
        numbers.push_back(e.bind(i + k, "i"));
        point(numbers.back());
      }
    });
    e.append(widen(arena, points, numbers));
  });
  Expr last = e.bind(whole + t, "last");
  e.if_then(e.bind(last < to, "is_left"), [&] { point(last); });
}

}  // namespace fulgurite::walk::blocks
