#include "block/statements.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>

#include "base/match.h"

namespace fulgurite::detail::block {
namespace {

[[noreturn]] void refuse_array(std::string_view what, const Here& where) {
  throw TraceError(
      fmt::format("{} makes an array of the array language in a kernel: use pull and push arrays here", what),
      where);
}

void append_traced(const kernel::Builder& b, const std::vector<soac::Stm>& traced, const Here& where);

// Only && and || arrive here as branches: all others, and loops, become statements of the kernel while they
// are traced.
void append(const kernel::Builder& b, const soac::Stm& s, const soac::If& op, const Here& where) {
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

void append_traced(const kernel::Builder& b, const std::vector<soac::Stm>& traced, const Here& where) {
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

}  // namespace

kernel::Builder Statements::builder_at(const Here& where) {
  if (where.line() == 0) return builder_;
  kernel::Location location{where.file_name(), where.line()};
  auto known = std::ranges::find(lines_, location);
  if (known == lines_.end()) known = lines_.insert(lines_.end(), std::move(location));
  return builder_.at_line(static_cast<std::uint32_t>(known - lines_.begin()) + 1);
}

void Statements::flush(const Here& where) {
  if (!is_making()) refuse_array("this", where);
  append_traced(builder_, tracer_.take(), where);
}

Expr Statements::lower(const Value& value, const Here& where) {
  const Expr e = tracer_.expr(value, where);
  flush(where);
  at(where);
  return builder_.lower(e);
}

std::vector<Expr> Statements::lower(std::span<const Value> values, const Here& where) {
  std::vector<Expr> leaves;
  for (const Value& value : values) leaves.push_back(lower(value, where));
  return leaves;
}

std::vector<Expr> Statements::scalars(std::span<const Value> values, const Here& where) {
  std::vector<Expr> all = tracer_.exprs(values, where);
  for (Expr e : all)
    if (e.type().rank > 0) refuse_array("this", where);
  flush(where);
  return all;
}

Value Statements::given(Expr name) {
  return tracer_.value(name.is_name() ? tracer_.adopt(name) : name);
}

Values Statements::given(std::span<const Expr> names) {
  Values values;
  for (Expr name : names) values.push_back(given(name));
  return values;
}

}  // namespace fulgurite::detail::block
