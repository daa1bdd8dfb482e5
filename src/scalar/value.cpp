#include "scalar/value.h"

#include <limits>

#include "base/check.h"
#include "scalar/evaluate.h"

namespace fulgurite::scalar {

void undefined_op(Op op, Kind kind) {
  base::check_failed("op", fmt::format("no value of {} on {}", info(op).name, name_of(kind)));
}

Bits evaluate(Op op, Kind operand, Kind result, Bits a, Bits b, Bits c) {
  return evaluate_scalar(op, operand, result, a, b, c);
}

namespace {

template <Op... ops>
struct Ops {};

/// The operations that most programs are made of have loops of their own for each kind.
template <class T>
auto frequent() {
  if constexpr (std::is_same_v<T, bool>)
    return Ops<Op::bit_and, Op::bit_or, Op::bit_xor, Op::bit_not, Op::eq, Op::ne>();
  else if constexpr (std::floating_point<T>)
    return Ops<Op::add, Op::sub, Op::mul, Op::div, Op::min, Op::max, Op::neg, Op::sqrt, Op::eq, Op::ne,
               Op::lt, Op::le>();
  else
    return Ops<Op::add, Op::sub, Op::mul, Op::div, Op::rem, Op::min, Op::max, Op::bit_and, Op::bit_or,
               Op::bit_xor, Op::shl, Op::shr, Op::eq, Op::ne, Op::lt, Op::le>();
}

struct Rows {
  const Bits *a, *b, *c;
  std::span<Bits> to;
  void each(const auto& f) const {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = f(a[i], b[i], c[i]);
  }
};

template <class T, Op... ops>
void evaluate_rows(Op op, Kind kind, const Rows& rows, Ops<ops...>) {
  const auto by = [&]<Op known>() {
    if (op == known)
      rows.each([kind](Bits a, Bits b, Bits c) { return evaluate_as<T>(known, kind, a, b, c); });
    return op == known;
  };
  if ((by.template operator()<ops>() || ...)) return;
  rows.each([op, kind](Bits a, Bits b, Bits c) { return evaluate_as<T>(op, kind, a, b, c); });
}

}  // namespace

void evaluate_all(Op op, Kind operand, Kind result, const Bits* a, const Bits* b, const Bits* c,
                  std::span<Bits> to) {
  // What an operation does not have it does not look at.
  const Rows rows{a, b == nullptr ? a : b, c == nullptr ? a : c, to};
  switch (op) {
    case Op::select: return rows.each([](Bits x, Bits y, Bits z) { return x & 1 ? y : z; });
    case Op::bitcast:
    case Op::cast: return rows.each([&](Bits x, Bits, Bits) { return evaluate(op, operand, result, x); });
    default: with_type(operand, [&]<class T>(As<T>) { evaluate_rows<T>(op, operand, rows, frequent<T>()); });
  }
}

namespace {

template <class T>
constexpr T least() {
  if constexpr (std::floating_point<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}
template <class T>
constexpr T greatest() {
  if constexpr (std::floating_point<T>) return std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::max();
}

}  // namespace

Bits lowest(Kind kind) {
  return with_type(kind, []<class T>(As<T>) { return to_bits(least<T>()); });
}
Bits highest(Kind kind) {
  return with_type(kind, []<class T>(As<T>) { return to_bits(greatest<T>()); });
}
Bits zero(Kind kind) {
  return with_type(kind, []<class T>(As<T>) { return to_bits(T(0)); });
}
Bits one(Kind kind) {
  return with_type(kind, []<class T>(As<T>) { return to_bits(T(1)); });
}

}  // namespace fulgurite::scalar
