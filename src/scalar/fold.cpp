// Smart constructors: operand types are checked, constants folded through `evaluate`, operands of commutative
// operations put in order, and identities applied that change no bit of any result. Nothing here reassociates
// floats, folds a transcendental function (engines differ in the last bits), or drops an operand that may
// fail.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "scalar/formula.h"
#include "scalar/intern.h"
#include "scalar/low_bits.h"
#include "scalar/value.h"

namespace fulgurite::scalar {
namespace {

Type boolean_like(Type t) {
  return {Kind::boolean, 0, t.lanes};
}

/// The value of a constant, or of a constant in every lane.
std::optional<Bits> constant_of(Expr e) {
  if (e.op() == Op::splat) e = e.arg(0);
  if (e.is_constant()) return e.bits();
  return {};
}

/// One call of Arena::apply, with the questions that its rules ask.
struct Fold {
  Interner& in;
  Op op;
  Type operand, result;
  std::vector<Expr> args;
  Site site;

  Expr x() const { return args[0]; }
  Expr y() const { return args[1]; }
  Arena& arena() const { return in.arena(); }

  bool is(Expr e, Bits value) const { return constant_of(e) == value; }
  bool is_zero(Expr e) const { return is(e, zero(e.kind())); }  // +0 for floats
  bool is_one(Expr e) const { return is(e, one(e.kind())); }
  bool is_minus_one(Expr e) const {
    return is_signed(e.kind()) && is(e, evaluate(Op::neg, e.kind(), e.kind(), one(e.kind())));
  }
  bool is_all_ones(Expr e) const { return is(e, evaluate(Op::bit_not, e.kind(), e.kind(), 0)); }
  bool complements(Expr a, Expr b) const {
    return (a.op() == Op::bit_not && a.arg(0) == b) || (b.op() == Op::bit_not && b.arg(0) == a);
  }

  Expr constant(Type type, Bits bits) const { return splat(arena().constant(type.kind, bits), type.lanes); }
  Expr truth(bool value) const { return constant(boolean_like(operand), value); }
  Expr same(Op o, std::initializer_list<Expr> operands) const { return arena().apply(o, operands); }

  std::optional<Expr> rule() const {
    switch (op) {
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::neg: return is_float(operand.kind) ? float_sum() : integer_sum();
      case Op::div:
      case Op::rem:
      case Op::ceil_div: return quotient();
      case Op::min:
      case Op::max: return extreme();
      case Op::bit_and:
      case Op::bit_or:
      case Op::bit_xor:
      case Op::bit_not: return logic();
      case Op::shl:
      case Op::shr: return shift();
      case Op::eq:
      case Op::ne:
      case Op::lt:
      case Op::le: return comparison();
      case Op::select: return selection();
      case Op::abs:
        if (x().op() == Op::abs) return x();
        if (x().op() == Op::neg && is_signed(operand.kind)) return same(Op::abs, {x().arg(0)});
        return {};
      default: return {};
    }
  }

  std::optional<Expr> integer_sum() const {
    if (operand == Type{})
      if (auto folded = fold_linear(in, op, args)) return folded;
    if (op == Op::neg) return x().op() == Op::neg ? std::optional(x().arg(0)) : std::nullopt;
    if (op == Op::add) {
      if (is_zero(y())) return x();
      if (constant_of(y()) && x().op() == Op::add && constant_of(x().arg(1)))
        return same(Op::add, {x().arg(0), same(Op::add, {x().arg(1), y()})});
    }
    if (op == Op::sub) {
      if (is_zero(y())) return x();
      if (x() == y() && !can_fail(x())) return constant(operand, 0);
      if (constant_of(y())) return same(Op::add, {x(), same(Op::neg, {y()})});
    }
    if (op == Op::mul) {
      if (is_zero(y()) && !can_fail(x())) return y();
      if (is_one(y())) return x();
      if (is_minus_one(y())) return same(Op::neg, {x()});
    }
    return {};
  }

