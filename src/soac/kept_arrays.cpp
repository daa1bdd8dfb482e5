#include "soac/kept_arrays.h"

#include <algorithm>

#include "base/match.h"
#include "soac/walk.h"

namespace fulgurite::soac {

namespace {

Expr product(Arena& arena, std::span<const Expr> factors) {
  Expr all = arena.i64(1);
  for (Expr factor : factors) all = all * factor;
  return all;
}

class Finder {
 public:
  Finder(Arena& arena, const Soac& map, const std::function<bool(std::span<const Expr>)>& is_known)
      : arena_(arena), map_(map), is_known_(is_known) {}

  std::optional<KeptArrays> found() {
    return add(map_.body, false) ? std::optional(std::move(found_)) : std::nullopt;
  }

 private:
  // Whether it reads an array at an index of the point.
  bool reads_at_point(Expr root) const {
    bool found = false;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      found |= e.op() == scalar::Op::index && scalar::mentions(e, map_.body.params[0]);
    });
    return found;
  }

  bool add(const Lambda& f, bool in_loop) {
    return std::ranges::all_of(f.body, [&](const Stm& s) { return add(s, in_loop); });
  }
  bool add(const Stm& s, bool in_loop) {
    const auto* op = base::as<Soac>(s.op);
    if (base::as<Sort>(s.op) || (op && !op->partitions.empty())) return false;
    if (op && in_loop && !is_known_(op->dims)) return false;
    const auto* loop = base::as<Loop>(s.op);
    if (loop) for_each_root(loop->body, [&](Expr root) { found_.loops_read_rows |= reads_at_point(root); });
    for (Var name : s.names) {
      const scalar::VarInfo info = arena_.info(name);
      if (info.type.rank == 0) continue;
      if (!is_known_(info.shape)) return false;
      found_.change_in_loops |= loop != nullptr;
      const auto size = static_cast<std::int64_t>(size_of(info.type.kind));
      found_.widest = std::max(found_.widest, size);
      const Expr bytes = product(arena_, info.shape) * size;
      if (seen_.insert(bytes).second) found_.largest = found_.largest ? max(found_.largest, bytes) : bytes;
    }
    return std::ranges::all_of(nested_in(s),
                               [&](const auto& nested) { return add(*nested.lambda, in_loop || loop); });
  }

  Arena& arena_;
  const Soac& map_;
  const std::function<bool(std::span<const Expr>)>& is_known_;
  KeptArrays found_;
  std::unordered_set<Expr> seen_;
};

}  // namespace

std::optional<KeptArrays> kept_arrays(Arena& arena, const Soac& map,
                                      const std::function<bool(std::span<const Expr>)>& is_known) {
  return Finder(arena, map, is_known).found();
}

std::function<bool(std::span<const Expr>)> same_for_all_points(const Soac& map) {
  Vars inside(map.body.params.begin(), map.body.params.end());
  add_bound(map.body, inside);
  return [inside = std::move(inside)](std::span<const Expr> sizes) { return !mentions_any(sizes, inside); };
}

}  // namespace fulgurite::soac
