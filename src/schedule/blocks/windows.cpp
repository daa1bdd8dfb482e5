#include "schedule/blocks/windows.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/blocks/points.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Op;

// The reads of a body that may share windows, in its order.
class Reads {
 public:
  Reads(scalar::Arena& arena, const soac::Soac& op)
      : arena_(arena), op_(op), n_staged_(std::min<std::size_t>(op.dims.size(), 2)) {
    soac::add_bound(op.body, bound_);
    const std::span<const Var> params = op.body.params;
    staged_ = params.last(n_staged_);
    for (Var outer : params.first(params.size() - n_staged_)) bound_.erase(outer);
  }

  std::size_t n_staged() const { return n_staged_; }

  void for_each(const std::function<void(Expr read)>& visit) const {
    std::vector<Expr> roots;
    soac::for_each_root(op_.body, [&](Expr root) { roots.push_back(root); });
    scalar::for_each_node(roots, [&](Expr e) {
      if (e.op() == Op::index && e.site() == 0) visit(e);
    });
  }

  // A window of this read alone.
  std::optional<Window> window(Expr read) const {
    const Var array = read.arg(0).var();
    const std::span<const Expr> indices = read.args().subspan(1);
    if (indices.size() < n_staged_) return {};
    const auto outer = indices.first(indices.size() - n_staged_);
    if (!std::ranges::all_of(outer, [&](Expr index) { return is_known(index); })) return {};
    std::vector<Expr> base;
    for (std::size_t k = 0; k < n_staged_; ++k) {
      const auto affine = scalar::affine_in(arena_, indices[outer.size() + k], staged_[k]);
      if (!affine || !affine->coefficient.is_constant(1) || !is_known(affine->base)) return {};
      base.push_back(affine->base);
    }
    const std::vector<std::int64_t> none(n_staged_);
    return Window{array, {outer.begin(), outer.end()}, base, none, none, {{read, none}}};
  }

  // The window with the reads of another one, where those are at constant distances.
  std::optional<Window> joined(const Window& w, const Window& more) const {
    if (w.array != more.array || w.outer != more.outer) return {};
    Window wider = w;
    wider.reads.push_back({more.reads[0].element, {}});
    for (std::size_t k = 0; k < n_staged_; ++k) {
      const Expr distance = more.base[k] - w.base[k];
      if (!distance.is_constant()) return {};
      const auto d = static_cast<std::int64_t>(distance.bits());
      wider.low[k] = std::min(w.low[k], d);
      wider.high[k] = std::max(w.high[k], d);
      wider.reads.back().distance.push_back(d);
    }
    return wider;
  }

 private:
  // Known where the block begins, and without a failure.
  bool is_known(Expr e) const {
    bool known = true;
    scalar::for_each_node(std::span(&e, 1), [&](Expr part) {
      known &= part.op() != Op::index && part.op() != Op::div && part.op() != Op::rem &&
               !(part.is_name() && bound_.contains(part.var()));
    });
    return known;
  }

  scalar::Arena& arena_;
  const soac::Soac& op_;
  const std::size_t n_staged_;
  std::span<const Var> staged_;  // the parameters of the last axes
  soac::Vars bound_;             // what has another value at the next point
};

std::optional<Strip> strip_of(const Surroundings& at, std::size_t n_staged, std::span<const Window> windows) {
  std::int64_t rows = 0, columns = 0, bytes = 0;
  for (const Window& w : windows) {
    if (n_staged > 1) rows = std::max(rows, w.around(0));
    columns = std::max(columns, w.around(n_staged - 1));
    bytes += static_cast<std::int64_t>(size_of(at.arena.info(w.array).type.kind));
  }
  return choose_strip(at, n_staged > 1, rows, columns, bytes);
}

