#include "walk/emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "schedule/rewrites/narrow.h"

namespace fulgurite::walk {

struct Emitter::State {
  State(scalar::Arena& arena, Outside around, std::optional<soac::Bounds> bounds)
      : outside(std::move(around)) {
    if (bounds) sizes.emplace(arena, std::move(*bounds));
  }

  const Outside outside;
  std::optional<Sizes> sizes;
  std::unordered_map<Var, Destination> destinations;
  std::unordered_map<Var, std::size_t> made;  // depth at which an array is complete
  std::unordered_map<Var, Var> read_in;
  soac::Reuse reuse;
  std::vector<Var> scratch;
  std::vector<std::string> sequential;
};

Emitter::Emitter(scalar::Arena& arena, bool checks, Outside outside, std::optional<soac::Bounds> bounds)
    : Emitter(arena, checks, std::make_shared<State>(arena, std::move(outside), std::move(bounds))) {}

Emitter::Emitter(scalar::Arena& arena, bool checks, std::shared_ptr<State> state)
    : Builder(arena, around(checks, state)), state_(std::move(state)) {}

Emitter::Emitter(const Builder& builder, std::shared_ptr<State> state)
    : Builder(builder), state_(std::move(state)) {}

kernel::Outside Emitter::around(bool checks, const std::shared_ptr<State>& state) {
  kernel::Outside outside{checks, state->outside.reads_early, state->outside.on_device, {}, {}};
  outside.read = [state](const Builder& b, Expr element) { return Emitter(b, state).read(element); };
  if (!state->sizes) return outside;
  outside.in_block = [state](const std::function<void()>& fill) {
    const std::size_t mark = state->sizes->bounds().mark();
    fill();
    state->sizes->bounds().forget(mark);
  };
  return outside;
}

// ---- contexts

template <class Change>
Emitter Emitter::changed(Change&& change) const {
  kernel::Context other = context();
  change(other);
  return {with(std::move(other)), state_};
}

Emitter Emitter::in_lanes() const {
  return changed([](kernel::Context& c) { c.in_lanes = true; });
}
Emitter Emitter::of_task(Expr task, Expr tasks, bool interleaved) const {
  return changed([&](kernel::Context& c) { c.task = task, c.tasks = tasks, c.interleaved = interleaved; });
}
Emitter Emitter::of_groups(Expr size) const {
  return changed([&](kernel::Context& c) { c.group = size; });
}
Emitter Emitter::at_element(Expr number) const {
  if (context().element) return *this;
  return changed([&](kernel::Context& c) { c.element = number; });
}
Emitter Emitter::on_failure(std::function<void()> instead) const {
  return changed([&](kernel::Context& c) { c.on_failure = std::move(instead); });
}
Emitter Emitter::streaming_if(Expr condition) const {
  return changed([&](kernel::Context& c) { c.streaming = condition; });
}
Emitter Emitter::touching_if(Expr condition) const {
  return changed([&](kernel::Context& c) { c.touching = condition; });
}
Emitter Emitter::with_identity(Identity identity) const {
  return changed([&](kernel::Context& c) { c.identity = std::move(identity); });
}
Emitter Emitter::scattering_inside(bool holds) const {
  return changed([&](kernel::Context& c) { c.scatters_inside = holds; });
}
Emitter Emitter::rarely() const {
  return changed([](kernel::Context& c) { c.is_rare = true; });
}

Emitter Emitter::in_context_of(const Builder& other) const {
  return {with(other.context()), state_};
}

// ---- what is around

const Emitter::Outside& Emitter::outside() const {
  return state_->outside;
}

Sizes* Emitter::sizes() const {
  return state_->sizes ? &*state_->sizes : nullptr;
}

void Emitter::lower_soac(const soac::Stm& s) const {
  state_->outside.on_soac(*this, s);
}

bool Emitter::keeps(const schedule::Rewrite& rewrite, const soac::Stm& before, const soac::Stm& after) const {
  return !state_->outside.keeps || state_->outside.keeps(rewrite, before, after);
}

void Emitter::note_sequential(const soac::Stm& s, std::string_view why) const {
  if (s.origin.empty() || context().is_rare) return;  // no origin: lowering wrote it, not the user
  std::string note =
      fmt::format("{}:{}: {} runs as a sequential loop: it {}", s.where.file, s.where.line, s.origin, why);
  if (std::ranges::find(state_->sequential, note) == state_->sequential.end())
    state_->sequential.push_back(std::move(note));
}

const std::vector<std::string>& Emitter::sequential() const {
  return state_->sequential;
}

// ---- where arrays are

void Emitter::set_destination(Var array, Destination to) const {
  state_->destinations[array] = to;
}

bool Emitter::has_destination(Var array) const {
  return state_->destinations.contains(array);
}

const Destination& Emitter::destination(Var array) const {
  auto found = state_->destinations.find(array);
  FULGURITE_CHECK(found != state_->destinations.end(),
                  "array '{}' is made inside a kernel and has nowhere to go", arena().info(array).name);
  return found->second;
}

void Emitter::made(Var array) const {
  state_->made[array] = depth();
}

void Emitter::reuse(const soac::Reuse& more) const {
  state_->reuse.insert(more.begin(), more.end());
}

std::optional<Var> Emitter::reused(Var array) const {
  const auto found = state_->reuse.find(array);
  return found == state_->reuse.end() ? std::nullopt : std::optional(found->second);
}

bool Emitter::lies_in(Var array, Var owner) const {
  for (std::optional<Var> at = array; at; at = reused(*at))
    if (*at == owner) return true;
  return false;
}

void Emitter::read_in(Var array, Var other) const {
  state_->read_in[array] = other;
}

bool Emitter::updates_in_place() const {
  return std::ranges::any_of(state_->read_in, [](const auto& each) { return each.first != each.second; });
}

void Emitter::store(const Destination& to, Expr offset, Expr value) const {
  const Expr index = bind(element_of(to, offset), "at");
  const bool stays_in_cache = std::ranges::find(state_->scratch, to.buffer) != state_->scratch.end();
  if (stays_in_cache) return store_plain(to.buffer, index, value);
  Builder::store(to.buffer, index, value);
}

void Emitter::add_scratch(Var array) const {
  state_->scratch.push_back(array);
}

const std::vector<Var>& Emitter::scratch_arrays() const {
  return state_->scratch;
}

// ---- reads

namespace {

// The number of the element that is read of an array of this shape, where quotients and remainders of its
// number are its indices (an array of another shape, reshaped); absent: it is not so.
Expr without_division(const kernel::Builder& b, Expr element, std::span<const Expr> shape) {
  const auto divides = [](Expr root) {
    bool found = false;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) { found |= e.op() == scalar::Op::rem; });
    return found;
  };
  const auto indices = element.args().subspan(1);
  if (indices.size() < 2 || std::ranges::none_of(indices, divides)) return {};
  const Expr number = kernel::linear(b, indices, shape);
  return divides(number) ? Expr() : number;
}

}  // namespace