  std::optional<Expr> float_sum() const {
    const Bits minus_zero = evaluate(Op::neg, operand.kind, operand.kind, 0);
    if (op == Op::neg && x().op() == Op::neg) return x().arg(0);
    if (op == Op::add && y().op() == Op::fma_sum) return same(Op::fast_fma, {y().arg(0), y().arg(1), x()});
    if (op == Op::add && x().op() == Op::fma_sum) return same(Op::fast_fma, {x().arg(0), x().arg(1), y()});
    if (op == Op::add && is(y(), minus_zero)) return x();
    if (op == Op::sub && is_zero(y())) return x();
    if (op == Op::mul && is_one(y())) return x();
    if (op == Op::mul && is_minus_one(y())) return same(Op::neg, {x()});
    return {};
  }

  std::optional<Expr> quotient() const {
    if (is_float(operand.kind)) {
      if (op == Op::rem) return {};
      if (is_one(y())) return x();
      if (is_minus_one(y())) return same(Op::neg, {x()});
      return times_reciprocal();
    }
    if (is_one(y()) && op != Op::rem) return x();
    if (is_minus_one(y()) && op != Op::rem) return same(Op::neg, {x()});
    if (op == Op::rem && (is_one(y()) || is_minus_one(y())) && !can_fail(x())) return constant(operand, 0);
    if (site == 0 && is_zero(x()) && !can_fail(y())) return x();
    return {};
  }

  /// Division by a power of two is multiplication by its reciprocal, bit for bit, where both are normal.
  std::optional<Expr> times_reciprocal() const {
    const auto divisor = constant_of(y());
    if (!divisor) return {};
    const Bits bits = evaluate(Op::div, operand.kind, operand.kind, one(operand.kind), *divisor);
    const double d = from_bits<double>(evaluate(Op::cast, operand.kind, Kind::f64, *divisor));
    const double r = from_bits<double>(evaluate(Op::cast, operand.kind, Kind::f64, bits));
    int exponent;
    if (std::fabs(std::frexp(d, &exponent)) != 0.5) return {};
    const double least_normal = operand.kind == Kind::f32 ? 0x1p-126 : 0x1p-1022;
    if (!std::isfinite(r) || std::fabs(d) < least_normal || std::fabs(r) < least_normal) return {};
    return same(Op::mul, {x(), constant(operand, bits)});
  }

  std::optional<Expr> extreme() const {
    if (x() == y()) return x();
    if (is_float(operand.kind)) return {};
    const Bits least = lowest(operand.kind), greatest = highest(operand.kind);
    if (is(y(), op == Op::min ? greatest : least)) return x();
    if (is(y(), op == Op::min ? least : greatest) && !can_fail(x())) return y();
    return {};
  }

  std::optional<Expr> logic() const {
    if (op == Op::bit_not) {
      if (x().op() == Op::bit_not) return x().arg(0);
      if (x().op() == Op::eq) return same(Op::ne, {x().arg(0), x().arg(1)});
      if (x().op() == Op::ne) return same(Op::eq, {x().arg(0), x().arg(1)});
      const bool ordered = (x().op() == Op::lt || x().op() == Op::le) && !is_float(x().arg(0).kind());
      if (ordered) return same(x().op() == Op::lt ? Op::le : Op::lt, {x().arg(1), x().arg(0)});
      return {};
    }
    if (x() == y()) {
      if (op != Op::bit_xor) return x();
      if (!can_fail(x())) return constant(operand, 0);
    }
    const bool sure = !can_fail(x()) && !can_fail(y());
    if (complements(x(), y()) && sure)
      return constant(operand, op == Op::bit_and ? 0 : evaluate(Op::bit_not, operand.kind, operand.kind, 0));
    if (is_zero(y())) {
      if (op != Op::bit_and) return x();
      if (sure) return y();
    }
    if (is_all_ones(y())) {
      if (op == Op::bit_and) return x();
      if (op == Op::bit_xor) return same(Op::bit_not, {x()});
      if (sure) return y();
    }
    return {};
  }

