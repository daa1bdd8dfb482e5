// Scalar operations, also on arrays element by element.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "scalar/type.h"
#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

// The user's spelling, where it is not the operation's name.
std::string_view spelled(std::string_view op) {
  constexpr std::pair<std::string_view, std::string_view> operators[] = {
      {"add", "'+'"},  {"sub", "'-'"},     {"mul", "'*'"},    {"div", "'/'"},          {"rem", "'%'"},
      {"neg", "'-'"},  {"bit_and", "'&'"}, {"bit_or", "'|'"}, {"bit_xor", "'^'"},      {"bit_not", "'~'"},
      {"shl", "'<<'"}, {"shr", "'>>'"},    {"eq", "'=='"},    {"ne", "'!='"},          {"lt", "'<'"},
      {"le", "'<='"},  {"gt", "'>'"},      {"ge", "'>='"},    {"logical_and", "'&&'"}, {"logical_or", "'||'"},
  };
  for (const auto& [name, text] : operators)
    if (name == op) return text;
  return op;
}

Op op_named(std::string_view name) {
  const auto op = scalar::op_named(name);
  FULGURITE_CHECK(op, "no operation '{}'", name);
  return *op;
}

// A constant that is not 0, or a disjunction with one, is no divisor to be checked.
bool is_never_zero(Expr e) {
  if (e.is_constant()) return !e.is_constant(0);
  return e.op() == Op::bit_or && (is_never_zero(e.arg(0)) || is_never_zero(e.arg(1)));
}
bool divides_by_zero(Op op, std::span<const Expr> operands) {
  return scalar::is_division(op) && scalar::is_integer(operands[0].kind()) && !is_never_zero(operands[1]);
}

// a && b, a || b: b is not computed where a decides, if computing it could fail.
Expr short_circuit(Tracer& t, bool is_and, Expr a, Expr b, const Here& where) {
  if (!t.may_fail(b)) return t.arena().apply(is_and ? Op::bit_and : Op::bit_or, {a, b});
  const Expr decided = t.arena().boolean(!is_and);
  const Expr result = t.fresh(scalar::Kind::boolean, is_and ? "both" : "either");
  const soac::Lambda right{{}, {}, {b}}, left{{}, {}, {decided}};
  t.add({result}, soac::If{a, is_and ? right : left, is_and ? left : right}, is_and ? "'&&'" : "'||'", where);
  return result;
}

template <class F>
Value elementwise(Tracer& t, std::span<const Expr> operands, const char* name, const std::string& origin,
                  const Here& where, F&& f) {
  const auto is_array = [](Expr e) { return e.type().rank > 0; };
  std::vector<NamedOperand> arrays;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (is_array(operands[i]))
      arrays.push_back({operands.size() != 2 ? fmt::format("operand {}", i + 1)
                        : i == 0             ? "left"
                                             : "right",
                        {&operands[i], 1}});
  if (arrays.empty()) return t.value(f(operands));
  check_equal_shapes(t, origin, arrays, where);
  const std::span<const Expr> shape = t.shape(arrays[0].parts[0]);
  return t.value(
      tabulate(t, Exprs(shape.begin(), shape.end()), name, origin, where, [&](std::span<const Expr> indices) {
        Exprs elements;
        for (Expr e : operands) elements.push_back(is_array(e) ? element(t, e, indices) : e);
        return f(elements);
      }));
}

}  // namespace

Expr apply_scalars(Tracer& t, std::string_view name, std::span<const Expr> operands, const Here& where) {
  Arena& arena = t.arena();
  if (name == "gt") return operands[1] < operands[0];
  if (name == "ge") return operands[1] <= operands[0];
  if (name == "logical_and" || name == "logical_or")
    return short_circuit(t, name == "logical_and", operands[0], operands[1], where);
  const Op op = op_named(name);
  const Site site =
      divides_by_zero(op, operands)
          ? t.site(SiteError::arithmetic,
                   op == Op::rem ? "remainder of a division by zero" : "an integer is divided by zero", where)
          : 0;
  return arena.apply(op, operands, site);
}

}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

void inexact_literal(Kind kind, double value, Here where) {
  throw TraceError(
      fmt::format(
          "{} does not represent {} exactly: write a value that it does, or the nearest as a static_cast",
          scalar::name_of(trace::kind_of(kind)), value),
      where);
}

Value apply(const char* op, std::initializer_list<Value> operands, Here where) {
  Tracer& t = Tracer::current(where);
  where = t.or_latest(where);
  const Exprs given = t.exprs(operands, where);
  return elementwise(t, given, op, fmt::format("elementwise {}", spelled(op)), where,
                     [&](std::span<const Expr> elements) { return apply_scalars(t, op, elements, where); });
}

Value cast(Value value, Kind to, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr given = t.expr(value, where);
  return elementwise(t, {&given, 1}, "cast", "elementwise cast", where,
                     [&](std::span<const Expr> elements) { return cast(elements[0], trace::kind_of(to)); });
}

Value bitcast(Value value, Kind to, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr given = t.expr(value, where);
  return elementwise(
      t, {&given, 1}, "bitcast", "elementwise bitcast", where,
      [&](std::span<const Expr> elements) { return bitcast(elements[0], trace::kind_of(to)); });
}

}  // namespace fulgurite::detail