bool has_branches_only(const soac::Lambda& f) {
  return std::ranges::all_of(f.body, [](const soac::Stm& s) {
    if (base::as<soac::Soac>(s.op) || base::as<soac::Loop>(s.op) || base::as<soac::Scan>(s.op)) return false;
    return std::ranges::all_of(soac::nested_in(s),
                               [](const auto& n) { return has_branches_only(*n.lambda); });
  });
}

bool may_have_windows(const soac::Soac& op) {
  const bool has_places = !op.scatters.empty() || !op.partitions.empty();
  const auto is_element = [](Expr result) { return result.type().rank == 0; };
  if (op.dims.empty() || has_places || !std::ranges::all_of(op.body.results, is_element)) return false;
  return std::ranges::none_of(op.reductions, in_order) && !makes_arrays(op) && has_branches_only(op.body);
}

}  // namespace

// In a wide strip the points read around it cost little beside the strip itself. Narrow strips give more
// blocks.
std::optional<Strip> choose_strip(const Surroundings& at, bool has_rows, std::int64_t rows,
                                  std::int64_t columns, std::int64_t bytes) {
  const BlocksPolicy& by = at.policy.blocks;
  const auto fits = [&](std::int64_t window) { return window * bytes <= most_of_tiles(at); };
  const std::int64_t least = by.strip_share * columns;
  if (!has_rows) {
    for (std::int64_t n = by.strip_points; n <= by.strip_most_points; n *= 2) {
      // A window begins where a warp's elements do.
      const std::int64_t window = (n + columns + warp - 1) / warp * warp + warp;
      if (n >= least && fits(window)) return Strip{n, 1, window};
    }
    return {};
  }
  for (std::int64_t n = by.strip_columns; n >= std::max(by.strip_least_columns, least); n /= 2)
    for (std::int64_t window = by.window_elements; window <= by.window_most_elements && fits(window);
         window *= 2) {
      // So do its rows, and the rows after them.
      const std::int64_t at_once = window / (n + columns + 2 * (warp - 1)) - rows;
      if (at_once >= by.window_rows) return Strip{n, std::max(by.strip_share * rows, by.strip_rows), window};
    }
  return {};
}

Windows choose_windows(const Surroundings& at, const soac::Soac& op) {
  if (!may_have_windows(op)) return {};
  const Reads reads(at.arena, op);
  std::vector<Window> found;
  reads.for_each([&](Expr read) {
    const std::optional<Window> alone = reads.window(read);
    if (!alone) return;
    for (Window& w : found)
      if (auto wider = reads.joined(w, *alone);
          wider && strip_of(at, reads.n_staged(), std::span(&*wider, 1))) {
        w = std::move(*wider);
        return;
      }
    found.push_back(*alone);
  });
  std::erase_if(found, [](const Window& w) { return w.reads.size() < 2; });
  for (; !found.empty(); found.pop_back())
    if (const auto strip = strip_of(at, reads.n_staged(), found)) return {std::move(found), *strip};
  return {};
}

std::vector<Window> windows_of(scalar::Arena& arena, const soac::Soac& op, std::span<const Stage> stages) {
  const Reads reads(arena, op);
  std::vector<Window> all;
  std::vector<std::span<const Around>> limits;
  for (const Stage& stage : stages)
    if (!stage.around.empty())
      if (auto window = reads.window(stage.read)) {
        all.push_back(std::move(*window));
        limits.emplace_back(stage.around);
      }
  const auto reaches = [](const Window& w, std::span<const Around> limit) {
    for (std::size_t k = 0; k < limit.size(); ++k)
      if (w.low[k] < limit[k].low || w.high[k] > limit[k].high) return false;
    return true;
  };
  reads.for_each([&](Expr read) {
    const std::optional<Window> alone = reads.window(read);
    for (std::size_t k = 0; alone && k < all.size(); ++k) {
      if (read == all[k].reads[0].element) return;
      auto wider = reads.joined(all[k], *alone);
      if (!wider || !reaches(*wider, limits[k])) continue;
      all[k] = std::move(*wider);
      return;
    }
  });
  return all;
}

}  // namespace fulgurite::schedule
