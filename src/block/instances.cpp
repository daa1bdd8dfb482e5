// Instances of a function that a block's threads compute: par(), and lanes(), whose instances exchange
// values.
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <fulgurite/exp.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "block/recorder.h"

namespace fulgurite::detail::block {
namespace {

// The nests that code stands in, from the outermost one in. `of_warp` are nests within a warp, `of_block` the
// others; without warps, all are of the block.
struct Path {
  explicit Path(const Nest* nest) {
    for (; nest->parent != nullptr; nest = nest->parent) of_warp.push_back(nest);
    std::ranges::reverse(of_warp);
    const auto warp = std::ranges::find(of_warp, kernel::Level::warp, &Nest::level);
    has_warps = warp != of_warp.end();
    const auto end = has_warps ? warp + 1 : warp;
    of_block.assign(of_warp.begin(), end);
    of_warp.erase(of_warp.begin(), end);
  }

  std::vector<const Nest*> of_block, of_warp;
  bool has_warps = false;
};

std::int64_t n_groups(const std::vector<const Nest*>& path) {
  std::int64_t n = 1;
  for (const Nest* nest : path) n *= nest->n;
  return n;
}

// What `i` of all elements (n in each group of the innermost nest) is in its group; `number` becomes the
// group's, which was that of the nest around the outermost of the path.
Expr decode(scalar::Arena& arena, const std::vector<const Nest*>& path, std::int64_t n, Expr i,
            Expr& number) {
  std::int64_t each = n * n_groups(path);
  for (const Nest* nest : path) {
    each /= nest->n;
    const Expr by = arena.i64(nest->interleaved ? nest->n : each);
    const Expr high = i / by, low = i % by;
    number = number * nest->n + (nest->interleaved ? low : high);
    i = nest->interleaved ? high : low;
  }
  return i;
}

}  // namespace

// Threads are dealt to groups as elements are. A group of a warp has the same warp in all statements, with as
// many turns as its elements need.
void par(std::int64_t n, const Body& body, Here where) {
  Recorder& r = Recorder::current(where);
  Statements& code = r.code;
  if (n < 0) refuse_size(n, where);
  if (n == 0) return;
  if (r.position.is_in_instance()) return loop(literal(std::int64_t{0}), literal(n), body, where);
  code.flush(where);
  code.at(where);
  const Nest* nest = r.position.nest();
  const Path path(nest);
  const auto instance = [&](Expr i, Expr number) {
    const Expr element = decode(code.arena(), path.of_warp, n, i, number);
    const Position::Group outer = std::exchange(r.position.group, {nest, number});
    body(code.tracer().value(element));
    code.flush(where);
    r.position.group = outer;
  };
  const std::int64_t elements = n * n_groups(path.of_warp);  // of a warp
  const std::int64_t of_group = path.has_warps ? lanes_of_warp : n;
  const std::int64_t n_threads = n_groups(path.of_block) * of_group;
  code.builder().par(kernel::Level::block, code.arena().i64(n_threads), "tid", [&](Expr t) {
    const Statements::Scope scope(code, "par", where);
    r.position.threads.emplace(n_threads, t.var());
    code.tracer().adopt(t);
    Expr number = code.arena().i64(0);
    const Expr i = decode(code.arena(), path.of_block, of_group, t, number);
    if (!path.has_warps) return instance(i, number);
    for (std::int64_t first = 0; first < elements; first += lanes_of_warp) {
      const Expr element = i + first;
      if (first + lanes_of_warp <= elements)
        instance(element, number);
      else
        when(code.tracer().value(element < elements), [&] { instance(element, number); }, where);
    }
  });
  r.position.threads.reset();
}

void lanes(std::int64_t n, const Body& body, Here where) {
  Recorder& r = Recorder::current(where);
  if (r.position.is_in_instance())
    throw TraceError("lanes() is of whole parts: it stands outside of par()", where);
  const Path path(r.position.nest());
  if (!path.has_warps)
    throw TraceError(
        "lanes() stands in the function that is given to warps(): only a warp's lanes exchange values",
        where);
  if (n < 1 || n > lanes_of_warp || !std::has_single_bit(static_cast<std::uint64_t>(n)))
    throw ShapeError(fmt::format("lanes() of {} elements: it takes 1, 2, 4, 8, 16 or 32", n), where);
  const std::int64_t in_warp = n * n_groups(path.of_warp);
  const bool are_neighbours = std::ranges::none_of(path.of_warp, &Nest::interleaved);
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
        r.position.lanes = {n, r.code.tracer().expr(lane, where), r.code.tracer().depth()};
        body(lane);
        r.position.lanes = {};
      },
      where);
}

namespace {

// Throws TraceError where the code is that of no lane, or perhaps not that of all of them.
const Position::Lanes& exchanging(Recorder& r, Here where) {
  const Position::Lanes& lanes = r.position.lanes;
  if (lanes.n == 0)
    throw TraceError("values are shuffled in the function that is given to lanes() only", where);
  if (lanes.depth != r.code.tracer().depth())
    throw TraceError(
        "a shuffle stands where all lanes come by: outside of branches and loops of the function given to "
        "lanes()",
        where);
  return lanes;
}

}  // namespace

Value lane(Here where) {
  Recorder& r = Recorder::current(where);
  return r.code.tracer().value(exchanging(r, where).lane);
}
std::int64_t n_lanes(Here where) {
  return exchanging(Recorder::current(where), where).n;
}
Values shuffle(std::span<const Value> components, Value from, Here where) {
  Recorder& r = Recorder::current(where);
  const auto n = static_cast<std::int32_t>(exchanging(r, where).n);
  const Expr lane = r.code.lower(from, where);
  Values values;
  for (const Value& component : components) {
    const Expr held = r.code.lower(component, where);
    values.push_back(r.code.given(n == 1 ? held : r.code.builder().shuffle(held, lane, n, "other")));
  }
  return values;
}

}  // namespace fulgurite::detail::block
