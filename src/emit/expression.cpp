#include "emit/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "scalar/value.h"

namespace fulgurite::emit {
namespace {

using scalar::Op;
using scalar::size_of;

std::size_t kind_number(Kind kind) {
  return static_cast<std::size_t>(kind);
}
bool part_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}
bool is_narrow(Kind kind) {
  return scalar::is_integer(kind) && size_of(kind) < 4;
}  // C computes with int instead

template <class T>
Text float_literal(const Dialect& d, Kind kind, T value, std::uint64_t bits) {
  std::string_view type = d.types[kind_number(kind)];
  if (std::isnan(value)) return {fmt::format(fmt::runtime(d.from_bits), type, fmt::format("{:#x}u", bits))};
  std::string text;
  if (std::isinf(value)) {
    text = d.infinity[kind == Kind::f64];
  } else {
    text = fmt::format("{}", std::abs(value));  // shortest text that is read back as this value
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    text += d.suffixes[kind_number(kind)];
  }
  if (!std::signbit(value)) return {text};
  return {"-" + text, Precedence::unary};
}

struct Infix {
  std::string_view spelling;
  Precedence precedence;
};

// Operators that mean the same in C as in op.def, for scalars and vectors alike.
std::optional<Infix> arithmetic(Op op, Kind kind) {
  switch (op) {
    case Op::add: return Infix{" + ", Precedence::sum};
    case Op::sub: return Infix{" - ", Precedence::sum};
    case Op::mul: return Infix{" * ", Precedence::product};
    case Op::div:
      return scalar::is_float(kind) ? std::optional(Infix{" / ", Precedence::product}) : std::nullopt;
    case Op::bit_and: return Infix{" & ", Precedence::bit_and};
    case Op::bit_or: return Infix{" | ", Precedence::bit_or};
    case Op::bit_xor: return Infix{" ^ ", Precedence::bit_xor};
    default: return {};
  }
}

// These give 0 or 1 for scalars, and for vectors something else than a mask.
std::optional<Infix> comparison(Op op) {
  switch (op) {
    case Op::eq: return Infix{" == ", Precedence::equality};
    case Op::ne: return Infix{" != ", Precedence::equality};
    case Op::lt: return Infix{" < ", Precedence::relation};
    case Op::le: return Infix{" <= ", Precedence::relation};
    default: return {};
  }
}

class Combiner {
 public:
  Combiner(const Dialect& dialect, Expr node, std::span<const Text> operands, const Known& known)
      : dialect_(dialect), node_(node), operands_(operands.begin(), operands.end()), known_(known) {
    type_ = node.type();
    operand_ = node.args().empty() ? type_ : node.arg(node.op() == Op::select ? 1 : 0).type();
    // Equal lanes make equal lanes: one scalar operation does.
    scalar_ = std::ranges::all_of(operands_, [](const Text& t) { return t.is_scalar; });
    lanes_ = scalar_ ? 1 : operand_.lanes;
  }

  Text operator()() {
    Text result = text();
    result.is_run = is_run();
    return result;
  }

