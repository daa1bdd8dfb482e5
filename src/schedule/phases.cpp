#include "schedule/phases.h"

#include <algorithm>

#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

Expr element(scalar::Arena& arena, Var array, Expr number) {
  return arena.index(arena.name(array), std::span(&number, 1));
}

// An array begins as another one if its contents read an array of this shape at their own place. Nothing else
// in the statement may read that array, whose memory is overwritten then, unless it is updated in place.
bool is_copy(const Surroundings& around, const soac::Stm& s, const soac::Scatter& scatter, Expr contents,
             std::span<const InPlace> in_place) {
  if (contents.op() != scalar::Op::index || !around.in_memory(contents.arg(0).var())) return false;
  const Var from = contents.arg(0).var();
  const std::vector<Expr> shape = around.sizes.canonical(around.arena.info(from).shape);
  if (shape != around.sizes.canonical(scatter.shape)) return false;
  for (std::size_t d = 0; d < scatter.shape.size(); ++d)
    if (!contents.arg(d + 1).is_name() || contents.arg(d + 1).var() != scatter.initial.params[d])
      return false;
  if (std::ranges::find(in_place, from, &InPlace::from) != in_place.end()) return true;
  soac::Stm others = s;
  for (soac::Scatter& other : std::get<soac::Soac>(others.op).scatters)
    if (other.combine.empty()) other.initial = {};
  soac::Vars mentioned;
  soac::add_mentioned(others, mentioned);
  return !mentioned.contains(from);
}

soac::Stm map_of(const soac::Stm& original, const std::vector<Expr>& shape, soac::Lambda f,
                 std::vector<Var> arrays) {
  return {std::move(arrays), soac::Soac{shape, std::move(f)}, original.where, original.origin};
}

}  // namespace

soac::Stm contents(const soac::Stm& s, std::size_t scatter) {
  const soac::OutputView outputs = soac::view_of(s);
  const auto& made = outputs.scatters[scatter];
  return map_of(s, made.to.shape, made.to.initial, {made.arrays.begin(), made.arrays.end()});
}

Filling fill(const Surroundings& around, const soac::Stm& s, std::span<const InPlace> in_place) {
  Filling filling;
  fill(around, s, in_place, [&](soac::Stm computes, const std::optional<Copy>& copy) {
    filling.parts.push_back({std::move(computes), copy ? copy->fresh : Expr()});
    if (copy) filling.copies.push_back(*copy);
  });
  return filling;
}

void fill(const Surroundings& around, const soac::Stm& s, std::span<const InPlace> in_place,
          const AddFilling& add) {
  for (const auto& made : soac::view_of(s).scatters) {
    const soac::Scatter& scatter = made.to;
    if (!scatter.combine.empty() || scatter.goes_on) continue;
    soac::Lambda computed = scatter.initial;
    computed.results.clear();
    std::vector<Var> arrays;
    for (std::size_t k = 0; k < made.arrays.size(); ++k) {
      const Expr element = scatter.initial.results[k];
      if (!is_copy(around, s, scatter, element, in_place)) {
        computed.results.push_back(element);
        arrays.push_back(made.arrays[k]);
        continue;
      }
      const Expr fresh = around.arena.fresh({Kind::i64}, "fresh");
      soac::Lambda copied{scatter.initial.params, {}, {element}};
      add(map_of(s, scatter.shape, std::move(copied), {made.arrays[k]}),
          Copy{made.arrays[k], element.arg(0).var(), fresh});
    }
    if (!arrays.empty()) add(map_of(s, scatter.shape, std::move(computed), std::move(arrays)), {});
  }
}

soac::Stm last(scalar::Arena& arena, const soac::Stm& s, Expr n, std::span<const std::vector<Var>> partials) {
  const Expr t = arena.fresh({Kind::i64}, "t");
  soac::Soac over{{n}, {{t.var()}, {}, {}}};
  std::vector<Var> names;
  const soac::OutputView outputs = soac::view_of(s);
  for (std::size_t g = 0; g < outputs.reductions.size(); ++g) {
    if (partials[g].empty()) continue;
    over.reductions.push_back(outputs.reductions[g].by);
    for (Var partial : partials[g]) over.body.results.push_back(element(arena, partial, t));
    names.insert(names.end(), outputs.reductions[g].names.begin(), outputs.reductions[g].names.end());
  }
  return {std::move(names), std::move(over), s.where, s.origin};
}

