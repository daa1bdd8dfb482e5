#include "scalar/parse.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "scalar/formula.h"
#include "scalar/intern.h"
#include "scalar/value.h"

namespace fulgurite::scalar {
namespace {

constexpr int deepest = 1000;  // printers name parts of deep expressions, so only hostile texts meet this

struct Infix {
  std::string_view spelling;
  Op op;
  int strength;
  bool swapped;
};
constexpr Infix infixes[] = {
    {"|", Op::bit_or, 1, false}, {"^", Op::bit_xor, 2, false}, {"&", Op::bit_and, 3, false},
    {"==", Op::eq, 4, false},    {"!=", Op::ne, 4, false},     {"<", Op::lt, 4, false},
    {"<=", Op::le, 4, false},    {">", Op::lt, 4, true},       {">=", Op::le, 4, true},
    {"<<", Op::shl, 5, false},   {">>", Op::shr, 5, false},    {"+", Op::add, 6, false},
    {"-", Op::sub, 6, false},    {"*", Op::mul, 7, false},     {"/", Op::div, 7, false},
    {"%", Op::rem, 7, false}};

class Parser {
 public:
  Parser(Lexer& lexer, Arena& arena, const Lookup& lookup) : lexer_(lexer), in_(arena), lookup_(lookup) {}

  Expr expression(int weakest) {
    if (++depth_ > deepest) lexer_.fail("the expression is nested too deeply");
    Expr left = prefix();
    while (const Infix* infix = next_infix(weakest)) {
      lexer_.next();
      Site site = 0;
      if ((infix->op == Op::div || infix->op == Op::rem) && lexer_.accept("@")) site = parse_site();
      const bool in_parentheses = lexer_.is("(");
      const Expr right = expression(infix->strength + 1);
      const bool difference =
          infix->op == Op::sub && right.is_constant() && is_integer(right.kind()) && !in_parentheses;
      if (difference)
        left = operation(Op::add, {left, in_.arena().constant(right.kind(), 0 - right.bits())}, 0);
      else if (infix->swapped)
        left = operation(infix->op, {right, left}, 0);
      else
        left = operation(infix->op, {left, right}, site);
    }
    --depth_;
    return left;
  }

 private:
  const Infix* next_infix(int weakest) const {
    if (lexer_.peek().kind != Token::Kind::symbol) return nullptr;
    for (const Infix& infix : infixes)
      if (infix.spelling == lexer_.peek().spelling) return infix.strength >= weakest ? &infix : nullptr;
    return nullptr;
  }

  Site parse_site() { return static_cast<Site>(lexer_.natural()); }
  /// The site of an index or a call; an @ that no number follows opens a location of the array IR.
  Site site_behind() {
    if (!lexer_.is("@") || lexer_.peek(1).kind != Token::Kind::number) return 0;
    lexer_.next();
    return parse_site();
  }

  Expr operation(Op op, std::initializer_list<Expr> operands, Site site) {
    return operation(op, std::span(operands.begin(), operands.size()), site);
  }
  Expr operation(Op op, std::span<const Expr> operands, Site site) {
    if (const std::string problem = misuse(op, operands, site); !problem.empty()) lexer_.fail(problem);
    return in_.intern(op, result_type(op, operands), site, operands);
  }

  /// A scalar or vector operand.
  Expr value() {
    const Expr e = expression(0);
    if (e.type().rank != 0) lexer_.fail("expected a scalar, not an array");
    return e;
  }

  Expr prefix() {
    if (++depth_ > deepest) lexer_.fail("the expression is nested too deeply");
    const Expr e = prefix_operation();
    --depth_;
    return e;
  }

  Expr prefix_operation() {
    if (lexer_.accept("-")) {
      if (lexer_.peek().kind == Token::Kind::number) return literal(true);
      return operation(Op::neg, {prefix()}, 0);
    }
    if (lexer_.accept("!") || lexer_.accept("~")) return operation(Op::bit_not, {prefix()}, 0);
    if (lexer_.accept("(")) {
      const Expr e = expression(0);
      lexer_.expect(")");
      return e;
    }
    if (lexer_.peek().kind == Token::Kind::number) return literal(false);
    if (lexer_.peek().kind != Token::Kind::name) lexer_.fail("expected an expression");
    if (lexer_.accept("true")) return in_.arena().boolean(true);
    if (lexer_.accept("false")) return in_.arena().boolean(false);
    return named();
  }

  Expr named() {
    const std::string_view word = lexer_.peek().spelling;
    const bool is_call = lexer_.is("(", 1);
    if (const auto kind = kind_named(word); kind && (is_call || lexer_.is(":", 1))) {
      lexer_.next();
      return is_call ? convert(Op::cast, *kind, parenthesised()) : special_float(*kind);
    }
    if (is_call) return call(word);
    const Expr e = lookup_(word);
    if (!e) lexer_.fail("unknown name");
    lexer_.next();
    return lexer_.is("[") ? index(e) : e;
  }

  Expr parenthesised() {
    lexer_.expect("(");
    const Expr e = value();
    lexer_.expect(")");
    return e;
  }

  Expr convert(Op op, Kind kind, Expr e) {
    const bool is_same_size =
        size_of(kind) == size_of(e.kind()) && kind != Kind::boolean && e.kind() != Kind::boolean;
    if (e.kind() == kind || (op == Op::bitcast && !is_same_size))
      lexer_.fail(fmt::format("{} from {} to {}", info(op).name, name_of(e.kind()), name_of(kind)));
    return in_.intern(op, {kind, 0, e.type().lanes}, {e});
  }