// v = index(xs, i, j) site s          becomes, where the site is not 0,
//   bad = i < 0 | i >= n | j < 0 | j >= m;  fail when bad ...;  v = load xs[bad ? 0 : i * m + j] masked by
//   not bad
Expr Emitter::read(Expr e) const {
  const auto elsewhere = state_->read_in.find(e.arg(0).var());
  const Var array = elsewhere == state_->read_in.end() ? e.arg(0).var() : elsewhere->second;
  const scalar::VarInfo& info = arena().info(array);
  const std::vector<Expr> indices = lower(e.args().subspan(1));
  const auto made = state_->made.find(array);
  const bool is_ours = made != state_->made.end();
  const Destination at = is_ours ? destination(array) : Destination{array, {}};
  auto element = [&](Expr number, Expr mask) {
    const Expr index = lower(element_of(at, number));
    return load(at.buffer, index, mask, info.name, std::max(is_ours ? made->second : 0, written_at(e)));
  };
  const Identity& identity = context().identity;
  if (identity.number && indices == identity.indices) return element(identity.number, guard());
  const std::vector<Expr> extents = lower(info.shape);
  Expr good = guard();
  for (std::size_t d = 0; d < indices.size() && e.site() != 0 && checks(); ++d) {
    if (scalar::has(e.inside(), d)) continue;
    const Expr inside = is_inside(e, d, indices[d], extents[d]);
    fail(bind(logical_not(inside), "outside"), e.site(), indices[d], extents[d]);
    good = good ? bind(good & inside, "inside") : inside;
    if (good.is_constant(1)) good = {};
  }
  const Expr flat = without_division(*this, e, info.shape);
  return element(lower(flat ? flat : linear(*this, indices, extents)), good);
}

// Whether the index on this axis of what an expression reads is one of the array.
Expr Emitter::is_inside(Expr element, std::size_t axis, Expr index, Expr extent) const {
  const Expr key = schedule::narrow_index(element.arg(axis + 1)), small = key ? known(key) : Expr();
  if (small && !small.is_constant()) {
    const Expr number = bind(cast(small, Kind::i32), "number");
    const Expr whole = arena().info(element.arg(0).var()).shape[axis];
    const Expr below = lower(schedule::narrow_extent(whole));
    return bind(schedule::is_inside(number, below), "inside");
  }
  const Expr is_below = bind(index < extent, "c");
  const Expr is_number = bind(0 <= index, "c");
  return bind(is_number & is_below, "inside");
}

std::vector<Var> buffers_of(const Emitter& e, std::span<const Var> arrays) {
  std::vector<Var> buffers;
  for (Var array : arrays) buffers.push_back(e.destination(array).buffer);
  return buffers;
}

Expr first_of_lanes(const Destination& array, Expr number) {
  Expr offset = array.step ? array.step * number : number;
  return array.base ? array.base + offset : offset;
}

Expr element_of(const Destination& array, Expr number) {
  const Expr first = first_of_lanes(array, number);
  return array.lane ? first + array.lane : first;
}

}  // namespace fulgurite::walk
