#include "soac/divided_index.h"

#include <algorithm>
#include <unordered_map>

#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::soac {

namespace {

bool divides_index(Expr e, Expr index) {
  const bool divides = e.op() == Op::div || e.op() == Op::rem;
  return divides && e.type() == scalar::Type{} && e.arg(0) == index;
}

void collect_factors(Expr e, std::int64_t& constant, std::vector<Expr>& others) {
  if (e.is_constant()) {
    if (__builtin_mul_overflow(constant, static_cast<std::int64_t>(e.bits()), &constant)) constant = 0;
  } else if (e.op() == Op::mul) {
    collect_factors(e.arg(0), constant, others);
    collect_factors(e.arg(1), constant, others);
  } else {
    others.push_back(e);
  }
}

class Replacing {
 public:
  Replacing(Arena& arena, Expr index, const Rows& rows, Expr quotient, Expr remainder)
      : arena_(arena),
        index_(index),
        rows_(rows),
        quotient_(quotient),
        remainder_(remainder),
        number_(quotient * rows.length + remainder) {}

  Expr operator()(Expr root) {
    std::vector<Expr> args;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (memo_.contains(e)) return;
      Expr result = replaced(e);
      if (!result) {
        args.clear();
        for (Expr child : e.args()) args.push_back(memo_.at(child));
        result = scalar::rebuild(arena_, e, args);
      }
      memo_.emplace(e, result);
    });
    return memo_.at(root);
  }

 private:
  Expr replaced(Expr e) const {
    if (e == index_) return number_;
    if (!divides_index(e, index_)) return {};
    const auto found = std::ranges::find(rows_.multiples, e.arg(1), &Multiple::written);
    if (found == rows_.multiples.end()) return {};
    const Expr times = found->times;
    if (e.op() == Op::div) return times.is_constant(1) ? quotient_ : quotient_ / times;
    return times.is_constant(1) ? remainder_ : quotient_ % times * rows_.length + remainder_;
  }

  Arena& arena_;
  const Expr index_;
  const Rows& rows_;
  const Expr quotient_, remainder_, number_;
  std::unordered_map<Expr, Expr> memo_;
};

}  // namespace

std::vector<Expr> divisors_of(const Lambda& f, Expr index) {
  std::vector<Expr> divisors;
  for_each_root(f, [&](Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (divides_index(e, index) && std::ranges::find(divisors, e.arg(1)) == divisors.end())
        divisors.push_back(e.arg(1));
    });
  });
  return divisors;
}

Expr multiple(Arena& arena, Expr of, Expr by) {
  std::int64_t whole = 1, part = 1;
  std::vector<Expr> factors, of_part;
  collect_factors(of, whole, factors);
  collect_factors(by, part, of_part);
  if (part <= 0 || whole <= 0 || whole % part != 0) return {};
  for (Expr factor : of_part) {
    const auto found = std::ranges::find(factors, factor);
    if (found == factors.end()) return {};
    factors.erase(found);
  }
  Expr result = arena.i64(whole / part);
  for (Expr factor : factors) result = result * factor;
  return result;
}

Rows rows_of(Arena& arena, Expr length, const std::vector<Divisor>& divisors) {
  Rows rows{length, {}};
  for (const Divisor& divisor : divisors)
    if (const Expr times = multiple(arena, divisor.value, length))
      rows.multiples.push_back({divisor.written, divisor.value, times});
  return rows;
}

Rows rows_of(Arena& arena, const std::vector<Divisor>& divisors) {
  Rows best;
  for (const Divisor& row : divisors) {
    Rows candidate = rows_of(arena, row.value, divisors);
    if (candidate.multiples.size() > best.multiples.size()) best = std::move(candidate);
  }
  return best;
}

void divide(Arena& arena, Lambda& f, Expr index, const Rows& rows, Expr quotient, Expr remainder) {
  Replacing replace(arena, index, rows, quotient, remainder);
  scalar::Substitution substitute(arena, [&](Expr root) { return replace(root); });
  substitute_in(f, substitute);
}

}  // namespace fulgurite::soac
