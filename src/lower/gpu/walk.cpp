#include "lower/gpu/walk.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/check.h"
#include "base/match.h"
#include "lower/gpu/compaction.h"
#include "lower/gpu/levels.h"
#include "lower/gpu/posts.h"
#include "lower/gpu/rest.h"
#include "lower/gpu/row_major.h"
#include "lower/gpu/shared_bins.h"
#include "lower/gpu/wide.h"
#include "schedule/rewrites/slice.h"
#include "soac/layout.h"
#include "soac/linear.h"
#include "soac/rename.h"
#include "soac/walk.h"
#include "walk/points.h"

namespace fulgurite::lower::gpu {

namespace {

using soac::Layout;

class Walk {
 public:
  Walk(Launches& launches, const Emitter& e, const soac::Stm& s, const Block& block, const Run& run,
       const Policy& policy, const Entry& entry, const Sinks& sinks)
      : e_(e),
        arena_(e.arena()),
        s_(s),
        soac_(std::get<soac::Soac>(s.op)),
        layout_(soac::layout_of(soac_)),
        block_(block),
        run_(run),
        items_(policy.items),
        bin_passes_(policy.bin_passes),
        neighbours_(policy.neighbours),
        entry_(entry),
        sinks_(sinks),
        dims_(e.lower(soac_.dims)),
        linear_(soac_.dims.size() > 1 && soac::is_linear(soac_, arena_, launches.sizes())),
        is_small_(e.lower(arena_.lt(launches.product(soac_.dims), i64(std::int64_t{1} << 32)))) {}

