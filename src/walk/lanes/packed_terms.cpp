#include "walk/lanes/packed_terms.h"

#include "schedule/nest.h"

namespace fulgurite::walk::lanes {

namespace {

// Part `number` of a word of n parts: the lowest bits of the value.
Expr placed(scalar::Arena& arena, Expr value, std::int64_t number, std::int64_t n) {
  const Kind kind = value.kind();
  const std::int64_t bits = 8 * static_cast<std::int64_t>(scalar::size_of(kind)) / n;
  const auto constant = [&](std::int64_t x) { return cast(arena.i64(x), kind); };
  if (number < n - 1) value = arena.apply(Op::bit_and, {value, constant((std::int64_t{1} << bits) - 1)});
  return number == 0 ? value : arena.apply(Op::shl, {value, constant(bits * number)});
}

Expr packed(const Emitter& e, std::span<const Expr> values) {
  const auto n = static_cast<std::int64_t>(values.size());
  Expr word = placed(e.arena(), values[0], 0, n);
  for (std::int64_t k = 1; k < n; ++k)
    word = e.arena().apply(Op::bit_or, {word, placed(e.arena(), values[static_cast<std::size_t>(k)], k, n)});
  return e.bind(word, "word");
}

}  // namespace

Words words_of(const Emitter& e, std::int64_t together, Expr begin, Expr end) {
  if (together == 1) return {1, begin, end, begin, end};
  const Expr n = e.lower(schedule::ceil_div(end - begin, e.arena().i64(together)));
  return {together, begin, end, e.arena().i64(0), n};
}

Expr whole_word(const Emitter& e, const Words& words, Expr number, const OperandAt& operand) {
  const Expr first = words.point(number);
  if (words.together == 1) return operand(e, first);
  std::vector<Expr> values;
  for (std::int64_t k = 0; k < words.together; ++k) values.push_back(operand(e, e.lower(first + k)));
  return packed(e, values);
}

WordParts parts_of_word(const Emitter& e, const Words& words, Expr number, Kind kind) {
  const Expr first = words.point(number);
  if (words.together == 1) return {{first}, {}};
  WordParts parts;
  scalar::Arena& arena = e.arena();
  for (std::int64_t k = 0; k < words.together; ++k) {
    const Expr point = e.lower(first + k), none = cast(arena.i64(0), kind), all = cast(arena.i64(-1), kind);
    parts.points.push_back(e.lower(min(point, words.end - 1)));
    parts.masks.push_back(e.lower(select(point < words.end, all, none)));
  }
  return parts;
}

Expr word(const Emitter& e, const WordParts& parts, const OperandAt& operand) {
  if (parts.masks.empty()) return operand(e, parts.points[0]);
  std::vector<Expr> values;
  for (std::size_t k = 0; k < parts.points.size(); ++k)
    values.push_back(e.arena().apply(Op::bit_and, {operand(e, parts.points[k]), parts.masks[k]}));
  return packed(e, values);
}

}  // namespace fulgurite::walk::lanes
