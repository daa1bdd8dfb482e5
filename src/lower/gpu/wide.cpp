#include "lower/gpu/wide.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/match.h"
#include "kernel/traverse.h"
#include "lower/gpu/policy.h"
#include "lower/gpu/updates.h"
#include "soac/layout.h"

namespace fulgurite::lower::gpu {

namespace {

using scalar::Op;
using scalar::Var;

constexpr int most_neighbours = 8;
constexpr std::size_t most_operations = 2048;  // of all the points that a thread takes together

// What the points read: at their own places, or the same for all.
class Reads {
 public:
  explicit Reads(const soac::Soac& op) : op_(op) {
    const std::vector<Expr>& results = op.body.results;
    // Numbers do without indices only where nothing but reads uses those (soac::is_linear).
    const bool needs_indices = op.dims.size() == 1;
    are_good_ = needs_indices || std::ranges::none_of(results, [&](Expr e) { return is_index(e); });
    scalar::for_each_node(results, [&](Expr e) {
      ++n_operations_;
      if (is_own(e)) {
        widest_ = std::max(widest_, size_of(e.kind()));
        varying_.insert(e.id());
        return;
      }
      const auto varies = [&](Expr arg) { return is_index(arg) || varying_.contains(arg.id()); };
      if (!needs_indices && std::ranges::any_of(e.args(), [&](Expr arg) { return is_index(arg); }))
        are_good_ = false;
      if (std::ranges::none_of(e.args(), varies)) return;
      if (e.op() == Op::index) are_good_ = false;
      varying_.insert(e.id());
    });
  }

  bool are_good() const { return are_good_; }
  std::size_t widest() const { return widest_; }
  std::size_t n_operations() const { return n_operations_; }

 private:
  bool is_index(Expr e) const {
    return e.is_name() && std::ranges::find(op_.body.params, e.var()) != op_.body.params.end();
  }
  bool is_own(Expr e) const {
    if (e.op() != Op::index || e.args().size() != op_.dims.size() + 1) return false;
    for (std::size_t d = 0; d < op_.dims.size(); ++d)
      if (!e.arg(d + 1).is_name() || e.arg(d + 1).var() != op_.body.params[d]) return false;
    return true;
  }

  const soac::Soac& op_;
  bool are_good_ = true;
  std::size_t widest_ = 0, n_operations_ = 0;
  std::unordered_set<std::uint32_t> varying_;  // from point to point
};

}  // namespace

int neighbours_of(const soac::Soac& op) {
  const soac::Layout layout = soac::layout_of(op);
  const bool in_any_order =
      op.partitions.empty() && std::ranges::none_of(op.reductions, in_order) &&
      std::ranges::all_of(op.scatters, [](const soac::Scatter& s) { return atomic_of(s).has_value(); });
  if (op.dims.empty() || !op.body.body.empty() || !in_any_order) return 1;
  const Reads reads(op);
  std::size_t widest = reads.widest();
  for (std::size_t k = 0; k < layout.mapped.n_results; ++k) {
    const scalar::Type type = op.body.results[layout.mapped.result + k].type();
    if (type.rank > 0) return 1;
    widest = std::max(widest, size_of(type.kind));
  }
  if (!reads.are_good() || widest == 0) return 1;
  const int n = std::min(static_cast<int>(kernel::wide_bytes / widest), most_neighbours);
  return reads.n_operations() * static_cast<std::size_t>(n) <= most_operations ? n : 1;
}

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
  Expr whole = e.bind(arena.apply(Op::bit_and, {to, arena.i64(-n)}), "whole");
  Expr first = e.bind(arena.add(from, arena.mul(t, arena.i64(n))), "first");
  e.for_loop(first, whole, arena.i64(std::int64_t{block.threads} * n), "i", [&](Expr i) {
    std::vector<Expr> numbers;
    const kernel::Block points = e.block([&] {
      for (int k = 0; k < n; ++k) {
        numbers.push_back(e.bind(arena.add(i, arena.i64(k)), "i"));
        point(numbers.back());
      }
    });
    e.append(widen(arena, points, numbers));
  });
  Expr last = e.bind(arena.add(whole, t), "last");
  e.if_then(e.bind(arena.lt(last, to), "is_left"), [&] { point(last); });
}

}  // namespace fulgurite::lower::gpu
