#include "kernel/build.h"
#include "kernel/traverse.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <ranges>
#include <utility>

#include "base/check.h"
#include "kernel/code.h"

namespace fulgurite::kernel {

// ---- the code so far

std::size_t Builder::Code::depth_of(Expr leaf) const {
  if (!leaf.is_name()) return 0;
  auto found = depths.find(leaf.var());
  return found == depths.end() ? 0 : found->second;
}

void Builder::Code::open_block(Enclosure enclosure) {
  const bool is_numbered = !outside.reads_early;
  open.push_back({{}, {}, enclosure, {}, is_numbered ? arena.fresh({Kind::i64}, "block").id() : 0});
}

Block Builder::Code::close_block() {
  Block statements = std::move(open.back().statements);
  open.pop_back();
  return statements;
}

Var Builder::Code::buffer(Var array, Param::Role role) {
  if (own_buffers.contains(array)) return array;
  if (role == Param::Role::output && updates.contains(array)) role = Param::Role::update;
  for (FreeBuffer& known : free_buffers)
    if (known.array == array) {
      if (role != Param::Role::input) known.param.role = role;
      return known.param.name;
    }
  const scalar::VarInfo& info = arena.info(array);
  Var name = info.type.rank == 1 ? array : arena.fresh_array(info.type.kind, {arena.i64(0)}, info.name).var();
  free_buffers.push_back({{name, role}, array});
  return name;
}

void Builder::Code::parameter(Var scalar) {
  if (!depths.contains(scalar) && std::ranges::find(free_scalars, scalar) == free_scalars.end())
    free_scalars.push_back(scalar);
}

// ---- handles

Builder::Builder(Arena& arena, Outside outside)
    : code_(std::make_shared<Code>(arena, std::move(outside))), context_(std::make_shared<const Context>()) {}

Arena& Builder::arena() const {
  return code_->arena;
}

Builder Builder::with(Context context) const {
  Builder other = *this;
  other.context_ = std::make_shared<const Context>(std::move(context));
  return other;
}

Builder Builder::at_line(std::uint32_t line) const {
  Context other = context();
  other.line = line;
  return with(std::move(other));
}

Expr Builder::failing_element() const {
  return context_->element ? context_->element : arena().i64(0);
}

const std::vector<Var>& Builder::free_scalars() const {
  return code_->free_scalars;
}
const std::vector<Builder::FreeBuffer>& Builder::free_buffers() const {
  return code_->free_buffers;
}

// ---- blocks

// The innermost block, which is closed after `fill`.
Block Builder::filled(const Fill& fill) const {
  if (code_->outside.in_block)
    code_->outside.in_block(fill);
  else
    fill();
  return code_->close_block();
}

Block Builder::block(const Fill& fill, Enclosure enclosure) const {
  code_->open_block(enclosure);
  return filled(fill);
}

void Builder::append(Operation operation) const {
  FULGURITE_CHECK(!code_->open.empty(), "no open block");
  code_->open.back().statements.push_back({std::move(operation), context_->line});
}

void Builder::append(Block statements) const {
  std::ranges::move(statements, std::back_inserter(code_->open.back().statements));
}

const Block& Builder::open_statements() const {
  return code_->open.back().statements;
}
Block Builder::take_open_statements() const {
  return std::exchange(code_->open.back().statements, {});
}
std::size_t Builder::depth() const {
  return code_->depth();
}

// ---- names

// A name that a statement of the innermost block binds.
Expr Builder::fresh(Type type, std::string_view name) const {
  Expr made = arena().fresh(type, std::string(name));
  code_->depths[made.var()] = code_->depth();
  return made;
}

Expr Builder::declare(Expr value, std::string_view name) const {
  Expr variable = fresh(value.type(), name);
  append(Declare{variable.var(), value});
  return variable;
}

void Builder::assign(Expr variable, Expr value) const {
  append(Assign{variable.var(), value, {}});
}

Expr Builder::snapshot(Expr variable, std::string_view name) const {
  Expr value = fresh(variable.type(), name);
  append(Let{value.var(), variable});
  return value;
}

std::vector<Expr> Builder::snapshots(std::span<const Expr> variables) const {
  std::vector<Expr> values;
  for (Expr variable : variables) values.push_back(snapshot(variable, arena().info(variable.var()).name));
  return values;
}

void Builder::bind_name(Var name, Expr value) const {
  code_->meanings[name] = value;
}
void Builder::unbind_name(Var name) const {
  code_->meanings.erase(name);
}
const std::unordered_map<Var, Expr>& Builder::bound_names() const {
  return code_->meanings;
}

Expr Builder::placeholder() const {
  return fresh({Kind::i64}, "unused");
}

// ---- control

void Builder::for_loop(Expr begin, Expr end, Expr step, std::string_view name,
                       const std::function<void(Expr)>& body, Enclosure enclosure) const {
  Expr i = arena().fresh({Kind::i64}, std::string(name));
  code_->depths[i.var()] = code_->open.size();
  Block statements = block([&] { body(i); }, enclosure);
  append(For{i.var(), begin, end, step, std::move(statements)});
}

// Head and body are one scope for names and two blocks: the head stays open for look-ups while the body is
// filled.
namespace {

// The block where the variable is false after a failure, but for those of other instances, in a Par.
Block noting_failures(const Block& block, Expr goes_on, bool& fails) {
  Block noted;
  Parts parts;
  parts.block = [&](const Block& inner) { return noting_failures(inner, goes_on, fails); };
  for (const Stm& s : block) {
    noted.push_back(std::holds_alternative<Par>(s.op) ? s : map_children(s, parts));
    const auto* fail = std::get_if<Fail>(&s.op);
    if (!fail) continue;
    fails = true;
    noted.push_back({Assign{goes_on.var(), goes_on & logical_not(fail->when), {}}, s.line});
  }
  return noted;
}

}  // namespace

While Builder::whole_loop(const std::function<Expr()>& head, const Fill& body) const {
  Expr condition;
  Block inner;
  code_->open_block(Enclosure::iteration);
  Block outer = filled([&] {
    condition = head();
    inner = block(body, Enclosure::iteration);
  });
  return {std::move(outer), condition, std::move(inner)};
}

void Builder::while_loop(const std::function<Expr()>& head, const Fill& body) const {
  append(whole_loop(head, body));
}

void Builder::endless_loop(const std::function<Expr()>& head, const Fill& body) const {
  const std::size_t n_before = code_->n_failures;
  Expr is_sound = arena().boolean(true);
  for (const Code::Open& open : code_->open)
    for (const Stm& s : open.statements)
      if (const auto* fail = std::get_if<Fail>(&s.op)) is_sound = is_sound & logical_not(fail->when);
  While loop = whole_loop(head, body);
  bool fails = !is_sound.is_constant(1);
  const Expr goes_on = arena().fresh({Kind::boolean}, "goes_on");
  if (code_->n_failures > n_before) {
    loop.head = noting_failures(loop.head, goes_on, fails);
    loop.body = noting_failures(loop.body, goes_on, fails);
  }
  if (fails) {
    append(Declare{goes_on.var(), is_sound});
    loop.condition = loop.condition & goes_on;
  }
  append(std::move(loop));
}

void Builder::in_order(Var turn, const Fill& body) const {
  turn = code_->buffer(turn, Param::Role::output);
  Block statements = block(body, Enclosure::branch);
  append(InOrder{turn, context_->task, std::move(statements)});
}

void Builder::if_then(Expr condition, const Fill& body) const {
  if (condition.is_constant()) {
    if (condition.is_constant(1)) body();
    return;
  }
  Block statements = block(body, Enclosure::branch);
  append(If{condition, std::move(statements), {}});
}

void Builder::if_then_else(Expr condition, const Fill& yes, const Fill& no) const {
  if (condition.is_constant()) return condition.is_constant(1) ? yes() : no();
  Block then_branch = block(yes, Enclosure::branch), else_branch = block(no, Enclosure::branch);
  append(If{condition, std::move(then_branch), std::move(else_branch)});
}

std::vector<Expr> Builder::choose(Expr condition, const Values& yes, const Values& no,
                                  std::string_view name) const {
  if (condition.is_constant()) return lower(condition.is_constant(1) ? yes() : no());
  const std::size_t around = code_->depth();
  std::vector<Expr> variables;
  const auto branch = [&](const Values& f) {
    return block(
        [&] {
          const std::vector<Expr> values = f();
          for (std::size_t k = variables.size(); k < values.size(); ++k) {
            variables.push_back(arena().fresh(values[k].type(), std::string(name)));
            code_->depths[variables[k].var()] = around;
          }
          for (std::size_t k = 0; k < values.size(); ++k) assign(variables[k], lower(values[k]));
        },
        Enclosure::branch);
  };
  Block then_branch = branch(yes), else_branch = branch(no);
  for (Expr v : variables) append(Declare{v.var(), arena().constant(v.kind(), 0)});
  append(If{condition, std::move(then_branch), std::move(else_branch)});
  return snapshots(variables);
}

void Builder::par(Level level, Expr n, std::string_view name, const std::function<void(Expr)>& body) const {
  scalar::for_each_node(std::span(&n, 1), [&](Expr e) {
    if (e.is_name() && !code_->meanings.contains(e.var())) code_->parameter(e.var());
  });
  Expr i = arena().fresh({Kind::i64}, std::string(name));
  code_->depths[i.var()] = code_->open.size();
  Block statements = block([&] { body(i); });
  append(Par{level, i.var(), n, std::move(statements)});
}

// ---- between instances

Expr Builder::shift(Expr value, Expr fill, int by, std::string_view name) const {
  Expr shifted = fresh(value.type(), name);
  append(Shift{shifted.var(), value, fill, by});
  return shifted;
}

Expr Builder::shuffle(Expr value, Expr from, std::int32_t width, std::string_view name) const {
  Expr other = fresh(value.type(), name);
  append(Shuffle{other.var(), value, from, width});
  return other;
}

Expr Builder::pick(Expr value, int from, std::string_view name) const {
  Expr picked = fresh(value.type(), name);
  append(Pick{picked.var(), value, from});
  return picked;
}

// ---- failures

// A function that is evaluated where its value is read has lower sites than the reader's check before it.
void Builder::fail(Expr when, Site site, Expr value, Expr bound, std::vector<Expr> more) const {
  const Code::Open* relying = code_->innermost_guard();
  if (relying && relying->guard_site > site) when = bind(when & relying->guard, "failed");
  if (context_->on_failure) return if_then(when, context_->on_failure);
  const Expr group = context_->group ? lower(context_->group) : Expr();
  ++code_->n_failures;
  append(Fail{when, site, failing_element(), arena().i64(0), value, bound, std::move(more), group});
}

void Builder::check(Expr condition, Site site, std::span<const Expr> quoted) const {
  Expr holds = lower(condition);
  if (holds.is_constant(1) || !checks()) return;
  std::vector<Expr> operands = lower(quoted);
  operands.resize(std::max<std::size_t>(operands.size(), 2), arena().i64(0));
  std::vector<Expr> more(operands.begin() + 2, operands.end());
  more.resize(std::min(more.size(), Fail::most_more));
  fail_unless(holds, site, operands[0], operands[1], std::move(more));
}

void Builder::fail_unless(Expr holds, Site site, Expr value, Expr bound, std::vector<Expr> more,
                          Masks masks) const {
  fail(bind(logical_not(holds), "failed"), site, value, bound, std::move(more));
  const Code::Open* before = code_->innermost_guard();
  const Site own = masks == Masks::all ? std::numeric_limits<Site>::max() : site;
  const Site last = before ? std::max(before->guard_site, own) : own;
  const Expr all = guard();
  code_->open.back().guard = all ? bind(all & holds, "sound") : holds;
  code_->open.back().guard_site = last;
}

bool Builder::checks() const {
  return code_->outside.checks;
}

const Builder::Code::Open* Builder::Code::innermost_guard() const {
  const auto guarded =
      std::ranges::find_if(open | std::views::reverse, [](const Open& o) { return bool(o.guard); });
  return guarded == open.rend() ? nullptr : &*guarded;
}

void Builder::rely_on_nothing() const {
  code_->open.back().guard = arena().boolean(true);
  code_->open.back().guard_site = 0;
}

Expr Builder::guard() const {
  const Code::Open* guarded = code_->innermost_guard();
  return guarded && !guarded->guard.is_constant(1) ? guarded->guard : Expr();
}

}  // namespace fulgurite::kernel
