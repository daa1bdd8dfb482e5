#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "base/check.h"
#include "base/match.h"
#include "lower/emitter.h"
#include "scalar/print.h"

namespace fulgurite::lower {

namespace {

constexpr soac::Wide most_extent = soac::Wide{1} << 47;  // of an array; checks of sizes that are computed say
                                                         // so

// Whether the expression is short when it is written out, shared parts each time.
bool is_short(Expr e) {
  constexpr std::size_t most = 24;
  std::unordered_map<Expr, std::size_t> n_nodes;
  scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
    std::size_t n = 1;
    for (Expr operand : node.args()) n += n_nodes.at(operand);
    n_nodes[node] = std::min(n, most + 1);
  });
  return n_nodes.at(e) <= most;
}

}  // namespace

void Emitter::learn(const soac::Stm& s) {
  bounds_->learn(s);
  const auto* let = base::as<soac::Let>(s.op);
  for (Var name : s.names) {
    if (arena_.info(name).type != scalar::Type{}) continue;
    const Expr value = let ? size_written_out(let->value) : Expr();
    origins_[name] = {value, s.where, s.origin};
  }
}

// The expression with the values of names in their place, where that is short.
Expr Emitter::size_written_out(Expr size) const {
  scalar::Substitution written_out(arena_, [&](Expr e) {
    const auto found = e.is_name() ? origins_.find(e.var()) : origins_.end();
    return found == origins_.end() ? Expr() : found->second.value;
  });
  const Expr all = written_out(size);
  return is_short(all) ? all : size;
}

// What a message calls the size: the expression, and where the names in it come from.
std::string Emitter::size_text(Expr size) const {
  const Expr written_out = size_written_out(size);
  std::string text = scalar::describe(arena_, written_out);
  std::vector<std::string> places;
  const auto add = [&](const Origin& origin, const std::string& what) {
    if (origin.where.line == 0) return;
    const std::string file = origin.where.file.substr(origin.where.file.rfind('/') + 1);
    const std::string place = fmt::format("{} at {}:{}", what, file, origin.where.line);
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  };
  scalar::for_each_node(std::array{size, written_out}, [&](Expr e) {
    const auto found = e.is_name() ? origins_.find(e.var()) : origins_.end();
    if (found == origins_.end()) return;
    const Origin& origin = found->second;
    add(origin, origin.value ? "a size" : arena_.info(e.var()).name + " of " + origin.statement);
  });
  return places.empty() ? text : fmt::format("{} ({})", text, fmt::join(places, ", "));
}

const Destination& Emitter::destination(Var array) const {
  auto found = destinations_.find(array);
  FULGURITE_CHECK(found != destinations_.end(), "array '{}' is made inside a kernel and has nowhere to go",
                  arena_.info(array).name);
  return found->second;
}

Expr Emitter::element_of(const Destination& array, Expr number) {
  Expr offset = array.step ? arena_.mul(array.step, number) : number;
  return array.base ? arena_.add(array.base, offset) : offset;
}

Destination Emitter::scratch(Kind kind, Expr size, const soac::Location& where, int copies,
                             std::string_view what) {
  FULGURITE_CHECK(in_scalar_code_ && task_, "a lane makes an array");
  FULGURITE_CHECK(bounds_, "an array in a program whose points make none");
  // More elements than this are in no memory, and their number times that of tasks does not wrap around.
  constexpr std::int64_t in_memory = std::int64_t{1} << 40;
  const soac::Interval interval = bounds_->of(size);
  if (!interval.high)
    throw ShapeError(
        fmt::format("irregular nested array: {} has {} elements, and how many that can be is not known "
                    "before the elements are computed; limit the size with fg::min, give it one that does "
                    "not depend on the element, or the largest one and ignore the rest",
                    what, size_text(size)),
        {where.file, where.line});
  Expr most = interval.high;
  const std::int64_t least = bounds_->known(size) ? 0 : 1;
  if (bounds_->of(most, n_facts_outside_).least < least) most = arena_.max(most, arena_.i64(least));
  if (bounds_->of(most).most > most_extent) {
    // A size that is known is asked for as far as that goes, which fails. A bound that is no size, because
    // the size wraps around, takes no memory: elements of which it is too large fail by themselves.
    const Expr limit = arena_.i64(in_memory);
    most = bounds_->known(size) ? arena_.min(most, limit)
                                : arena_.apply(Op::select, {arena_.le(most, limit), most, arena_.i64(0)});
  }
  const Expr room = most.is_constant() ? most : outside_.computes(most);
  const Expr all = arena_.mul(room, arena_.i64(copies));
  Expr buffer = arena_.fresh_array(kind, {arena_.mul(tasks_, all)}, "scratch");
  scratch_.push_back(buffer.var());
  if (interleaved_) return {buffer.var(), lower(task_), lower(tasks_), most, room};
  return {buffer.var(), lower(arena_.mul(task_, all)), {}, most, room};
}

const Destination& Emitter::place(Var array, Expr size, const soac::Location& where) {
  if (!has_destination(array)) set_destination(array, scratch(arena_.info(array).type.kind, size, where));
  return destination(array);
}

void Emitter::fit(Expr size, const Destination& to, const soac::Location& where) {
  if (!to.capacity) return;
  if (bounds_->known(size) && bounds_->at_most(size, to.capacity)) return;
  const Expr n = extent(size), room = lower(to.room);
  Expr fits = arena_.le(n, room);
  if (bounds_->of(size).least < 0) {
    const Expr is_size = bind(arena_.le(arena_.i64(0), n), "c"), is_below = bind(fits, "c");
    fits = arena_.logical_and(is_size, is_below);
  }
  fits = bind(fits, "fits");
  if (fits.is_constant(1)) return;
  fail(bind(arena_.logical_not(fits), "no_room"), outside_.no_room(where), n, room);
  rely_on(fits);
}

Expr Emitter::extent(Expr size) {
  const Expr n = lower(size), sound = guard();
  if (!sound || (outside_.knows(size) && (!bounds_ || bounds_->of(size).most <= most_extent))) return n;
  return bind(arena_.apply(Op::select, {sound, n, arena_.i64(0)}), "n");
}

std::vector<Expr> Emitter::extents(std::span<const Expr> sizes) {
  std::vector<Expr> all;
  for (Expr size : sizes) all.push_back(extent(size));
  return all;
}

// map (i < n, j < m) { from[i, j] }
void Emitter::copy(Var from, const Destination& to, const soac::Location& where) {
  const scalar::VarInfo info = arena_.info(from);
  soac::Stm s{{}, soac::Soac{info.shape, {}}, where, "copy"};
  auto& op = std::get<soac::Soac>(s.op);
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < info.shape.size(); ++d) {
    indices.push_back(arena_.fresh({Kind::i64}, "i"));
    op.body.params.push_back(indices.back().var());
  }
  op.body.results.push_back(arena_.index(arena_.name(from), indices));
  s.names.push_back(arena_.fresh_array(info.type.kind, info.shape, info.name).var());
  set_destination(s.names[0], to);
  statements({s});
}

}  // namespace fulgurite::lower
