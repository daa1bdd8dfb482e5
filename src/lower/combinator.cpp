#include "lower/combinator.h"

#include <algorithm>

#include "base/match.h"
#include "lower/block_loop.h"
#include "lower/carry.h"
#include "lower/grid.h"
#include "lower/lift.h"
#include "lower/slice.h"
#include "soac/layout.h"
#include "soac/walk.h"

namespace fulgurite::lower {

namespace {

using kernel::Level;
using soac::Layout;

constexpr std::int64_t few_classes = 8;  // counted as so many reductions, in lanes

class Combinator {
 public:
  Combinator(Launches& launches, const soac::Stm& original)
      : launches_(launches),
        arena_(launches.arena()),
        host_(launches.host()),
        original_(original),
        s_(lift_missing_neutral(arena_, original)),
        op_(std::get<soac::Soac>(s_.op)),
        layout_(soac::layout_of(op_)),
        policy_(choose(arena_, op_, launches.sizes(), launches.options().target)),
        in_order_(depends_on_order(op_)),
        e_(launches.emitter()) {}

  void run() {
    grid_ = in_order_ ? points_grid(launches_, op_, policy_) : tiles_grid(launches_, op_, policy_);
    name_memory();
    kernel::Block phases = e_.block([&] {
      fill();
      if (!scans_.empty() || !op_.partitions.empty()) fold_and_carry();
      main();
      last();
      places();
    });
    allocate();
    Expr read = i64(0);
    for (const Emitter::FreeBuffer& buffer : e_.free_buffers())
      if (buffer.param.role == kernel::Param::Role::input)
        read = arena_.add(read, launches_.bytes(buffer.array));
    // In explanations as if all was copied; in the plan as it is.
    Expr written = written_, copied = i64(0);
    const Expr n_points = launches_.product(op_.dims);
    for (const Copy& copy : copies_) {
      const Kind kind = arena_.info(copy.array).type.kind;
      Expr stored = arena_.mul(n_points, i64(static_cast<std::int64_t>(size_of(kind))));
      Expr spared = arena_.mul(arena_.sub(i64(1), copy.fresh), launches_.bytes(copy.array));
      copied = arena_.add(copied, spared);
      written = arena_.add(written, arena_.sub(stored, spared));
    }
    LaunchNote note{0, s_.origin, s_.where, policy_, {}};
    note.names = original_.names;
    note.bytes_read = read;
    note.bytes_written = written_;
    launches_.launch(name(), e_, std::move(phases), tasks_, arena_.sub(read, copied), written,
                     std::move(note));
    bind();
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Var temporary(Kind kind, Expr size, std::string name) {
    temporaries_.push_back(arena_.fresh_array(kind, {size}, std::move(name)).var());
    return temporaries_.back();
  }
  std::vector<Var> names(const Layout::Part& part) const {
    auto from = s_.names.begin() + static_cast<std::ptrdiff_t>(part.name);
    return {from, from + static_cast<std::ptrdiff_t>(part.n_names)};
  }
  std::span<const Expr> results(const Layout::Part& part) const {
    return std::span(op_.body.results).subspan(part.result, part.n_results);
  }
  bool is_original(Var name) const {
    return std::ranges::find(original_.names, name) != original_.names.end();
  }

  void phase(Expr tasks, const std::function<void(Expr)>& body) {
    tasks_.push_back(tasks);
    e_.par(Level::grid, tasks, "task", [&](Expr task) {
      e_.set_task(task, tasks);
      body(task);
    });
  }

  // ---- memory

  void name_memory() {
    for (const soac::Stm* s : scans_of(op_.body)) {
      Scan scan{s, &std::get<soac::Scan>(s->op), {}};
      for (Expr x : scan.op->operands) scan.partials.push_back(temporary(x.kind(), grid_.tasks, "carry"));
      scans_.push_back(std::move(scan));
    }
    for (std::size_t g = 0; g < op_.reductions.size(); ++g) {
      Total& total = totals_.emplace_back();
      total.scan = scan_like(arena_, op_, layout_, g);
      for (Expr x : op_.reductions[g].neutral) {
        total.outputs.push_back(temporary(x.kind(), i64(1), "total"));
        if (total.scan < 0) total.partials.push_back(temporary(x.kind(), grid_.tasks, "partial"));
      }
    }
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      const soac::Scatter& scatter = op_.scatters[g];
      Expr size = launches_.product(scatter.shape);
      for (Var array : names(layout_.scatters[g])) {
        if (is_original(array)) arrays_.push_back(array);
        if (!scatter.combine.empty())
          bins_.push_back(temporary(arena_.info(array).type.kind, arena_.mul(grid_.tasks, size), "bins"));
      }
    }
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      const std::vector<Var> bound = names(layout_.partitions[g]);
      const soac::Partition& p = op_.partitions[g];
      counts_.push_back(temporary(Kind::i64, arena_.mul(grid_.tasks, p.classes), "counts"));
      kept_.push_back(temporary(Kind::i64, i64(1), "kept"));
      arrays_.push_back(bound[1]);
      sorted_.insert(sorted_.end(), bound.begin() + 2, bound.end());
    }
    for (Var array : names(layout_.mapped)) arrays_.push_back(array);
    const Expr n_points = launches_.product(op_.dims);
    written_ = i64(0);
    for (Var array : arrays_) written_ = arena_.add(written_, launches_.bytes(array));
    for (Var array : sorted_)
      written_ = arena_.add(
          written_,
          arena_.mul(n_points, i64(static_cast<std::int64_t>(size_of(arena_.info(array).type.kind)))));
    for (Var array : arrays_) e_.set_destination(array, {array, {}});
    for (Var array : sorted_) e_.set_destination(array, {array, {}});
  }

