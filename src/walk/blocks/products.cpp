// Tiles of a map and its reduction whose points share operands (schedule/blocks/products.h):
//
//   for (from, in the block's part of the reduction, as far as outer accumulators do not change)
//     for (slice of a few points)
//       stage the operands of the tile's rows and columns; barrier
//       each thread folds them into its accumulators; barrier
//     outer accumulators take the accumulators of the threads
//   results, or the total of the part
//
// Rows and columns after the last ones are the last ones again, whose results are not stored. Accumulators
// are memory of a thread, at constant places: registers. A thread has neighbouring points in pieces of the
// widest access to shared memory, and threads that are neighbours have neighbouring pieces, in different
// banks.
#include <algorithm>

#include "schedule/nest.h"
#include "soac/rename.h"
#include "walk/blocks/product_operands.h"

namespace fulgurite::walk::blocks {

using schedule::Combine, schedule::Join, schedule::Stage;

namespace {

class Products {
 public:
  explicit Products(const Phase& phase)
      : at_(phase), arena_(phase.arena()), tile_(phase), reading_(tile_.map.body) {
    for (const Combine::Level& level : phase.nest().combines[0].levels)
      if (level.how == Join::chain) chain_ = level.n;
    for (const Stage& stage : tile_.stages()) names_.push_back(arena_.fresh(stage.read.type(), "staged"));
    scalar::Substitution substitute(arena_, [&](Expr e) {
      const auto stage = std::ranges::find(tile_.stages(), e, &Stage::read);
      return stage == tile_.stages().end() ? Expr()
                                           : names_[static_cast<std::size_t>(stage - tile_.stages().begin())];
    });
    soac::substitute_in(reading_, substitute);
  }

  void operator()() {
    for_tasks(at_, static_cast<int>(tile_.threads()),
              [&](const Emitter& e, const Block& block) { tile(e, block); });
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  std::span<const soac::Reduction> reductions() const { return tile_.reduction().reductions; }

  void tile(const Emitter& e, const Block& block) {
    tile_.take(e, block);
    const ProductOperands operands(e, tile_);
    const std::int64_t n = tile_.rows.each * tile_.columns.each;
    for (const soac::Reduction& r : reductions())
      for (Expr neutral : r.neutral) {
        accumulators_.push_back(e.allocate(kernel::Space::thread, neutral.kind(), n, "acc"));
        if (chain_ > 0) outer_.push_back(e.allocate_shared(neutral.kind(), n * block.threads));
      }
    if (chain_ == 0) {
      clear(e, block, accumulators_, false);
      slices(e, block, operands, tile_.begin, tile_.end);
    } else {
      clear(e, block, outer_, true);
      e.for_loop(tile_.begin, tile_.end, i64(chain_), "chain", [&](Expr from) {
        clear(e, block, accumulators_, false);
        slices(e, block, operands, from, e.lower(min(from + chain_, tile_.end)));
        join_outer(e, block);
      });
    }
    par(e, block, [&](const Emitter& of_thread, Expr t) { results(of_thread, t); });
  }

  // body(row, column) of the points of a thread.
  void for_points(const std::function<void(std::int64_t, std::int64_t)>& body) {
    for (std::int64_t r = 0; r < tile_.rows.each; ++r)
      for (std::int64_t c = 0; c < tile_.columns.each; ++c) body(r, c);
  }
  // Its accumulator, among the accumulators of thread t, or of all.
  Expr place_of(const Emitter& e, std::int64_t r, std::int64_t c, Expr t) {
    const std::int64_t number = r * tile_.columns.each + c;
    return t ? e.lower(i64(number * tile_.threads()) + t) : i64(number);
  }
  void clear(const Emitter& of_block, const Block& block, std::span<const Var> buffers, bool of_all) {
    par(of_block, block, [&](const Emitter& e, Expr t) {
      const Running::Groups neutral = start(e, tile_.reduction());
      for_points([&](std::int64_t r, std::int64_t c) {
        save(e, neutral, buffers, place_of(e, r, c, of_all ? t : Expr()));
      });
    });
  }
  void join_outer(const Emitter& of_block, const Block& block) {
    par(of_block, block, [&](const Emitter& e, Expr t) {
      for_points([&](std::int64_t r, std::int64_t c) {
        const Running::Groups outer = restore(e, reductions(), outer_, place_of(e, r, c, t));
        join(e, reductions(), outer, accumulators_, place_of(e, r, c, {}));
        save(e, outer, outer_, place_of(e, r, c, t));
      });
    });
  }

  // ---- points

  void slices(const Emitter& e, const Block& block, const ProductOperands& operands, Expr begin, Expr end) {
    const Expr step = i64(tile_.slice);
    e.for_loop(begin, end, step, "from", [&](Expr from) {
      const Expr n = e.lower(end - from), is_full = e.lower(step <= n);
      const Expr is_whole = e.lower(is_full & tile_.is_inside);
      par(e, block, [&](const Emitter& of_thread, Expr t) {
        of_thread.if_then_else(
            is_whole, [&] { operands.stage(of_thread, t, from, true); },
            [&] { operands.stage(of_thread, t, from, false); });
      });
      sync(e);
      par(e, block, [&](const Emitter& of_thread, Expr t) {
        of_thread.if_then_else(
            is_full, [&] { fold(of_thread, operands, t, from, step); },
            [&] { fold(of_thread, operands, t, from, n); });
      });
      sync(e);
    });
  }

  // Where a thread has its points along a side.
  std::vector<Expr> places(const Emitter& e, const Side& side, Expr t) {
    std::size_t bytes = 4;
    for (const Stage& stage : tile_.stages()) bytes = std::max(bytes, size_of(stage.read.kind()));
    const std::int64_t together = std::min(static_cast<std::int64_t>(kernel::wide_bytes / bytes), side.each);
    const Expr thread = e.lower(&side == &tile_.rows ? t / tile_.columns.threads : t % tile_.columns.threads);
    std::vector<Expr> all;
    for (std::int64_t p = 0; p < side.each; ++p)
      all.push_back(e.lower(thread * together + (p / together * together * side.threads + p % together)));
    return all;
  }

  // A point of a thread, its reduction reading `staged` names, and the reduction's value.
  struct Point {
    soac::Stm reduction;
    Running into;
  };
  Point point_at(const Emitter& e, const std::vector<Expr>& indices, std::int64_t r, std::int64_t c,
                 const std::vector<std::vector<Expr>>& staged) {
    std::unordered_map<Var, Expr> values;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const bool is_row = &tile_.side_of(tile_.stages()[k]) == &tile_.rows;
      values.emplace(names_[k].var(), staged[k][static_cast<std::size_t>(is_row ? r : c)]);
    }
    scalar::Substitution substitute(arena_, [&](Expr each) {
      const auto found = each.is_name() ? values.find(each.var()) : values.end();
      return found == values.end() ? Expr() : found->second;
    });
    soac::Stm reduction = soac::apply(arena_, reading_, indices).body[0];
    soac::substitute_in(reduction, substitute);
    Running::Groups into = chain_ > 0 ? start(e, tile_.reduction())
                                      : restore(e, reductions(), accumulators_, place_of(e, r, c, {}));
    return {std::move(reduction), {std::move(into), {}, 0, {}}};
  }

