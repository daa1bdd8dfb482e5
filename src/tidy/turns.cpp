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

/// The stored values were loaded, and are not changed.
bool is_copy(const Block& body) {
  std::set<Var> loaded;
  return std::ranges::all_of(body, [&](const Stm& s) {
    if (const auto* load = std::get_if<Load>(&s.op)) loaded.insert(load->name);
    const auto* store = std::get_if<Store>(&s.op);
    return store == nullptr || (store->value.is_name() && loaded.contains(store->value.var()));
  });
}

constexpr std::int64_t most_turns = 8;  // that are written out

int stores_in(const Block& body) {
  return static_cast<int>(
      std::ranges::count_if(body, [](const Stm& s) { return std::holds_alternative<Store>(s.op); }));
}

/// The number of threads that most statements have, if the others have more and can take turns; else 0. (A
/// reduction, which begins with the most threads, keeps them.) A thread takes more than two turns only if it
/// stores as many elements in the statements that most are.
std::int64_t fewer_threads(const Block& task) {
  std::map<std::int64_t, int> statements;  // by their number of threads
  for_each_stm(task, [&](const Stm& s) {
    if (const Par* par = threads_of(s)) ++statements[static_cast<std::int64_t>(par->n.bits())];
  });
  if (statements.size() < 2) return 0;
  const auto [most, n_most] = *statements.rbegin();
  const auto [next, n_next] = *std::next(statements.rbegin());
  const std::int64_t turns = (most + next - 1) / next;
  if (turns > most_turns || n_most >= n_next) return 0;
  bool can = true, has_begun = false;
  for_each_stm(task, [&, wide = most, narrow = next](const Stm& s) {
    const Par* par = threads_of(s);
    if (par == nullptr) return;
    const auto n = static_cast<std::int64_t>(par->n.bits());
    if (n == wide)
      can &= is_straight(par->body) && (has_begun || is_copy(par->body));
    else
      has_begun = true;
    if (n == narrow && turns > 2) can &= stores_in(par->body) >= turns;
  });
  return can ? next : 0;
}

/// The instances `first`, `first` + 1 ... of a statement.
Block instances_from(Arena& arena, const Par& par, std::int64_t first) {
  const Expr instance = arena.name(par.name) + first;
  return substitute(arena, refresh(arena, par.body), {{par.name, instance}});
}

Block in_turns(Arena& arena, const Block& task, std::int64_t n) {
  Block out;
  for (const Stm& s : task) {
    const Par* par = threads_of(s);
    const std::int64_t instances = par == nullptr ? 0 : static_cast<std::int64_t>(par->n.bits());
    if (instances <= n || instances > n * most_turns || !is_straight(par->body)) {
      Parts parts;
      if (par == nullptr) parts.block = [&](const Block& inner) { return in_turns(arena, inner, n); };
      out.push_back(map_children(s, parts));
      continue;
    }
    Par whole{par->level, par->name, arena.i64(n), par->body};
    for (std::int64_t first = n; first + n <= instances; first += n) {
      const Block more = instances_from(arena, *par, first);
      whole.body.insert(whole.body.end(), more.begin(), more.end());
    }
    out.push_back({std::move(whole), s.line});
    if (const std::int64_t rest = instances % n; rest > 0) {
      const Expr thread = arena.fresh({Kind::i64}, arena.info(par->name).name);
      Block last = substitute(arena, instances_from(arena, *par, instances - rest), {{par->name, thread}});
      out.push_back({Par{par->level, thread.var(), arena.i64(rest), std::move(last)}, s.line});
    }
  }
  return out;
}

}  // namespace

const kernel::Pass take_turns{
    .name = "take_turns",
    .description = "the threads of a statement of more threads than the others take turns",
    .run = kernel::on_grids<[](Arena& arena, const Block& body, const PassOptions& options) {
      const std::int64_t n = options.threads ? *options.threads : fewer_threads(body);
      return n == 0 ? body : in_turns(arena, body, n);
    }>,
    .is_optional = true};

}  // namespace fulgurite::tidy