 private:
  Text text() {
    switch (node_.op()) {
      case Op::constant: return literal(dialect_, type_.kind, node_.bits(), false);
      case Op::lane: return {call(dialect_, "lane", type_.kind, type_.lanes, ""), Precedence::primary, false};
      case Op::splat: return operands_[0];
      case Op::neg: return is_called() ? function() : prefix("-");
      case Op::bit_not: return is_called() ? function() : prefix(type_.kind == Kind::boolean ? "!" : "~");
      case Op::cast: return scalar_ ? scalar_cast() : conversion();
      case Op::bitcast: return conversion();
      case Op::any:
      case Op::all: return operands_[0].is_scalar ? operands_[0] : function();
      case Op::select: return scalar_ ? conditional() : function();
      default: break;
    }
    if (node_.op() == Op::mul && dialect_.contracts && scalar::is_float(type_.kind)) return product();
    if (auto infix = arithmetic(node_.op(), operand_.kind))
      return is_called() ? function() : binary(*infix, true);
    if (auto infix = division(); infix) return binary(*infix, true);
    if (auto infix = shift(); infix) return binary(*infix, true);
    if (auto infix = comparison(node_.op()); infix && scalar_) return binary(*infix, false);
    return function();
  }
  Text product() {
    const std::string args = fmt::format("{}, {}", typed(0).text, typed(1).text);
    return {call(dialect_, "mul", type_.kind, lanes_, args), Precedence::primary, scalar_};
  }
  bool is_run() const {
    if (node_.op() == Op::lane) return true;
    return node_.op() == Op::add && operands_[0].is_run != operands_[1].is_run &&
           operands_[operands_[0].is_run ? 1 : 0].is_scalar;
  }
  // The number comes last.
  Text with_number(std::size_t number) {
    const std::string stem = fmt::format("{}_of_number", prelude_function());
    const std::string args = fmt::format("{}, {}", argument(1 - number), argument(number));
    return {call(dialect_, stem, operand_.kind, lanes_, args), Precedence::primary, result_is_scalar()};
  }
  Text function() {
    if (known_.number) return with_number(*known_.number);
    std::string args = base::join(operand_numbers(), ", ", [&](std::size_t i) { return argument(i); });
    Kind kind = node_.op() == Op::any || node_.op() == Op::all ? Kind::boolean : operand_.kind;
    return {call(dialect_, prelude_function(), kind, lanes_, args), Precedence::primary, result_is_scalar()};
  }
  // The prelude's division minds zeros and overflow, which a constant divisor excludes.
  std::optional<Infix> division() const {
    bool is_division = node_.op() == Op::div || node_.op() == Op::rem;
    if (!is_division || !scalar_ || !scalar::is_integer(operand_.kind) || !operands_[1].is_literal) return {};
    Expr divisor = node_.arg(1);
    while (divisor.op() == Op::splat) divisor = divisor.arg(0);
    if (divisor.is_constant(0) || divisor.is_constant(-1) || operands_[0].is_literal) return {};
    return Infix{node_.op() == Op::div ? " / " : " % ", Precedence::product};
  }
  // And its shifts cut the count to the width, which a constant does not exceed.
  std::optional<Infix> shift() const {
    if (node_.op() != Op::shr || !scalar_ || !operands_[1].is_literal || operands_[0].is_literal) return {};
    Expr count = node_.arg(1);
    while (count.op() == Op::splat) count = count.arg(0);
    if (count.bits() >= 8 * size_of(operand_.kind)) return {};
    return Infix{" >> ", Precedence::shift};
  }
  bool result_is_scalar() const { return scalar_ || type_.lanes == 1; }
  bool is_called() const { return !scalar_ && !dialect_.has_vector_operators; }
  // Operators that are functions of the prelude are so under the operation's own name.
  std::string_view prelude_function() const {
    std::string_view c = scalar::info(node_.op()).c;
    const bool is_operator = c.empty() || !part_of_word(c.front());
    return is_operator ? scalar::info(node_.op()).name : c;
  }
  std::vector<std::size_t> operand_numbers() const {
    std::vector<std::size_t> all(operands_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }
  std::string argument(std::size_t i) const {
    Type type = node_.arg(i).type();
    if (scalar_) type.lanes = 1;
    return as_value(dialect_, operands_[i], type);
  }
  Text conversion() {
    const bool from_run = !dialect_.has_threads && !scalar_ && operands_[0].is_run &&
                          operand_.kind == Kind::i64 && type_.kind == Kind::f32;
    const std::string name = fmt::format("{}{}_{}", scalar::info(node_.op()).name, from_run ? "_run" : "",
                                         dialect_.types[kind_number(operand_.kind)]);
    return {call(dialect_, name, type_.kind, lanes_, argument(0)), Precedence::primary, result_is_scalar()};
  }
  Text scalar_cast() {
    if (scalar::is_float(operand_.kind) && scalar::is_integer(type_.kind)) return conversion();  // saturates
    return {fmt::format("({}){}", dialect_.types[kind_number(type_.kind)],
                        inside(operands_[0], Precedence::unary)),
            Precedence::unary};
  }
  Text conditional() {
    // Compilers warn of & before ? unless they are told not to.
    const Precedence of_condition = dialect_.has_threads ? Precedence::equality : Precedence::bit_or;
    std::string text =
        fmt::format("{} ? {} : {}", inside(operands_[0], of_condition), inside(typed(1), Precedence::bit_or),
                    inside(typed(2), Precedence::bit_or));
    return {text, Precedence::conditional};
  }
  Text typed(std::size_t i) const {
    Expr e = node_.arg(i);
    while (e.op() == Op::splat) e = e.arg(0);
    return operands_[i].is_literal ? literal(dialect_, e.kind(), e.bits(), true) : operands_[i];
  }

  Text prefix(std::string_view sign) {
    if (sign == "-" && may_overflow())
      return added_unsigned({"0", Precedence::primary, true, true}, operands_[0], {" - ", Precedence::sum});
    std::string operand = inside(operands_[0], Precedence::unary);
    if (operand.front() == sign.front()) operand = "(" + operand + ")";  // --x is something else
    return narrowed({std::string(sign) + operand, Precedence::unary, scalar_}, sign == "!");
  }

  // a + (-b) and a + -3 are printed as differences, which are equal.
  Text binary(Infix infix, bool is_arithmetic) {
    Text left = operands_[0], right = operands_[1];
    if (left.is_literal && right.is_literal) left = typed(0), right = typed(1);
    bool is_negation = right.precedence == Precedence::unary && right.text.front() == '-' && !is_lowest(1);
    if (node_.op() == Op::add && is_negation) {
      right.text.erase(0, 1);
      right.precedence = Precedence::unary;
      infix.spelling = " - ";
    }
    if (operand_.kind == Kind::boolean && !scalar_ && is_arithmetic) {  // masks do not splat by themselves
      left.text = argument(0);
      right.text = argument(1);
      if (operands_[0].is_scalar) left.precedence = Precedence::primary;
      if (operands_[1].is_scalar) right.precedence = Precedence::primary;
    }
    bool is_sum = node_.op() == Op::add || node_.op() == Op::sub || node_.op() == Op::mul;
    if (is_sum && may_overflow()) return added_unsigned(left, right, infix);
    std::string text =
        operand(left, infix, false) + std::string(infix.spelling) + operand(right, infix, true);
    Text result{text, infix.precedence, scalar_};
    return is_arithmetic ? narrowed(result, false) : result;
  }
  bool is_lowest(std::size_t i) const {  // its kind cannot hold its negation
    Expr e = node_.arg(i);
    while (e.op() == Op::splat) e = e.arg(0);
    return e.is_constant() && scalar::is_integer(e.kind()) && e.bits() == scalar::lowest(e.kind());
  }
  std::string operand(const Text& t, Infix infix, bool is_right) const {
    bool is_bitwise = infix.precedence == Precedence::bit_and || infix.precedence == Precedence::bit_or ||
                      infix.precedence == Precedence::bit_xor || infix.precedence == Precedence::shift;
    if (!is_right && t.precedence == infix.precedence && infix.precedence != Precedence::relation &&
        infix.precedence != Precedence::equality)
      return t.text;  // leans left
    // Compilers warn of !a & b.
    if (is_bitwise && !is_right && t.text.starts_with('!')) return "(" + t.text + ")";
    const bool calls = is_right && type_.kind == Kind::boolean && t.text.find("fg_") != std::string::npos;
    if (is_bitwise && calls && !dialect_.calls_in_conditions)
      return fmt::format("({}){}", dialect_.types[kind_number(Kind::i32)], inside(t, Precedence::unary));
    if (is_bitwise) return inside(t, Precedence::unary);
    int tighter = static_cast<int>(infix.precedence) + 1;
    if (infix.precedence == Precedence::equality || infix.precedence == Precedence::relation)
      return inside(t, Precedence::sum);
    return inside(t, static_cast<Precedence>(tighter));
  }

  // For a language that leaves overflow of signed integers undefined: that of int, too, with which it
  // computes what is narrower.
  bool may_overflow() const {
    if (dialect_.wraps || known_.fits || !scalar::is_integer(type_.kind)) return false;
    if (is_narrow(type_.kind)) return node_.op() == Op::mul && type_.kind == Kind::u16;
    return scalar::is_signed(type_.kind);
  }
  Text added_unsigned(const Text& left, const Text& right, Infix infix) const {
    FULGURITE_CHECK(scalar_, "dialect {} has no wrapping arithmetic of vectors", dialect_.name);
    Kind kind = size_of(type_.kind) == 8 ? Kind::u64 : Kind::u32;
    auto converted = [&](const Text& t, bool is_right) {
      if (!t.unsigned_text.empty()) return operand({t.unsigned_text, t.unsigned_precedence}, infix, is_right);
      // The other one is not; nvcc warns of what changes its sign.
      if (t.is_literal && !t.text.starts_with('-')) return operand(t, infix, is_right);
      return fmt::format("({}){}", dialect_.types[kind_number(kind)], inside(t, Precedence::unary));
    };
    std::string sum = converted(left, false) + std::string(infix.spelling) + converted(right, true);
    Text result{fmt::format("({})({})", dialect_.types[kind_number(type_.kind)], sum), Precedence::unary};
    result.unsigned_text = std::move(sum);
    result.unsigned_precedence = infix.precedence;
    return result;
  }
  // C computes with int where the kind is narrower; vectors stay narrow.
  Text narrowed(Text t, bool is_truth) const {
    if (!scalar_ || is_truth || !is_narrow(type_.kind)) return t;
    return {fmt::format("({}){}", dialect_.types[kind_number(type_.kind)], inside(t, Precedence::unary)),
            Precedence::unary};
  }

  const Dialect& dialect_;
  Expr node_;
  std::vector<Text> operands_;
  Type type_, operand_;
  Known known_;
  bool scalar_;
  int lanes_;
};

}  // namespace

std::string spelling(const Dialect& d, Type type) {
  std::string_view kind = d.types[kind_number(type.kind)];
  return type.lanes == 1 ? std::string(kind) : fmt::format("{}x{}", kind, type.lanes);
}

std::string call(const Dialect& d, std::string_view function, Kind kind, int lanes, const std::string& args) {
  if (d.has_threads) return fmt::format("fg_{}_{}({})", function, d.types[kind_number(kind)], args);
  return fmt::format("fg_{}_{}_x{}({})", function, d.types[kind_number(kind)], lanes, args);
}

Text literal(const Dialect& d, Kind kind, std::uint64_t bits, bool typed) {
  if (kind == Kind::boolean) return {bits ? "1" : "0"};
  if (kind == Kind::f32) return float_literal(d, kind, scalar::from_bits<float>(bits), bits);
  if (kind == Kind::f64) return float_literal(d, kind, scalar::from_bits<double>(bits), bits);
  std::string_view suffix = d.suffixes[kind_number(kind)];
  std::string text;
  bool is_negative = scalar::is_signed(kind) && static_cast<std::int64_t>(bits) < 0;
  if (!is_negative) {
    text = fmt::format("{}", bits);
    const bool is_u32 = kind == Kind::u32 && bits > 0x7fffffff;        // int does not hold it
    if ((bits > 0x7fffffffffffffff || is_u32) && !typed) text += "u";  // nor any signed type
  } else if (bits == scalar::lowest(Kind::i64)) {
    return {fmt::format("(-9223372036854775807{} - 1)", suffix)};
  } else if (kind == Kind::i32 && bits == scalar::lowest(Kind::i32)) {  // 2147483648 is no int
    return {"(-2147483647 - 1)"};
  } else {
    text = fmt::format("-{}", 0 - bits);
  }
  if (typed) text += suffix;
  Text result{text, is_negative ? Precedence::unary : Precedence::primary, true, true};
  if (typed && is_narrow(kind))
    result = {fmt::format("({}){}", d.types[kind_number(kind)], text), Precedence::unary, true, true};
  return result;
}

std::string inside(const Text& t, Precedence at_least) {
  return t.precedence < at_least ? "(" + t.text + ")" : t.text;
}

std::string as_value(const Dialect& d, const Text& t, Type type) {
  const bool is_splat_in_c = d.has_vector_operators && type.kind != Kind::boolean;
  if (!t.is_scalar || type.lanes == 1 || is_splat_in_c) return t.text;
  return call(d, "splat", type.kind, type.lanes, t.text);
}

Text combine(const Dialect& d, Expr node, std::span<const Text> operands, const Known& known) {
  return Combiner(d, node, operands, known)();
}

}  // namespace fulgurite::emit
