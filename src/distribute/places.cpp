#include "distribute/places.h"

#include <algorithm>
#include <cstddef>

#include "kernel/traverse.h"

namespace fulgurite::distribute {
namespace {

using runtime::Formula;
using Op = Formula::Op;

struct Known {
  bool low = false, high = false;  // whether it has a bound there
  bool is_data = true;             // depends on elements
  bool is_of_task = false, is_of_loop = false;
  bool is_bounded() const { return low && high; }
};

// What bounds say that only the operation itself gives, such as a remainder or a number of few bits.
bool bounds_itself(const Formula& f) {
  static constexpr std::int64_t few = 16;
  switch (f.op) {
    case Op::eq:
    case Op::ne:
    case Op::lt:
    case Op::le:
    case Op::logical_not:
    case Op::leading_zeros: return true;
    case Op::fit: return -few <= f.value && f.value <= few;
    default: return false;
  }
}

Known known_of(const Formula& f, const Known& a, const Known& b, const Known& c) {
  Known to;
  to.is_data = a.is_data || b.is_data || c.is_data;
  to.is_of_task = a.is_of_task || b.is_of_task || c.is_of_task;
  to.is_of_loop = a.is_of_loop || b.is_of_loop || c.is_of_loop;
  to.low = to.high = a.is_bounded() && b.is_bounded() && c.is_bounded();
  switch (f.op) {
    case Op::rem: to.low = to.high = b.is_bounded(); break;
    case Op::min:
      to.low = a.low && b.low;
      to.high = a.high || b.high;
      break;
    case Op::max:
      to.low = a.low || b.low;
      to.high = a.high && b.high;
      break;
    case Op::select:
      to.low = b.low && c.low;
      to.high = b.high && c.high;
      break;
    case Op::below:
    case Op::at_most:
      to.low = a.low;
      to.high = a.high || b.high;
      to.is_of_task = a.is_of_task;
      break;
    case Op::above:
    case Op::at_least:
      to.low = a.low || b.low;
      to.high = a.high;
      to.is_of_task = a.is_of_task;
      break;
    default:
      if (bounds_itself(f)) to.low = to.high = true;
  }
  return to;
}

// A product by a constant of many bits, of which few are kept, spreads neighbours all over.
bool is_spread(std::span<const Formula> formulas, const Formula& f) {
  const auto is_large = [&](Step step) {
    const Formula& of = formulas[static_cast<std::size_t>(step)];
    return of.op == Op::constant && of.value > spreads_from;
  };
  return f.op == Op::mul && (is_large(f.a) || is_large(f.b));
}

bool is_mask(std::span<const Formula> formulas, Step step) {
  if (step < 0) return false;
  const Formula& f = formulas[static_cast<std::size_t>(step)];
  return f.op == Op::constant && f.value >= 0;
}

}  // namespace

std::vector<bool> said_by_data(std::span<const Formula> formulas, bool stores) {
  std::vector<Known> all;
  const Known nothing{true, true, false};
  for (const Formula& f : formulas) {
    const auto operand = [&](Step of) { return of < 0 ? nothing : all[static_cast<std::size_t>(of)]; };
    Known known = nothing;
    if (f.op == Op::unknown)
      known = {};
    else if (f.op == Op::element)
      known = stores && !operand(f.a).is_of_loop ? operand(f.a) : Known{};
    else if (f.op == Op::task)
      known.is_of_task = true;
    else if (f.op == Op::lanes)
      known.is_of_loop = true;
    else if (f.op != Op::constant && f.op != Op::scalar)
      known = known_of(f, operand(f.a), operand(f.b), operand(f.c));
    if (f.op == Op::fit && f.a >= 0 && is_spread(formulas, formulas[static_cast<std::size_t>(f.a)]))
      known = {};
    if (f.op == Op::bit_and && (is_mask(formulas, f.a) || is_mask(formulas, f.b)))
      known.low = known.high = true;
    known.is_of_loop |= f.op == Op::range;
    all.push_back(known);
  }
  std::vector<bool> said;
  for (const Known& known : all) said.push_back(known.is_data && !(known.is_bounded() && known.is_of_task));
  return said;
}

bool spreads(const kernel::Block& body) {
  bool any = false;
  kernel::for_each_stm(body, [&](const kernel::Stm& s) {
    kernel::for_each_expr(s, [&](kernel::Expr root) {
      scalar::for_each_node(std::span(&root, 1), [&](kernel::Expr e) {
        any |= e.op() == scalar::Op::mul && scalar::is_integer(e.kind()) && !scalar::is_signed(e.kind()) &&
               std::ranges::any_of(e.args(), [](kernel::Expr arg) {
                 return arg.is_constant() && value_of(arg) > spreads_from;
               });
      });
    });
  });
  return any;
}

}  // namespace fulgurite::distribute
