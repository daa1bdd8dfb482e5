// Arrays of a kernel that is being recorded: in the block's memory, in which functions of the language make
// them, and in pull arrays, which are nowhere in memory, so that only the emulator finds an index that is out
// of range.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>

#include "base/check.h"
#include "block/recorder.h"

namespace fulgurite::detail::block {
namespace {

kernel::Atomic::What atomic_named(std::string_view name) {
  constexpr std::string_view all[] = {"add", "min", "max", "bit_and", "bit_or", "bit_xor", "exchange"};
  const auto* known = std::ranges::find(all, name);
  FULGURITE_CHECK(known != std::end(all), "no atomic operation '{}'", name);
  return static_cast<kernel::Atomic::What>(known - all);
}
static_assert(static_cast<int>(kernel::Atomic::What::exchange) == 6);

}  // namespace

Value Recorder::atomic(std::string_view what, Var array, const Value& index, const Value& value,
                       const Value& condition, const Here& at) {
  if (!position.is_in_instance()) throw TraceError("elements change in one step inside of par()", at);
  const Expr element = code.lower(index, at), operand = code.lower(value, at),
             mask = code.lower(condition, at);
  return code.given(code.builder().atomic(
      {{}, atomic_named(what), {array, element, code.arena().i64(1), mask}, operand, {}}, "old"));
}

namespace {

constexpr std::int64_t most_thread_bytes = 16 << 10;  // of which a CPU's stack has one for each lane

std::int64_t groups_in_block(const Nest* nest) {
  std::int64_t n = 1;
  for (; nest != nullptr; nest = nest->parent) n *= nest->n;
  return n;
}

void require_fitting(const Recorder& r, Space space, scalar::Kind kind, std::int64_t n, Here where) {
  if (n <= 0) throw ShapeError(fmt::format("an array of {} elements in memory", n), where);
  const bool is_thread = space == Space::thread;
  if (r.position.is_in_instance() && !is_thread)
    throw TraceError(
        "one thread makes an array that the block shares: sync outside of par(), or sync a push array of "
        "level thread",
        where);
  if (!r.position.is_in_instance() && is_thread)
    throw TraceError("a thread's own array is made inside par()", where);
  if (r.position.lanes.n > 0)
    throw TraceError("a lane has no array of its own: what it shuffles, it holds in values", where);
  if (const std::int64_t bytes = n * static_cast<std::int64_t>(scalar::size_of(kind));
      is_thread && bytes > most_thread_bytes)
    throw ShapeError(
        fmt::format("an array of one thread takes {} bytes, and {} is the most that it may: sync an "
                    "array that the block shares",
                    bytes, most_thread_bytes),
        where);
}

}  // namespace

static_assert(static_cast<int>(Space::thread) == static_cast<int>(kernel::Space::thread));

Buffers allocate(Space space, std::span<const Kind> components, std::int64_t n, Here where) {
  Recorder& r = Recorder::current(where);
  Buffers made;
  for (Kind component : components) {
    const scalar::Kind kind = trace::kind_of(component);
    require_fitting(r, space, kind, n, where);
    r.code.flush(where);
    r.code.at(where);
    const std::int64_t groups = groups_in_block(r.position.nest());  // one in an instance
    made.push_back(static_cast<std::int32_t>(r.arrays.size()));
    r.arrays.push_back(r.code.builder().allocate(static_cast<kernel::Space>(space), kind, groups * n,
                                                 fmt::format("arr{}", made.back())));
    r.code.tracer().adopt(r.code.arena().name(r.arrays.back()));
  }
  return made;
}

Values load(const Buffers& buffers, Value index, Here where) {
  Recorder& r = Recorder::current(where);
  const Expr at = r.code.tracer().expr(index, where);
  Values values;
  for (std::int32_t b : buffers) {
    const Expr array = r.code.arena().name(r.arrays[static_cast<std::size_t>(b)]);
    values.push_back(r.code.tracer().value(r.code.arena().index(array, {&at, 1})));
  }
  return values;
}

// All components before any is stored: the array may be the one they come from.
void store(const Buffers& buffers, Value index, std::span<const Value> components, Here where) {
  Recorder& r = Recorder::current(where);
  const Expr at = r.code.lower(index, where);
  const std::vector<Expr> values = r.code.lower(components, where);
  for (std::size_t k = 0; k < buffers.size(); ++k)
    r.code.builder().store_plain(r.arrays[static_cast<std::size_t>(buffers[k])], at, values[k]);
}

Value atomic(const char* what, std::int32_t buffer, Value index, Value value, Value condition, Here where) {
  Recorder& r = Recorder::current(where);
  return r.atomic(what, r.arrays[static_cast<std::size_t>(buffer)], index, value, condition, where);
}

namespace {

// Whether a line is one of the kernel language's own functions.
bool is_of_library(const Here& where) {
  return where.line() == 0 ||
         std::string_view(where.file_name()).find("fulgurite/kernel/") != std::string::npos;
}

}  // namespace

// What marks the place is a name that means nothing, which the kernel that runs does not have. Its line is
// that of the user's, if it is known.
void within(Value index, std::int64_t n, Here where) {
  Recorder* r = Recorder::if_any();
  if (r == nullptr) return;
  const Expr traced = r->code.tracer().expr(index, where);
  if (!r->code.is_making()) return;
  r->code.flush(where);
  const kernel::Builder before = r->code.builder();
  const auto& bound = before.bound_names();
  const Expr i = bound.empty() ? traced : scalar::substitute(r->code.arena(), traced, bound);
  const auto is_one = [n](scalar::Bits bits) { return bits < static_cast<scalar::Bits>(n); };
  const std::uint32_t line = before.context().line;
  if (i.is_constant() && !is_one(i.bits())) {
    const bool is_known = !is_of_library(where) || line == 0;
    const auto& lines = r->code.lines();
    throw IndexError(
        fmt::format("element {} of a pull array is read, which has {} elements: correct the index",
                    static_cast<std::int64_t>(i.bits()), n),
        is_known ? Where(where) : Where(lines[line - 1].file, lines[line - 1].line));
  }
  auto& threads = r->position.threads;
  const auto* values = threads ? threads->of(i) : nullptr;
  if (i.is_constant() || (values != nullptr && std::ranges::all_of(*values, is_one))) return;
  const kernel::Builder marked = is_of_library(where) ? before : r->code.builder_at(where);
  const Expr mark = r->code.arena().fresh({scalar::Kind::i64}, "within");
  marked.append(kernel::Let{mark.var(), r->code.arena().i64(0)});
  r->expectations.emplace(mark.var(), kernel::Expectation{i, n});
}

}  // namespace fulgurite::detail::block
