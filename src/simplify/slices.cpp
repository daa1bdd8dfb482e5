#include "simplify/slices.h"

#include "base/match.h"
#include "soac/count.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Expr, scalar::Op, scalar::Var;
using soac::Soac, soac::Sort, soac::Stm;

Slices::Slices(const soac::Program& program) : arena_(*program.arena) {
  find(program.body, 0);
}

const Slice* Slices::of(const Stm& s) const {
  const auto found = s.names.empty() ? slices_.end() : slices_.find(s.names[0]);
  return found == slices_.end() ? nullptr : &found->second;
}

void Slices::find(const std::vector<Stm>& stms, int depth) {
  for (const Stm& s : stms) {
    if (const auto* sort = as<Sort>(s.op); sort && sort->segments)
      for (std::size_t k = 0; k < s.names.size(); ++k) sorted_.emplace(s.names[k], Component{s, k, depth});
    if (const auto* let = as<soac::Let>(s.op)) bound_.emplace(s.names[0], let->value);
    if (const auto* op = as<Soac>(s.op); op && op->dims.size() == 1) {
      depth_.emplace(op->body.params[0], depth);
      add(s, depth);
    }
    for (const auto& inner : soac::nested_in(s))
      find(inner.lambda->body, inner.role == soac::Role::branch ? depth : depth + 1);
  }
}

void Slices::add(const Stm& s, int depth) {
  const auto& op = std::get<Soac>(s.op);
  if (sorted_.empty() || !op.body.body.empty() || !soac::is_map(op)) return;
  const Expr j = arena_.name(op.body.params[0]);
  Slice slice{{}, {}, op.dims[0], {}};
  for (Expr result : op.body.results) {
    if (result.op() != Op::index || result.site() != 0 || result.arg(1).op() != Op::add) return;
    const auto found = sorted_.find(result.arg(0).var());
    const Expr at = result.arg(1), begin = at.arg(0) == j ? at.arg(1) : at.arg(0);
    if (found == sorted_.end() || at != begin + j) return;
    if (!is_segment(found->second, begin, slice.extent, depth)) return;
    if (slice.begin && (slice.begin != begin || slice.sort.names != found->second.sort.names)) return;
    slice.sort = found->second.sort, slice.begin = begin;
    slice.components.push_back(found->second.number);
  }
  slices_.emplace(s.names[0], std::move(slice));
}

// Whether a segment begins there and has that many elements, and each point of a Soac that stands where the
// sort does has one.
bool Slices::is_segment(const Component& of, Expr begin, Expr extent, int depth) const {
  const Expr segments = std::get<Sort>(of.sort.op).segments;
  if (begin.op() != Op::index || begin.arg(0) != segments || begin.site() != 0) return false;
  const Expr i = begin.arg(1), next = i + 1;
  const auto point = i.is_name() ? depth_.find(i.var()) : depth_.end();
  if (point == depth_.end() || point->second != of.depth || depth != of.depth + 1) return false;
  const auto bound = extent.is_name() ? bound_.find(extent.var()) : bound_.end();
  return bound != bound_.end() && bound->second == arena_.index(segments, std::span(&next, 1)) - begin;
}

}  // namespace fulgurite::simplify