  void allocate() {
    for (Var array : arrays_)
      if (std::ranges::find(copies_, array, &Copy::array) == copies_.end()) launches_.allocate(array);
    const std::vector<Expr> capacity{launches_.product(op_.dims)};
    for (Var array : sorted_) launches_.allocate(array, capacity);
    for (Var array : temporaries_) launches_.allocate(array);
    for (const Copy& copy : copies_) {
      const scalar::VarInfo& info = arena_.info(copy.array);
      const plan::Place to = host_.fresh_place();
      const plan::Slot fresh = host_.fresh_slot();
      host_.bind(copy.fresh.var(), fresh);
      host_.append(plan::Reuse{to, host_.place(copy.from), info.type.kind, host_.slots(info.shape), fresh});
      host_.bind_place(copy.array, to);
    }
  }

  // ---- phases

  // An array that begins as a copy of another, element by element, and may take its memory.
  struct Copy {
    Var array, from;
    Expr fresh;  // 0: it has
  };

  void fill() {
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      const soac::Scatter& scatter = op_.scatters[g];
      if (!scatter.combine.empty()) continue;
      const std::vector<Var> made = names(layout_.scatters[g]);
      soac::Lambda computed = scatter.initial;
      std::vector<Var> arrays;
      computed.results.clear();
      for (std::size_t k = 0; k < made.size(); ++k) {
        Expr element = scatter.initial.results[k];
        if (!is_copy(scatter, element)) {
          computed.results.push_back(element);
          arrays.push_back(made[k]);
          continue;
        }
        Expr fresh = arena_.fresh({Kind::i64}, "fresh");
        copies_.push_back({made[k], element.arg(0).var(), fresh});
        map_over_places({scatter.initial.params, {}, {element}}, scatter.shape, {made[k]}, fresh);
      }
      if (!arrays.empty()) map_over_places(computed, scatter.shape, std::move(arrays), i64(1));
    }
  }

  // Reads an array of this shape at its own place, and nothing but contents read in this phase reads it.
  bool is_copy(const soac::Scatter& scatter, Expr element) {
    if (element.op() != Op::index || !host_.has_place(element.arg(0).var())) return false;
    const Var from = element.arg(0).var();
    const soac::EqualSizes& sizes = launches_.sizes();
    if (sizes.canonical(arena_.info(from).shape) != sizes.canonical(scatter.shape)) return false;
    for (std::size_t d = 0; d < scatter.shape.size(); ++d)
      if (!element.arg(d + 1).is_name() || element.arg(d + 1).var() != scatter.initial.params[d])
        return false;
    soac::Stm others = s_;
    for (soac::Scatter& other : std::get<soac::Soac>(others.op).scatters)
      if (other.combine.empty()) other.initial = {};
    soac::Vars mentioned;
    soac::add_mentioned(others, mentioned);
    return !mentioned.contains(from);
  }

