#include "tool/work.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/match.h"
#include "soac/walk.h"
#include "tool/footprint.h"

namespace fulgurite::tool {

using base::as;
using scalar::Op;
using soac::Expr;
using soac::Lambda;
using soac::Role;
using soac::Stm;
using soac::Var;

namespace {

std::int64_t cost(Expr e) {
  switch (e.op()) {
    case Op::constant:
    case Op::name:
    case Op::index:
    case Op::bitcast: return 0;
    case Op::fma:
    case Op::fast_fma: return 2;
    case Op::div:
    case Op::rem:
    case Op::ceil_div:
    case Op::sqrt: return 8;
    default: return scalar::info(e.op()).has('$') ? 20 : 1;
  }
}

class Operations {
 public:
  Operations(scalar::Arena& arena, const soac::EqualSizes& sizes, const Stm& stm)
      : sizes_(sizes), total_(arena.i64(0)), one_(arena.i64(1)) {
    soac::add_bound(stm, bound_);
    statement(stm);
  }

  std::optional<Expr> operator()() const { return is_known_ ? std::optional(total_) : std::nullopt; }

 private:
  void function(const Lambda& f) {
    for (Var param : f.params) depths_[param] = open_.size();
    for (const Stm& s : f.body) statement(s);
    for (Expr result : f.results) count(result);
  }

  void statement(const Stm& s) {
    is_known_ &= !as<soac::Sort>(s.op);
    for (Expr root : soac::roots_of(s)) count(root);
    for (const auto& inner : soac::nested_in(s)) {
      const std::size_t n_open = open_.size();
      for (Expr extent : inner.extents) open_.push_back(known(extent));
      const bool repeats = inner.role == Role::iteration || inner.role == Role::condition;
      if (repeats && inner.extents.empty()) open_.emplace_back();
      const auto* op = as<soac::Soac>(s.op);
      if (op && inner.role == Role::operation)
        for (Expr extent : op->dims) open_.push_back(known(extent));
      function(*inner.lambda);
      open_.resize(n_open);
    }
    const auto* let = as<soac::Let>(s.op);
    for (Var name : s.names) depths_[name] = let ? of_node_.at(let->value) : open_.size();
  }

  Expr known(Expr extent) const { return known_size(sizes_, bound_, extent); }

  // In how many of the open axes each expression below the root has a value of its own.
  void measure(Expr root) {
    scalar::for_each_new_node(root, measured_, [&](Expr e) {
      std::size_t deepest = 0;
      if (e.is_name())
        if (const auto found = depths_.find(e.var()); found != depths_.end()) deepest = found->second;
      for (Expr operand : e.args()) deepest = std::max(deepest, of_node_.at(operand));
      of_node_.emplace(e, deepest);
    });
  }

  void count(Expr root) {
    measure(root);
    std::vector<Expr> left{root};
    while (!left.empty()) {
      const Expr e = left.back();
      left.pop_back();
      if (!counted_.insert(e).second || e.op() == Op::index) continue;
      left.insert(left.end(), e.args().begin(), e.args().end());
      add(e);
    }
  }
  void add(Expr e) {
    const std::size_t n_axes = std::min(of_node_.at(e), open_.size());
    if (cost(e) == 0 || n_axes == 0) return;
    Expr times = one_;
    for (std::size_t k = 0; k < n_axes && times; ++k) times = open_[k] ? times * open_[k] : Expr();
    is_known_ &= static_cast<bool>(times);
    if (times) total_ = total_ + times * cost(e);
  }

  const soac::EqualSizes& sizes_;
  soac::Vars bound_;
  std::vector<Expr> open_;  // extents of the axes around, outermost first; absent: unknown
  std::unordered_map<Var, std::size_t> depths_;
  std::unordered_map<Expr, std::size_t> of_node_;
  std::unordered_set<Expr> measured_, counted_;
  Expr total_, one_;
  bool is_known_ = true;
};

}  // namespace

std::optional<Expr> operations_of(scalar::Arena& arena, const soac::EqualSizes& sizes, const Stm& stm) {
  return Operations(arena, sizes, stm)();
}

}  // namespace fulgurite::tool
