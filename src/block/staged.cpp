// The functions of fulgurite/kernel/staged.h: what the templates of the kernel language ask for goes to the
// recorder of this thread.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include "block/recorder.h"
#include "parts/networks.h"

namespace fulgurite::detail::block {

using fulgurite::block::Recorder;

namespace {

kernel::Space space_of(Space space) {
  return static_cast<kernel::Space>(space);
}
static_assert(static_cast<int>(Space::thread) == static_cast<int>(kernel::Space::thread));

scalar::Expr index_of(Recorder& r, Value index, Here where) {
  return r.lower(index, where);
}

}  // namespace

void refuse_size(std::int64_t size, Here where) {
  throw ShapeError(fmt::format("an array of {} elements", size), where);
}
void refuse(const std::string& message, Here where) {
  throw ShapeError(message, where);
}

const Nest* nest(Here where) {
  return Recorder::current(where).nest();
}
const Nest* within(const Nest* outer, std::int64_t n, Level level, bool interleaved, Here where) {
  return Recorder::current(where).within(outer, n, level, interleaved);
}
Entered::Entered(const Nest* nest, Here where) : outer_(Recorder::current(where).enter(nest)) {}
Entered::~Entered() {
  Recorder::current({}).enter(outer_);
}

Value number(const Nest* nest, Here where) {
  return Recorder::current(where).number(nest, where);
}
Value place(const Nest* nest, Value i, std::int64_t n, Here where) {
  return Recorder::current(where).place(nest, i, n, where);
}
AsGroup::AsGroup(const Nest* nest, Value number, Here where) {
  Recorder& r = Recorder::current(where);
  const Recorder::Group before = r.set_group(nest, r.tracer().expr(number, where));
  outer_ = before.nest;
  if (before.number) number_ = r.tracer().value(before.number);
}
AsGroup::~AsGroup() {
  Recorder& r = Recorder::current({});
  r.set_group(outer_, outer_ == nullptr ? scalar::Expr() : r.tracer().expr(number_, {}));
}

void par(std::int64_t n, const Body& body, Here where) {
  Recorder::current(where).par(n, body, where);
}
void loop(Value begin, Value end, const Body& body, Here where) {
  Recorder::current(where).loop(begin, end, body, where);
}
Value repeat(const std::function<Value(Value)>& condition, const Body& body, Here where) {
  return Recorder::current(where).repeat(condition, body, where);
}
void when(Value condition, const std::function<void()>& then, Here where) {
  Recorder::current(where).when(condition, then, where);
}
void within(Value index, std::int64_t n, Here where) {
  if (Recorder* r = Recorder::if_any()) r->within(index, n, where);
}
void lanes(std::int64_t n, const Body& body, Here where) {
  Recorder::current(where).lanes(n, body, where);
}
Value lane(Here where) {
  Recorder& r = Recorder::current(where);
  return r.tracer().value(r.exchanging(where).lane);
}
std::int64_t n_lanes(Here where) {
  return Recorder::current(where).exchanging(where).n;
}
Values shuffle(std::span<const Value> components, Value from, Here where) {
  Recorder& r = Recorder::current(where);
  const std::int64_t n = r.exchanging(where).n;
  const scalar::Expr lane = r.lower(from, where);
  Values values;
  for (const Value& component : components) {
    const scalar::Expr held = r.lower(component, where);
    values.push_back(
        r.given(n == 1 ? held : r.builder().shuffle(held, lane, static_cast<std::int32_t>(n), "other")));
  }
  return values;
}
void barrier(Level level, Here where) {
  Recorder::current(where).barrier(level, where);
}

void side_by_side(const std::function<void()>& first, const std::function<void()>& second, Here where) {
  Recorder::current(where).side_by_side(first, second, where);
}

namespace {

void make(parts::Network* network, std::int64_t n, const Meet& meet, Here where) {
  Recorder& r = Recorder::current(where);
  trace::Tracer& tracer = r.tracer();
  const parts::Team team{
      [&](int steps, const std::function<void(scalar::Expr)>& body) {
        for (int step = 0; step < steps; ++step) body(r.arena().i64(step));
      },
      [&](scalar::Expr instances, const std::function<void(const kernel::Builder&, scalar::Expr)>& body) {
        const auto of = static_cast<std::int64_t>(instances.bits());
        r.par(of, [&](Value i) { body(r.builder(), tracer.expr(i, where)); }, where);
        r.barrier(Level::block, where);
      }};
  network(r.arena(), team, n,
          [&](const kernel::Builder&, scalar::Expr to, scalar::Expr left, scalar::Expr right) {
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

Buffers allocate(Space space, std::span<const Kind> components, std::int64_t n, Here where) {
  Buffers made;
  for (Kind kind : components)
    made.push_back(Recorder::current(where).allocate(space_of(space), trace::kind_of(kind), n, where));
  return made;
}

Values load(const Buffers& buffers, Value index, Here where) {
  Recorder& r = Recorder::current(where);
  const scalar::Expr at = r.tracer().expr(index, where);
  Values values;
  for (std::int32_t b : buffers)
    values.push_back(r.tracer().value(r.arena().index(r.arena().name(r.array(b)), {&at, 1})));
  return values;
}

// All components before any is stored: the array may be the one they come from.
void store(const Buffers& buffers, Value index, std::span<const Value> components, Here where) {
  Recorder& r = Recorder::current(where);
  const scalar::Expr at = index_of(r, index, where);
  std::vector<scalar::Expr> values;
  for (const Value& component : components) values.push_back(r.lower(component, where));
  for (std::size_t k = 0; k < buffers.size(); ++k)
    r.builder().store_plain(r.array(buffers[k]), at, values[k]);
}

Value atomic(const char* what, std::int32_t buffer, Value index, Value value, Value condition, Here where) {
  Recorder& r = Recorder::current(where);
  return r.atomic(what, r.array(buffer), index, value, condition, where);
}
std::int64_t number_of(Value value, Here where) {
  const scalar::Expr e = Recorder::current(where).tracer().expr(value, where);
  if (!e.is_constant())
    throw TraceError("what is synced has a size that is known while the kernel is recorded", where);
  return static_cast<std::int64_t>(e.bits());
}

Value block_number(Here where) {
  Recorder& r = Recorder::current(where);
  return r.tracer().value(r.block_number());
}

const Grid& grid(Here where) {
  const auto& grid = Recorder::current(where).grid();
  if (!grid)
    throw TraceError(
        "nothing says how the blocks lie that return a matrix: give the kernel an argument "
        "matrix_block<T>(rows, columns), or return tiled() of the matrix",
        where);
  return *grid;
}
ThreadShape thread_shape(Here where) {
  return Recorder::current(where).thread_shape();
}

void expects(Value condition, std::string message, std::span<const Value> quoted, Here where) {
  Recorder& r = Recorder::current(where);
  const scalar::Expr holds = r.tracer().expr(condition, where);
  r.expect({holds, std::move(message), r.tracer().exprs(quoted, where), where});
}

Value quotient(Value a, Value b, Here where) {
  Recorder& r = Recorder::current(where);
  return r.tracer().value(r.arena().div(r.tracer().expr(a, where), r.tracer().expr(b, where)));
}
Value remainder(Value a, Value b, Here where) {
  Recorder& r = Recorder::current(where);
  return r.tracer().value(r.arena().rem(r.tracer().expr(a, where), r.tracer().expr(b, where)));
}

}  // namespace fulgurite::detail::block
