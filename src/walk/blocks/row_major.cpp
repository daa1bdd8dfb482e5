#include "walk/blocks/row_major.h"

namespace fulgurite::walk::blocks {

namespace {

// Divisions of 64 bits take a GPU several times as long: they are for large spaces only.
Expr quotient(const Emitter& e, Expr a, Expr b, Expr is_small) {
  Expr q = e.declare(e.arena().i64(0), "q");
  auto narrow = [&](Expr x) { return cast(x, Kind::u32); };
  auto in_32_bits = [&] {
    const Expr divisor = narrow(b);
    return cast(narrow(a) / divisor, Kind::i64);
  };
  e.if_then_else(
      is_small, [&] { e.assign(q, e.bind(in_32_bits(), "q")); }, [&] { e.assign(q, e.bind(a / b, "q")); });
  return e.snapshot(q, "q");
}

}  // namespace

std::vector<Expr> indices_of(const Emitter& e, Expr number, std::span<const Expr> dims, Expr is_small) {
  std::vector<Expr> indices(dims.size());
  Expr left = number;
  for (std::size_t d = indices.size(); d-- > 1;) {
    Expr q = quotient(e, left, dims[d], is_small);
    indices[d] = e.bind(left - q * dims[d], "i");
    left = q;
  }
  indices[0] = left;
  return indices;
}

}  // namespace fulgurite::walk::blocks
