#include "scalar/low_bits.h"

#include <algorithm>

#include "scalar/formula.h"
#include "scalar/width.h"

namespace fulgurite::scalar {

namespace {

class LowBits {
 public:
  explicit LowBits(Kind narrow) : kind_(unsigned_of(narrow)), width_(bits_of(narrow)) {}

  // The bits of `e` from number `from` on, which may be negative: bits below the lowest one are 0. Those
  // above the highest one are 0 as well, where the kind of `e` is not signed.
  Expr operator()(Expr e, int from) {
    if (--most_nodes_ < 0 || !is_integer(e.kind()) || from <= -width_) return {};
    const bool are_inside = from + width_ <= bits_of(e.kind());
    if (!are_inside && is_signed(e.kind())) return {};
    if (e.is_constant()) return of_constant(e, from);
    switch (e.op()) {
      case Op::cast: return of_converted(e, from, are_inside);
      case Op::shl: return shifted(e, from, -1);
      case Op::shr: return shifted(e, from, 1);
      case Op::bit_and:
      case Op::bit_or:
      case Op::bit_xor: return of_operands(e, from);
      case Op::add:
      case Op::sub:
      case Op::mul: return from == 0 ? of_operands(e, 0) : Expr();
      case Op::select: return of_choice(e, from);
      default: return {};
    }
  }

 private:
  // In place of an operand, which must not fail.
  Expr zeros(Expr of) const { return can_fail(of) ? Expr() : of.arena().constant(kind_, 0); }

  Expr of_constant(Expr e, int from) const {
    const std::uint64_t bits = e.bits() & (~std::uint64_t{0} >> (64 - bits_of(e.kind())));
    const std::uint64_t moved = from >= 64 ? 0 : from >= 0 ? bits >> from : bits << -from;
    return e.arena().constant(kind_, moved & (~std::uint64_t{0} >> (64 - width_)));
  }

  // Above the highest bit of what was converted there are zeros or signs.
  Expr of_converted(Expr e, int from, bool are_inside) {
    const Expr narrow = e.arg(0);
    const bool has_sign = is_signed(narrow.kind());
    if (is_float(narrow.kind()) || (has_sign && !are_inside)) return {};
    if (bits_of(narrow.kind()) > width_)
      return are_inside && (!has_sign || from + width_ <= bits_of(narrow.kind())) ? (*this)(narrow, from)
                                                                                  : Expr();
    Arena& arena = e.arena();
    const Kind kind = has_sign ? signed_of(kind_) : kind_;
    Expr value = cast(narrow, kind);
    if (from >= width_ && !has_sign) return zeros(narrow);
    if (from > 0) value = value >> arena.constant(kind, static_cast<Bits>(std::min(from, width_ - 1)));
    if (from < 0) value = value << arena.constant(kind, static_cast<Bits>(-from));
    return cast(value, kind_);
  }

  // Shifts by a constant number of places; `sign` is 1 for shifts to the right.
  Expr shifted(Expr e, int from, int sign) {
    if (!e.arg(1).is_constant()) return {};
    const int places = static_cast<int>(e.arg(1).bits() % static_cast<Bits>(bits_of(e.kind())));
    // What a shift moves out of the kind is gone, and neither above its highest bit nor below its lowest one.
    if (sign < 0 ? from + width_ > bits_of(e.kind()) : from < 0) return {};
    if (from + sign * places <= -width_) return zeros(e.arg(0));
    return (*this)(e.arg(0), from + sign * places);
  }

  Expr of_operands(Expr e, int from) {
    const Expr a = (*this)(e.arg(0), from);
    const Expr b = a ? (*this)(e.arg(1), from) : Expr();
    return b ? e.arena().apply(e.op(), {a, b}) : Expr();
  }

  Expr of_choice(Expr e, int from) {
    const Expr a = (*this)(e.arg(1), from);
    const Expr b = a ? (*this)(e.arg(2), from) : Expr();
    return b ? Expr(select(e.arg(0), a, b)) : Expr();
  }

  const Kind kind_;
  const int width_;
  int most_nodes_ = 64;
};

}  // namespace

Expr narrowed(Expr e, Kind narrow) {
  // A conversion alone says it already, and so does a constant.
  if (e.op() == Op::cast || e.is_constant()) return {};
  const Expr bits = LowBits(narrow)(e, 0);
  return bits ? cast(bits, narrow) : Expr();
}

}  // namespace fulgurite::scalar