  std::optional<Expr> shift() const {
    const auto count = constant_of(y());
    if (count && (*count & (8 * size_of(operand.kind) - 1)) == 0) return x();
    if (is_zero(x()) && !can_fail(y())) return x();
    return {};
  }

  std::optional<Expr> comparison() const {
    const bool sure = !can_fail(x()) && !can_fail(y());
    // Nothing is less than the least value, and NaNs are less than nothing.
    if (op == Op::lt && sure && (is(y(), lowest(operand.kind)) || is(x(), highest(operand.kind))))
      return truth(false);
    if (is_float(operand.kind)) return {};
    if (x() == y() && sure) return truth(op == Op::eq || op == Op::le);
    const bool equality = op == Op::eq || op == Op::ne;
    if (operand == Type{} && equality)
      if (auto folded = fold_linear_equality(in, op, x(), y())) return folded;
    if (equality && is_integer(operand.kind) && x().op() == Op::cast && x().arg(0).kind() == Kind::boolean &&
        (is_zero(y()) || is_one(y())))
      return (is_one(y())) == (op == Op::eq) ? x().arg(0) : same(Op::bit_not, {x().arg(0)});
    if (operand.kind == Kind::boolean && equality)
      if (auto bit = constant_of(y())) return (*bit != 0) == (op == Op::eq) ? x() : same(Op::bit_not, {x()});
    if (op == Op::le && sure && (is(x(), lowest(operand.kind)) || is(y(), highest(operand.kind))))
      return truth(true);
    return {};
  }

