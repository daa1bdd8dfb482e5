#include "block/recorder.h"

#include <fmt/format.h>
#include <fulgurite/error.h>
#include <fulgurite/exp.h>

#include <algorithm>
#include <bit>

#include "block/side_by_side.h"
#include "block/traced.h"

namespace fulgurite::block {
namespace {

thread_local Recorder* innermost = nullptr;

constexpr std::int64_t lanes_of_warp = 32;
constexpr std::int64_t most_thread_bytes = 16 << 10;  // of which a CPU's stack has one for each lane

std::int64_t groups_in_block(const Nest* nest) {
  std::int64_t n = 1;
  for (; nest != nullptr; nest = nest->parent) n *= nest->n;
  return n;
}

// From the outermost one in.
std::vector<const Nest*> path_to(const Nest* nest) {
  std::vector<const Nest*> path;
  for (; nest->parent != nullptr; nest = nest->parent) path.push_back(nest);
  std::ranges::reverse(path);
  return path;
}

kernel::Atomic::What atomic_named(std::string_view name) {
  using What = kernel::Atomic::What;
  constexpr std::pair<std::string_view, What> all[] = {
      {"add", What::add},          {"min", What::min},       {"max", What::max},
      {"bit_and", What::bit_and},  {"bit_or", What::bit_or}, {"bit_xor", What::bit_xor},
      {"exchange", What::exchange}};
  for (const auto& [known, what] : all)
    if (known == name) return what;
  throw InternalError(fmt::format("no atomic operation '{}'", name));
}

/// Whether a line is one of the kernel language's own functions.
bool is_of_library(const Here& where) {
  return where.line() == 0 ||
         std::string_view(where.file_name()).find("fulgurite/kernel/") != std::string::npos;
}

}  // namespace

Recorder::Recorder(const std::string& name)
    : tracer_(name), builder_(tracer_.arena(), {}), outer_(innermost) {
  nests_.push_back({});
  nest_ = &nests_.back();
  innermost = this;
  tracer_.set_control(this);
}

Recorder::~Recorder() {
  innermost = outer_;
}

Recorder& Recorder::current(const Here& where) {
  if (innermost == nullptr)
    throw TraceError(
        "no kernel is being recorded here: sync, par and what is built from them stand inside the function "
        "that is given to kernel()",
        where);
  return *innermost;
}

Recorder* Recorder::if_any() {
  return innermost;
}

const Nest* Recorder::within(const Nest* outer, std::int64_t n, kernel::Level level, bool interleaved) {
  nests_.push_back({outer, n, std::max(level, outer->level), interleaved});  // a warp's parts wait for it
  return &nests_.back();
}

const Nest* Recorder::enter(const Nest* nest) {
  return std::exchange(nest_, nest);
}

// The number of an outer nest's group follows from that of the group within it.
Value Recorder::number(const Nest* nest, const Here& where) {
  std::int64_t inner = 1;
  for (const Nest* n = group_.nest; n != nullptr; n = n->parent) {
    if (n == nest) return tracer_.value(arena().div(group_.number, arena().i64(inner)));
    inner *= n->n;
  }
  throw TraceError(
      "an element of a part of the data is read where no part is at hand: use what the pattern's function "
      "gets inside of it, or return it",
      where);
}

Recorder::Group Recorder::set_group(const Nest* nest, Expr number) {
  return std::exchange(group_, Group{nest, number});
}

void Recorder::at(const Here& where) {
  if (where.line() == 0) return;
  kernel::Location location{where.file_name(), where.line()};
  auto known = std::ranges::find(lines_, location);
  if (known == lines_.end()) known = lines_.insert(lines_.end(), std::move(location));
  builder_ = builder_.at_line(static_cast<std::uint32_t>(known - lines_.begin()) + 1);
}

void Recorder::flush(const Here& where) {
  if (!is_making()) refuse_array("this", where);
  append_traced(builder_, tracer_.take(), where);
}

Expr Recorder::lower(const Value& value, const Here& where) {
  const Expr e = tracer_.expr(value, where);
  flush(where);
  at(where);
  return builder_.lower(e);
}

Value Recorder::given(Expr name) {
  return tracer_.value(name.is_name() ? tracer_.adopt(name) : name);
}

Value Recorder::place(const Nest* nest, Value i, std::int64_t n, const Here& where) {
  Expr at = tracer_.expr(i, where);
  for (; nest->parent != nullptr; n *= nest->n, nest = nest->parent) {
    const Expr group = arena().rem(tracer_.expr(number(nest, where), where), arena().i64(nest->n));
    at = nest->interleaved ? arena().add(arena().mul(at, arena().i64(nest->n)), group)
                           : arena().add(arena().mul(group, arena().i64(n)), at);
  }
  return tracer_.value(at);
}

Expr Recorder::decode(std::span<const Nest* const> path, std::int64_t n, Expr i, Expr& number) {
  std::int64_t each = n;
  for (const Nest* nest : path) each *= nest->n;
  for (const Nest* nest : path) {
    each /= nest->n;
    const Expr by = arena().i64(nest->interleaved ? nest->n : each);
    const Expr high = arena().div(i, by), low = arena().rem(i, by);
    number = arena().add(arena().mul(number, arena().i64(nest->n)), nest->interleaved ? low : high);
    i = nest->interleaved ? high : low;
  }
  return i;
}

// Threads are dealt to groups as elements are. A group of a warp has the same warp in all statements, with as
// many turns as its elements need.
void Recorder::par(std::int64_t n, const detail::block::Body& body, const Here& where) {
  if (n < 0) detail::block::refuse_size(n, where);
  if (n == 0) return;
  if (in_instance_) return loop(detail::literal(std::int64_t{0}), detail::literal(n), body, where);
  flush(where);
  at(where);
  const std::vector<const Nest*> path = path_to(nest_);
  const auto warp = std::ranges::find(path, kernel::Level::warp, &Nest::level);
  const std::span<const Nest* const> of_block(path.begin(), warp == path.end() ? warp : warp + 1);
  const std::span<const Nest* const> of_warp(path.begin() + static_cast<std::ptrdiff_t>(of_block.size()),
                                             path.end());
  const auto instance = [&](Expr i, Expr number) {
    instance_ = decode(of_warp, n, i, number);
    const Group outer = set_group(nest_, number);
    body(tracer_.value(instance_));
    flush(where);
    group_ = outer;
  };
  const bool by_warps = warp != path.end();
  std::int64_t elements = n, groups = 1;  // of a warp; warps
  for (const Nest* nest : of_warp) elements *= nest->n;
  for (const Nest* nest : of_block) groups *= nest->n;
  in_instance_ = true;
  builder_.par(kernel::Level::block, arena().i64(groups * (by_warps ? lanes_of_warp : n)), "tid",
               [&](Expr t) {
                 const Making scope(*this, "par", where);
                 of_threads_.emplace(groups * (by_warps ? lanes_of_warp : n), t.var());
                 tracer_.adopt(t);
                 Expr number = arena().i64(0);
                 const Expr i = decode(of_block, by_warps ? lanes_of_warp : n, t, number);
                 if (!by_warps) return instance(i, number);
                 for (std::int64_t first = 0; first < elements; first += lanes_of_warp) {
                   const Expr element = arena().add(i, arena().i64(first));
                   if (first + lanes_of_warp <= elements)
                     instance(element, number);
                   else
                     when(
                         tracer_.value(arena().lt(element, arena().i64(elements))),
                         [&] { instance(element, number); }, where);
                 }
               });
  in_instance_ = false;
  of_threads_.reset();
}

void Recorder::lanes(std::int64_t n, const detail::block::Body& body, const Here& where) {
  if (in_instance_) throw TraceError("lanes() is of whole parts: it stands outside of par()", where);
  const std::vector<const Nest*> path = path_to(nest_);
  const auto warp = std::ranges::find(path, kernel::Level::warp, &Nest::level);
  if (warp == path.end())
    throw TraceError(
        "lanes() stands in the function that is given to warps(): only a warp's lanes exchange values",
        where);
  if (n < 1 || n > lanes_of_warp || !std::has_single_bit(static_cast<std::uint64_t>(n)))
    throw ShapeError(fmt::format("lanes() of {} elements: it takes 1, 2, 4, 8, 16 or 32", n), where);
  std::int64_t in_warp = n;
  bool are_neighbours = true;
  for (auto nest = warp + 1; nest != path.end(); ++nest) {
    in_warp *= (*nest)->n;
    are_neighbours &= !(*nest)->interleaved;
  }
  if (in_warp % lanes_of_warp != 0 || !are_neighbours)
    throw ShapeError(
        fmt::format(
            "lanes() needs parts of neighbours of a warp's 32 elements, or a multiple of them: here a "
            "warp has {}{}",
            in_warp, are_neighbours ? "" : ", interleaved"),
        where);
  par(
      n,
      [&](Value lane) {
        exchanging_ = {n, tracer_.expr(lane, where), tracer_.depth()};
        body(lane);
        exchanging_ = {};
      },
      where);
}

const Recorder::Exchanging& Recorder::exchanging(const Here& where) const {
  if (exchanging_.n == 0)
    throw TraceError("values are shuffled in the function that is given to lanes() only", where);
  if (exchanging_.depth != tracer_.depth())
    throw TraceError(
        "a shuffle stands where all lanes come by: outside of branches and loops of the function given to "
        "lanes()",
        where);
  return exchanging_;
}

void Recorder::loop(Value begin, Value end, const detail::block::Body& body, const Here& where) {
  const Expr from = lower(begin, where), to = lower(end, where);
  builder_.for_loop(from, to, arena().i64(1), "i", [&](Expr i) {
    const Making scope(*this, "loop", where);
    tracer_.adopt(i);
    const std::size_t n_barriers = n_barriers_;
    body(tracer_.value(i));
    flush(where);
    end_round(n_barriers, where);
  });
}

// A barrier in the body stands between what is written and what is read in a round; the one at the end
// stands between that and what the next round writes.
void Recorder::end_round(std::size_t n_barriers, const Here& where) {
  if (in_instance_ || n_barriers == n_barriers_) return;
  const kernel::Block& body = builder_.open_statements();
  if (body.empty() || !std::holds_alternative<kernel::Sync>(body.back().op))
    barrier(kernel::Level::block, where);
}

std::vector<Expr> Recorder::scalars(std::span<const Value> values, const Here& where) {
  std::vector<Expr> all = tracer_.exprs(values, where);
  for (Expr e : all)
    if (e.type().rank > 0) refuse_array("this", where);
  flush(where);
  return all;
}

Values Recorder::given(std::span<const Expr> names) {
  Values values;
  for (Expr name : names) values.push_back(given(name));
  return values;
}

Values Recorder::cond(const Value& condition, const detail::Body& yes, const detail::Body& no,
                      const Here& where) {
  flush(where);
  const Expr decides = builder_.lower(tracer_.expr(condition, where));
  if (decides.is_constant()) {
    Values values = (decides.is_constant(1) ? yes : no)({});
    builder_.lower(scalars(values, where));
    return values;
  }
  const auto branch = [&](const detail::Body& body) {
    const Making scope(*this, "cond", where);
    return scalars(body({}), where);
  };
  return given(builder_.choose(decides, [&] { return branch(yes); }, [&] { return branch(no); }, "cond"));
}

Values Recorder::while_loop(const detail::Body& condition, const detail::Body& body,
                            std::span<const Value> initial, const Here& where) {
  std::vector<Expr> variables;
  for (Expr e : builder_.lower(scalars(initial, where))) variables.push_back(builder_.declare(e, "state"));
  {
    const Making scope(*this, "while_loop", where);
    const std::size_t n_barriers = n_barriers_;
    Values state;
    builder_.while_loop(
        [&] {
          state = given(builder_.snapshots(variables));
          return builder_.lower(scalars(condition(state), where)).front();
        },
        [&] {
          const std::vector<Expr> next = builder_.lower(scalars(body(state), where));
          end_round(n_barriers, where);
          for (std::size_t k = 0; k < next.size(); ++k) builder_.assign(variables[k], next[k]);
        });
  }
  return given(builder_.snapshots(variables));
}

Values Recorder::iterate(const Value& trips, const detail::Body& body, std::span<const Value> initial,
                         const Here& where) {
  const Expr times = arena().max(tracer_.expr(trips, where), arena().i64(0));
  std::vector<Expr> variables;
  for (Expr e : builder_.lower(scalars(initial, where))) variables.push_back(builder_.declare(e, "state"));
  const auto round = [&](Expr i) {
    const Making scope(*this, "iterate", where);
    const std::size_t n_barriers = n_barriers_;
    Values arguments = given(builder_.snapshots(variables));
    arguments.insert(arguments.begin(), tracer_.value(tracer_.adopt(i)));
    const std::vector<Expr> next = builder_.lower(scalars(body(arguments), where));
    end_round(n_barriers, where);
    for (std::size_t k = 0; k < next.size(); ++k) builder_.assign(variables[k], next[k]);
  };
  builder_.for_loop(arena().i64(0), builder_.lower(times), arena().i64(1), "i", round,
                    kernel::Enclosure::iteration);
  return given(builder_.snapshots(variables));
}

Value Recorder::repeat(const std::function<Value(Value)>& condition, const detail::block::Body& body,
                       const Here& where) {
  flush(where);
  at(where);
  const Expr rounds = builder_.declare(arena().i64(0), "rounds");
  {
    const Making scope(*this, "while_loop", where);
    Expr round;
    builder_.while_loop(
        [&] {
          round = tracer_.adopt(builder_.snapshot(rounds, "round"));
          return lower(condition(tracer_.value(round)), where);
        },
        [&] {
          body(tracer_.value(round));
          flush(where);
          builder_.assign(rounds, arena().add(round, arena().i64(1)));
        });
  }
  return given(builder_.snapshot(rounds, "rounds"));
}

void Recorder::when(Value condition, const std::function<void()>& then, const Here& where) {
  builder_.if_then(lower(condition, where), [&] {
    const Making scope(*this, "a condition", where);
    then();
    flush(where);
  });
}

// What marks the place is a name that means nothing, which the kernel that runs does not have.
void Recorder::within(const Value& index, std::int64_t n, const Here& where) {
  const Expr traced = tracer_.expr(index, where);
  if (!is_making()) return;
  flush(where);
  const auto& bound = builder_.bound_names();
  const Expr i = bound.empty() ? traced : scalar::substitute(arena(), traced, bound);
  const auto is_one = [n](scalar::Bits bits) { return bits < static_cast<scalar::Bits>(n); };
  const std::uint32_t line = builder_.context().line;
  if (i.is_constant() && !is_one(i.bits())) {
    const Where here = !is_of_library(where) || line == 0
                           ? Where(where)
                           : Where(lines_[line - 1].file, lines_[line - 1].line);
    throw IndexError(
        fmt::format("element {} of a pull array is read, which has {} elements: correct the index",
                    static_cast<std::int64_t>(i.bits()), n),
        here);
  }
  const auto* values = of_threads_ ? of_threads_->of(i) : nullptr;
  if (i.is_constant() || (values != nullptr && std::ranges::all_of(*values, is_one))) return;
  if (!is_of_library(where)) at(where);
  const Expr mark = arena().fresh({Kind::i64}, "within");
  builder_.append(kernel::Let{mark.var(), arena().i64(0)});
  builder_ = builder_.at_line(line);
  expectations_.emplace(mark.var(), kernel::Expectation{i, n});
}

void Recorder::barrier(kernel::Level level, const Here& where) {
  if (in_instance_)
    throw TraceError("one thread cannot wait for the others here: sync outside of par(), on whole arrays",
                     where);
  flush(where);
  at(where);
  builder_.append(kernel::Sync{std::max(level, nest_->level)});
  ++n_barriers_;
}

void Recorder::side_by_side(const std::function<void()>& first, const std::function<void()>& second,
                            const Here& where) {
  flush(where);
  kernel::Block before = builder_.take_open_statements();
  first();
  flush(where);
  kernel::Block of_first = builder_.take_open_statements();
  second();
  flush(where);
  kernel::Block of_second = builder_.take_open_statements();
  builder_.append(std::move(before));
  builder_.append(block::side_by_side(std::move(of_first), std::move(of_second)));
}

Value Recorder::atomic(std::string_view what, Var array, Value index, Value value, Value condition,
                       const Here& where) {
  if (!in_instance_) throw TraceError("elements change in one step inside of par()", where);
  const Expr at = lower(index, where), operand = lower(value, where), mask = lower(condition, where);
  return given(
      builder_.atomic({{}, atomic_named(what), {array, at, arena().i64(1), mask}, operand, {}}, "old"));
}

std::int32_t Recorder::allocate(kernel::Space space, Kind kind, std::int64_t n, const Here& where) {
  if (n <= 0) throw ShapeError(fmt::format("an array of {} elements in memory", n), where);
  if (in_instance_ && space != kernel::Space::thread)
    throw TraceError(
        "one thread makes an array that the block shares: sync outside of par(), or sync a push array of "
        "level thread",
        where);
  if (!in_instance_ && space == kernel::Space::thread)
    throw TraceError("a thread's own array is made inside par()", where);
  if (exchanging_.n > 0)
    throw TraceError("a lane has no array of its own: what it shuffles, it holds in values", where);
  if (const std::int64_t bytes = n * static_cast<std::int64_t>(scalar::size_of(kind));
      space == kernel::Space::thread && bytes > most_thread_bytes)
    throw ShapeError(
        fmt::format("an array of one thread takes {} bytes, and {} is the most that it may: sync an "
                    "array that the block shares",
                    bytes, most_thread_bytes),
        where);
  flush(where);
  at(where);
  const std::int64_t groups = space == kernel::Space::thread ? 1 : groups_in_block(nest_);
  const Var made = builder_.allocate(space, kind, groups * n, fmt::format("arr{}", n_allocated_++));
  tracer_.adopt(arena().name(made));
  return add_array(made);
}

std::int32_t Recorder::add_array(Var array) {
  arrays_.push_back(array);
  return static_cast<std::int32_t>(arrays_.size()) - 1;
}

}  // namespace fulgurite::block
