#include "tidy/values.h"

namespace fulgurite::tidy {

using scalar::Bits;
using scalar::Expr;
using scalar::Kind;
using scalar::Op;

namespace {

constexpr std::int64_t most_numbers = 1 << 14;           // beyond, values are not listed
constexpr std::size_t most_held = std::size_t{1} << 22;  // values: 32 MiB

}  // namespace

Values::Values(std::int64_t n, std::function<bool(Expr)> is_number)
    : n_(n <= most_numbers ? static_cast<std::size_t>(n) : 0), is_number_(std::move(is_number)) {}

const std::vector<Bits>* Values::of(Expr e) {
  if (n_ == 0) return nullptr;
  const List& found = list(e);
  return found.is_known ? &found.values : nullptr;
}

const std::vector<Bits>* Values::if_dependent(Expr e) {
  if (n_ == 0) return nullptr;
  const List& found = list(e);
  return found.is_known && found.is_dependent ? &found.values : nullptr;
}

const Values::List& Values::list(Expr root) {
  if (n_held_ > most_held) lists_.clear(), n_held_ = 0;
  std::vector<std::pair<Expr, std::size_t>> stack{{root, 0}};
  while (!stack.empty()) {
    auto& [e, next] = stack.back();
    if (next == 0 && lists_.contains(e.id())) {
      stack.pop_back();
    } else if (next < e.args().size()) {
      stack.emplace_back(e.arg(next++), 0);
    } else {
      const List& added = lists_.emplace(e.id(), made(e)).first->second;
      n_held_ += added.values.size();
      stack.pop_back();
    }
  }
  return lists_.at(root.id());
}

// The values of an expression whose arguments have lists.
Values::List Values::made(Expr e) const {
  const bool is_number = is_number_(e);
  if (((e.is_name() || e.op() == Op::lane) && !is_number) || e.op() == Op::index || e.site() != 0 ||
      e.args().size() > 3 || (e.kind() != Kind::boolean && !scalar::is_integer(e.kind())))
    return {};
  List list{true, is_number};
  const List* args[3] = {};
  for (std::size_t k = 0; k < e.args().size(); ++k) {
    args[k] = &lists_.at(e.arg(k).id());
    list.is_known &= args[k]->is_known;
    list.is_dependent |= args[k]->is_dependent;
  }
  if (!list.is_known) return {};
  list.values.resize(n_);
  if (is_number) {
    for (std::size_t i = 0; i < n_; ++i) list.values[i] = i;
  } else if (e.is_constant()) {
    list.values.assign(n_, e.bits());
  } else if (e.op() == Op::splat) {
    list.values = args[0]->values;
  } else {
    const auto values = [&](int k) { return args[k] ? args[k]->values.data() : nullptr; };
    scalar::evaluate_all(e.op(), e.arg(e.op() == Op::select ? 1 : 0).kind(), e.kind(), values(0), values(1),
                         values(2), list.values);
  }
  return list;
}

}  // namespace fulgurite::tidy