  int lane_count() {
    const std::uint64_t lanes = lexer_.natural();
    if (lanes < 2 || lanes > 65535) lexer_.fail("lane count out of range");
    return static_cast<int>(lanes);
  }

  Expr call(std::string_view function) {
    const auto op = op_named(function);
    if (!op) lexer_.fail("unknown function");
    lexer_.next();
    lexer_.expect("(");
    Expr result;
    if (*op == Op::bitcast) {
      const Kind kind = parse_kind(lexer_);
      lexer_.expect(",");
      result = convert(Op::bitcast, kind, value());
    } else if (*op == Op::lane) {
      const Kind kind = parse_kind(lexer_);
      if (!is_integer(kind)) lexer_.fail("lane numbers are integers");
      lexer_.expect(",");
      result = in_.arena().lane(kind, lane_count());
    } else if (*op == Op::splat) {
      const Expr e = value();
      lexer_.expect(",");
      const int lanes = lane_count();
      if (e.type().lanes != 1) lexer_.fail("splat of a vector");
      result = splat(e, lanes);
    } else if (*op == Op::any || *op == Op::all) {
      const Expr e = value();
      if (e.kind() != Kind::boolean || e.type().lanes == 1) lexer_.fail("expected a mask");
      result = in_.intern(*op, {Kind::boolean, 0, 1}, {e});
    } else {
      std::vector<Expr> operands;
      do operands.push_back(value());
      while (lexer_.accept(","));
      lexer_.expect(")");
      return operation(*op, operands, site_behind());
    }
    lexer_.expect(")");
    return result;
  }

  Expr index(Expr array) {
    lexer_.expect("[");
    std::vector<Expr> args{array};
    do args.push_back(value());
    while (lexer_.accept(","));
    if (array.type().rank != args.size() - 1)
      lexer_.fail(fmt::format("{} indices of a {}", args.size() - 1, to_string(array.type())));
    for (std::size_t i = 1; i < args.size(); ++i)
      if (args[i].kind() != Kind::i64 || args[i].type().lanes != args[1].type().lanes)
        lexer_.fail("an index is not i64");
    lexer_.expect("]");
    const Site site = site_behind();
    return in_.arena().index(array, std::span(args).subspan(1), site,
                             site == 0 ? 0 : axes(array.type().rank));
  }

  Axes axes(std::size_t rank) {
    Axes axes = 0;
    while (lexer_.accept("~")) {
      const std::uint64_t axis = lexer_.natural();
      if (axis >= rank || axis >= most_axes) lexer_.fail("the array has no such axis");
      axes |= Axes{1} << axis;
    }
    return axes;
  }

  Expr special_float(Kind kind) {
    lexer_.expect(":");
    const bool negative = lexer_.accept("-");
    Bits bits = 0;
    if (!is_float(kind)) lexer_.fail("only floats have special values");
    if (lexer_.accept("inf")) {
      bits = negative ? lowest(kind) : highest(kind);
    } else if (lexer_.accept("nan")) {
      bits = kind == Kind::f32 ? to_bits(std::numeric_limits<float>::quiet_NaN())
                               : to_bits(std::numeric_limits<double>::quiet_NaN());
    } else {
      const std::string_view digits = lexer_.peek().spelling;
      const char* end = digits.data() + digits.size();
      if (digits.substr(0, 2) != "0x" || std::from_chars(digits.data() + 2, end, bits, 16).ptr != end)
        lexer_.fail("expected inf, nan or bits in hexadecimal");
      lexer_.next();
    }
    return in_.arena().constant(kind, bits);
  }

  template <class T>
  T number(std::string_view digits, bool negative) {
    const std::string text = (negative ? "-" : "") + std::string(digits);
    T result{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (error != std::errc() || end != text.data() + text.size()) lexer_.fail("not a number of its kind");
    return result;
  }

  Expr literal(bool negative) {
    std::string_view spelling = lexer_.peek().spelling;
    Kind kind = spelling.find_first_of(".e") != std::string_view::npos ? Kind::f64 : Kind::i64;
    const std::size_t letter = spelling.find_first_of("iu");
    if (letter != std::string_view::npos) {
      const auto named = kind_named(spelling.substr(letter));
      if (!named) lexer_.fail("unknown kind of literal");
      kind = *named;
      spelling = spelling.substr(0, letter);
    } else if (spelling.back() == 'f') {
      kind = Kind::f32;
      spelling.remove_suffix(1);
    }
    Bits bits;
    if (kind == Kind::f32)
      bits = to_bits(number<float>(spelling, negative));
    else if (kind == Kind::f64)
      bits = to_bits(number<double>(spelling, negative));
    else if (is_signed(kind))
      bits = static_cast<Bits>(number<std::int64_t>(spelling, negative));
    else
      bits = number<std::uint64_t>(spelling, negative);
    if (evaluate(Op::bitcast, kind, kind, bits) != bits) lexer_.fail("literal out of range");
    lexer_.next();
    return in_.arena().constant(kind, bits);
  }

  Lexer& lexer_;
  Interner in_;
  const Lookup& lookup_;
  int depth_ = 0;
};

}  // namespace

Expr parse(Lexer& lexer, Arena& arena, const Lookup& lookup) {
  return Parser(lexer, arena, lookup).expression(0);
}

Kind parse_kind(Lexer& lexer) {
  const auto kind = kind_named(lexer.peek().spelling);
  if (lexer.peek().kind != Token::Kind::name || !kind) lexer.fail("expected a kind of element");
  lexer.next();
  return *kind;
}

}  // namespace fulgurite::scalar