  // A phase that computes arrays of elements of their places.
  void map_over_places(const soac::Lambda& f, const std::vector<Expr>& shape, std::vector<Var> arrays,
                       Expr if_one) {
    soac::Stm map{std::move(arrays), soac::Soac{shape, f}, s_.where, s_.origin};
    const auto& op = std::get<soac::Soac>(map.op);
    const Policy policy = policy_of(op);
    Grid g = tiles_grid(launches_, op, policy);
    phase(arena_.mul(g.tasks, if_one), [&](Expr task) {
      stream_from(policy);
      block_loop(e_, map, tile_of(e_, g, policy, task), policy);
      e_.set_streaming({});
    });
  }

  void stream_from(const Policy& policy) {
    soac::Vars mentioned;
    soac::add_mentioned(s_, mentioned);
    std::vector<Var> inputs;
    for (Var name : mentioned)
      if (arena_.info(name).type.rank > 0 && host_.has_place(name)) inputs.push_back(name);
    std::sort(inputs.begin(), inputs.end());
    Expr touched = written_;
    for (Var array : inputs) touched = arena_.add(touched, launches_.bytes(array));
    e_.set_streaming(e_.lower(arena_.lt(i64(policy.streaming), touched)));
  }

  Range points_of(Expr task) {
    Range range;
    range.is_points = true;
    range.begin = e_.lower(arena_.mul(task, grid_.columns_per_task));
    range.end = e_.lower(arena_.min(arena_.add(range.begin, grid_.columns_per_task), grid_.columns));
    return range;
  }

  // Classes of a partition that depend on a Scan are counted when every tile knows what its Scans go on from.
  bool is_late(std::size_t partition) const {
    return has_scan(slice(arena_, op_.body, {results(layout_.partitions[partition])[0]}));
  }

