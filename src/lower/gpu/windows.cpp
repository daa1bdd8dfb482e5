#include "lower/gpu/windows.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/match.h"
#include "schedule/rewrites/slice.h"
#include "soac/rename.h"
#include "walk/control.h"
#include "walk/points.h"

namespace fulgurite::lower::gpu {

namespace {

constexpr int threads_of_strip = 256;
constexpr std::int64_t warp = 32;

bool has_branches_only(const soac::Lambda& f) {
  return std::ranges::all_of(f.body, [](const soac::Stm& s) {
    if (base::as<soac::Soac>(s.op) || base::as<soac::Loop>(s.op) || base::as<soac::Scan>(s.op)) return false;
    return std::ranges::all_of(soac::nested_in(s),
                               [](const auto& n) { return has_branches_only(*n.lambda); });
  });
}

// Finds the windows of a walk.
class Finder {
 public:
  Finder(scalar::Arena& arena, const soac::Soac& op, const Target& target)
      : arena_(arena), op_(op), target_(target), n_staged_(std::min<std::size_t>(op.dims.size(), 2)) {
    soac::add_bound(op.body, bound_);
    const std::span<const Var> params = op.body.params;
    staged_ = params.last(n_staged_);
    for (Var outer : params.first(params.size() - n_staged_)) bound_.erase(outer);
  }

  Windows operator()() {
    std::vector<Expr> roots;
    soac::for_each_root(op_.body, [&](Expr root) { roots.push_back(root); });
    scalar::for_each_node(roots, [&](Expr e) {
      if (e.op() == Op::index && e.site() == 0) add(e);
    });
    std::erase_if(found_, [](const Window& w) { return w.reads.size() < 2; });
    for (; !found_.empty(); found_.pop_back())
      if (const auto strip = strip_of(found_)) return {std::move(found_), *strip};
    return {};
  }

 private:
  std::optional<Strip> strip_of(std::span<const Window> windows) const {
    std::int64_t rows = 0, columns = 0, bytes = 0;
    for (const Window& w : windows) {
      if (n_staged_ > 1) rows = std::max(rows, w.around(0));
      columns = std::max(columns, w.around(n_staged_ - 1));
      bytes += static_cast<std::int64_t>(size_of(arena_.info(w.array).type.kind));
    }
    return choose_strip(target_, n_staged_ > 1, rows, columns, bytes);
  }

  // Known where the block begins, and without a failure.
  bool is_known(Expr e) const {
    bool known = true;
    scalar::for_each_node(std::span(&e, 1), [&](Expr part) {
      known &= part.op() != Op::index && !scalar::is_division(part.op()) &&
               !(part.is_name() && bound_.contains(part.var()));
    });
    return known;
  }

  void add(Expr read) {
    const Var array = read.arg(0).var();
    const std::span<const Expr> indices = read.args().subspan(1);
    if (indices.size() < n_staged_) return;
    const auto outer = indices.first(indices.size() - n_staged_);
    if (!std::ranges::all_of(outer, [&](Expr index) { return is_known(index); })) return;
    std::vector<Expr> base;
    for (std::size_t k = 0; k < n_staged_; ++k) {
      const auto affine = scalar::affine_in(arena_, indices[outer.size() + k], staged_[k]);
      if (!affine || !affine->coefficient.is_constant(1) || !is_known(affine->base)) return;
      base.push_back(affine->base);
    }
    for (Window& w : found_)
      if (w.array == array && std::ranges::equal(w.outer, outer) && join(w, read, base)) return;
    const std::vector<std::int64_t> none(n_staged_);
    found_.push_back({array, {outer.begin(), outer.end()}, base, none, none, {{read, none}}});
  }

