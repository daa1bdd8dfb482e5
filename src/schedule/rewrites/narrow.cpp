#include "schedule/rewrites/narrow.h"

namespace fulgurite::schedule {

using scalar::Arena;
using scalar::Expr;
using scalar::Kind;

Expr narrow_index(Expr index) {
  if (index.op() != scalar::Op::cast || index.kind() != Kind::i64) return {};
  const Kind kind = index.arg(0).kind();
  const bool fits = is_integer(kind) && (size_of(kind) < 4 || kind == Kind::i32);
  return fits ? index.arg(0) : Expr();
}

// A negative index is one of the upper half of the unsigned numbers.
Expr narrow_extent(Expr extent) {
  return cast(min(extent, std::int64_t{1} << 31), Kind::u32);
}

Expr is_inside(Expr i32_index, Expr narrow_extent) {
  return cast(i32_index, Kind::u32) < narrow_extent;
}

}  // namespace fulgurite::schedule
