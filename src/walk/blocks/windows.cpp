#include "walk/blocks/windows.h"

#include <algorithm>

#include "schedule/blocks/points.h"
#include "soac/rename.h"
#include "walk/control.h"

namespace fulgurite::walk::blocks {

using schedule::warp;
using schedule::Window;

void share(const Emitter& e, const Block& block, Expr t, Expr begin, Expr n,
           const std::function<void(Expr)>& body) {
  e.for_loop(parts::first_in_warp(e, block, t, begin & (warp - 1)), n, e.arena().i64(block.threads), "x",
             body);
}

// A thread's next number is this many rows and columns further on: only its first one is divided.
void share_rows(const Emitter& e, const Block& block, Expr t, Expr begin, Expr n, Expr length,
                const std::function<void(Expr x, Expr row, Expr column)>& body) {
  const auto narrow = [&](Expr x) { return cast(x, Kind::u32); };
  const Expr by = e.lower(narrow(length)), threads = narrow(e.arena().i64(block.threads));
  const Expr down = e.bind(threads / by, "down");
  const Expr across = e.bind(threads - down * by, "across");
  const Expr first = parts::first_in_warp(e, block, t, begin & (warp - 1));
  const Expr row = e.declare(e.bind(narrow(first) / by, "row"), "row");
  const Expr before = e.snapshot(row, "row") * by;
  const Expr column = e.declare(e.bind(narrow(first) - before, "column"), "column");
  e.for_loop(first, n, e.arena().i64(block.threads), "x", [&](Expr x) {
    const Expr at_row = e.snapshot(row, "row"), at_column = e.snapshot(column, "column");
    body(x, at_row, at_column);
    const Expr next = e.bind(at_column + across, "next");
    const Expr is_behind = e.bind(by <= next, "is_behind");
    const Expr beginning = e.bind(next - by, "beginning");
    const Expr more = at_row + down;
    const Expr behind = more + narrow(e.arena().i64(1));
    e.assign(column, e.bind(select(is_behind, beginning, next), "column"));
    e.assign(row, e.bind(select(is_behind, behind, more), "row"));
  });
}

Expr pitch_of(Expr n, Expr extent) {
  return n + ((extent - n) & (warp - 1));
}

StagedWindows::StagedWindows(const Emitter& e, const Phase& phase, std::span<const Window> windows,
                             const Strip& strip)
    : at_(phase), arena_(phase.arena()) {
  std::size_t next = 0;
  for (const schedule::Stage& stage : phase.nest().stages) {
    if (stage.around.empty()) continue;
    const Window& w = windows[next++];
    Placed p = placed(e, w, stage.size, strip);
    for (const Window::Read& read : w.reads) {
      const Expr at = place_of(e, p, read.distance);
      elements_.emplace(read.element.id(), arena_.index(arena_.name(p.shared), std::span(&at, 1)));
    }
    placed_.push_back(std::move(p));
  }
}

StagedWindows::Placed StagedWindows::placed(const Emitter& e, const Window& w, std::int64_t size,
                                            const Strip& strip) {
  std::unordered_map<Var, Expr> values;
  for (std::size_t d = 0; d < strip.outer.size(); ++d)
    values.emplace(at_.op().body.params[d], strip.outer[d]);
  Placed p{&w, size, e.allocate_shared(arena_.info(w.array).type.kind, size), {}, {}, {}, {}, {}, {}};
  for (Expr index : w.outer) p.outer.push_back(e.lower(scalar::substitute(arena_, index, values)));
  for (Expr base : w.base) p.base.push_back(e.lower(scalar::substitute(arena_, base, values)));
  const Expr extent = arena_.info(w.array).shape.back();
  const Expr column = strip.first_column + p.base.back();
  p.begin = e.lower(max(0, column + w.low.back()));
  p.end = column + strip.n_columns + w.high.back();
  p.end = min(extent, p.end);
  if (const Expr there = is_there(e, p)) p.end = select(there, p.end, p.begin);
  p.end = e.lower(p.end);
  p.first = e.lower(p.begin & -warp);
  if (has_rows()) p.pitch = e.lower(pitch_of(max(p.end - p.first, 1), extent));
  return p;
}

soac::Stm StagedWindows::reading() const {
  soac::Stm s = at_.computes();
  scalar::Substitution substitute(arena_, [&](Expr read) {
    const auto found = elements_.find(read.id());
    return found == elements_.end() ? Expr() : found->second;
  });
  soac::substitute_in(std::get<soac::Soac>(s.op).body, substitute);
  return s;
}

// Whether the array has the window's indices of its first axes, which points read only where it does; absent:
// it is known to.
Expr StagedWindows::is_there(const Emitter& e, const Placed& p) const {
  const std::span<const Var> params = at_.op().body.params;
  const std::vector<Expr>& shape = arena_.info(p.of->array).shape;
  Expr there;
  for (std::size_t k = 0; k < p.outer.size(); ++k) {
    const Expr index = p.of->outer[k];
    const auto axis = std::ranges::find_if(params, [&](Var v) { return index == arena_.name(v); });
    if (axis != params.end() && at_.op().dims[static_cast<std::size_t>(axis - params.begin())] == shape[k])
      continue;
    const Expr is_positive = 0 <= p.outer[k];
    const Expr both = is_positive & (p.outer[k] < e.lower(shape[k]));
    there = there ? there & both : both;
  }
  return there;
}

// Where the read of a point is found: the point's own indices, and what is the same for all.
Expr StagedWindows::place_of(const Emitter& e, const Placed& p,
                             std::span<const std::int64_t> distance) const {
  const std::span<const Var> params = at_.op().body.params;
  const Expr column = narrow(arena_.name(params.back()));
  const Expr beside = narrow(at_.i64(distance.back()));
  Expr base = p.base.back() - p.first;
  if (!has_rows()) return wide(column + e.lower(narrow(base)) + beside);
  base = base + (p.base[0] + distance[0]) * p.pitch;
  const Expr pitch = e.lower(narrow(p.pitch));
  const Expr row = narrow(arena_.name(params[params.size() - 2])) * pitch;
  const Expr origin = e.lower(narrow(base));
  return in_window(p, row + column + origin + beside);
}

Expr StagedWindows::in_window(const Placed& p, Expr number) const {
  const auto most = static_cast<std::uint64_t>(p.size - 1);
  return wide(number & most);
}

void StagedWindows::copy(const Emitter& e, const Placed& p, Expr row, Expr column, Expr place) const {
  std::vector<Expr> indices = p.outer;
  if (row) indices.push_back(row);
  indices.push_back(column);
  const Expr value = element(e, *p.of, indices);
  e.store_plain(p.shared, e.lower(place), value);
}

Expr StagedWindows::element(const Emitter& e, const Window& w, std::span<const Expr> indices) const {
  const std::vector<schedule::Computed>& computed = at_.launch.computed;
  const auto map = std::ranges::find(computed, w.array, &schedule::Computed::array);
  if (map == computed.end()) return e.lower(arena_.index(arena_.name(w.array), indices));
  const soac::Applied at = soac::apply(arena_, map->element, indices);
  statements(e, at.body);
  return e.lower(at.results[0]);
}

void StagedWindows::stage_line(const Emitter& of_block, const Block& block) const {
  for (const Placed& p : placed_) {
    const Expr n = of_block.lower(p.end - p.begin);
    const Expr before = of_block.lower(p.begin - p.first);
    par(of_block, block, [&](const Emitter& e, Expr t) {
      share(e, block, t, p.begin, n, [&](Expr x) {
        const Expr place = before + x;
        copy(e, p, {}, e.bind(p.begin + x, "column"), place);
      });
    });
  }
}

void StagedWindows::stage_rows(const Emitter& e, const Block& block, Expr first, Expr from, Expr to) const {
  for (const Placed& p : placed_) stage_rows(e, block, p, first, from, to);
}

void StagedWindows::stage_rows(const Emitter& of_block, const Block& block, const Placed& p, Expr first,
                               Expr from, Expr to) const {
  const Expr extent = of_block.lower(arena_.info(p.of->array).shape[p.outer.size()]);
  const Expr all = from + p.of->low[0], more = from + p.of->high[0];
  const Expr is_first = equal(from, first);
  const Expr wanted = p.base[0] + select(is_first, all, more);
  const Expr begin = of_block.bind(max(0, wanted), "begin");
  const Expr last = to + p.base[0] + p.of->high[0];
  const Expr n_rows = min(extent, last) - begin;
  const Expr n = of_block.bind(n_rows * p.pitch, "n");
  const Expr start = of_block.bind(begin * p.pitch, "start");
  const Expr before = of_block.lower(narrow(p.begin - p.first));
  const Expr n_read = of_block.lower(narrow(max(p.end - p.begin, 0)));
  par(of_block, block, [&](const Emitter& e, Expr t) {
    share_rows(e, block, t, start, n, p.pitch, [&](Expr x, Expr row, Expr column) {
      const Expr is_read = column - before < n_read;
      e.if_then(e.bind(is_read, "is_read"), [&] {
        const Expr number = narrow(x), place = in_window(p, narrow(start) + number);
        const Expr of_array = e.bind(p.first + wide(column), "column");
        copy(e, p, e.bind(begin + wide(row), "row"), of_array, place);
      });
    });
  });
}

Expr StagedWindows::rows_at_once(Expr length) const {
  Expr longest = length;
  std::int64_t around = 0;
  for (const Placed& p : placed_) {
    longest = max(longest, p.pitch);
    around = std::max(around, p.of->around(0));
  }
  return max(placed_[0].size / longest - around, 1);
}

}  // namespace fulgurite::walk::blocks
