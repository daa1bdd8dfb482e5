#include "lower/combinator.h"

#include <algorithm>
#include <unordered_map>

#include "base/match.h"
#include "lower/block_loop.h"
#include "lower/carry.h"
#include "lower/folding.h"
#include "lower/lift.h"
#include "lower/long_rows.h"
#include "lower/neighbours.h"
#include "lower/private_bins.h"
#include "soac/rename.h"
#include "soac/update.h"
#include "soac/walk.h"

namespace fulgurite::lower {

namespace {

using soac::Layout;

// The statement with its reads of arrays that it may update in place made reads of what they become: of the
// same elements, as no point reads where another one stores.
soac::Stm reading_what_it_updates(scalar::Arena& arena, const soac::Stm& original) {
  soac::Stm s = original;
  auto& op = std::get<soac::Soac>(s.op);
  const Layout layout = soac::layout_of(op);
  std::unordered_map<Var, Var> becomes;
  for (std::size_t g = 0; g < op.scatters.size(); ++g) {
    const auto old = soac::updates(arena, op, g);
    for (std::size_t k = 0; k < old.size() && op.scatters[g].combine.empty(); ++k)
      if (old[k]) becomes.emplace(*old[k], s.names[layout.scatters[g].name + k]);
  }
  if (becomes.empty()) return s;
  scalar::Substitution substitute(arena, [&](Expr e) {
    const auto found = e.is_name() ? becomes.find(e.var()) : becomes.end();
    return found == becomes.end() ? Expr() : arena.name(found->second);
  });
  soac::substitute_in(op.body, substitute);
  return s;
}

class Combinator {
 public:
  Combinator(Launches& launches, const soac::Stm& original)
      : launches_(launches),
        arena_(launches.arena()),
        host_(launches.host()),
        original_(original),
        at_(launches, lift_missing_neutral(arena_, reading_what_it_updates(arena_, original))),
        op_(at_.op),
        layout_(at_.layout),
        e_(at_.e),
        folding_(at_),
        long_rows_(at_),
        bins_(at_) {}

