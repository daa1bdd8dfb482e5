// The functions of fulgurite/kernel/staged.h: what the templates of the kernel language ask for goes to the
// recorder of this thread.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <utility>

#include "block/recorder.h"
#include "block/side_by_side.h"
#include "parts/networks.h"

namespace fulgurite::detail::block {

void refuse_size(std::int64_t size, Here where) {
  throw ShapeError(fmt::format("an array of {} elements", size), where);
}
void refuse(const std::string& message, Here where) {
  throw ShapeError(message, where);
}

const Nest* nest(Here where) {
  return Recorder::current(where).position.nest();
}
const Nest* within(const Nest* outer, std::int64_t n, Level level, bool interleaved, Here where) {
  // The parts of a warp wait for the whole warp.
  const Level waiting = std::max(level, outer->level);
  return &Recorder::current(where).position.nests.emplace_back(Nest{outer, n, waiting, interleaved});
}
Entered::Entered(const Nest* nest, Here where)
    : outer_(std::exchange(Recorder::current(where).position.entered, nest)) {}
Entered::~Entered() {
  Recorder::current({}).position.entered = outer_;
}

// The number of an outer nest's group follows from that of the group within it.
Value number(const Nest* nest, Here where) {
  Recorder& r = Recorder::current(where);
  const Position::Group& group = r.position.group;
  std::int64_t inner = 1;
  for (const Nest* n = group.nest; n != nullptr; n = n->parent) {
    if (n == nest) return r.code.tracer().value(group.number / inner);
    inner *= n->n;
  }
  throw TraceError(
      "an element of a part of the data is read where no part is at hand: use what the pattern's function "
      "gets inside of it, or return it",
      where);
}
Value place(const Nest* nest, Value i, std::int64_t n, Here where) {
  Statements& code = Recorder::current(where).code;
  Expr at = code.tracer().expr(i, where);
  for (; nest->parent != nullptr; n *= nest->n, nest = nest->parent) {
    const Expr group = code.tracer().expr(number(nest, where), where) % nest->n;
    at = nest->interleaved ? at * nest->n + group : group * n + at;
  }
  return code.tracer().value(at);
}
AsGroup::AsGroup(const Nest* nest, Value number, Here where) {
  Recorder& r = Recorder::current(where);
  const auto before = std::exchange(r.position.group, {nest, r.code.tracer().expr(number, where)});
  outer_ = before.nest;
  if (before.number) number_ = r.code.tracer().value(before.number);
}
AsGroup::~AsGroup() {
  Recorder& r = Recorder::current({});
  r.position.group = {outer_, outer_ == nullptr ? Expr() : r.code.tracer().expr(number_, {})};
}

void loop(Value begin, Value end, const Body& body, Here where) {
  Recorder::current(where).control.loop(begin, end, body, where);
}
Value repeat(const std::function<Value(Value)>& condition, const Body& body, Here where) {
  Statements& code = Recorder::current(where).code;
  code.flush(where);
  code.at(where);
  const Expr rounds = code.builder().declare(code.arena().i64(0), "rounds");
  {
    const Statements::Scope scope(code, "while_loop", where);
    Expr round;
    code.builder().while_loop(
        [&] {
          round = code.tracer().adopt(code.builder().snapshot(rounds, "round"));
          return code.lower(condition(code.tracer().value(round)), where);
        },
        [&] {
          body(code.tracer().value(round));
          code.flush(where);
          code.builder().assign(rounds, round + 1);
        });
  }
  return code.given(code.builder().snapshot(rounds, "rounds"));
}
void when(Value condition, const std::function<void()>& then, Here where) {
  Statements& code = Recorder::current(where).code;
  code.builder().if_then(code.lower(condition, where), [&] {
    const Statements::Scope scope(code, "a condition", where);
    then();
    code.flush(where);
  });
}
void barrier(Level level, Here where) {
  Recorder::current(where).control.barrier(level, where);
}

void side_by_side(const std::function<void()>& first, const std::function<void()>& second, Here where) {
  Statements& code = Recorder::current(where).code;
  const auto made_so_far = [&] {
    code.flush(where);
    return code.builder().take_open_statements();
  };
  kernel::Block before = made_so_far();
  first();
  kernel::Block of_first = made_so_far();
  second();
  kernel::Block of_second = made_so_far();
  code.builder().append(std::move(before));
  code.builder().append(fulgurite::block::side_by_side(std::move(of_first), std::move(of_second)));
}

namespace {

void make(parts::Network* network, std::int64_t n, const Meet& meet, Here where) {
  Recorder& r = Recorder::current(where);
  trace::Tracer& tracer = r.code.tracer();
  const parts::Team team{[&](int steps, const std::function<void(Expr)>& body) {
                           for (int step = 0; step < steps; ++step) body(r.code.arena().i64(step));
                         },
                         [&](Expr instances, const std::function<void(const kernel::Builder&, Expr)>& body) {
                           const auto of = static_cast<std::int64_t>(instances.bits());
                           par(of, [&](Value i) { body(r.code.builder(), tracer.expr(i, where)); }, where);
                           barrier(Level::block, where);
                         }};
  network(r.code.arena(), team, n, [&](const kernel::Builder&, Expr to, Expr left, Expr right) {
    const Value target = tracer.value(to), first = tracer.value(left), second = tracer.value(right);
    meet(target, first, second);
  });
}

}  // namespace

void join_all(std::int64_t n, const Meet& meet, Here where) {
  make(parts::block_parts().reduce, n, meet, where);
}
void join_up_to(std::int64_t n, const Meet& meet, Here where) {
  make(parts::block_parts().scan, n, meet, where);
}

std::int64_t number_of(Value value, Here where) {
  const Expr e = Recorder::current(where).code.tracer().expr(value, where);
  if (!e.is_constant())
    throw TraceError("what is synced has a size that is known while the kernel is recorded", where);
  return static_cast<std::int64_t>(e.bits());
}

Value block_number(Here where) {
  Recorder& r = Recorder::current(where);
  return r.code.tracer().value(r.launch.block_number);
}

const Grid& grid(Here where) {
  const auto& grid = Recorder::current(where).launch.grid;
  if (!grid)
    throw TraceError(
        "nothing says how the blocks lie that return a matrix: give the kernel an argument "
        "matrix_block<T>(rows, columns), or return tiled() of the matrix",
        where);
  return *grid;
}
ThreadShape thread_shape(Here where) {
  return Recorder::current(where).launch.thread_shape;
}

void expects(Value condition, std::string message, std::span<const Value> quoted, Here where) {
  Recorder& r = Recorder::current(where);
  const Expr holds = r.code.tracer().expr(condition, where);
  r.launch.requirements.push_back({holds, std::move(message), r.code.tracer().exprs(quoted, where), where});
}

Value quotient(Value a, Value b, Here where) {
  Statements& code = Recorder::current(where).code;
  return code.tracer().value(code.tracer().expr(a, where) / code.tracer().expr(b, where));
}
Value remainder(Value a, Value b, Here where) {
  Statements& code = Recorder::current(where).code;
  return code.tracer().value(code.tracer().expr(a, where) % code.tracer().expr(b, where));
}

}  // namespace fulgurite::detail::block