  Ends operator()() {
    find_ordered();
    find_rest();
    FULGURITE_CHECK(posts_.empty() || items_ == 1, "a thread posts {} points", items_);
    Ends ends;
    choose_bins();
    fill(e_, block_, bins_, [&] { ordered_.empty() && posts_.empty() ? unordered() : tiled(); });
    std::size_t next = 0, group = 0;
    for (const soac::Reduction& r : soac_.reductions) {
      for (std::size_t k = 0; k < r.op.results.size(); ++k)
        ends.totals.push_back(in_order(r) ? e_.snapshot(folded_[group].so_far[k], "total")
                                          : e_.load_plain(totals_[next++], i64(0), "total"));
      if (in_order(r)) ++group;
    }
    for (const auto& variables : scanned_) {
      ends.scans.emplace_back();
      for (Expr variable : variables) ends.scans.back().push_back(e_.snapshot(variable, "so_far"));
    }
    return ends;
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  std::int64_t tile() const { return std::int64_t{block_.threads} * items_; }
  const soac::Soac& rest() const { return std::get<soac::Soac>(rest_.op); }

  // ---- what is what

  struct Level {
    std::vector<Ordered> groups;
    std::vector<Expr> operands;            // of all of them; those of reductions once
    std::vector<Var> buffers;              // where each of these is
    std::vector<std::vector<Expr>> names;  // of each group: what stands for a Scan's values in the body
  };

  void find_ordered() {
    for (Expr e : read_again(soac_)) {
      Read read{e, arena_.fresh(e.type(), "again"), e_.allocate_shared(e.kind(), tile())};
      again_by_node_.emplace(e.id(), again_.size());
      again_.push_back(read);
    }
    const std::vector<const soac::Stm*> scans = schedule::scans_of(soac_.body);
    const std::vector<int> levels = levels_of(soac_.body);
    Levels by_name;
    for (std::size_t k = 0; k < scans.size(); ++k) {
      const auto& scan = std::get<soac::Scan>(scans[k]->op);
      by_name.emplace(scans[k]->names[0], levels[k]);
      Level& level = at(levels[k]);
      Ordered o{&scan.reduction, {}, {}, {}, true, scan.inclusive};
      add(o, level, entry_.scans[k], scan.operands);
      scanned_.push_back(o.so_far);
      std::vector<Expr> names;
      for (Var name : scans[k]->names) {
        names.push_back(arena_.fresh(arena_.info(name).type, arena_.info(name).name));
        scan_values_.emplace(name, names.back());
      }
      level.groups.push_back(std::move(o));
      level.names.push_back(std::move(names));
    }
    for (std::size_t g = 0; g < soac_.reductions.size(); ++g) {
      const soac::Reduction& r = soac_.reductions[g];
      if (!in_order(r)) continue;
      const auto operands = std::span(soac_.body.results)
                                .subspan(layout_.reductions[g].result, layout_.reductions[g].n_results);
      Level& level = at(level_of(soac_.body, operands, by_name));
      Ordered o{&r, {}, {}, {}};
      add(o, level, e_.lower(r.neutral), operands);
      folded_.push_back(o);
      level.groups.push_back(std::move(o));
      level.names.emplace_back();
    }
  }

  Level& at(int level) {
    const auto number = static_cast<std::size_t>(level);
    if (ordered_.size() <= number) ordered_.resize(number + 1);
    return ordered_[number];
  }

  // The components get memory. A Scan's values become what it binds; equal values of reductions share theirs.
  void add(Ordered& o, Level& level, std::span<const Expr> start, std::span<const Expr> operands) {
    for (std::size_t k = 0; k < start.size(); ++k) {
      o.so_far.push_back(e_.declare(start[k], "so_far"));
      const auto same = folded_values_.find(operands[k].id());
      if (!o.is_scan && same != folded_values_.end()) {
        o.values.push_back(same->second);
      } else {
        o.values.push_back(e_.allocate_shared(start[k].kind(), tile()));
        level.operands.push_back(operands[k]);
        level.buffers.push_back(o.values.back());
        if (!o.is_scan) folded_values_.emplace(operands[k].id(), o.values.back());
      }
      o.totals.push_back(e_.allocate_shared(start[k].kind(), block_.threads));
    }
  }

  // The part of the body that these results need, with the Scans' values for the Scans; and unless it comes
  // first, with what has been read before.
  soac::Lambda part(std::vector<Expr> results, bool is_first) {
    soac::Lambda f = schedule::slice(arena_, soac_.body, std::move(results));
    std::erase_if(f.body, [](const soac::Stm& s) { return base::as<soac::Scan>(s.op) != nullptr; });
    if (is_first || (scan_values_.empty() && again_.empty())) return f;
    scalar::Substitution substitute(arena_, [&](Expr e) {
      const auto read = again_by_node_.find(e.id());
      if (read != again_by_node_.end()) return again_[read->second].name;
      const auto found = e.is_name() ? scan_values_.find(e.var()) : scan_values_.end();
      return found == scan_values_.end() ? Expr() : found->second;
    });
    soac::substitute_in(f, substitute);
    return f;
  }

  // ---- steps

  // Nothing waits for a Scan: one step computes what is folded in order, and everything else.
  bool is_one_step() const { return !ordered_.empty() && scanned_.empty(); }

  void find_rest() {
    Rest found = rest_of(e_, s_, sinks_.scatters, tile());
    posts_ = std::move(found.posts), updates_ = std::move(found.updates);
    rest_ = std::move(found.stm);
    std::vector<Expr>& results = std::get<soac::Soac>(rest_.op).body.results;
    if (is_one_step()) {
      name_staged(rest_, ordered_[0].operands);
      results.insert(results.end(), ordered_[0].operands.begin(), ordered_[0].operands.end());
    } else if (!ordered_.empty()) {
      const Layout::Part mapped = soac::layout_of(rest()).mapped;
      const std::vector<bool> early = are_early(soac_);
      for (std::size_t k = layout_.mapped.n_results; k-- > 0;) {
        if (!early[k]) continue;
        early_.emplace_back(rest_.names[mapped.name + k], results[mapped.result + k]);
        rest_.names.erase(rest_.names.begin() + static_cast<std::ptrdiff_t>(mapped.name + k));
        results.erase(results.begin() + static_cast<std::ptrdiff_t>(mapped.result + k));
      }
    }
    std::get<soac::Soac>(rest_.op).body = part(results, ordered_.empty() || is_one_step());
  }

  // ---- points

  void at_point(const Emitter& of_thread, const soac::Stm& s, Expr number, const Running& running) {
    std::vector<Expr> indices(dims_.size());
    const Emitter e = of_thread.at_element(number);
    if (dims_.size() > 1 && linear_) {
      for (Expr& index : indices) index = e.placeholder();
      return point(e.with_identity({indices, number}), s, indices, number, running);
    }
    if (dims_.size() == 1) indices[0] = number;
    if (dims_.size() > 1) indices = indices_of(e, number, dims_, is_small_);
    point(e, s, indices, number, running);
  }

  Running start(const Emitter& of_thread) {
    Running running{walk::start(of_thread, rest()), {}, 0, {}};
    running.update = [this](const Emitter& e, std::size_t scatter, Expr number, Running::Elements elements,
                            std::span<const Expr> values) {
      if (const auto bins = bins_.find(scatter); bins != bins_.end())
        return bins->second.update(e, elements[0].second, values[0]);
      if (const auto dense = dense_.find(scatter); dense != dense_.end())
        return dense->second.update(e, elements[0].second, values);
      update(e, updates_[scatter], number, elements, values);
    };
    return running;
  }

  void choose_bins() {
    for (const auto& [number, how] : updates_)
      if (how.how == Update::How::atomic && bins_.size() < most_bins) {
        const soac::Scatter& scatter = rest().scatters[number];
        Var array = rest_.names[soac::layout_of(rest()).scatters[number].name];
        Expr n_points = e_.lower(arena_.sub(run_.end, run_.begin));
        bins_.emplace(number,
                      SharedBins(e_, e_.destination(array).buffer, scatter, how.what, n_points, bin_passes_));
      }
  }

  void open_dense() {
    for (const auto& [number, how] : updates_) {
      if (how.how != Update::How::ranked) continue;
      const Layout::Part part = soac::layout_of(rest()).scatters[number];
      std::vector<Var> arrays;
      for (std::size_t k = 0; k < part.n_names; ++k)
        arrays.push_back(e_.destination(rest_.names[part.name + k]).buffer);
      dense_.emplace(number, Compaction(e_, arrays, tile()));
    }
  }

  // ---- in any order

  void unordered() {
    for (const soac::Reduction& r : rest().reductions)
      for (Expr neutral : r.neutral) totals_.push_back(e_.allocate_shared(neutral.kind(), block_.threads));
    const Expr n = i64(block_.threads);
    par(e_, block_, [&](const Emitter& e, Expr t) {
      const Running running = start(e);
      const bool together = takes_neighbours();
      auto stride = [&](Expr from, Expr to, const Running& into) {
        if (together)
          return in_runs(e, block_, neighbours_, t, from, to, [&](Expr i) { at_point(e, rest_, i, into); });
        Expr first = e.bind(arena_.add(from, t), "first");
        e.for_loop(first, to, n, "i", [&](Expr i) { at_point(e, rest_, i, into); });
      };
      if (has_floats()) {
        // A float accumulator takes so many additions before it is added to another one: errors grow with
        // the sum of the two lengths instead of their product.
        constexpr std::int64_t chain = 16;
        const Expr step = i64(chain * block_.threads);
        e.for_loop(run_.begin, run_.end, step, "from", [&](Expr from) {
          Expr to = e.bind(arena_.min(arena_.add(from, step), run_.end), "to");
          Running inner = start(e);
          stride(from, to, inner);
          for (std::size_t g = 0; g < inner.reductions.size(); ++g) {
            std::vector<Expr> part;
            for (Expr variable : inner.reductions[g]) part.push_back(e.snapshot(variable, "part"));
            join(e, rest().reductions[g], running.reductions[g], part);
          }
        });
      } else {
        stride(run_.begin, run_.end, running);
      }
      save(e, running, t);
    });
    join_totals();
  }

  bool takes_neighbours() const {
    const Layout::Part mapped = soac::layout_of(rest()).mapped;
    const auto made = std::span(rest_.names).subspan(mapped.name, mapped.n_names);
    return neighbours_ > 1 && (dims_.size() == 1 || linear_) && lie_at_their_numbers(e_, made);
  }

  bool has_floats() const {
    return std::ranges::any_of(rest().reductions, [](const soac::Reduction& r) {
      return std::ranges::any_of(r.neutral, [](Expr e) { return is_float(e.kind()); });
    });
  }

  void save(const Emitter& e, const Running& running, Expr t) {
    std::size_t next = 0;
    for (const auto& group : running.reductions)
      for (Expr variable : group) {
        Expr value = e.snapshot(variable, "acc");
        e.store_plain(totals_[next++], t, value);
      }
  }

  void join_totals() {
    if (totals_.empty()) return;
    sync(e_);
    join_all(e_, block_, rest(), totals_);
  }

  // ---- tile by tile

  void tiled() {
    for (const soac::Reduction& r : rest().reductions)
      for (Expr neutral : r.neutral) totals_.push_back(e_.allocate_shared(neutral.kind(), block_.threads));
    if (!totals_.empty()) par(e_, block_, [&](const Emitter& e, Expr t) { save(e, start(e), t); });
    for (const Posts& posts : posts_)
      if (!posts.is_partition)
        own_bins_.try_emplace(posts.number, e_, block_, soac_.scatters[posts.number],
                              sinks_.scatters[posts.number].bins,
                              bins_.size() + own_bins_.size() < most_bins);
    open_dense();
    std::vector<soac::Stm> staged;
    for (const Level& level : ordered_)
      if (!is_one_step()) staged.push_back(staged_of(level, staged.empty()));
    const bool has_rest = ordered_.empty() || (!is_one_step() && !rest().body.results.empty());
    e_.for_loop(run_.begin, run_.end, i64(tile()), "tile", [&](Expr from) {
      Expr base = e_.bind(arena_.sub(i64(0), from), "base");
      Expr n = e_.bind(arena_.min(arena_.sub(run_.end, from), i64(tile())), "n");
      for (std::size_t l = 0; l < ordered_.size(); ++l) {
        if (is_one_step())
          points(from, n, base);
        else
          stage(staged[l], l, from, n, base);
        sync(e_);
        const std::vector<Ordered>& groups = ordered_[l].groups;
        FindBefore find_before;
        if (l < sinks_.published.size())
          find_before = [&](const auto& totals) {
            look_back(e_, block_, sinks_.published[l], groups, totals);
          };
        const auto before = fold_tile(e_, block_, items_, n, groups, find_before);
        for (std::size_t g = 0; g < groups.size(); ++g)
          for (auto& [scatter, dense] : dense_)
            if (groups[g].is_scan && groups[g].so_far[0] == scanned_[updates_[scatter].rank][0])
              dense.begin_tile(before[g][0], e_.snapshot(groups[g].so_far[0], "end"));
      }
      if (has_rest) {
        points(from, n, base);
        sync(e_);
        for (const auto& [scatter, dense] : dense_) dense.flush(e_, block_);
      }
      for (const Posts& posts : posts_) put(posts);
    });
    for (const auto& [scatter, bins] : own_bins_) bins.flush(e_, block_);
    join_totals();
  }

  soac::Stm staged_of(const Level& level, bool is_first) {
    std::vector<Expr> results = level.operands;
    if (is_first)
      for (const Read& read : again_) results.push_back(read.element);
    soac::Stm s{{}, {}, s_.where, s_.origin};
    name_staged(s, results);
    if (is_first)
      for (const auto& [name, result] : early_) {
        s.names.push_back(name);
        results.push_back(result);
      }
    s.op = soac::Soac{soac_.dims, part(std::move(results), is_first)};
    return s;
  }

  void name_staged(soac::Stm& s, std::span<const Expr> values) {
    for (Expr value : values) s.names.push_back(arena_.fresh_array(value.kind(), {i64(0)}, "staged").var());
  }

  // body(place in the tile, number of the point) for the points of the tile.
  void for_tile(const Emitter& e, Expr t, Expr from, Expr n,
                const std::function<void(Expr at, Expr number)>& body) {
    e.for_loop(t, n, i64(block_.threads), "at",
               [&](Expr at) { body(at, e.bind(arena_.add(from, at), "number")); });
  }

  // The values of the Scans below a level, and what was read for the first.
  void bind_staged(const Emitter& e, std::size_t n_levels, Expr at) {
    for (const Read& read : again_)
      if (n_levels > 0) e.bind_name(read.name.var(), e.load_plain(read.buffer, at, "again"));
    for (std::size_t l = 0; l < n_levels; ++l)
      for (std::size_t g = 0; g < ordered_[l].groups.size(); ++g)
        for (std::size_t k = 0; k < ordered_[l].names[g].size(); ++k)
          e.bind_name(ordered_[l].names[g][k].var(),
                      e.load_plain(ordered_[l].groups[g].values[k], at, "scanned"));
  }

  // Where the operands of a level, which have these names, are in shared memory.
  void place_operands(std::span<const Var> names, std::size_t level, Expr base) {
    for (std::size_t k = 0; k < names.size(); ++k)
      e_.set_destination(names[k], {ordered_[level].buffers[k], base});
  }

  void stage(const soac::Stm& s, std::size_t level, Expr from, Expr n, Expr base) {
    std::size_t next = ordered_[level].operands.size();
    place_operands(std::span(s.names).first(next), level, base);
    if (level == 0)
      for (const Read& read : again_) e_.set_destination(s.names[next++], {read.buffer, base});
    par(e_, block_, [&](const Emitter& e, Expr t) {
      for_tile(e, t, from, n, [&](Expr at, Expr number) {
        bind_staged(e, level, at);
        at_point(e, s, number, {});
      });
    });
  }

  void points(Expr from, Expr n, Expr base) {
    for (const Posts& posts : posts_)
      for (std::size_t k = 0; k < posts.names.size(); ++k)
        e_.set_destination(posts.names[k], {posts.buffers[k], base});
    if (is_one_step()) place_operands(std::span(rest_.names).last(ordered_[0].operands.size()), 0, base);
    par(e_, block_, [&](const Emitter& e, Expr t) {
      Running running = start(e);
      std::size_t next = 0;
      for (const auto& group : running.reductions)
        for (Expr variable : group) e.assign(variable, e.load_plain(totals_[next++], t, "acc"));
      for (const Posts& posts : posts_) e.store_plain(posts.buffers[0], t, i64(-1));
      for_tile(e, t, from, n, [&](Expr at, Expr number) {
        bind_staged(e, ordered_.size(), at);
        at_point(e, rest_, number, running);
      });
      save(e, running, t);
    });
  }

  // ---- what is posted

  void put(const Posts& posts) {
    if (!posts.is_partition) return own_bins_.at(posts.number).combine(e_, block_, posts.buffers);
    const Layout::Part& part = layout_.partitions[posts.number];
    std::vector<Var> arrays;
    for (std::size_t k = 2; k < part.n_names; ++k)
      arrays.push_back(e_.destination(s_.names[part.name + k]).buffer);
    deal(e_, block_, posts.buffers, sinks_.tables[posts.number], arrays);
  }

  const Emitter e_;
  scalar::Arena& arena_;
  const soac::Stm& s_;
  const soac::Soac& soac_;
  const Layout layout_;
  const Block& block_;
  const Run& run_;
  const int items_, bin_passes_, neighbours_;
  const Entry& entry_;
  const Sinks& sinks_;
  const std::vector<Expr> dims_;
  const bool linear_;
  const Expr is_small_;  // every number of a point, and every extent, fits into 32 bits
  std::vector<Level> ordered_;
  std::vector<Ordered> folded_;                           // the reductions among them
  std::unordered_map<std::uint32_t, Var> folded_values_;  // their values, by the operand's node
  std::vector<std::vector<Expr>> scanned_;                // what the Scans go on from
  std::unordered_map<Var, Expr> scan_values_;
  struct Read {  // once, for several steps
    Expr element, name;
    Var buffer;
  };
  std::vector<Read> again_;
  std::unordered_map<std::uint32_t, std::size_t> again_by_node_;
  std::vector<Posts> posts_;
  std::map<std::size_t, Update> updates_;  // of the scatters that are left
  soac::Stm rest_;
  std::vector<std::pair<Var, Expr>> early_;  // mapped results of the first step, where that is not all
  std::map<std::size_t, SharedBins> bins_;   // of the atomic ones among those
  std::map<std::size_t, Compaction> dense_;  // of the ranked ones
  std::map<std::size_t, OwnBins> own_bins_;  // of those whose values are combined in the points' order
  std::vector<Var> totals_;  // of the threads, for each component of the reductions in any order
};

}  // namespace

Ends walk(Launches& launches, const Emitter& e, const soac::Stm& s, const Block& block, const Run& run,
          const Policy& policy, const Entry& entry, const Sinks& sinks) {
  return Walk(launches, e, s, block, run, policy, entry, sinks)();
}

}  // namespace fulgurite::lower::gpu