  // Whether a read belongs to the window, which has it then.
  bool join(Window& w, Expr read, std::span<const Expr> base) {
    Window wider = w;
    wider.reads.push_back({read, {}});
    for (std::size_t k = 0; k < n_staged_; ++k) {
      const Expr distance = arena_.sub(base[k], w.base[k]);
      if (!distance.is_constant()) return false;
      const auto d = static_cast<std::int64_t>(distance.bits());
      wider.low[k] = std::min(w.low[k], d);
      wider.high[k] = std::max(w.high[k], d);
      wider.reads.back().distance.push_back(d);
    }
    if (!strip_of(std::span(&wider, 1))) return false;
    w = std::move(wider);
    return true;
  }

  scalar::Arena& arena_;
  const soac::Soac& op_;
  const Target& target_;
  const std::size_t n_staged_;
  std::span<const Var> staged_;  // the parameters of the last axes
  soac::Vars bound_;             // what has another value at the next point
  std::vector<Window> found_;
};

// Rows of a strip, and of what it reads, are numbered one behind the other, each as much longer than it is
// that element v of the numbers is as far behind a multiple of the warp's size as it is in memory: warps of
// consecutive numbers touch whole sectors. Element v of a window is in place v modulo the window's size, so
// that rows which the next points need as well stay where they are. What counts within a block fits into 32
// bits; so do places, being modulo a power of two.
//
//   for (from = first row; from < end; from += rows at once)
//     stage the rows of [from + low, to + high] that are not there yet
//     barrier; points of the rows [from, to); barrier
class Strips {
 public:
  Strips(Frame& frame, const Windows& windows, const WindowProducers& producers, const Frame::Finish& finish)
      : at_(frame),
        arena_(frame.arena),
        windows_(windows.all),
        strip_(windows.strip),
        producers_(producers),
        finish_(finish),
        s_(frame.s) {}

  void operator()() {
    const std::vector<Expr>& dims = at_.op.dims;
    const Cut cut = cut_of(at_, strip_);
    at_.phase(cut.blocks, threads_of_strip, [&](const Emitter& e, const Block& block) {
      open_totals(e, block);
      if (dims.size() < 2) {
        const Expr first = e.lower(arena_.mul(block.task, cut.run));
        const Expr end = e.lower(arena_.min(arena_.add(first, cut.run), dims.back()));
        if (cut.run.is_constant(strip_.columns))
          line(e, block, first);
        else
          e.for_loop(first, end, i64(strip_.columns), "from", [&](Expr from) { line(e, block, from); });
      } else {
        const std::span outer(dims.data(), dims.size() - 2);
        const Expr even = at_.launches.ceil_div(dims.back(), arena_.max(cut.across, i64(1)));
        const Expr width = e.lower(arena_.mul(at_.launches.ceil_div(even, i64(warp)), i64(warp)));
        first_column_ = e.lower(arena_.mul(arena_.rem(block.task, cut.across), width));
        const Expr left = e.lower(arena_.div(block.task, cut.across));
        const Expr first = e.lower(arena_.mul(arena_.rem(left, cut.down), cut.run));
        take(e, outer, e.lower(arena_.div(left, cut.down)), width);
        place(e);
        walk_rows(e, block, first, e.lower(arena_.min(arena_.add(first, cut.run), dims[dims.size() - 2])));
      }
      finish_(e, block, {joined(e, block), {}, {}});
    });
  }

  /// Blocks, and how much of the axis that it walks along each has: of the last, or of the rows.
  struct Cut {
    Expr blocks, run, across, down;
  };
  static Cut cut_of(Frame& at, const Strip& strip) {
    const std::vector<Expr>& dims = at.op.dims;
    const Expr columns = at.i64(strip.columns);
    if (dims.size() < 2) {
      Expr run = columns;
      if (!at.op.reductions.empty()) {
        const Expr many = at.launches.ceil_div(dims.back(), at.i64(strip.columns * enough_blocks));
        run = at.arena.mul(columns, at.arena.max(many, at.i64(1)));
      }
      return {at.launches.ceil_div(dims.back(), run), run, {}, {}};
    }
    const Expr n_rows = dims[dims.size() - 2], across = at.launches.ceil_div(dims.back(), columns);
    const Expr outer = at.launches.product(std::span(dims.data(), dims.size() - 2));
    const Expr all = at.arena.mul(outer, at.arena.mul(n_rows, across));
    const Expr run = at.arena.max(at.i64(strip.rows), at.launches.ceil_div(all, at.i64(enough_blocks)));
    const Expr down = at.launches.ceil_div(n_rows, run);
    return {at.arena.mul(outer, at.arena.mul(down, across)), run, across, down};
  }

