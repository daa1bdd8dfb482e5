#include "fuse/use_table.h"

#include <algorithm>

#include "base/match.h"

namespace fulgurite::fuse {

using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Soac;
using soac::Stm;

namespace {

/// A user with fewer nodes is rewritten at once, which costs about as much as noting what to replace.
constexpr std::size_t large_user = 512;
/// A user with more expressions has many statements, for each of which a read of an element is looked at.
constexpr std::size_t long_user = 64;

/// Users that are no longer statements have no number.
constexpr std::size_t none = static_cast<std::size_t>(-1);

}  // namespace

UseTable::UseTable(const std::vector<Stm>& stms, const std::vector<Expr>& results)
    : results_(std::make_unique<User>()) {
  for (const Stm& stm : stms) {
    users_.push_back(std::make_unique<User>());
    users_.back()->number = users_.size() - 1;
    look(*users_.back(), stm);
  }
  results_changed(results);
}

void UseTable::look(User& user, const Stm& stm) {
  std::vector<Expr> top, elsewhere;
  const auto add = [](std::vector<Expr>& roots, const auto& part) {
    soac::for_each_root(part, [&](Expr e) { roots.push_back(e); });
  };
  const auto* soac = base::as<Soac>(stm.op);
  if (!soac) {
    add(elsewhere, stm);
    return look(user, top, elsewhere);
  }
  elsewhere = soac::roots_of(stm);
  for (const auto& inner : soac::nested_in(stm))
    if (inner.lambda != &soac->body) add(elsewhere, *inner.lambda);
  for (const Stm& s : soac->body.body) {
    const std::vector<Expr> own = soac::roots_of(s);
    top.insert(top.end(), own.begin(), own.end());
    for (const auto& inner : soac::nested_in(s)) add(elsewhere, *inner.lambda);
  }
  top.insert(top.end(), soac->body.results.begin(), soac->body.results.end());
  look(user, top, elsewhere);
}

void UseTable::look(User& user, const std::vector<Expr>& top, const std::vector<Expr>& elsewhere) {
  const soac::Vars was_read = std::move(user.read), was_whole = std::move(user.whole);
  const std::size_t number = user.number;
  user = User();
  user.number = number;
  const auto look_at = [&](const std::vector<Expr>& roots, auto visit) {
    for (Expr root : roots)
      if (root && root.type().rank > 0) user.whole.insert(root.var());
    user.n_roots += roots.size();
    scalar::for_each_node(roots, [&](Expr e) {
      ++user.n_nodes;
      if (e.op() == Op::index) visit(e);
    });
  };
  std::vector<Expr> at_top;
  look_at(top, [&](Expr e) { at_top.push_back(e); });
  look_at(elsewhere, [&](Expr e) { user.elsewhere.insert(e.arg(0).var()); });
  user.read = user.elsewhere;
  for (Expr e : at_top) user.read.insert(e.arg(0).var());
  if (user.n_nodes >= large_user) {
    user.at_top.insert(at_top.begin(), at_top.end());
    for (Expr e : at_top) user.top[e.arg(0).var()].push_back(e);
  }
  for (const soac::Vars* mentioned : {&user.read, &user.whole})
    for (Var v : *mentioned)
      if (!was_read.contains(v) && !was_whole.contains(v)) mentioned_by_[v].push_back(&user);
}

Uses UseTable::of(const std::vector<Var>& arrays, std::size_t producer) const {
  Uses uses;
  for (Var array : arrays) {
    const auto found = mentioned_by_.find(array);
    if (found == mentioned_by_.end()) continue;
    bool read = false, whole = false;
    for (const User* user : found->second) {
      const bool is_result = user == results_.get();
      if (!is_result && (user->number == none || user->number <= producer)) continue;
      whole = whole || user->whole.contains(array);
      if (!user->read.contains(array)) continue;
      read = true;
      if (is_result)
        uses.read_by_results = true;
      else
        uses.readers.push_back(user->number);
    }
    if (read) uses.read.push_back(array);
    if (whole) uses.whole.push_back(array);
  }
  std::sort(uses.readers.begin(), uses.readers.end());
  uses.readers.erase(std::unique(uses.readers.begin(), uses.readers.end()), uses.readers.end());
  return uses;
}

void UseTable::changed(const std::vector<Stm>& stms, std::size_t at) {
  look(*users_[at], stms[at]);
}

void UseTable::inserted(const std::vector<Stm>& stms, std::size_t at, std::size_t count) {
  if (count == 0) return;
  std::vector<std::unique_ptr<User>> added(count);
  for (std::size_t k = 0; k < count; ++k) {
    added[k] = std::make_unique<User>();
    look(*added[k], stms[at + k]);
  }
  users_.insert(users_.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(added.begin()),
                std::make_move_iterator(added.end()));
  renumber(at);
}

void UseTable::erased(std::size_t at) {
  users_[at]->number = none;
  gone_.push_back(std::move(users_[at]));
  users_.erase(users_.begin() + static_cast<std::ptrdiff_t>(at));
  renumber(at);
}

void UseTable::renumber(std::size_t from) {
  for (std::size_t k = from; k < users_.size(); ++k) users_[k]->number = k;
}

void UseTable::results_changed(const std::vector<Expr>& results) {
  look(*results_, results, {});
}

bool UseTable::is_large(std::size_t number) const {
  return user(number).n_nodes >= large_user;
}

bool UseTable::should_not_grow(std::size_t number) const {
  return is_large(number) || user(number).n_roots > long_user;
}

std::optional<std::vector<Expr>> UseTable::late_reads(const std::vector<Var>& arrays,
                                                      std::size_t number) const {
  if (!is_large(number)) return {};
  const User& from = user(number);
  const auto waits = [&](Expr read) {
    bool found = false;
    if (!from.late.empty())
      scalar::for_each_node(read.args(), [&](Expr e) { found = found || from.replaced.contains(e); });
    return found;
  };
  std::vector<Expr> reads;
  for (Var array : arrays) {
    if (from.elsewhere.contains(array)) return {};
    const auto found = from.top.find(array);
    if (found == from.top.end()) continue;
    for (Expr read : found->second) {
      if (read.site() != 0 || waits(read)) return {};
      reads.push_back(read);
    }
  }
  return reads;
}

void UseTable::replace_late(std::size_t number, const std::vector<Var>& arrays,
                            std::vector<Replacement> replacements) {
  User& in = user(number);
  for (Var array : arrays) {
    in.read.erase(array);
    in.top.erase(array);
  }
  std::vector<Expr> values;
  for (const auto& [read, value] : replacements) {
    values.push_back(value);
    in.replaced.insert(read);
    in.late.emplace_back(read, value);
  }
  scalar::for_each_node(values, [&](Expr e) {
    if (e.op() != Op::index || !in.at_top.insert(e).second) return;
    const Var array = e.arg(0).var();
    in.top[array].push_back(e);
    if (in.read.insert(array).second) mentioned_by_[array].push_back(&in);
  });
}

std::vector<Replacement> UseTable::take_late(std::size_t number) {
  return std::exchange(user(number).late, {});
}

}  // namespace fulgurite::fuse