  void fold_and_carry() {
    std::vector<std::size_t> early, late;
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) (is_late(g) ? late : early).push_back(g);
    // The partial result of the last tile is nobody's carry.
    Expr folded = early.empty() ? arena_.sub(grid_.tasks, i64(1)) : grid_.tasks;
    if (!scans_.empty() || !early.empty()) {
      phase(folded, [&](Expr task) { fold(task, scans_, early, {}); });
      phase(i64(1), [&](Expr) {
        for (const Scan& scan : scans_) carry(scan);
        for (std::size_t g : early) count_off(g);
      });
    }
    if (late.empty()) return;
    phase(grid_.tasks, [&](Expr task) { fold(task, {}, late, carried(task)); });
    phase(i64(1), [&](Expr) {
      for (std::size_t g : late) count_off(g);
    });
  }

  struct Scan {
    const soac::Stm* stm;
    const soac::Scan* op;
    std::vector<Var> partials;  // of each component, one for each tile; then what the tile goes on from
  };

  // Partial results of Scans and the numbers of points of each class, over one tile.
  void fold(Expr task, const std::vector<Scan>& scans, const std::vector<std::size_t>& partitions,
            Entry entry) {
    soac::Soac op{op_.dims, {}};
    std::vector<Expr> wanted, classes;
    for (const Scan& scan : scans) {
      op.reductions.push_back(scan.op->reduction);
      op.reductions.back().initial.clear();
      wanted.insert(wanted.end(), scan.op->operands.begin(), scan.op->operands.end());
    }
    std::vector<std::pair<std::size_t, std::int64_t>> counted;  // by reductions: partition, class
    std::vector<Var> tabled;
    for (std::size_t g : partitions) {
      const soac::Partition& p = op_.partitions[g];
      Expr element_class = results(layout_.partitions[g])[0];
      if (p.classes.is_constant() && p.classes.bits() <= few_classes) {
        for (std::int64_t c = 0; c < static_cast<std::int64_t>(p.classes.bits()); ++c) {
          op.reductions.push_back(integer_sum(arena_));
          wanted.push_back(arena_.apply(Op::select, {arena_.eq(element_class, i64(c)), i64(1), i64(0)}));
          counted.emplace_back(g, c);
        }
      } else {
        op.partitions.push_back({p.classes, 0});
        classes.push_back(element_class);
        entry.partitions.push_back({{}, table(g, task)});
        clear(e_, p.classes, entry.partitions.back().table);
      }
    }
    wanted.insert(wanted.end(), classes.begin(), classes.end());
    const bool scans_run = !entry.scans.empty();
    std::vector<Expr> needed = wanted;
    if (scans_run)  // all of them: the carries are numbered as they are
      for (const soac::Stm* scan : scans_of(op_.body))
        for (Var name : scan->names) needed.push_back(arena_.name(name));
    op.body = slice(arena_, op_.body, needed);
    op.body.results = wanted;
    soac::Stm walk{{}, std::move(op), s_.where, s_.origin};
    const auto& walked = std::get<soac::Soac>(walk.op);
    for (Expr result : wanted) walk.names.push_back(arena_.fresh(result.type(), "partial").var());
    for (std::size_t k = 0; k < classes.size(); ++k)
      walk.names.push_back(arena_.fresh_array(Kind::i64, {i64(0)}, "offsets").var());
    Policy policy = choose(arena_, walked, launches_.sizes(), launches_.options().target);
    Ends ends = block_loop(e_, walk, points_of(task), policy, entry);
    std::size_t next = 0;
    for (const Scan& scan : scans)
      for (Var partial : scan.partials) e_.store_plain(partial, task, ends.totals[next++]);
    for (auto [g, c] : counted) {
      const Destination to = table(g, task);
      e_.store_plain(to.buffer, e_.lower(arena_.add(to.base, i64(c))), ends.totals[next++]);
    }
  }

  Destination table(std::size_t partition, Expr task) {
    return {counts_[partition], e_.lower(arena_.mul(task, op_.partitions[partition].classes))};
  }
  // partial[t] = initial op partial[0] op ... op partial[t - 1]
  void carry(const Scan& scan) {
    const soac::Reduction& r = scan.op->reduction;
    std::vector<Expr> so_far;
    for (Expr first : e_.lower(first_of(*scan.stm))) so_far.push_back(e_.declare(first, "so_far"));
    auto exchange = [&](Expr t) {
      for (std::size_t k = 0; k < so_far.size(); ++k)
        e_.store_plain(scan.partials[k], t, e_.snapshot(so_far[k], "so_far"));
    };
    Expr last = e_.lower(arena_.sub(grid_.tasks, i64(1)));
    e_.for_loop(i64(0), last, i64(1), "t", [&](Expr t) {
      std::vector<Expr> partial;
      for (Var array : scan.partials) partial.push_back(e_.load_plain(array, t, "partial"));
      exchange(t);
      e_.join(r, so_far, partial);
    });
    exchange(last);
  }
  std::vector<std::vector<Expr>> loaded(Expr task) {
    std::vector<std::vector<Expr>> groups;
    for (const Scan& scan : scans_) {
      groups.emplace_back();
      for (Var partial : scan.partials) groups.back().push_back(e_.load_plain(partial, task, "so_far"));
    }
    return groups;
  }
  Entry carried(Expr task) { return {loaded(task), {}}; }

  void count_off(std::size_t partition) {
    const Var offsets = names(layout_.partitions[partition])[1];
    Expr kept = lower::count_off(e_, {counts_[partition], {}}, grid_.tasks, op_.partitions[partition].classes,
                                 {offsets, {}});
    e_.store_plain(kept_[partition], i64(0), kept);
  }

  // The statement without the reductions that a Scan gives.
  soac::Stm main_statement() {
    soac::Stm s = s_;
    auto& op = std::get<soac::Soac>(s.op);
    for (std::size_t g = op.reductions.size(); g-- > 0;) {
      if (totals_[g].scan < 0) continue;
      const Layout::Part& part = layout_.reductions[g];
      auto drop = [](auto& list, std::size_t from, std::size_t n) {
        auto first = list.begin() + static_cast<std::ptrdiff_t>(from);
        list.erase(first, first + static_cast<std::ptrdiff_t>(n));
      };
      drop(op.reductions, g, 1);
      drop(op.body.results, part.result, part.n_results);
      drop(s.names, part.name, part.n_names);
    }
    return s;
  }

  void main() {
    const soac::Stm s = main_statement();
    phase(grid_.tasks, [&](Expr task) {
      if (!arrays_.empty()) stream_from(policy_);
      std::vector<Expr> totals;
      if (!in_order_) {
        totals = block_loop(e_, s, tile_of(e_, grid_, policy_, task), policy_).totals;
      } else {
        Ends ends = block_loop(e_, s, points_of(task), policy_, entry(task));
        totals = ends.totals;
        Expr is_last = e_.lower(arena_.eq(arena_.add(task, i64(1)), grid_.tasks));
        for (const Total& total : totals_)
          if (total.scan >= 0)
            e_.if_then(is_last, [&] {
              for (std::size_t k = 0; k < total.outputs.size(); ++k)
                e_.store_plain(total.outputs[k], i64(0), ends.scans[static_cast<std::size_t>(total.scan)][k]);
            });
      }
      std::size_t next = 0;
      for (const Total& total : totals_)
        for (Var partial : total.partials) e_.store_plain(partial, task, totals[next++]);
      e_.set_streaming({});
    });
  }

  // What a tile starts with; its bins hold the neutral elements.
  Entry entry(Expr task) {
    Entry entry = carried(task);
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      const Destination counts = table(g, task);
      const bool one_class = op_.partitions[g].classes.is_constant(1);
      entry.partitions.push_back(one_class
                                     ? Running::Cursor{e_.load_plain(counts.buffer, counts.base, "next"), {}}
                                     : Running::Cursor{{}, counts});
    }
    std::size_t next = 0;
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      const soac::Scatter& scatter = op_.scatters[g];
      if (scatter.combine.empty()) continue;
      Expr size = launches_.product(scatter.shape);
      soac::Stm empty{{}, soac::Soac{{size}, {}}, s_.where, s_.origin};
      auto& map = std::get<soac::Soac>(empty.op);
      map.body = {{arena_.fresh({Kind::i64}, "i").var()}, {}, scatter.combine[0].neutral};
      for (Var array : names(layout_.scatters[g])) {
        e_.set_destination(array, {bins_[next++], e_.lower(arena_.mul(task, size))});
        empty.names.push_back(array);
      }
      Expr streaming = e_.streaming();
      e_.set_streaming({});
      block_loop(e_, empty, {{}, {}, i64(0), e_.lower(size)}, policy_of(map));
      e_.set_streaming(streaming);
    }
    return entry;
  }
  Policy policy_of(const soac::Soac& op) {
    return choose(arena_, op, launches_.sizes(), launches_.options().target);
  }

  // The partial results of the tiles, joined in their order: a reduction over arrays of them.
  void last() {
    soac::Stm s{{}, soac::Soac{{grid_.tasks}, {}}, s_.where, s_.origin};
    auto& over = std::get<soac::Soac>(s.op);
    Expr i = arena_.fresh({Kind::i64}, "i");
    over.body.params = {i.var()};
    std::vector<Var> outputs;
    for (std::size_t g = 0; g < totals_.size(); ++g) {
      if (totals_[g].scan >= 0) continue;
      over.reductions.push_back(op_.reductions[g]);
      outputs.insert(outputs.end(), totals_[g].outputs.begin(), totals_[g].outputs.end());
      for (Var partial : totals_[g].partials)
        over.body.results.push_back(arena_.index(arena_.name(partial), std::span(&i, 1)));
    }
    if (outputs.empty()) return;
    for (Expr result : over.body.results) s.names.push_back(arena_.fresh(result.type(), "total").var());
    Policy few = policy_;
    few.linear = few.rows = false;
    few.lanes = few.tail_lanes = 1;  // so few values that the time to compile vector code counts more
    phase(i64(1), [&](Expr) {
      e_.finish(s, block_loop(e_, s, {{}, {}, i64(0), e_.lower(grid_.tasks)}, few).totals);
      for (std::size_t k = 0; k < outputs.size(); ++k)
        e_.store_plain(outputs[k], i64(0), e_.lower(arena_.name(s.names[k])));
    });
  }

  // element = initial op bins[0][place] op bins[1][place] ...
  void places() {
    std::size_t next = 0;
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      const soac::Scatter& scatter = op_.scatters[g];
      if (scatter.combine.empty()) continue;
      soac::Lambda f = scatter.initial;
      Expr place = i64(0), t = arena_.fresh({Kind::i64}, "t");
      for (std::size_t d = 0; d < scatter.shape.size(); ++d)
        place = arena_.add(arena_.mul(place, scatter.shape[d]), arena_.name(f.params[d]));
      Expr at = arena_.add(arena_.mul(t, launches_.product(scatter.shape)), place);
      soac::Stm joined{
          {}, soac::Soac{{grid_.tasks}, {{t.var()}, {}, {}}, scatter.combine}, s_.where, s_.origin};
      auto& inner = std::get<soac::Soac>(joined.op);
      inner.reductions[0].initial = f.results;
      f.results.clear();
      std::vector<Var> arrays;
      for (Var array : names(layout_.scatters[g])) {
        Expr element = arena_.fresh({arena_.info(array).type.kind}, "element");
        joined.names.push_back(element.var());
        inner.body.results.push_back(arena_.index(arena_.name(bins_[next++]), std::span(&at, 1)));
        if (!is_original(array)) continue;
        arrays.push_back(array);
        f.results.push_back(element);
        e_.set_destination(array, {array, {}});
      }
      f.body.push_back(std::move(joined));
      map_over_places(f, scatter.shape, std::move(arrays), i64(1));
    }
  }

  // ----

  std::string name() const {
    if (!op_.partitions.empty())
      return std::ranges::all_of(op_.partitions, [](const auto& p) { return p.classes.is_constant(1); })
                 ? "filter"
                 : "partition";
    if (!bins_.empty()) return "histogram";
    if (!op_.scatters.empty()) return "scatter";
    if (!scans_.empty()) return "scan";
    return op_.reductions.empty() ? "map" : arrays_.empty() ? "reduce" : "redomap";
  }

  void bind() {
    std::vector<Var> fetched, bound;
    for (std::size_t g = 0; g < totals_.size(); ++g) {
      fetched.insert(fetched.end(), totals_[g].outputs.begin(), totals_[g].outputs.end());
      for (Var name : names(layout_.reductions[g])) bound.push_back(name);
    }
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      fetched.push_back(kept_[g]);
      bound.push_back(names(layout_.partitions[g])[0]);
    }
    std::vector<plan::Slot> slots = launches_.fetch(fetched);
    for (std::size_t k = 0; k < slots.size(); ++k) host_.bind(bound[k], slots[k]);
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      const std::vector<Var> arrays = names(layout_.partitions[g]);
      for (std::size_t k = 2; k < arrays.size(); ++k)
        host_.append(plan::Shrink{host_.place(arrays[k]), host_.slot(arena_.name(arrays[0]))});
    }
  }

  struct Total {
    int scan = -1;  // whose last value it is
    std::vector<Var> partials, outputs;
  };

  Launches& launches_;
  scalar::Arena& arena_;
  Host& host_;
  const soac::Stm& original_;
  const soac::Stm s_;
  const soac::Soac& op_;
  const Layout layout_;
  const Policy policy_;
  const bool in_order_;
  Emitter e_;
  Grid grid_;
  std::vector<Scan> scans_;
  std::vector<Total> totals_;
  std::vector<Var> bins_;           // of the scatters with an operator, each component
  std::vector<Var> counts_, kept_;  // of each partition
  std::vector<Var> arrays_;         // made by the launch, of the shapes that they are declared with
  std::vector<Var> sorted_;         // by partitions: of as many elements as there are points
  std::vector<Var> temporaries_;
  std::vector<Copy> copies_;
  Expr written_;
  std::vector<Expr> tasks_;  // of each phase
};

}  // namespace

void combinator(Launches& launches, const soac::Stm& s) {
  Combinator(launches, s).run();
}

}  // namespace fulgurite::lower