 private:
  // A window of this block.
  struct Placed {
    const Window* of;
    Var shared;
    std::vector<Expr> outer, base;
    Expr begin, end;  // columns that are read and there
    Expr first;       // the column before them that the window begins with
    Expr pitch;       // of its rows
  };

  Expr i64(std::int64_t value) { return arena_.i64(value); }
  bool has_rows() const { return at_.op.dims.size() > 1; }
  Expr down_to_warp(Expr x) { return arena_.apply(Op::bit_and, {x, i64(-warp)}); }
  // The length of rows of at least n that begin where those of `extent` do, as seen from a warp.
  Expr pitch(Expr n, Expr extent) {
    return arena_.add(n, arena_.apply(Op::bit_and, {arena_.sub(extent, n), i64(warp - 1)}));
  }
  Expr narrow(Expr x) { return arena_.cast(x, Kind::u32); }
  Expr wide(Expr x) { return arena_.cast(x, Kind::i64); }

  // Indices of the axes before, by their number, and how many columns there are.
  void take(const Emitter& e, std::span<const Expr> outer, Expr number, Expr width) {
    dims_ = e.lower(at_.op.dims);
    outer_.assign(outer.size(), {});
    for (std::size_t d = outer.size(); d-- > 0; number = e.lower(arena_.div(number, outer[d])))
      outer_[d] = d == 0 ? number : e.lower(arena_.rem(number, outer[d]));
    n_columns_ = e.lower(arena_.min(width, arena_.sub(dims_.back(), first_column_)));
  }

  void place(const Emitter& e) {
    std::unordered_map<Var, Expr> values;
    for (std::size_t d = 0; d < outer_.size(); ++d) values.emplace(at_.op.body.params[d], outer_[d]);
    std::unordered_map<std::uint32_t, Expr> elements;
    for (const Window& w : windows_) {
      Placed p{&w, e.allocate_shared(arena_.info(w.array).type.kind, strip_.window), {}, {}, {}, {}, {}, {}};
      for (Expr index : w.outer) p.outer.push_back(e.lower(scalar::substitute(arena_, index, values)));
      for (Expr base : w.base) p.base.push_back(e.lower(scalar::substitute(arena_, base, values)));
      const Expr extent = arena_.info(w.array).shape.back();
      const Expr column = arena_.add(first_column_, p.base.back());
      p.begin = e.lower(arena_.max(i64(0), arena_.add(column, i64(w.low.back()))));
      p.end = arena_.add(arena_.add(column, n_columns_), i64(w.high.back()));
      p.end = arena_.min(extent, p.end);
      if (const Expr there = is_there(e, p)) p.end = arena_.apply(Op::select, {there, p.end, p.begin});
      p.end = e.lower(p.end);
      p.first = e.lower(down_to_warp(p.begin));
      if (has_rows()) p.pitch = e.lower(pitch(arena_.max(arena_.sub(p.end, p.first), i64(1)), extent));
      for (const Window::Read& read : w.reads) {
        const Expr at = place_of(e, p, read.distance);
        elements.emplace(read.element.id(), arena_.index(arena_.name(p.shared), std::span(&at, 1)));
      }
      placed_.push_back(std::move(p));
    }
    scalar::Substitution substitute(arena_, [&](Expr read) {
      const auto found = elements.find(read.id());
      return found == elements.end() ? Expr() : found->second;
    });
    soac::substitute_in(std::get<soac::Soac>(s_.op).body, substitute);
  }