  void run() {
    name_memory();
    kernel::Block phases = e_.block([&] {
      fill();
      folding_.phases();
      main();
      long_rows_.phases();
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
    LaunchNote note{0, at_.s.origin, at_.s.where, at_.policy, {}};
    note.names = original_.names;
    note.bytes_read = read;
    note.bytes_written = written_;
    launches_.launch(name(), e_, std::move(phases), at_.tasks, arena_.sub(read, copied), written,
                     std::move(note));
    bind();
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  bool is_original(Var name) const {
    return std::ranges::find(original_.names, name) != original_.names.end();
  }

  // ---- memory

  void name_memory() {
    for (std::size_t g = 0; g < op_.reductions.size(); ++g) {
      Total& total = totals_.emplace_back();
      total.scan = scan_like(arena_, op_, layout_, g);
      for (Expr x : op_.reductions[g].neutral) {
        total.outputs.push_back(at_.temporary(x.kind(), i64(1), "total"));
        if (total.scan < 0) total.partials.push_back(at_.temporary(x.kind(), at_.grid.tasks, "partial"));
      }
    }
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      for (Var array : at_.names(layout_.scatters[g]))
        if (is_original(array)) arrays_.push_back(array);
    }
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      const std::vector<Var> bound = at_.names(layout_.partitions[g]);
      arrays_.push_back(bound[1]);
      sorted_.insert(sorted_.end(), bound.begin() + 2, bound.end());
    }
    for (Var array : at_.names(layout_.mapped)) arrays_.push_back(array);
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
    for (Var array : at_.temporaries) launches_.allocate(array);
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
      const std::vector<Var> made = at_.names(layout_.scatters[g]);
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
    soac::Stm others = at_.s;
    for (soac::Scatter& other : std::get<soac::Soac>(others.op).scatters)
      if (other.combine.empty()) other.initial = {};
    soac::Vars mentioned;
    soac::add_mentioned(others, mentioned);
    return !mentioned.contains(from);
  }

  // A phase that computes arrays of elements of their places.
  void map_over_places(const soac::Lambda& f, const std::vector<Expr>& shape, std::vector<Var> arrays,
                       Expr if_one) {
    soac::Stm map{std::move(arrays), soac::Soac{shape, f}, at_.s.where, at_.s.origin};
    const auto& op = std::get<soac::Soac>(map.op);
    const Policy policy = at_.policy_of(op);
    Grid g = tiles_grid(launches_, op, policy);
    at_.phase(arena_.mul(g.tasks, if_one), [&](Expr task) {
      stream_from(policy);
      block_loop(e_, map, tile_of(e_, g, policy, task), policy);
      e_.set_streaming({});
    });
  }

  void stream_from(const Policy& policy) {
    soac::Vars mentioned;
    soac::add_mentioned(at_.s, mentioned);
    std::vector<Var> inputs;
    for (Var name : mentioned)
      if (arena_.info(name).type.rank > 0 && host_.has_place(name)) inputs.push_back(name);
    std::sort(inputs.begin(), inputs.end());
    Expr touched = arena_.mul(written_, i64(2));  // results of two calls take turns
    for (Var array : inputs) touched = arena_.add(touched, launches_.bytes(array));
    e_.set_streaming(e_.lower(arena_.lt(i64(policy.streaming), touched)));
  }

  // The statement without the reductions that a Scan gives.
  soac::Stm main_statement() {
    soac::Stm s = at_.s;
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
    Expr one_by_one = arena_.sub(i64(1), long_rows_.are_few());
    at_.phase(arena_.mul(at_.grid.tasks, one_by_one), [&](Expr task) {
      if (!arrays_.empty() || at_.policy.touch) stream_from(at_.policy);
      std::vector<Expr> totals;
      if (!depends_on_order(op_)) {
        totals = block_loop(e_, s, tile_of(e_, at_.grid, at_.policy, task), at_.policy).totals;
      } else {
        const Entry entry = folding_.entry(task);
        Ends ends = bins_.empty() ? block_loop(e_, s, at_.points_of(task), at_.policy, entry)
                                  : bins_.walk(task, s, entry);
        totals = ends.totals;
        folding_.finish(task, ends);
        Expr is_last = e_.lower(arena_.eq(arena_.add(task, i64(1)), at_.grid.tasks));
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

  // The partial results of the tasks, joined in order, neighbours first: the error of a sum grows with the
  // logarithm of their number. In scalar code: they are so few that the time to compile vector code counts
  // more.
  void last() {
    soac::Stm s{{}, soac::Soac{{at_.grid.tasks}, {}}, at_.s.where, at_.s.origin};
    auto& over = std::get<soac::Soac>(s.op);
    std::vector<Var> partials, outputs;
    for (std::size_t g = 0; g < totals_.size(); ++g) {
      if (totals_[g].scan >= 0) continue;
      over.reductions.push_back(op_.reductions[g]);
      partials.insert(partials.end(), totals_[g].partials.begin(), totals_[g].partials.end());
      outputs.insert(outputs.end(), totals_[g].outputs.begin(), totals_[g].outputs.end());
    }
    if (outputs.empty()) return;
    for (Var output : outputs)
      s.names.push_back(arena_.fresh({arena_.info(output).type.kind}, "total").var());
    at_.phase(i64(1), [&](Expr) {
      Expr n = e_.lower(at_.grid.tasks);
      join_neighbours(e_, over.reductions, partials, n);
      std::vector<Expr> totals;
      for (const auto& group : e_.start(over)) totals.insert(totals.end(), group.begin(), group.end());
      e_.if_then(e_.lower(arena_.lt(i64(0), n)), [&] {
        for (std::size_t k = 0; k < totals.size(); ++k)
          e_.assign(totals[k], e_.load_plain(partials[k], i64(0), "total"));
      });
      for (Expr& total : totals) total = e_.snapshot(total, "total");
      e_.finish(s, totals);
      for (std::size_t k = 0; k < outputs.size(); ++k)
        e_.store_plain(outputs[k], i64(0), e_.lower(arena_.name(s.names[k])));
    });
  }

  // element = initial op bins[0][place] op bins[1][place] ...
  void places() {
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      const soac::Scatter& scatter = op_.scatters[g];
      if (scatter.combine.empty()) continue;
      soac::Lambda f = scatter.initial;
      Expr place = i64(0), t = arena_.fresh({Kind::i64}, "t");
      for (std::size_t d = 0; d < scatter.shape.size(); ++d)
        place = arena_.add(arena_.mul(place, scatter.shape[d]), arena_.name(f.params[d]));
      soac::Stm joined{
          {}, soac::Soac{{at_.grid.tasks}, {{t.var()}, {}, {}}, scatter.combine}, at_.s.where, ""};
      auto& inner = std::get<soac::Soac>(joined.op);
      inner.reductions[0].initial = f.results;
      f.results.clear();
      std::vector<Var> arrays;
      inner.body.results = bins_.elements(g, t, place);
      for (Var array : at_.names(layout_.scatters[g])) {
        Expr element = arena_.fresh({arena_.info(array).type.kind}, "element");
        joined.names.push_back(element.var());
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
    if (folding_.has_scans()) return "scan";
    return op_.reductions.empty() ? "map" : arrays_.empty() ? "reduce" : "redomap";
  }

  void bind() {
    std::vector<Var> fetched, bound;
    for (std::size_t g = 0; g < totals_.size(); ++g) {
      fetched.insert(fetched.end(), totals_[g].outputs.begin(), totals_[g].outputs.end());
      for (Var name : at_.names(layout_.reductions[g])) bound.push_back(name);
    }
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      fetched.push_back(folding_.kept()[g]);
      bound.push_back(at_.names(layout_.partitions[g])[0]);
    }
    std::vector<plan::Slot> slots = launches_.fetch(fetched);
    for (std::size_t k = 0; k < slots.size(); ++k) host_.bind(bound[k], slots[k]);
    for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
      const std::vector<Var> arrays = at_.names(layout_.partitions[g]);
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
  Frame at_;
  const soac::Soac& op_;
  const Layout& layout_;
  Emitter& e_;
  Folding folding_;
  LongRows long_rows_;
  PrivateBins bins_;
  std::vector<Total> totals_;
  std::vector<Var> arrays_;  // made by the launch, of the shapes that they are declared with
  std::vector<Var> sorted_;  // by partitions: of as many elements as there are points
  std::vector<Copy> copies_;
  Expr written_;
};

}  // namespace

void combinator(Launches& launches, const soac::Stm& s) {
  Combinator(launches, s).run();
}

}  // namespace fulgurite::lower
