#include "walk/arrays.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "soac/outputs.h"

namespace fulgurite::walk {

Destination scratch(const Emitter& e, Kind kind, Expr size, const soac::Location& where, Amount amount,
                    std::string_view what) {
  const kernel::Context& context = e.context();
  FULGURITE_CHECK((!context.in_lanes || context.lane) && context.task, "a lane makes an array");
  FULGURITE_CHECK(e.sizes(), "an array in a program whose points make none");
  const Expr most = e.sizes()->most(size, where, what);
  const Expr room = most.is_constant() ? most : e.outside().computes(most);
  const Expr all = room * (amount.copies * context.lanes) + amount.n_after;
  Expr buffer = e.arena().fresh_array(kind, {context.tasks * all}, "scratch");
  e.add_scratch(buffer.var());
  if (context.interleaved) return {buffer.var(), e.lower(context.task), e.lower(context.tasks), most, room};
  const Expr step = context.lane ? e.arena().i64(context.lanes) : Expr();
  return {buffer.var(), e.lower(context.task * all), step, most, room, context.lane, amount.n_after};
}

const Destination& place(const Emitter& e, Var array, Expr size, const soac::Location& where, Amount amount) {
  if (!e.has_destination(array))
    e.set_destination(array, scratch(e, e.arena().info(array).type.kind, size, where, amount));
  return e.destination(array);
}

void fit(const Emitter& e, Expr size, const Destination& to, const soac::Location& where) {
  if (!to.capacity) return;
  soac::Bounds& bounds = e.sizes()->bounds();
  if (bounds.known(size) && bounds.at_most(size, to.capacity)) return;
  const Expr n = extent(e, size), room = e.lower(to.room);
  Expr fits = n <= room;
  if (bounds.of(size).least < 0) {
    const Expr is_size = e.bind(0 <= n, "c"), is_below = e.bind(fits, "c");
    fits = is_size & is_below;
  }
  fits = e.bind(fits, "fits");
  if (fits.is_constant(1)) return;
  e.sizes()->may_not_fit(size);
  e.fail_unless(fits, e.outside().no_room(where), n, room, {}, Emitter::Masks::all);
}

Expr extent(const Emitter& e, Expr size) {
  const Expr n = e.lower(size), sound = e.guard();
  if (!sound || (e.outside().knows(size) && (!e.sizes() || e.sizes()->known_fits(size)))) return n;
  return e.bind(select(sound, n, 0), "n");
}

std::vector<Expr> extents(const Emitter& e, std::span<const Expr> sizes) {
  std::vector<Expr> all;
  for (Expr size : sizes) all.push_back(extent(e, size));
  return all;
}

Expr size(const Emitter& e, Var array) {
  return e.lower(product(e, e.lower(e.arena().info(array).shape)));
}

namespace {

// Whether a scatter makes the array.
bool is_scattered(const soac::Stm& s, Var array) {
  if (!base::as<soac::Soac>(s.op)) return false;
  return std::ranges::any_of(soac::view_of(s).scatters, [&](const auto& scattered) {
    return std::ranges::find(scattered.arrays, array) != scattered.arrays.end();
  });
}

}  // namespace

// What a partition keeps is made where it had room for all points, wherever the rest goes.
bool make_there(const Emitter& e, const std::vector<soac::Stm>& body, Var array, const Destination& to) {
  if (e.has_destination(array)) return false;
  const auto makes = [&](const soac::Stm& s) { return std::ranges::find(s.names, array) != s.names.end(); };
  auto made_by = std::ranges::find_if(body, makes);
  // An array that scatters change is made there before they do. The state of a loop stays in scratch memory.
  for (auto from = e.reused(array); from; from = e.reused(array)) {
    if (made_by == body.end() || !is_scattered(*made_by, array)) return false;
    array = *from;
    if (e.has_destination(array)) return false;
    made_by = std::ranges::find_if(body, makes);
  }
  if (made_by == body.end()) return false;
  const auto* op = base::as<soac::Soac>(made_by->op);
  if (to.capacity && op && !op->partitions.empty()) {
    soac::Bounds& bounds = e.sizes()->bounds();
    const Expr most = bounds.of(product(e, op->dims)).high;
    if (!most || !bounds.at_most(most, to.capacity)) return false;
  }
  e.set_destination(array, to);
  return true;
}

// map (i < n, j < m) { from[i, j] }
void copy(const Emitter& e, Var from, const Destination& to, const soac::Location& where) {
  scalar::Arena& arena = e.arena();
  const scalar::VarInfo info = arena.info(from);
  soac::Stm s{{}, soac::Soac{info.shape, {}}, where, "copy"};
  auto& op = std::get<soac::Soac>(s.op);
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < info.shape.size(); ++d) {
    indices.push_back(arena.fresh({Kind::i64}, "i"));
    op.body.params.push_back(indices.back().var());
  }
  op.body.results.push_back(arena.index(arena.name(from), indices));
  s.names.push_back(arena.fresh_array(info.type.kind, info.shape, info.name).var());
  e.set_destination(s.names[0], to);
  if (e.sizes()) e.sizes()->learn(s);
  e.lower_soac(s);
}

}  // namespace fulgurite::walk
