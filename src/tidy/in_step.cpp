#include "tidy/in_step.h"

#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;

using Counts = std::unordered_map<Var, int>;

void count_in(const Stm& s, Counts& reads) {
  for_each_expr(s, [&](Expr e) {
    scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
      if (node.is_name()) ++reads[node.var()];
    });
  });
}

void count_reads(const Block& block, Counts& reads) {
  for_each_stm(block, [&](const Stm& s) { count_in(s, reads); });
}

Counts count_assigns(const Block& block) {
  Counts assigned;
  for_each_stm(block, [&](const Stm& s) {
    if (const auto* assign = base::as<Assign>(s.op)) ++assigned[assign->name];
    if (const auto* pack = base::as<Pack>(s.op)) ++assigned[pack->next];
  });
  return assigned;
}

Counts reads_of(const While& loop) {
  Counts reads;
  count_reads(loop.head, reads);
  count_reads(loop.body, reads);
  return reads;
}

std::unordered_set<Var> assigned_each_time(const While& loop) {
  std::unordered_set<Var> names;
  for (const Stm& s : loop.body)
    if (const auto* assign = base::as<Assign>(s.op)) names.insert(assign->name);
  return names;
}

void find(const Block& block, const Counts& assigned, std::unordered_map<Var, Var>& found) {
  std::unordered_set<Var> declared;
  for (const Stm& s : block) {
    if (const auto* variable = base::as<Declare>(s.op)) declared.insert(variable->name);
    Parts parts;
    parts.block = [&](const Block& inner) {
      find(inner, assigned, found);
      return Block();
    };
    map_children(s, parts);
    const auto* loop = base::as<While>(s.op);
    if (loop == nullptr) continue;
    const Counts reads = reads_of(*loop);
    const std::unordered_set<Var> each_time = assigned_each_time(*loop);
    for (const Stm& inner : loop->head)
      if (const auto* let = base::as<Let>(inner.op); let != nullptr && let->value.is_name()) {
        const Var v = let->value.var();
        if (declared.contains(v) && each_time.contains(v) && assigned.at(v) == 1 && reads.at(v) == 1)
          found.emplace(v, let->name);
      }
  }
}

}  // namespace

std::unordered_map<Var, Var> candidates_in_step(const Block& body) {
  const Counts assigned = count_assigns(body);
  std::unordered_map<Var, Var> found;
  find(body, assigned, found);
  return found;
}

// A Let that nothing reads does not read either.
std::unordered_set<Var> read_in_their_loops(const Block& body) {
  const Counts assigned = count_assigns(body);
  Counts all, useful;
  count_reads(body, all);
  for_each_stm(body, [&](const Stm& s) {
    const auto* let = base::as<Let>(s.op);
    if (let == nullptr || all.contains(let->name)) count_in(s, useful);
  });
  std::unordered_set<Var> found;
  for_each_stm(body, [&](const Stm& s) {
    const auto* loop = base::as<While>(s.op);
    if (loop == nullptr) return;
    const Counts reads = reads_of(*loop);
    for (Var v : assigned_each_time(*loop))
      if (assigned.at(v) == 1 && reads.contains(v) && reads.at(v) >= useful[v]) found.insert(v);
  });
  return found;
}

}  // namespace fulgurite::tidy
