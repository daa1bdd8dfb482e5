#include "trace/tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "base/match.h"
#include "base/quote.h"
#include "scalar/print.h"
#include "soac/sink.h"
#include "soac/walk.h"
#include "trace/traced.h"

namespace fulgurite::trace {

namespace {

thread_local Tracer* innermost = nullptr;

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

soac::Location location(const Here& where) {
  return {where.file_name(), where.line()};
}

std::string place(const soac::Location& where) {
  if (where.line == 0) return "";
  const std::string_view file = where.file;
  return fmt::format(" at {}:{}", file.substr(file.rfind('/') + 1), where.line);
}

// The message with the operands' values in place of {0}, {1} ...; values not known yet are "?".
std::string quote_operands(std::string_view text, const Exprs& operands) {
  return base::fill_places(text, [&](std::string_view word) -> std::optional<std::string> {
    const auto place = base::value_place(word);
    if (!place || place->number >= operands.size()) return std::nullopt;
    const Expr operand = operands[place->number];
    if (!operand.is_constant()) return "?";
    return base::number_text(static_cast<std::int64_t>(operand.bits()), place->reading);
  });
}

// Whether a value above 2^63 looks negative in the expression.
bool is_unsigned(Expr e) {
  return e.op() == Op::cast && e.arg(0).kind() == scalar::Kind::u64;
}

// The message with {0u} or {0?}, as `sign` says, in place of {0} where operand 0 is unsigned, and so on.
std::string with_unsigned_places(std::string_view text, const Exprs& operands, char sign) {
  return base::fill_places(text, [&](std::string_view word) -> std::optional<std::string> {
    const auto place = base::value_place(word);
    if (!place || place->number >= operands.size() || !is_unsigned(operands[place->number]))
      return std::nullopt;
    return fmt::format("{{{}{}}}", place->number, sign);
  });
}

}  // namespace

Expr OnePlace::operator()(Expr root) {
  std::vector<Expr> stack{root};
  while (!stack.empty()) {
    const Expr e = stack.back();
    const std::size_t before = stack.size();
    if (scalar::can_fail(e) && !memo_.contains(e))
      for (Expr operand : e.args())
        if (!memo_.contains(operand)) stack.push_back(operand);
    if (stack.size() > before) continue;
    stack.pop_back();
    memo_.try_emplace(e, scalar::can_fail(e) ? placed(e) : e);
  }
  return memo_.at(root);
}

Expr OnePlace::placed(Expr e) {
  Exprs operands;
  for (Expr operand : e.args()) operands.push_back(memo_.at(operand));
  if (e.site() == 0) return scalar::rebuild(arena_, e, operands);
  constexpr Site one = 1;
  if (e.op() == Op::index) return arena_.index(operands[0], std::span(operands).subspan(1), one);
  return arena_.apply(e.op(), operands, one);
}

Tracer::Tracer(std::string name, const Here& where)
    : program_{std::move(name), std::make_shared<Arena>(), {}, {}, {}, {}},
      number_(next_number()),
      outer_(innermost),
      latest_(where),
      unsettle_(arena(),
                [this](Expr e) {
                  const auto found = e.is_name() ? bound_to_.find(e.var()) : bound_to_.end();
                  return found == bound_to_.end() ? Expr() : found->second;
                }),
      wherever_(arena()) {
  open("the program", {}, Runs::in_place);
  innermost = this;
}

Tracer::~Tracer() {
  innermost = outer_;
}

Tracer& Tracer::current(const Here& where) {
  if (innermost == nullptr)
    throw TraceError(
        "no program is being traced here: staged values exist only inside the function that is given to "
        "fg::compile or fg::run",
        where);
  if (where.line() != 0) innermost->latest_ = where;
  return *innermost;
}

Expr Tracer::expr(const Value& value, const Here& where) {
  if (value.node == nullptr) return arena().constant(kind_of(value.kind), value.bits_or_trace);
  if (value.bits_or_trace != number_)
    throw TraceError(
        "this staged value is of another trace, or of one that has ended: hand arrays and scalars to the "
        "compiled function as "
        "arguments, and results out of it by returning them",
        where);
  const Expr e(static_cast<const scalar::Node*>(value.node));
  const std::uint32_t scope = scope_of(e);
  if (!is_live(scope)) {
    const Opened& opened = ever_opened_[scope];
    throw TraceError(fmt::format("this staged value was made in the function given to {}{}, which has ended: "
                                 "return it from that function",
                                 opened.origin, place(location(opened.where))),
                     where);
  }
  return e;
}

Exprs Tracer::exprs(std::span<const Value> values, const Here& where) {
  Exprs results;
  for (const Value& v : values) results.push_back(expr(v, where));
  return results;
}

Expr Tracer::settled(Expr e, const Here& where) {
  if (e.is_name() || e.is_constant() || is_extent_(e)) return e;
  const Expr value = unsettled(e), key = wherever_(value);
  for (const Open& scope : scopes_) {
    const auto found = scope.settled.find(key);
    if (found == scope.settled.end()) continue;
    // What fails elsewhere in a function around this one may fail where this one does not run.
    if (&scope == &scopes_.back() || bound_to_.at(found->second.var()) == value) return found->second;
  }
  const Expr name = fresh(e.kind(), "n");
  add({name}, soac::Let{e}, "size", where);
  scopes_.back().settled.insert_or_assign(key, name);
  bound_to_.emplace(name.var(), value);
  return name;
}

Exprs Tracer::settled(std::span<const Value> values, const Here& where) {
  Exprs results;
  for (const Value& v : values) results.push_back(settled(v, where));
  return results;
}

Expr Tracer::unsettled(Expr e) {
  return bound_to_.empty() ? e : unsettle_(e);
}

Value Tracer::value(Expr e) {
  scope_of(e);
  return {e.node(), number_, static_cast<detail::Kind>(e.kind()), e.type().rank};
}

Values Tracer::values(std::span<const Expr> exprs) {
  Values results;
  for (Expr e : exprs) results.push_back(value(e));
  return results;
}

Value Tracer::parameter(scalar::Kind kind, int rank, unsigned argument) {
  const std::string name = detail::parameter_name(argument);
  const Expr e = rank == 0 ? fresh(kind, name) : parameter_array(kind, rank, name);
  if (rank > 0) arguments_.emplace_back(Exprs(shape(e).begin(), shape(e).end()), argument);
  program_.params.push_back(e.var());
  return value(e);
}

Value Tracer::capture(const detail::Capture& capture) {
  for (std::size_t i = 0; i < captures_.size(); ++i)
    if (captures_[i].data == capture.data && captures_[i].view.kind == capture.view.kind &&
        captures_[i].view.rank == capture.view.rank &&
        std::ranges::equal(captures_[i].extents, capture.extents))
      return captured_[i];
  const Expr e = parameter_array(static_cast<scalar::Kind>(capture.view.kind), capture.view.rank, "captured");
  program_.params.push_back(e.var());
  captures_.push_back(capture);
  captured_.push_back(value(e));
  return captured_.back();
}

// Visible in the whole program, wherever it is made.
Expr Tracer::parameter_array(scalar::Kind kind, int rank, const std::string& name) {
  Exprs shape;
  for (int k = 0; k < rank; ++k)
    shape.push_back(made(
        arena().fresh({scalar::Kind::i64}, rank == 1 ? "n_" + name : fmt::format("n{}_{}", k, name)), 0));
  return made(arena().fresh_array(kind, std::move(shape), name), 0);
}

std::string Tracer::argument_text(Expr array) const {
  for (const auto& [extents, argument] : arguments_)
    if (std::ranges::equal(shape(array), extents)) return fmt::format(" (argument {})", argument);
  return "";
}

void Tracer::refuse_calls_for_elements(const std::vector<soac::Stm>& body) const {
  for (const soac::Stm& stm : body)
    for (const auto& inner : soac::nested_in(stm)) {
      if (!base::as<soac::Soac>(stm.op)) {
        refuse_calls_for_elements(inner.lambda->body);
      } else if (soac::calls_kernel(*inner.lambda)) {
        throw TraceError(fmt::format("a function of elements, given to {}, calls a kernel: call it outside, "
                                     "over the whole array",
                                     stm.origin),
                         {stm.where.file, stm.where.line});
      }
    }
}

soac::Program Tracer::finish(Exprs results) {
  program_.results = std::move(results);
  program_.body = close();
  refuse_calls_for_elements(program_.body);
  soac::sink(program_);
  return std::move(program_);
}

Expr Tracer::made(Expr name, std::uint32_t scope) {
  const auto var = static_cast<std::size_t>(name.var());
  if (scope_of_var_.size() <= var) scope_of_var_.resize(var + 1);
  scope_of_var_[var] = scope;
  return name;
}

Expr Tracer::fresh(scalar::Kind kind, std::string name) {
  return made(arena().fresh({kind}, std::move(name)), scopes_.back().id);
}

Expr Tracer::fresh_array(scalar::Kind kind, Exprs shape, std::string name) {
  for (Expr extent : shape)
    FULGURITE_CHECK(is_extent_(extent), "an array's extent is {}", scalar::describe(arena(), extent));
  return made(arena().fresh_array(kind, std::move(shape), std::move(name)), scopes_.back().id);
}

Expr Tracer::adopt(Expr name) {
  return made(name, scopes_.back().id);
}

std::string Tracer::giver_text(Expr size) {
  const Expr value = unsettled(size);
  soac::Vars names;
  soac::add_mentioned({&value, 1}, names);
  for (const soac::Stm& s : scopes_.back().body) {
    const auto name = std::ranges::find_if(s.names, [&](Var v) { return names.contains(v); });
    if (name == s.names.end()) continue;
    const std::string giver = s.origin + place(s.where);
    const auto number = numbers_of_sizes_.find(*name);
    if (number == numbers_of_sizes_.end()) return fmt::format(" ({} gives the size)", giver);
    if (base::as<soac::Loop>(s.op))
      return fmt::format(" ({} may change the size of state {})", giver, number->second);
    return fmt::format(" ({} gives value {} one of two sizes)", giver, number->second);
  }
  return "";
}

bool Tracer::is_outer(Expr e) {
  return scope_of(e) != scopes_.back().id;
}

bool Tracer::may_fail(Expr e) {
  if (scalar::can_fail(e)) return true;
  Open& scope = scopes_.back();
  soac::add_fallible(scope.body, std::exchange(scope.n_looked_at, scope.body.size()), scope.fallible);
  soac::Vars mentioned;
  soac::add_mentioned({&e, 1}, mentioned);
  return std::ranges::any_of(mentioned, [&](Var v) { return scope.fallible.contains(v); });
}

void Tracer::add(const Exprs& names, soac::Operation op, std::string origin, const Here& where) {
  scopes_.back().body.push_back({vars_of(names), std::move(op), location(where), std::move(origin)});
}

void Tracer::add(Exprs dims, soac::Lambda points, soac::Outputs outputs, std::string origin,
                 const Here& where) {
  soac::Stm stm{{}, soac::Soac{std::move(dims), std::move(points)}, location(where), std::move(origin)};
  scopes_.back().body.push_back(soac::with_outputs(std::move(stm), std::move(outputs)));
}

Site Tracer::site(SiteError error, std::string message, const Here& where) {
  soac::SiteInfo info{error, location(where), std::move(message)};
  const std::string key =
      fmt::format("{} {} {} {}", static_cast<int>(error), info.where.file, info.where.line, info.message);
  const auto [found, is_new] = sites_.try_emplace(key, static_cast<Site>(program_.sites.size() + 1));
  if (is_new) program_.sites.push_back(std::move(info));
  return found->second;
}

Site Tracer::index_site(std::string message, std::span<const Expr> indices, const Here& where) {
  // Which of several indices failed is not known: where one that can be negative is signed, another unsigned,
  // the message gives both readings.
  const auto can_be_negative = [](Expr e) {
    if (e.is_constant()) return static_cast<std::int64_t>(e.bits()) < 0;
    return !(e.op() == Op::cast && scalar::size_of(e.arg(0).kind()) < 8 &&
             !scalar::is_signed(e.arg(0).kind()));
  };
  const bool all =
      std::ranges::all_of(indices, [&](Expr e) { return is_unsigned(e) || !can_be_negative(e); });
  const auto one = std::ranges::find_if(indices, is_unsigned);
  if (one != indices.end()) message = with_unsigned_places(message, {*one}, all ? 'u' : '?');
  return site(SiteError::index, std::move(message), where);
}

void Tracer::check(Expr condition, std::string message, Exprs operands, const Here& where, SiteError error) {
  if (condition.is_constant(1)) return;
  Exprs unbound;
  for (Expr operand : operands) unbound.push_back(unsettled(operand));
  message = with_unsigned_places(message, unbound, 'u');
  if (condition.is_constant(0)) {
    message = quote_operands(message, operands);
    if (error == SiteError::index) throw IndexError(message, where);
    throw ShapeError(message, where);
  }
  for (const Open& scope : scopes_)
    if (scope.checked.contains(condition)) return;
  scopes_.back().checked.insert(condition);
  const Site at = site(error, std::move(message), where);
  add({}, soac::Check{condition, at, std::move(operands)}, "", where);
}

std::uint32_t Tracer::scope_of(Expr e) {
  if (const auto found = scope_of_.find(e); found != scope_of_.end()) return found->second;
  std::uint32_t scope = 0;
  if (e.is_name()) scope = scope_of_var_.at(static_cast<std::size_t>(e.var()));
  // Scopes nest: of the names in an expression, the one bound innermost has the youngest scope.
  for (Expr argument : e.args()) scope = std::max(scope, scope_of(argument));
  scope_of_[e] = scope;
  return scope;
}

bool Tracer::is_live(std::uint32_t scope) const {
  return std::any_of(scopes_.begin(), scopes_.end(), [&](const Open& open) { return open.id == scope; });
}

void Tracer::open(std::string origin, const Here& where, Runs runs) {
  if (where.line() != 0) latest_ = where;
  scopes_.push_back({static_cast<std::uint32_t>(ever_opened_.size()), runs, {}, {}, {}});
  ever_opened_.push_back({std::move(origin), where});
}

std::vector<soac::Stm> Tracer::close() {
  std::vector<soac::Stm> body = std::move(scopes_.back().body);
  scopes_.pop_back();
  return body;
}

std::vector<Var> vars_of(const Exprs& names) {
  std::vector<Var> vars;
  for (Expr name : names) vars.push_back(name.var());
  return vars;
}

Scope::Scope(Tracer& tracer, std::string origin, const Here& where, Runs runs) : tracer_(tracer) {
  tracer_.open(std::move(origin), where, runs);
}

Scope::~Scope() {
  if (is_open_) tracer_.close();
}

Expr Scope::parameter(scalar::Kind kind, std::string name) {
  parameters_.push_back(tracer_.fresh(kind, std::move(name)));
  return parameters_.back();
}

Expr Scope::parameter(scalar::Kind kind, Exprs shape, std::string name) {
  parameters_.push_back(tracer_.fresh_array(kind, std::move(shape), std::move(name)));
  return parameters_.back();
}

soac::Lambda Scope::close(Exprs results) {
  std::vector<Var> params;
  for (Expr p : parameters_) params.push_back(p.var());
  is_open_ = false;
  return {std::move(params), tracer_.close(), std::move(results)};
}

}  // namespace fulgurite::trace
