// The values of operations (value.h), one by one and many at once.
#include "scalar/evaluate.h"

#include <limits>

#include "base/check.h"

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
    return Ops<Op::bit_and, Op::bit_or, Op::bit_xor, Op::bit_not, Op::eq, Op::ne, Op::select, Op::cast>();
  else if constexpr (std::floating_point<T>)
    return Ops<Op::add, Op::sub, Op::mul, Op::div, Op::min, Op::max, Op::neg, Op::sqrt, Op::eq, Op::ne,
               Op::lt, Op::le, Op::select, Op::cast>();
  else
    return Ops<Op::add, Op::sub, Op::mul, Op::div, Op::rem, Op::min, Op::max, Op::bit_and, Op::bit_or,
               Op::bit_xor, Op::shl, Op::shr, Op::eq, Op::ne, Op::lt, Op::le, Op::select, Op::cast>();
}

struct Rows {
  const Bits *a, *b, *c;
  std::span<Bits> to;
  void each(const auto& f) const {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = f(a[i], b[i], c[i]);
  }
};

template <class T, Op... ops>
void evaluate_rows(Op op, Kind operand, Kind result, const Rows& rows, Ops<ops...>) {
  const auto by = [&]<Op known>() {
    if (op == known)
      rows.each([&](Bits a, Bits b, Bits c) { return evaluate_as<T>(known, operand, result, a, b, c); });
    return op == known;
  };
  if ((by.template operator()<ops>() || ...)) return;
  rows.each([&](Bits a, Bits b, Bits c) { return evaluate_as<T>(op, operand, result, a, b, c); });
}

}  // namespace

void evaluate_all(Op op, Kind operand, Kind result, const Bits* a, const Bits* b, const Bits* c,
                  std::span<Bits> to) {
  // An operation does not look at operands that it does not have.
  const Rows rows{a, b == nullptr ? a : b, c == nullptr ? a : c, to};
  with_type(operand, [&]<class T>(As<T>) { evaluate_rows<T>(op, operand, result, rows, frequent<T>()); });
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
