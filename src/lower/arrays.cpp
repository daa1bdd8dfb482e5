#include <fmt/format.h>
#include <fulgurite/error.h>

#include "base/check.h"
#include "lower/emitter.h"
#include "scalar/print.h"

namespace fulgurite::lower {

const Destination& Emitter::destination(Var array) const {
  auto found = destinations_.find(array);
  FULGURITE_CHECK(found != destinations_.end(), "array '{}' is made inside a kernel and has nowhere to go",
                  arena_.info(array).name);
  return found->second;
}

Expr Emitter::element_of(const Destination& array, Expr number) {
  Expr offset = array.step ? arena_.mul(array.step, number) : number;
  return array.base ? arena_.add(array.base, offset) : offset;
}

Destination Emitter::scratch(Kind kind, Expr size, const soac::Location& where) {
  FULGURITE_CHECK(in_scalar_code_ && task_, "a lane makes an array");
  Expr most = bound(size);
  if (!most)
    throw ShapeError(
        fmt::format("irregular nested array: an array made for each element has {} elements, and how many "
                    "that can be is not known before the elements are computed; give it a size that does not "
                    "depend on the element, or the largest one and ignore the rest",
                    scalar::describe(arena_, size)),
        {where.file, where.line});
  Expr each = arena_.max(most, arena_.i64(0));
  Expr buffer = arena_.fresh_array(kind, {arena_.mul(tasks_, each)}, "scratch");
  scratch_.push_back(buffer.var());
  if (interleaved_) return {buffer.var(), lower(task_), lower(tasks_)};
  return {buffer.var(), lower(arena_.mul(task_, each))};
}

const Destination& Emitter::place(Var array, const soac::Location& where) {
  if (!has_destination(array)) {
    const scalar::VarInfo info = arena_.info(array);
    Expr size = arena_.i64(1);
    for (Expr extent : info.shape) size = arena_.mul(size, extent);
    set_destination(array, scratch(info.type.kind, size, where));
  }
  return destination(array);
}

Expr Emitter::bound(Expr e) {
  if (e.type() != scalar::Type{}) return {};
  if (outside_.knows(e)) return e;
  if (e.is_name()) {
    auto known = bounds_.find(e.var());
    return known == bounds_.end() ? Expr() : known->second;
  }
  auto of = [&](std::size_t i) { return bound(e.arg(i)); };
  switch (e.op()) {
    case Op::add:
    case Op::mul:
      if (Expr a = of(0), b = of(1); a && b) return arena_.apply(e.op(), {a, b});
      return {};
    case Op::sub:
      // Less what is an index or a size, which is not negative, or known.
      if (Expr a = of(0), b = of(1); a && b) return outside_.knows(e.arg(1)) ? arena_.sub(a, e.arg(1)) : a;
      return {};
    case Op::div:
      if (Expr a = of(0); a && e.arg(1).is_constant() && static_cast<std::int64_t>(e.arg(1).bits()) > 0)
        return arena_.div(a, e.arg(1));
      return {};
    case Op::min:
      if (Expr a = of(0), b = of(1); a && b) return arena_.min(a, b);
      if (Expr a = of(0)) return a;
      return of(1);
    case Op::max:
      if (Expr a = of(0), b = of(1); a && b) return arena_.max(a, b);
      return {};
    case Op::select:
      if (Expr a = of(1), b = of(2); a && b) return arena_.max(a, b);
      return {};
    default: return {};
  }
}

// map (i < n, j < m) { from[i, j] }
void Emitter::copy(Var from, const Destination& to, const soac::Location& where) {
  const scalar::VarInfo info = arena_.info(from);
  soac::Stm s{{}, soac::Soac{info.shape, {}}, where, "copy"};
  auto& op = std::get<soac::Soac>(s.op);
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < info.shape.size(); ++d) {
    indices.push_back(arena_.fresh({Kind::i64}, "i"));
    op.body.params.push_back(indices.back().var());
  }
  op.body.results.push_back(arena_.index(arena_.name(from), indices));
  s.names.push_back(arena_.fresh_array(info.type.kind, info.shape, info.name).var());
  set_destination(s.names[0], to);
  statements({s});
}

}  // namespace fulgurite::lower
