#include "lower/emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/match.h"
#include "schedule/rewrites/narrow.h"
#include "soac/rename.h"

namespace fulgurite::lower {

namespace {

bool is_leaf(Expr e) {
  return e.is_constant() || e.is_name();
}

}  // namespace

kernel::Block Emitter::block(const std::function<void()>& fill, Enclosure enclosure) {
  open_.push_back(opened(enclosure));
  const std::size_t mark = bounds_ ? bounds_->mark() : 0;
  fill();
  if (bounds_) bounds_->forget(mark);
  kernel::Block statements = std::move(open_.back().statements);
  open_.pop_back();
  return statements;
}

Emitter::Open Emitter::opened(Enclosure enclosure) {
  const bool is_numbered = !outside_.reads_early;
  return {{}, {}, enclosure, {}, is_numbered ? arena_.fresh({Kind::i64}, "block").id() : 0};
}
std::size_t Emitter::written_at(Expr node) const {
  std::size_t at = open_.size() - 1;
  if (outside_.reads_early) return 0;
  while (at > 0 && open_[at].first_node > node.id()) --at;
  return at;
}

void Emitter::append(kernel::Operation operation) {
  FULGURITE_CHECK(!open_.empty(), "no open block");
  open_.back().statements.push_back({std::move(operation), line_});
}

void Emitter::append(kernel::Block statements) {
  kernel::Block& to = open_.back().statements;
  std::ranges::move(statements, std::back_inserter(to));
}

std::size_t Emitter::depth(Expr leaf) const {
  if (!leaf.is_name()) return 0;
  auto found = depth_.find(leaf.var());
  return found == depth_.end() ? 0 : found->second;
}

Expr Emitter::bind_at(std::size_t depth, Expr value, std::string_view name) {
  if (is_leaf(value)) return value;
  Expr bound = arena_.fresh(value.type(), std::string(name));
  open_[depth].statements.push_back({kernel::Let{bound.var(), value}, line_});
  depth_[bound.var()] = depth;
  return bound;
}

Expr Emitter::bind(Expr value, std::string_view name) {
  return bind_at(open_.size() - 1, value, name);
}

Expr Emitter::declare(Expr value, std::string_view name) {
  Expr variable = arena_.fresh(value.type(), std::string(name));
  depth_[variable.var()] = open_.size() - 1;
  append(kernel::Declare{variable.var(), value});
  return variable;
}

void Emitter::assign(Expr variable, Expr value) {
  append(kernel::Assign{variable.var(), value, {}});
}

Expr Emitter::guard() const {
  Expr all;
  for (const Open& open : open_)
    if (open.guard) all = open.guard;
  return all;
}

void Emitter::fail(Expr when, scalar::Site site, Expr value, Expr bound, std::vector<Expr> more) {
  if (failures_to_)
    if_then(when, failures_to_);
  else
    append(kernel::Fail{when, site, failing_element(), arena_.i64(0), value, bound, std::move(more),
                        group_ ? lower(group_) : Expr()});
}

Expr Emitter::placeholder() {
  Expr name = arena_.fresh({Kind::i64}, "unused");
  depth_[name.var()] = open_.size() - 1;
  return name;
}

Expr Emitter::snapshot(Expr variable, std::string_view name) {
  Expr value = arena_.fresh(variable.type(), std::string(name));
  depth_[value.var()] = open_.size() - 1;
  append(kernel::Let{value.var(), variable});
  return value;
}

std::vector<Expr> Emitter::snapshots(const std::vector<Expr>& variables) {
  std::vector<Expr> values;
  for (Expr variable : variables) values.push_back(snapshot(variable, arena_.info(variable.var()).name));
  return values;
}

Var Emitter::touch(Var array, kernel::Param::Role role) {
  if (own_buffers_.contains(array)) return array;
  if (role == kernel::Param::Role::output && updates_.contains(array)) role = kernel::Param::Role::update;
  for (FreeBuffer& known : free_buffers_)
    if (known.array == array) {
      if (role != kernel::Param::Role::input) known.param.role = role;
      return known.param.name;
    }
  const scalar::VarInfo& info = arena_.info(array);
  Var name =
      info.type.rank == 1 ? array : arena_.fresh_array(info.type.kind, {arena_.i64(0)}, info.name).var();
  free_buffers_.push_back({{name, role}, array});
  return name;
}

void Emitter::store_plain(Var buffer, Expr index, Expr value, Expr mask) {
  buffer = touch(buffer, kernel::Param::Role::output);
  append(kernel::Store{{buffer, index, arena_.i64(1), mask}, value, false});
}

Expr Emitter::load_plain(Var buffer, Expr index, std::string_view name) {
  buffer = touch(buffer, kernel::Param::Role::input);
  Expr loaded = arena_.fresh({arena_.info(buffer).type.kind}, std::string(name));
  depth_[loaded.var()] = open_.size() - 1;
  append(kernel::Load{loaded.var(), {buffer, index, arena_.i64(1), {}}});
  return loaded;
}

void Emitter::prefetch(Var buffer, Expr index, int n, Expr per_task, Expr end) {
  buffer = touch(buffer, kernel::Param::Role::input);
  append(kernel::Prefetch{buffer, index, n, lower(per_task), lower(end)});
}

Var Emitter::allocate_shared(Kind kind, std::int64_t n) {
  return allocate(kernel::Space::shared, kind, n, "shared");
}

Var Emitter::allocate(kernel::Space space, Kind kind, std::int64_t n, std::string name) {
  Expr buffer = arena_.fresh_array(kind, {arena_.i64(n)}, std::move(name));
  own_buffers_[buffer.var()] = open_.size() - 1;
  append(kernel::Allocate{buffer.var(), space, arena_.i64(n)});
  return buffer.var();
}

Expr Emitter::load(Var buffer, Expr index, Expr mask, std::string_view name, std::size_t from) {
  buffer = touch(buffer, kernel::Param::Role::input);
  Expr loaded = arena_.fresh({arena_.info(buffer).type.kind}, std::string(name));
  if (const auto own = own_buffers_.find(buffer); own != own_buffers_.end())
    from = std::max(from, own->second);
  std::size_t at = open_.size() - 1;
  // Out of the iterations of scalar loops that it does not depend on.
  if (!mask && !guard())
    while (at > std::max(depth(index), from) && open_[at].enclosure == Enclosure::iteration) --at;
  depth_[loaded.var()] = at;
  const bool touched = touching_ && !own_buffers_.contains(buffer);
  open_[at].statements.push_back(
      {kernel::Load{loaded.var(), {buffer, index, arena_.i64(1), mask}, touched ? touching_ : Expr()},
       line_});
  return loaded;
}

void Emitter::store(const Destination& to, Expr offset, Expr value) {
  Var buffer = touch(to.buffer, kernel::Param::Role::output);
  Expr index = bind(element_of(to, offset), "at");
  kernel::Store plain{{buffer, index, arena_.i64(1), {}}, value, false};
  const bool stays =  // in the cache
      own_buffers_.contains(buffer) || std::ranges::find(scratch_, to.buffer) != scratch_.end();
  if (!streaming_ || stays) return append(plain);
  kernel::Store streaming = plain;
  streaming.streaming = true;
  append(kernel::If{streaming_, {{streaming}}, {{plain}}});
}

void Emitter::for_loop(Expr begin, Expr end, Expr step, std::string_view name,
                       const std::function<void(Expr)>& body, Enclosure enclosure) {
  Expr i = arena_.fresh({Kind::i64}, std::string(name));
  depth_[i.var()] = open_.size();
  kernel::Block statements = block([&] { body(i); }, enclosure);
  append(kernel::For{i.var(), begin, end, step, std::move(statements)});
}

// Head and body are one scope for names and two blocks: the head stays open for look-ups while the body is
// filled.
void Emitter::while_loop(const std::function<Expr()>& head, const std::function<void()>& body) {
  open_.push_back(opened(Enclosure::iteration));
  const std::size_t mark = bounds_ ? bounds_->mark() : 0;
  Expr condition = head();
  kernel::Block inner = block(body, Enclosure::iteration);
  if (bounds_) bounds_->forget(mark);
  kernel::Block outer = std::move(open_.back().statements);
  open_.pop_back();
  append(kernel::While{std::move(outer), condition, std::move(inner)});
}

void Emitter::in_order(Var turn, const std::function<void()>& body) {
  turn = touch(turn, kernel::Param::Role::output);
  kernel::Block statements = block(body, Enclosure::branch);
  append(kernel::InOrder{turn, task_, std::move(statements)});
}

Expr Emitter::shift(Expr value, Expr fill, int by, std::string_view name) {
  Expr shifted = arena_.fresh(value.type(), std::string(name));
  depth_[shifted.var()] = open_.size() - 1;
  append(kernel::Shift{shifted.var(), value, fill, by});
  return shifted;
}

Expr Emitter::shuffle(Expr value, Expr from, std::int32_t width, std::string_view name) {
  Expr other = arena_.fresh(value.type(), std::string(name));
  depth_[other.var()] = open_.size() - 1;
  append(kernel::Shuffle{other.var(), value, from, width});
  return other;
}

Expr Emitter::atomic(kernel::Atomic operation, std::string_view name) {
  operation.at.buffer = touch(operation.at.buffer, kernel::Param::Role::output);
  Expr old = arena_.fresh(operation.value.type(), std::string(name));
  depth_[old.var()] = open_.size() - 1;
  operation.name = old.var();
  append(std::move(operation));
  return old;
}

void Emitter::atomic(kernel::Atomic operation) {
  operation.at.buffer = touch(operation.at.buffer, kernel::Param::Role::output);
  append(std::move(operation));
}

Expr Emitter::pick(Expr value, int from, std::string_view name) {
  Expr picked = arena_.fresh(value.type(), std::string(name));
  depth_[picked.var()] = open_.size() - 1;
  append(kernel::Pick{picked.var(), value, from});
  return picked;
}

void Emitter::if_then(Expr condition, const std::function<void()>& body) {
  if (condition.is_constant()) {
    if (condition.is_constant(1)) body();
    return;
  }
  kernel::Block statements = block(body, Enclosure::branch);
  append(kernel::If{condition, std::move(statements), {}});
}

void Emitter::if_then_else(Expr condition, const std::function<void()>& yes,
                           const std::function<void()>& no) {
  if (condition.is_constant()) return condition.is_constant(1) ? yes() : no();
  kernel::Block then_branch = block(yes, Enclosure::branch), else_branch = block(no, Enclosure::branch);
  append(kernel::If{condition, std::move(then_branch), std::move(else_branch)});
}

std::vector<Expr> Emitter::choose(Expr condition, const std::function<std::vector<Expr>()>& yes,
                                  const std::function<std::vector<Expr>()>& no, std::string_view name) {
  if (condition.is_constant()) return lower(condition.is_constant(1) ? yes() : no());
  const std::size_t around = open_.size() - 1;
  std::vector<Expr> variables;
  const auto branch = [&](const std::function<std::vector<Expr>()>& f) {
    return block(
        [&] {
          const std::vector<Expr> values = f();
          for (std::size_t k = variables.size(); k < values.size(); ++k) {
            variables.push_back(arena_.fresh(values[k].type(), std::string(name)));
            depth_[variables[k].var()] = around;
          }
          for (std::size_t k = 0; k < values.size(); ++k) assign(variables[k], lower(values[k]));
        },
        Enclosure::branch);
  };
  kernel::Block then_branch = branch(yes), else_branch = branch(no);
  for (Expr v : variables) append(kernel::Declare{v.var(), arena_.constant(v.kind(), 0)});
  append(kernel::If{condition, std::move(then_branch), std::move(else_branch)});
  return snapshots(variables);
}

void Emitter::par(kernel::Level level, Expr n, std::string_view name, const std::function<void(Expr)>& body) {
  scalar::for_each_node(std::span(&n, 1), [&](Expr e) {
    if (e.is_name() && !env_.contains(e.var())) parameter(e.var());
  });
  Expr i = arena_.fresh({Kind::i64}, std::string(name));
  depth_[i.var()] = open_.size();
  kernel::Block statements = block([&] { body(i); });
  append(kernel::Par{level, i.var(), n, std::move(statements)});
}

void Emitter::parameter(Var scalar) {
  if (!depth_.contains(scalar) && std::ranges::find(free_scalars_, scalar) == free_scalars_.end())
    free_scalars_.push_back(scalar);
}

// In front of all that a task does.
Expr Emitter::load_once(Expr scalar, Var array) {
  constexpr std::size_t phase = 1;  // the outermost block holds phases only
  FULGURITE_CHECK(open_.size() > phase, "a scalar of the device is read outside of all tasks");
  if (auto known = open_[phase].memo.find(scalar.id()); known != open_[phase].memo.end())
    return known->second;
  const Var buffer = touch(array, kernel::Param::Role::input);
  const Expr loaded = arena_.fresh(scalar.type(), arena_.info(scalar.var()).name);
  depth_[loaded.var()] = phase;
  open_[phase].statements.push_back(
      {kernel::Load{loaded.var(), {buffer, arena_.i64(0), arena_.i64(1), {}}}, line_});
  open_[phase].memo[scalar.id()] = loaded;
  return loaded;
}

Expr Emitter::find(Expr e) {
  if (e.is_constant()) return e;
  if (e.is_name()) {
    if (auto bound = env_.find(e.var()); bound != env_.end()) return bound->second;
    if (depth_.contains(e.var())) return e;
    if (const auto array = outside_.on_device ? outside_.on_device(e.var()) : std::nullopt)
      return load_once(e, *array);
    parameter(e.var());
    return e;
  }
  for (auto open = open_.rbegin(); open != open_.rend(); ++open)
    if (auto known = open->memo.find(e.id()); known != open->memo.end()) return known->second;
  return {};
}

// Post-order without recursion, stopping at what is already known: expressions may be long chains.
Expr Emitter::lower(Expr root) {
  if (Expr known = find(root)) return known;
  std::vector<Expr> stack{root};
  while (!stack.empty()) {
    Expr e = stack.back();
    if (find(e)) {
      stack.pop_back();
      continue;
    }
    bool ready = true;
    std::size_t first = e.op() == Op::index ? 1 : 0;  // the array itself is not a value
    for (std::size_t i = e.args().size(); i-- > first;)
      if (!find(e.arg(i))) {
        stack.push_back(e.arg(i));
        ready = false;
      }
    if (!ready) continue;
    stack.pop_back();
    lower_node(e);
  }
  return find(root);
}

std::vector<Expr> Emitter::lower(std::span<const Expr> roots) {
  std::vector<Expr> lowered;
  for (Expr root : roots) lowered.push_back(lower(root));
  return lowered;
}

std::vector<Expr> Emitter::operands(std::span<const Expr> roots) {
  std::vector<Expr> lowered;
  for (Expr root : roots)
    lowered.push_back(root.op() == Op::fma_sum ? scalar::rebuild(arena_, root, lower(root.args()))
                                               : lower(root));
  return lowered;
}

Expr Emitter::lower_node(Expr e) {
  if (e.op() == Op::index || e.site() != 0) {  // may fail or read memory: stays where it is needed
    Expr value = e.op() == Op::index ? lower_index(e) : lower_division(e);
    open_[e.site() == 0 ? depth(value) : open_.size() - 1].memo[e.id()] = value;
    return value;
  }
  std::vector<Expr> args;
  std::size_t deepest = 1;  // the outermost block holds phases only
  for (Expr arg : e.args()) {
    args.push_back(find(arg));
    deepest = std::max(deepest, depth(args.back()));
  }
  for (std::size_t d = open_.size(); d-- > deepest;)
    if (open_[d].enclosure == Enclosure::branch) {
      deepest = d;
      break;
    }
  // A product that no sum takes as it is.
  const bool is_product = e.op() == Op::fma_sum;
  const Expr lowered = is_product ? arena_.mul(args[0], args[1]) : scalar::rebuild(arena_, e, args);
  Expr value = bind_at(deepest, lowered, "t");
  open_[deepest].memo[e.id()] = value;
  return value;
}

Expr Emitter::linear(std::span<const Expr> indices, std::span<const Expr> dims) {
  Expr number = arena_.i64(0);
  for (std::size_t d = 0; d < dims.size(); ++d) number = arena_.add(arena_.mul(number, dims[d]), indices[d]);
  return number;
}

// v = index(xs, i, j) site s          becomes, where the site is not 0,
//   bad = i < 0 | i >= n | j < 0 | j >= m;  fail when bad ...;  v = load xs[bad ? 0 : i * m + j] masked by
//   not bad
Expr Emitter::lower_index(Expr e) {
  Expr array = e.arg(0);
  Var buffer = array.var();
  const scalar::VarInfo& info = arena_.info(buffer);
  std::vector<Expr> indices, extents;
  for (std::size_t d = 0; d < info.shape.size(); ++d) indices.push_back(find(e.arg(d + 1)));
  const bool is_ours = made_.contains(buffer);
  const Destination at = is_ours ? destination(buffer) : Destination{buffer, {}};
  auto element = [&](Expr number, Expr mask) {
    Expr index = lower(element_of(at, number));
    const std::size_t complete_at = is_ours ? made_.at(buffer) : 0;
    return load(at.buffer, index, mask, info.name, std::max(complete_at, written_at(e)));
  };
  if (identity_.number && indices == identity_.indices) return element(identity_.number, guard());
  for (Expr extent : info.shape) extents.push_back(lower(extent));
  Expr good = guard();
  if (e.site() != 0 && checks_) {
    for (std::size_t d = 0; d < indices.size(); ++d) {
      Expr inside;
      const Expr key = schedule::narrow_index(e.arg(d + 1)), small = key ? find(key) : Expr();
      if (small && !small.is_constant()) {
        Expr number = bind(arena_.cast(small, Kind::i32), "number");
        inside = schedule::is_inside(arena_, number, lower(schedule::narrow_extent(arena_, info.shape[d])));
      } else {
        const Expr is_below = bind(arena_.lt(indices[d], extents[d]), "c");
        inside = arena_.logical_and(bind(arena_.le(arena_.i64(0), indices[d]), "c"), is_below);
      }
      inside = bind(inside, "inside");
      fail(bind(arena_.logical_not(inside), "outside"), e.site(), indices[d], extents[d]);
      good = good ? bind(arena_.logical_and(good, inside), "inside") : inside;
      if (good.is_constant(1)) good = {};
    }
  }
  return element(lower(linear(indices, extents)), good);
}

Expr Emitter::lower_division(Expr e) {
  Expr a = find(e.arg(0)), b = find(e.arg(1));
  Expr zero = arena_.constant(b.kind(), 0), one = arena_.cast(arena_.i64(1), b.kind());
  Expr by_zero = bind(arena_.eq(b, zero), "by_zero");
  if (checks_) fail(by_zero, e.site(), arena_.i64(0), arena_.i64(0));
  Expr divisor = bind(arena_.apply(Op::select, {by_zero, one, b}), "divisor");
  return bind(arena_.apply(e.op(), {a, divisor}), "q");
}

std::vector<Expr> Emitter::apply(const soac::Lambda& f, std::span<const Expr> args) {
  soac::Applied instance = soac::apply(arena_, f, args);
  statements(instance.body);
  return lower(instance.results);
}

void Emitter::statements(const std::vector<soac::Stm>& body) {
  for (const soac::Stm& s : body) {
    if (bounds_) learn(s);
    base::match(
        s.op,
        [&](const soac::Soac&) {
          if (in_scalar_code_)
            outside_.on_soac(*this, s);
          else
            sequential_soac(s);
        },
        [&](const soac::Scan&) { FULGURITE_CHECK(false, "a Scan outside the walk over its points"); },
        [&](const soac::Sort&) {
          FULGURITE_CHECK(in_scalar_code_, "a lane sorts");
          outside_.on_soac(*this, s);
        },
        [&](const soac::If& op) { conditional(s, op); }, [&](const soac::Loop& op) { loop(s, op); },
        [&](const soac::Check& op) { check(op); },
        [](const soac::Call&) { FULGURITE_CHECK(false, "a Call in a kernel"); },
        [&](const soac::Let& op) { bind_name(s.names[0], lower(op.value)); });
  }
}

// What follows a failed check may rely on what it checked: its reads are masked off, and its combinators have
// no points.
void Emitter::check(const soac::Check& op) {
  Expr holds = lower(op.condition);
  if (holds.is_constant(1) || !checks_) return;
  std::vector<Expr> operands = lower(op.operands);
  operands.resize(std::max<std::size_t>(operands.size(), 2), arena_.i64(0));
  std::vector<Expr> more(operands.begin() + 2, operands.end());
  more.resize(std::min(more.size(), kernel::Fail::most_more));
  fail(bind(arena_.logical_not(holds), "failed"), op.site, operands[0], operands[1], std::move(more));
  rely_on(holds);
}

void Emitter::rely_on(Expr condition) {
  const Expr before = guard();
  open_.back().guard = before ? bind(arena_.logical_and(before, condition), "sound") : condition;
}

}  // namespace fulgurite::lower