  std::optional<Expr> selection() const {
    const Expr condition = args[0], yes = args[1], no = args[2];
    if (yes == no && !can_fail(condition)) return yes;
    if (auto bit = constant_of(condition)) {
      if (!can_fail(*bit ? no : yes)) return *bit ? yes : no;
      return {};
    }
    if (condition.op() == Op::bit_not) return same(Op::select, {condition.arg(0), no, yes});
    if (yes.kind() != Kind::boolean) return {};
    if (auto bit = constant_of(yes)) {
      if (*bit) return same(Op::bit_or, {condition, no});
      return same(Op::bit_and, {same(Op::bit_not, {condition}), no});
    }
    if (auto bit = constant_of(no)) {
      if (!*bit) return same(Op::bit_and, {condition, yes});
      return same(Op::bit_or, {same(Op::bit_not, {condition}), yes});
    }
    return {};
  }
};

/// Equal zeros may differ in sign, and min and max give the first of equals: their float operands keep their
/// order.
bool may_swap(Op op, Kind kind) {
  return info(op).has('c') && !(is_float(kind) && (op == Op::min || op == Op::max));
}

bool is_splat(Expr e) {
  return e.op() == Op::splat;
}

}  // namespace

std::string misuse(Op op, std::span<const Expr> args, Site site) {
  const OpInfo& row = info(op);
  if (static_cast<int>(args.size()) != row.arity)
    return fmt::format("{} of {} operands", row.name, args.size());
  for (Expr a : args)
    if (!a || a.type().rank != 0) return fmt::format("an operand of {} is absent or an array", row.name);
  if (row.rule == Rule::leaf || row.rule == Rule::special || row.rule == Rule::convert)
    return fmt::format("{} has a constructor of its own", row.name);
  const std::size_t first = row.rule == Rule::select ? 1 : 0;
  const Type type = args[first].type();
  for (std::size_t i = first + 1; i < args.size(); ++i)
    if (args[i].type() != type)
      return fmt::format("operands of {} differ: {} and {}", row.name, to_string(type),
                         to_string(args[i].type()));
  if (first == 1 && args[0].type() != boolean_like(type))
    return fmt::format("condition of select is {} for operands {}", to_string(args[0].type()),
                       to_string(type));
  if (!row.has(is_float(type.kind) ? 'F' : is_integer(type.kind) ? 'I' : 'B'))
    return fmt::format("{} of {}", row.name, to_string(type));
  if (site != 0 && !row.has('!')) return fmt::format("{} cannot fail but has a site", row.name);
  return {};
}

Type result_type(Op op, std::span<const Expr> args) {
  const OpInfo& row = info(op);
  if (row.rule == Rule::compare || row.rule == Rule::test) return boolean_like(args[0].type());
  return args[row.rule == Rule::select ? 1 : 0].type();
}

Expr Arena::apply(Op op, std::span<const Expr> given, Site site) {
  if (const std::string problem = misuse(op, given, site); !problem.empty())
    base::check_failed("misuse", problem);
  Interner in(*this);
  Fold fold{
      in,  op, given[op == Op::select ? 1 : 0].type(), result_type(op, given), {given.begin(), given.end()},
      site};
  std::vector<Expr>& args = fold.args;
  const Kind kind = fold.operand.kind;

  if (scalar::info(op).has('!')) {
    const auto divisor = constant_of(args[1]);
    if (is_float(kind) || (divisor && *divisor != 0)) fold.site = 0;
    if (divisor && *divisor == 0 && !is_float(kind)) return in.intern(op, fold.result, fold.site, args);
  }

  if (fold.operand.lanes > 1 && std::all_of(args.begin(), args.end(), is_splat)) {
    std::vector<Expr> scalars;
    for (Expr a : args) scalars.push_back(a.arg(0));
    return splat(apply(op, scalars, fold.site), fold.operand.lanes);
  }
  if (!scalar::info(op).has('$') &&
      std::all_of(args.begin(), args.end(), [](Expr a) { return a.is_constant(); })) {
    Bits bits[3] = {};
    for (std::size_t i = 0; i < args.size(); ++i) bits[i] = args[i].bits();
    return constant(fold.result.kind, evaluate(op, kind, fold.result.kind, bits[0], bits[1], bits[2]));
  }
  if (may_swap(op, kind)) {
    const bool constants[2] = {constant_of(args[0]).has_value(), constant_of(args[1]).has_value()};
    if (constants[0] != constants[1] ? constants[0] : args[1].id() < args[0].id())
      std::swap(args[0], args[1]);
  }
  if (auto folded = fold.rule()) return *folded;
  return in.intern(op, fold.result, fold.site, args);
}

namespace {

bool is_exact(Kind from, Kind to) {
  if (from == to || from == Kind::boolean) return true;
  if (to == Kind::boolean) return false;
  const int bits = 8 * static_cast<int>(size_of(from));
  if (is_float(from)) return to == Kind::f64;
  if (is_float(to)) return bits <= (to == Kind::f32 ? 16 : 32);
  if (is_signed(from)) return is_signed(to) && size_of(from) < size_of(to);
  return size_of(from) < size_of(to);
}

/// Whether converting by way of `middle` is the same as converting at once.
bool is_needless(Kind from, Kind middle, Kind to) {
  const bool whole = !is_float(from) && !is_float(middle) && !is_float(to);
  if (whole && from != Kind::boolean && middle != Kind::boolean && to != Kind::boolean &&
      size_of(to) <= size_of(middle))
    return true;
  if (!is_exact(from, middle)) return false;
  // From a float, integers saturate; from an integer they wrap: the way round is needed unless nothing is
  // lost.
  if (!is_float(from) && is_float(middle)) return is_float(to) || to == Kind::boolean || is_exact(from, to);
  return true;
}

}  // namespace

Expr Cast::operator()(std::span<const Expr> args) const {
  const Expr e = args[0];
  FULGURITE_CHECK(e && e.type().rank == 0, "operand of cast is absent or an array");
  if (e.kind() == kind) return e;
  if (e.op() == Op::cast && is_needless(e.arg(0).kind(), e.kind(), kind)) return cast(e.arg(0), kind);
  if (e.is_constant()) return e.arena().constant(kind, evaluate(Op::cast, e.kind(), kind, e.bits()));
  if (e.op() == Op::splat) return splat(cast(e.arg(0), kind), e.type().lanes);
  const bool is_narrower = is_integer(e.kind()) && is_integer(kind) && size_of(kind) < size_of(e.kind());
  if (is_narrower && e.type().lanes == 1)
    if (const Expr narrow = narrowed(e, kind)) return narrow;
  return Interner(e.arena()).intern(Op::cast, {kind, 0, e.type().lanes}, {e});
}

Expr Bitcast::operator()(std::span<const Expr> args) const {
  Expr e = args[0];
  FULGURITE_CHECK(e && e.type().rank == 0 && size_of(e.kind()) == size_of(kind) &&
                      e.kind() != Kind::boolean && kind != Kind::boolean,
                  "bitcast to {}", name_of(kind));
  if (e.op() == Op::bitcast) e = e.arg(0);
  if (e.kind() == kind) return e;
  if (e.is_constant()) return e.arena().constant(kind, evaluate(Op::bitcast, e.kind(), kind, e.bits()));
  if (e.op() == Op::splat) return splat(bitcast(e.arg(0), kind), e.type().lanes);
  return Interner(e.arena()).intern(Op::bitcast, {kind, 0, e.type().lanes}, {e});
}

Expr Arena::index(Expr array, std::span<const Expr> indices, Site site, Axes inside) {
  FULGURITE_CHECK(array && array.is_name() && array.type().rank == indices.size() && !indices.empty(),
                  "{} indices of something that is not an array of that rank", indices.size());
  std::vector<Expr> args{array};
  for (Expr i : indices) {
    FULGURITE_CHECK(
        i && i.kind() == Kind::i64 && i.type().rank == 0 && i.type().lanes == indices[0].type().lanes,
        "an index is not i64");
    args.push_back(i);
  }
  FULGURITE_CHECK(site != 0 || inside == 0, "axes {:b} of an index without a site", inside);
  return Interner(*this).intern(Op::index, {array.kind(), 0, indices[0].type().lanes},
                                std::uint64_t{inside} << 32 | site, args);
}

Expr Splat::operator()(std::span<const Expr> args) const {
  const Expr e = args[0];
  FULGURITE_CHECK(e && e.type().rank == 0 && lanes >= 1 && lanes < 65536, "splat to {} lanes", lanes);
  FULGURITE_CHECK(e.type().lanes == 1 || e.type().lanes == lanes, "splat of {} to {} lanes",
                  to_string(e.type()), lanes);
  if (e.type().lanes == lanes) return e;
  return Interner(e.arena()).intern(Op::splat, {e.kind(), 0, static_cast<std::uint16_t>(lanes)}, {e});
}

Expr AnyLane::operator()(std::span<const Expr> args) const {
  const Expr mask = args[0];
  FULGURITE_CHECK(mask && mask.kind() == Kind::boolean && mask.type().rank == 0,
                  "any of something that is not a mask");
  if (mask.type().lanes == 1) return mask;
  if (mask.op() == Op::splat) return mask.arg(0);
  return Interner(mask.arena()).intern(Op::any, {Kind::boolean, 0, 1}, {mask});
}

Expr AllLanes::operator()(std::span<const Expr> args) const {
  const Expr mask = args[0];
  FULGURITE_CHECK(mask && mask.kind() == Kind::boolean && mask.type().rank == 0,
                  "all of something that is not a mask");
  if (mask.type().lanes == 1) return mask;
  if (mask.op() == Op::splat) return mask.arg(0);
  return Interner(mask.arena()).intern(Op::all, {Kind::boolean, 0, 1}, {mask});
}

}  // namespace fulgurite::scalar
