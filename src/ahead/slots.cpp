#include "ahead/slots.h"

#include <fmt/format.h>

#include <span>

namespace fulgurite::ahead {

using emit::Precedence;
using emit::Text;
using scalar::Op;
using scalar::Type;

namespace {

constexpr int bits_of_extent = 47;
constexpr std::size_t longest_operand = 60;

bool is_wide(Kind kind) {
  return scalar::size_of(kind) == 8;
}

}  // namespace

Slots::Slots(const plan::Plan& plan, const emit::Dialect& dialect, emit::Names& names, Locals which)
    : dialect_(dialect),
      names_(names),
      facts_(plan),
      which_(which),
      exprs_(facts_.n_slots()),
      constants_(facts_.n_slots()) {
  for (std::size_t k = 0; k < exprs_.size(); ++k) {
    const auto s = static_cast<Slot>(k);
    if (facts_.is_variable(s) && facts_.is_needed(s))
      exprs_[k] = named(facts_.kind(s), names_.fresh("state"), true);
  }
}

Expr Slots::named(Kind kind, const std::string& name, bool is_variable) {
  const Expr e = arena_.fresh(Type{kind, 0, 1}, name);
  locals_.resize(static_cast<std::size_t>(e.var()) + 1);
  locals_.back() = {name, is_variable};
  return e;
}

void Slots::set_parameter(Slot s, const std::string& name, bool is_extent) {
  if (expr(s) && !facts_.is_variable(s)) return;
  Expr e;
  if (is_extent) e = extents_[name];
  if (!e) e = named(facts_.kind(s), name, false);
  if (is_extent) {
    extents_[name] = e;
    magnitudes_.set(e.var(), bits_of_extent);
  }
  if (!facts_.is_variable(s)) expr(s) = e;
}

std::vector<std::string> Slots::declarations() const {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < exprs_.size(); ++k) {
    if (!facts_.is_variable(static_cast<Slot>(k)) || !exprs_[k]) continue;
    const Expr e = exprs_[k];
    lines.push_back(fmt::format("{} {} = 0;", emit::spelling(dialect_, e.type()),
                                locals_[static_cast<std::size_t>(e.var())].name));
  }
  return lines;
}

// The 64 bits in which a plan keeps any scalar: integers are extended, an f32 is in the lower half.
Expr Slots::bits_of(Expr e) {
  if (e.kind() == Kind::f32) e = bitcast(e, Kind::u32);
  if (e.kind() == Kind::f64) return bitcast(e, Kind::i64);
  return cast(e, Kind::i64);
}

Expr Slots::of_bits(Expr bits, Kind kind) {
  if (kind == Kind::f32) return bitcast(cast(bits, Kind::u32), kind);
  if (kind == Kind::f64) return bitcast(bits, kind);
  return cast(bits, kind);
}

Expr Slots::value(Slot s, Kind kind) {
  if (const auto bits = known(s)) return arena_.constant(kind, *bits);
  const Expr e = expr(s);
  return e.kind() == kind ? e : of_bits(bits_of(e), kind);
}

std::optional<std::uint64_t> Slots::known(Slot s) const {
  return constants_[static_cast<std::size_t>(s)];
}

Text Slots::print(Expr e) {
  if (e.is_name()) return {locals_[static_cast<std::size_t>(e.var())].name};
  std::vector<Text> operands;
  for (const Expr arg : e.args()) operands.push_back(print(arg));
  return emit::combine(dialect_, e, operands, {.fits = magnitudes_.fits(e)});
}

std::string Slots::text(Slot s, Kind kind, Precedence at_least) {
  const Expr e = value(s, kind);
  Text text = print(e);
  return at_least == Precedence::conditional ? emit::as_value(dialect_, text, e.type())
                                             : emit::inside(text, at_least);
}

std::string Slots::bits(Slot s) {
  if (const auto bits = known(s)) return emit::literal(dialect_, Kind::i64, *bits, false).text;
  return print(bits_of(expr(s))).text;
}

// The line that binds the value to a name, if it needs one.
std::string Slots::define(Slot s, Expr e) {
  if (facts_.is_variable(s)) {
    if (e.kind() != facts_.kind(s)) e = of_bits(bits_of(e), facts_.kind(s));
    return fmt::format("{} = {};", locals_[static_cast<std::size_t>(expr(s).var())].name,
                       emit::as_value(dialect_, print(e), e.type()));
  }
  if (e.is_constant()) {
    constants_[static_cast<std::size_t>(s)] = bits_of(e).bits();
    return {};
  }
  bool is_settled = true;
  scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
    if (node.is_name()) is_settled = is_settled && !locals_[static_cast<std::size_t>(node.var())].is_variable;
  });
  const Text value = print(e);
  const bool is_short = facts_.n_uses(s) <= 1 || e.is_name();
  if (which_ == Locals::none || (is_settled && is_short && value.text.size() <= longest_operand)) {
    expr(s) = e;
    return {};
  }
  const int bits = magnitudes_.bits_of(e);
  const std::string name = names_.fresh(is_wide(e.kind()) && scalar::is_integer(e.kind()) ? "n" : "x");
  expr(s) = named(e.kind(), name, false);
  if (scalar::is_integer(e.kind())) magnitudes_.set(expr(s).var(), bits);
  return fmt::format("const {} {} = {};", emit::spelling(dialect_, e.type()), name,
                     emit::as_value(dialect_, value, e.type()));
}

std::string Slots::compute(const plan::Compute& s) {
  if (!facts_.is_needed(s.to)) return {};
  std::vector<Expr> operands;
  for (int i = 0; i < n_operands(s); ++i) operands.push_back(value(operand(s, i), kind_of_operand(s, i)));
  // Components of one array have the same extents.
  if (s.op == Op::eq && scalar::is_integer(operands[0].kind()) && operands[0] == operands[1])
    return define(s.to, arena_.constant(Kind::boolean, 1));
  const Expr e = s.op == Op::cast      ? cast(operands[0], s.result)
                 : s.op == Op::bitcast ? bitcast(operands[0], s.result)
                                       : arena_.apply(s.op, operands);
  return define(s.to, e);
}

std::string Slots::constant(const plan::Constant& s) {
  if (!facts_.is_needed(s.to)) return {};
  if (facts_.is_variable(s.to)) return define(s.to, arena_.constant(facts_.kind(s.to), s.bits));
  constants_[static_cast<std::size_t>(s.to)] = s.bits;
  return {};
}

std::string Slots::copy(const plan::Copy& s) {
  if (!facts_.is_needed(s.to)) return {};
  return define(s.to, value(s.from, facts_.kind(s.to)));
}

std::string Slots::assign(Slot s, const std::string& value) {
  const Kind kind = facts_.kind(s);
  if (facts_.is_variable(s))
    return expr(s) ? fmt::format("{} = {};", locals_[static_cast<std::size_t>(expr(s).var())].name, value)
                   : std::string();
  if (!facts_.is_needed(s)) return {};
  const std::string name = names_.fresh(scalar::is_integer(kind) ? "n" : "x");
  expr(s) = named(kind, name, false);
  return fmt::format("const {} {} = {};", emit::spelling(dialect_, Type{kind, 0, 1}), name, value);
}

}  // namespace fulgurite::ahead