  // Whether the array has the window's indices of its first axes, which points read only where it does;
  // absent: it is known to.
  Expr is_there(const Emitter& e, const Placed& p) {
    const std::span<const Var> params = at_.op.body.params;
    const std::vector<Expr>& shape = arena_.info(p.of->array).shape;
    Expr there;
    for (std::size_t k = 0; k < p.outer.size(); ++k) {
      const Expr index = p.of->outer[k];
      const auto axis = std::ranges::find_if(params, [&](Var v) { return index == arena_.name(v); });
      if (axis != params.end() && at_.op.dims[static_cast<std::size_t>(axis - params.begin())] == shape[k])
        continue;
      const Expr both = arena_.apply(
          Op::bit_and, {arena_.le(i64(0), p.outer[k]), arena_.lt(p.outer[k], e.lower(shape[k]))});
      there = there ? arena_.apply(Op::bit_and, {there, both}) : both;
    }
    return there;
  }

  // Where the read of a point is found: the point's own indices, and what is the same for all.
  Expr place_of(const Emitter& e, const Placed& p, std::span<const std::int64_t> distance) {
    const std::span<const Var> params = at_.op.body.params;
    const Expr column = narrow(arena_.name(params.back()));
    const Expr beside = narrow(i64(distance.back()));
    Expr base = arena_.sub(p.base.back(), p.first);
    if (!has_rows()) return wide(arena_.add(arena_.add(column, e.lower(narrow(base))), beside));
    base = arena_.add(base, arena_.mul(arena_.add(p.base[0], i64(distance[0])), p.pitch));
    const Expr pitch = e.lower(narrow(p.pitch));
    const Expr row = arena_.mul(narrow(arena_.name(params[params.size() - 2])), pitch);
    const Expr origin = e.lower(narrow(base));
    return in_window(arena_.add(arena_.add(arena_.add(row, column), origin), beside));
  }
  Expr in_window(Expr number) {
    const auto most = static_cast<std::uint64_t>(strip_.window - 1);
    return wide(arena_.apply(Op::bit_and, {number, arena_.constant(Kind::u32, most)}));
  }

  // body(x) for each x of [0, n): thread t takes those for which begin + x is t more than a multiple of the
  // block's size.
  void share(const Emitter& e, Expr t, Expr begin, Expr n, const std::function<void(Expr)>& body) {
    const Expr at = e.bind(arena_.sub(t, arena_.apply(Op::bit_and, {begin, i64(warp - 1)})), "at");
    const Expr behind = arena_.add(at, i64(threads_of_strip));
    const Expr first = e.bind(arena_.apply(Op::select, {arena_.lt(at, i64(0)), behind, at}), "first");
    e.for_loop(first, n, i64(threads_of_strip), "x", body);
  }
  // body(row, column) for the same numbers, of which each row has so many.
  void share_rows(const Emitter& e, Expr t, Expr begin, Expr n, Expr length,
                  const std::function<void(Expr x, Expr row, Expr column)>& body) {
    const Expr by = e.lower(narrow(length));
    share(e, t, begin, n, [&](Expr x) {
      const Expr row = e.bind(arena_.div(narrow(x), by), "row");
      const Expr before = arena_.mul(row, by);
      body(x, row, e.bind(arena_.sub(narrow(x), before), "column"));
    });
  }

  void copy(const Emitter& e, const Placed& p, Expr row, Expr column, Expr place) {
    std::vector<Expr> indices = p.outer;
    if (row) indices.push_back(row);
    indices.push_back(column);
    const Expr value = element(e, *p.of, indices);
    e.store_plain(p.shared, e.lower(place), value);
  }

  Expr element(const Emitter& e, const Window& w, std::span<const Expr> indices) {
    const auto producer = producers_.find(w.array);
    if (producer == producers_.end()) return e.lower(arena_.index(arena_.name(w.array), indices));
    const soac::Applied at = soac::apply(arena_, producer->second.at, indices);
    statements(e, at.body);
    return e.lower(at.results[0]);
  }

  // ---- what the threads have folded

