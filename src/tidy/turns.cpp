#include "tidy/turns.h"

#include <algorithm>
#include <map>
#include <set>

#include "kernel/traverse.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

const Par* threads_of(const Stm& s) {
  const auto* par = std::get_if<Par>(&s.op);
  return par != nullptr && par->level == Level::block && par->n.is_constant() ? par : nullptr;
}

bool is_straight(const Block& body) {
  return std::ranges::all_of(body, [](const Stm& s) {
    return std::holds_alternative<Let>(s.op) || std::holds_alternative<Load>(s.op) ||
           std::holds_alternative<Store>(s.op);
  });
}

/// What is stored has been loaded, and is not changed.
bool is_copy(const Block& body) {
  std::set<Var> loaded;
  return std::ranges::all_of(body, [&](const Stm& s) {
    if (const auto* load = std::get_if<Load>(&s.op)) loaded.insert(load->name);
    const auto* store = std::get_if<Store>(&s.op);
    return store == nullptr || (store->value.is_name() && loaded.contains(store->value.var()));
  });
}

/// The number of threads that most statements have, if the others that have more have twice as many and can
/// take turns; else 0. (A reduction, which begins with the most threads, keeps them.)
std::int64_t fewer_threads(const Block& task) {
  std::map<std::int64_t, int> statements;  // by their number of threads
  for_each_stm(task, [&](const Stm& s) {
    if (const Par* par = threads_of(s)) ++statements[static_cast<std::int64_t>(par->n.bits())];
  });
  if (statements.size() < 2) return 0;
  const auto [most, n_most] = *statements.rbegin();
  const auto [next, n_next] = *std::next(statements.rbegin());
  if (most != 2 * next || n_most >= n_next) return 0;
  bool can = true, has_begun = false;
  for_each_stm(task, [&, wide = most](const Stm& s) {
    const Par* par = threads_of(s);
    if (par == nullptr) return;
    if (static_cast<std::int64_t>(par->n.bits()) == wide)
      can &= is_straight(par->body) && (has_begun || is_copy(par->body));
    else
      has_begun = true;
  });
  return can ? next : 0;
}

Block in_turns(Arena& arena, const Block& task, std::int64_t n) {
  Block out;
  for (const Stm& s : task) {
    const Par* par = threads_of(s);
    if (par == nullptr || static_cast<std::int64_t>(par->n.bits()) <= n) {
      Parts parts;
      parts.block = [&](const Block& inner) { return in_turns(arena, inner, n); };
      out.push_back(map_children(s, parts));
      continue;
    }
    const Expr second = arena.add(arena.name(par->name), arena.i64(n));
    Par both{par->level, par->name, arena.i64(n), par->body};
    const Block more = substitute(arena, refresh(arena, par->body), {{par->name, second}});
    both.body.insert(both.body.end(), more.begin(), more.end());
    out.push_back({std::move(both), s.line});
  }
  return out;
}

}  // namespace

kernel::Kernel take_turns(kernel::Kernel kernel) {
  for (Stm& phase : kernel.body)
    if (auto* grid = std::get_if<Par>(&phase.op))
      if (const std::int64_t n = fewer_threads(grid->body); n > 0)
        grid->body = in_turns(*kernel.arena, grid->body, n);
  return kernel;
}

}  // namespace fulgurite::tidy
