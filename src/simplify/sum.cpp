#include "simplify/sum.h"

#include <algorithm>
#include <limits>

namespace fulgurite::simplify {

namespace {

using scalar::Expr;
using scalar::Op;

std::int64_t product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

void collect(Expr e, std::int64_t factor, std::vector<Term>& terms) {
  switch (e.op()) {
    case Op::constant:
      terms.push_back({Expr(), product(factor, static_cast<std::int64_t>(e.bits()))});
      return;
    case Op::add:
      collect(e.arg(0), factor, terms);
      collect(e.arg(1), factor, terms);
      return;
    case Op::sub:
      collect(e.arg(0), factor, terms);
      collect(e.arg(1), product(-1, factor), terms);
      return;
    case Op::neg: collect(e.arg(0), product(-1, factor), terms); return;
    case Op::mul:
      if (e.arg(1).is_constant())
        return collect(e.arg(0), product(factor, static_cast<std::int64_t>(e.arg(1).bits())), terms);
      [[fallthrough]];
    default: terms.push_back({e, factor});
  }
}

// Terms stand in the order in which their atoms were created, the constant last.
std::int64_t number(const Term& t) {
  return t.atom ? std::int64_t{t.atom.id()} : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::vector<Term> terms_of(Expr e) {
  std::vector<Term> terms;
  collect(e, 1, terms);
  return terms;
}

Sum::Sum(std::vector<Term> terms) {
  std::ranges::stable_sort(terms, {}, number);
  for (const Term& t : terms) {
    if (!terms_.empty() && terms_.back().atom == t.atom)
      terms_.back().coefficient = sum(terms_.back().coefficient, t.coefficient);
    else
      terms_.push_back(t);
  }
  std::erase_if(terms_, [](const Term& t) { return t.coefficient == 0; });
}

Sum::Sum(Expr e) : Sum(terms_of(e)) {}

const Term* Sum::first() const {
  const auto found = std::ranges::find_if(terms_, [](const Term& t) { return static_cast<bool>(t.atom); });
  return found == terms_.end() ? nullptr : &*found;
}

Sum Sum::plus(std::int64_t factor, const Sum& other) const {
  std::vector<Term> terms = terms_;
  for (const Term& t : other.terms_) terms.push_back({t.atom, product(factor, t.coefficient)});
  return Sum(std::move(terms));
}

Expr Sum::atom() const {
  return terms_.size() == 1 && terms_[0].coefficient == 1 ? terms_[0].atom : Expr();
}

}  // namespace fulgurite::simplify