soac::Stm places(scalar::Arena& arena, const soac::Stm& s, std::size_t scatter, Expr n,
                 std::span<const Var> bins, const std::function<Expr(Expr task, Expr place)>& bin,
                 const std::function<bool(Var)>& is_made) {
  const soac::OutputView outputs = soac::view_of(s);
  const auto& made = outputs.scatters[scatter];
  soac::Lambda f = made.to.initial;
  Expr place = arena.i64(0);
  const Expr t = arena.fresh({Kind::i64}, "t");
  for (std::size_t d = 0; d < made.to.shape.size(); ++d)
    place = place * made.to.shape[d] + arena.name(f.params[d]);
  soac::Stm joined{{}, soac::Soac{{n}, {{t.var()}, {}, {}}, made.to.combine}, s.where, ""};
  auto& inner = std::get<soac::Soac>(joined.op);
  inner.reductions[0].initial = f.results;
  f.results.clear();
  const Expr at = bin(t, place);
  for (Var array : bins) inner.body.results.push_back(element(arena, array, at));
  std::vector<Var> arrays;
  for (Var array : made.arrays) {
    const Expr element = arena.fresh({arena.info(array).type.kind}, "element");
    joined.names.push_back(element.var());
    if (!is_made(array)) continue;
    arrays.push_back(array);
    f.results.push_back(element);
  }
  f.body.push_back(std::move(joined));
  return map_of(s, made.to.shape, std::move(f), std::move(arrays));
}

soac::Stm fold(scalar::Arena& arena, const soac::Stm& s, std::span<const soac::Stm* const> scans,
               std::span<const std::size_t> partitions, bool goes_on) {
  const auto& whole = std::get<soac::Soac>(s.op);
  const soac::OutputView outputs = soac::view_of(s);
  soac::Soac op{whole.dims, {}};
  std::vector<Expr> wanted;
  std::vector<Var> names;
  for (const soac::Stm* scan : scans) {
    const auto& of = std::get<soac::Scan>(scan->op);
    op.reductions.push_back(of.reduction);
    op.reductions.back().initial.clear();
    wanted.insert(wanted.end(), of.operands.begin(), of.operands.end());
  }
  for (Expr e : wanted) names.push_back(arena.fresh(e.type(), "partial").var());
  for (std::size_t g : partitions) {
    const Expr classes = outputs.partitions[g].classes;
    op.partitions.push_back({classes, 0});
    wanted.push_back(outputs.partitions[g].point_class);
    names.push_back(arena.fresh({Kind::i64}, "kept").var());
    names.push_back(arena.fresh_array(Kind::i64, {classes + 1}, "offsets").var());
  }
  std::vector<Expr> needed = wanted;
  for (const soac::Stm* scan : scans_of(whole.body))
    for (Var name : scan->names)
      if (goes_on) needed.push_back(arena.name(name));
  op.body = slice(arena, whole.body, std::move(needed));
  op.body.results = std::move(wanted);
  return {std::move(names), std::move(op), s.where, s.origin};
}

soac::Stm carry(scalar::Arena& arena, const soac::Stm& s, Expr n, std::span<const soac::Stm* const> scans,
                std::span<const std::vector<Var>> partials, std::span<const std::vector<Var>> carries) {
  const Expr t = arena.fresh({Kind::i64}, "t");
  soac::Soac op{{n}, {{t.var()}, {}, {}}};
  std::vector<Var> names;
  for (std::size_t i = 0; i < scans.size(); ++i) {
    soac::Scan scan{std::get<soac::Scan>(scans[i]->op).reduction, {}, false};
    soac::Stm running{{}, {}, s.where, ""};
    for (std::size_t k = 0; k < partials[i].size(); ++k) {
      scan.operands.push_back(element(arena, partials[i][k], t));
      const Expr value = arena.fresh({arena.info(partials[i][k]).type.kind}, "carry");
      running.names.push_back(value.var());
      op.body.results.push_back(value);
      names.push_back(carries[i][k]);
    }
    running.op = std::move(scan);
    op.body.body.push_back(std::move(running));
  }
  return {std::move(names), std::move(op), s.where, ""};
}

soac::Stm count(scalar::Arena& arena, const soac::Stm& original, Expr n, Var counts, Var sums) {
  const Expr i = arena.fresh({Kind::i64}, "i"), before = arena.fresh({Kind::i64}, "before");
  soac::Soac op{{n}, {{i.var()}, {}, {before}}};
  soac::Scan scan{integer_sum(arena), {cast(element(arena, counts, i), Kind::i64)}, false};
  op.body.body.push_back({{before.var()}, std::move(scan), original.where, ""});
  return {{sums}, std::move(op), original.where, ""};
}

std::vector<std::vector<Var>> fresh_like(scalar::Arena& arena, std::span<const std::vector<Var>> arrays) {
  std::vector<std::vector<Var>> fresh;
  for (const std::vector<Var>& group : arrays)
    for (fresh.emplace_back(); Var array : group) {
      const scalar::VarInfo info = arena.info(array);
      fresh.back().push_back(arena.fresh_array(info.type.kind, info.shape, info.name).var());
    }
  return fresh;
}

}  // namespace fulgurite::schedule
