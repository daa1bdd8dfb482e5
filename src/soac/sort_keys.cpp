#include "soac/sort_keys.h"

#include <unordered_map>

#include "scalar/value.h"
#include "scalar/width.h"
#include "soac/operation.h"

namespace fulgurite::soac {

using scalar::Op;

namespace {

std::vector<Expr> elements_at(Arena& arena, std::span<const Expr> arrays, Expr place) {
  std::vector<Expr> elements;
  for (Expr array : arrays) elements.push_back(arena.index(array, std::span(&place, 1)));
  return elements;
}

Expr sign_of(Arena& arena, Kind kind) {
  return arena.constant(kind, std::uint64_t{1} << (bits_of(kind) - 1));
}

}  // namespace

// Negative floats have all bits flipped, others the sign set.
Expr ordered_bits(Arena& arena, Expr value) {
  const Kind kind = value.kind();
  if (kind == Kind::boolean) return cast(value, Kind::u8);
  const Kind bits_kind = unsigned_of(kind);
  if (kind == bits_kind) return value;
  const Expr bits = bitcast(value, bits_kind), sign = sign_of(arena, bits_kind);
  if (!scalar::is_float(kind)) return arena.apply(Op::bit_xor, {bits, sign});
  const Expr ordered = scalar::select(bits < sign, bits | sign, logical_not(bits));
  const Expr last = arena.constant(bits_kind, scalar::highest(bits_kind));
  return scalar::select(arena.apply(Op::isnan, {value}), last, ordered);
}

Expr float_of_ordered_bits(Arena& arena, Expr bits, Kind kind) {
  const Expr sign = sign_of(arena, bits.kind()), positive = arena.apply(Op::bit_xor, {bits, sign});
  return bitcast(scalar::select(bits < sign, logical_not(bits), positive), kind);
}

Expr key_of(Arena& arena, const Sort& sort, std::span<const Expr> elements) {
  std::unordered_map<Var, Expr> given;
  for (std::size_t k = 0; k < elements.size(); ++k) given.emplace(sort.key.params[k], elements[k]);
  return scalar::substitute(arena, sort.key.results[0], given);
}

Stm range_of_keys(Arena& arena, const Stm& sort, std::span<const Expr> arrays, Expr begin, Expr n, Var least,
                  Var most) {
  const auto& op = std::get<Sort>(sort.op);
  const Expr i = arena.fresh({Kind::i64}, "i");
  const Expr key = key_of(arena, op, elements_at(arena, arrays, begin + i));
  const Kind kind = key.kind();
  const std::vector<Reduction> reductions{
      reduction_by(arena, scalar::Op::min, arena.constant(kind, scalar::highest(kind))),
      reduction_by(arena, scalar::Op::max, arena.constant(kind, 0))};
  return {{least, most}, Soac{{n}, {{i.var()}, {}, {key, key}}, reductions}, sort.where, sort.origin};
}

Stm with_keys(Arena& arena, const Stm& sort, std::span<const Expr> arrays, Expr begin, Expr n,
              std::vector<Var> names) {
  const Expr i = arena.fresh({Kind::i64}, "i");
  std::vector<Expr> elements = elements_at(arena, arrays, begin + i);
  elements.push_back(key_of(arena, std::get<Sort>(sort.op), elements));
  return {std::move(names), Soac{{n}, {{i.var()}, {}, std::move(elements)}}, sort.where, sort.origin};
}

// A filter that only counts: of equal keys the first elements stand before.
Stm rank_of(Arena& arena, Expr keys, Expr i, Expr key, Var rank) {
  const Expr j = arena.fresh({Kind::i64}, "j"), other = arena.index(keys, std::span(&j, 1));
  const Expr is_less = other < key, is_equal = equal(other, key);
  const Expr number = cast(j, Kind::i32), own_number = cast(i, Kind::i32);
  const Expr is_first = number < own_number;
  const Expr is_before = is_less | (is_equal & is_first);
  Soac count{arena.info(keys.var()).shape, {{j.var()}, {}, {select(is_before, arena.i64(0), 1)}}};
  count.partitions.push_back({arena.i64(1), 0});
  const Var offsets = arena.fresh_array(Kind::i64, {arena.i64(2)}, "offsets").var();
  return {{rank, offsets}, std::move(count), {}, ""};
}

}  // namespace fulgurite::soac