  void open_totals(const Emitter& of_block, const Block& block) {
    for (const soac::Reduction& r : at_.op.reductions)
      for (Expr neutral : r.neutral)
        totals_.push_back(of_block.allocate_shared(neutral.kind(), block.threads));
    if (totals_.empty()) return;
    par(of_block, block, [&](const Emitter& e, Expr t) {
      std::size_t next = 0;
      for (const auto& group : start(e, at_.op))
        for (Expr variable : group) e.store_plain(totals_[next++], t, e.snapshot(variable, "neutral"));
    });
  }

  // points(running) folds some points, which join those before: as floats are, chains stay short.
  void fold(const Emitter& e, Expr t, const std::function<void(const Running&)>& points) {
    const Running running{start(e, at_.op), {}, 0, {}};
    points(running);
    std::size_t next = 0;
    for (std::size_t g = 0; g < running.reductions.size(); ++g) {
      std::vector<Expr> so_far, more;
      const std::size_t first = next;
      for (Expr variable : running.reductions[g]) {
        so_far.push_back(e.declare(e.load_plain(totals_[next++], t, "total"), "so_far"));
        more.push_back(e.snapshot(variable, "more"));
      }
      join(e, at_.op.reductions[g], so_far, more);
      for (std::size_t k = 0; k < so_far.size(); ++k)
        e.store_plain(totals_[first + k], t, e.snapshot(so_far[k], "total"));
    }
  }

  std::vector<Expr> joined(const Emitter& e, const Block& block) {
    std::vector<Expr> totals;
    if (totals_.empty()) return totals;
    sync(e);
    join_all(e, block, at_.op, totals_);
    for (Var total : totals_) totals.push_back(e.load_plain(total, i64(0), "total"));
    return totals;
  }

  void point(const Emitter& e, Expr row, Expr column, const Running& running) {
    std::vector<Expr> indices = outer_;
    if (row) indices.push_back(row);
    indices.push_back(column);
    const Expr number = e.bind(linear(e, indices, dims_), "number");
    walk::point(e.at_element(number), s_, indices, number, running);
  }

  // ---- one axis

  // The points of a strip from this column on.
  void line(const Emitter& e, const Block& block, Expr from) {
    first_column_ = from;
    take(e, {}, {}, i64(strip_.columns));
    place(e);
    for (const Placed& p : placed_) stage_line(e, block, p);
    sync(e);
    points_of_line(e, block);
    if (!totals_.empty()) sync(e);
  }
  void stage_line(const Emitter& of_block, const Block& block, const Placed& p) {
    const Expr n = of_block.lower(arena_.sub(p.end, p.begin)),
               before = of_block.lower(arena_.sub(p.begin, p.first));
    par(of_block, block, [&](const Emitter& e, Expr t) {
      share(e, t, p.begin, n, [&](Expr x) {
        const Expr place = arena_.add(before, x);
        copy(e, p, {}, e.bind(arena_.add(p.begin, x), "column"), place);
      });
    });
  }
  void points_of_line(const Emitter& of_block, const Block& block) {
    par(of_block, block, [&](const Emitter& e, Expr t) {
      fold(e, t, [&](const Running& running) {
        share(e, t, first_column_, n_columns_,
              [&](Expr x) { point(e, {}, e.bind(arena_.add(first_column_, x), "column"), running); });
      });
    });
  }

  // ---- rows

  void walk_rows(const Emitter& e, const Block& block, Expr first, Expr end) {
    const Expr length = e.lower(pitch(n_columns_, dims_.back()));
    Expr longest = length;
    std::int64_t around = 0;
    for (const Placed& p : placed_) {
      longest = arena_.max(longest, p.pitch);
      around = std::max(around, p.of->around(0));
    }
    const Expr fit = arena_.div(i64(strip_.window), longest);
    const Expr at_once = e.lower(arena_.max(arena_.sub(fit, i64(around)), i64(1)));
    e.for_loop(first, end, at_once, "from", [&](Expr from) {
      const Expr to = e.bind(arena_.min(arena_.add(from, at_once), end), "to");
      for (const Placed& p : placed_) stage_rows(e, block, p, first, from, to);
      sync(e);
      points_of_rows(e, block, length, from, to);
      sync(e);
    });
  }