  // The first n points of the slice.
  void fold(const Emitter& e, const ProductOperands& operands, Expr t, Expr from, Expr n) {
    const std::vector<Expr> row_places = places(e, tile_.rows, t),
                            column_places = places(e, tile_.columns, t);
    std::vector<std::vector<Expr>> staged;  // names of the values of each stage
    for (const Stage& stage : tile_.stages()) {
      staged.emplace_back();
      for (std::int64_t p = 0; p < tile_.side_of(stage).each; ++p)
        staged.back().push_back(arena_.fresh(stage.read.type(), "staged"));
    }
    std::vector<Point> points;
    for_points([&](std::int64_t r, std::int64_t c) {
      const Expr row = row_places[static_cast<std::size_t>(r)];
      const Expr column = column_places[static_cast<std::size_t>(c)];
      points.push_back(point_at(e, tile_.indices(e, row, column, false), r, c, staged));
    });
    e.for_loop(i64(0), n, i64(1), "l", [&](Expr l) {
      for (std::size_t k = 0; k < staged.size(); ++k) {
        const bool is_row = &tile_.side_of(tile_.stages()[k]) == &tile_.rows;
        const std::vector<Expr>& at = is_row ? row_places : column_places;
        for (std::size_t p = 0; p < at.size(); ++p)
          e.bind_name(staged[k][p].var(), operands.value(e, k, at[p], l));
      }
      const Expr number = e.lower(from + l);
      for (const Point& each : points) point(e, each.reduction, {{number}}, number, each.into);
    });
    std::size_t next = 0;
    for_points([&](std::int64_t r, std::int64_t c) {
      const Expr at = place_of(e, r, c, {});
      const Running::Groups& inner = points[next++].into.reductions;
      if (chain_ == 0) return save(e, inner, accumulators_, at);
      const Running::Groups outer = restore(e, reductions(), accumulators_, at);
      join(e, reductions(), outer, inner);
      save(e, outer, accumulators_, at);
    });
  }

  // ---- results

  void results(const Emitter& of_thread, Expr t) {
    const std::vector<Expr> row_places = places(of_thread, tile_.rows, t);
    const std::vector<Expr> column_places = places(of_thread, tile_.columns, t);
    for_points([&](std::int64_t r, std::int64_t c) {
      const std::vector<Expr> indices = tile_.indices(of_thread, row_places[static_cast<std::size_t>(r)],
                                                      column_places[static_cast<std::size_t>(c)], true);
      const Expr is_row = indices[indices.size() - 2] < tile_.rows.extent;
      const Expr is_column = indices.back() < tile_.columns.extent;
      of_thread.if_then(of_thread.lower(is_row & is_column), [&] {
        const Expr number = of_thread.lower(linear(of_thread, indices, tile_.dims));
        result(of_thread.at_element(number), indices, number,
               place_of(of_thread, r, c, chain_ > 0 ? t : Expr()));
      });
    });
  }
  void result(const Emitter& e, const std::vector<Expr>& indices, Expr number, Expr place) {
    const std::vector<Expr> totals = parts::load_all(e, chain_ > 0 ? outer_ : accumulators_, place, "total");
    e.if_then_else(
        tile_.has_parts,
        [&] {
          const std::vector<Var> partials = schedule::memory_of_combines(at_.nest());
          const Expr points = schedule::product(arena_, tile_.dims);
          parts::store_all(e, partials, e.lower(tile_.part * points + number), totals);
        },
        [&] {
          const soac::Applied body = soac::apply(arena_, tile_.map.body, indices);
          finish(e, body.body[0], totals);
          leave_results(e, at_.computes(), body.results, number);
        });
  }

  const Phase& at_;
  scalar::Arena& arena_;
  ProductTile tile_;
  std::int64_t chain_ = 0;   // points that the accumulators of a thread take before outer ones; 0: all
  std::vector<Expr> names_;  // what stands for the operand of each stage
  soac::Lambda reading_;     // the map, its reduction mentioning them
  std::vector<Var> accumulators_, outer_;  // of each component
};

}  // namespace

void walk_products(const Phase& phase) {
  Products{phase}();
}

}  // namespace fulgurite::walk::blocks
