#include "block/traced.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include "base/match.h"

namespace fulgurite::block {

using scalar::Expr;

namespace {

// Of && and ||: other branches have been made when they were traced, as loops have.
void append(const kernel::Builder& b, const soac::Stm& s, const soac::If& op, const detail::Here& where) {
  const auto values_of = [&](const soac::Lambda& f) {
    return [&] {
      append_traced(b, f.body, where);
      return f.results;
    };
  };
  const Expr condition = b.lower(op.condition);
  const auto yes = values_of(op.then_branch);
  const auto no = values_of(op.else_branch);
  const std::vector<Expr> chosen = b.choose(condition, yes, no, b.arena().info(s.names[0]).name);
  for (std::size_t k = 0; k < chosen.size(); ++k) b.bind_name(s.names[k], chosen[k]);
}

}  // namespace

void append_traced(const kernel::Builder& b, const std::vector<soac::Stm>& traced,
                   const detail::Here& where) {
  for (const soac::Stm& s : traced) {
    if (const auto* let = base::as<soac::Let>(s.op))
      b.bind_name(s.names[0], b.lower(let->value));
    else if (const auto* check = base::as<soac::Check>(s.op))
      b.check(check->condition, check->site, check->operands);
    else if (const auto* branches = base::as<soac::If>(s.op))
      append(b, s, *branches, where);
    else
      refuse_array(s.origin.empty() ? "this" : s.origin, where);
  }
}

void refuse_array(std::string_view what, const detail::Here& where) {
  throw TraceError(
      fmt::format("{} makes an array of the array language in a kernel: use pull and push arrays here", what),
      where);
}

}  // namespace fulgurite::block