  void stage_rows(const Emitter& of_block, const Block& block, const Placed& p, Expr first, Expr from,
                  Expr to) {
    const Expr extent = of_block.lower(arena_.info(p.of->array).shape[p.outer.size()]);
    const Expr all = arena_.add(from, i64(p.of->low[0])), more = arena_.add(from, i64(p.of->high[0]));
    const Expr is_first = arena_.eq(from, first);
    const Expr wanted = arena_.add(p.base[0], arena_.apply(Op::select, {is_first, all, more}));
    const Expr begin = of_block.bind(arena_.max(i64(0), wanted), "begin");
    const Expr last = arena_.add(arena_.add(to, p.base[0]), i64(p.of->high[0]));
    const Expr n_rows = arena_.sub(arena_.min(extent, last), begin);
    const Expr n = of_block.bind(arena_.mul(n_rows, p.pitch), "n");
    const Expr start = of_block.bind(arena_.mul(begin, p.pitch), "start");
    const Expr before = of_block.lower(narrow(arena_.sub(p.begin, p.first)));
    const Expr n_read = of_block.lower(narrow(arena_.max(arena_.sub(p.end, p.begin), i64(0))));
    par(of_block, block, [&](const Emitter& e, Expr t) {
      share_rows(e, t, start, n, p.pitch, [&](Expr x, Expr row, Expr column) {
        const Expr is_read = arena_.lt(arena_.sub(column, before), n_read);
        e.if_then(e.bind(is_read, "is_read"), [&] {
          const Expr number = narrow(x), place = in_window(arena_.add(narrow(start), number));
          const Expr of_array = e.bind(arena_.add(p.first, wide(column)), "column");
          copy(e, p, e.bind(arena_.add(begin, wide(row)), "row"), of_array, place);
        });
      });
    });
  }

  void points_of_rows(const Emitter& of_block, const Block& block, Expr length, Expr from, Expr to) {
    const Expr start = of_block.bind(arena_.mul(from, length), "start");
    const Expr n = of_block.bind(arena_.mul(arena_.sub(to, from), length), "n");
    const Expr n_columns = of_block.lower(narrow(n_columns_));
    par(of_block, block, [&](const Emitter& e, Expr t) {
      fold(e, t, [&](const Running& running) {
        share_rows(e, t, start, n, length, [&](Expr, Expr row, Expr column) {
          e.if_then(e.bind(arena_.lt(column, n_columns), "is_point"), [&] {
            const Expr of_point = e.bind(arena_.add(first_column_, wide(column)), "column");
            point(e, e.bind(arena_.add(from, wide(row)), "row"), of_point, running);
          });
        });
      });
    });
  }

  Frame& at_;
  scalar::Arena& arena_;
  const std::vector<Window>& windows_;
  const Strip& strip_;
  const WindowProducers& producers_;
  const Frame::Finish& finish_;
  soac::Stm s_;              // reading the windows
  std::vector<Var> totals_;  // of the threads, for each component of the reductions
  std::vector<Placed> placed_;
  std::vector<Expr> dims_, outer_;
  Expr first_column_, n_columns_;
};

}  // namespace

Windows windows_of(scalar::Arena& arena, const soac::Soac& op, const Target& target) {
  const bool has_places = !op.scatters.empty() || !op.partitions.empty();
  const auto is_element = [](Expr result) { return result.type().rank == 0; };
  if (op.dims.empty() || has_places || !std::ranges::all_of(op.body.results, is_element)) return {};
  if (std::ranges::any_of(op.reductions, in_order) || schedule::makes_arrays(op)) return {};
  if (!has_branches_only(op.body)) return {};
  return Finder(arena, op, target)();
}

Expr blocks_of(Frame& frame, const Strip& strip) {
  return Strips::cut_of(frame, strip).blocks;
}

void walk_strips(Frame& frame, const Windows& windows, const WindowProducers& producers,
                 const Frame::Finish& finish) {
  Strips(frame, windows, producers, finish)();
}

}  // namespace fulgurite::lower::gpu
