#include "lower/private_bins.h"

#include <algorithm>

#include "base/match.h"
#include "lower/ahead.h"
#include "schedule/rewrites/narrow.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"
#include "walk/arrays.h"
#include "walk/control.h"

namespace fulgurite::lower {

namespace {

constexpr std::int64_t round = 8;             // updates side by side, where bins are few of copies
constexpr std::int64_t copy_bytes = 3 << 10;  // of one copy, so that all stay in the first-level cache
constexpr std::int64_t points_a_bin = 4;      // at least, for each copy

// Of so many values for a bin the least, say, changes so seldom that a branch foretells it.
constexpr std::int64_t points_to_foretell = 64;

// In front of bins are so many elements that nobody reads; the last of them stands for all places outside.
constexpr std::int64_t gap = 64;

bool is_pure(Expr root) {
  bool pure = true;
  scalar::for_each_node(std::span(&root, 1),
                        [&](Expr e) { pure = pure && e.op() != Op::index && e.site() == 0; });
  return pure;
}

// Any values do: what a place outside leaves in its bin is never read.
bool takes_anything(const soac::Lambda& op) {
  if (soac::may_fail(op) || !std::ranges::all_of(op.body, soac::surely_ends)) return false;
  bool pure = true;
  soac::for_each_root(op, [&](Expr root) { pure = pure && is_pure(root); });
  return pure;
}

// Where an operator takes all components of one operand, as that of an arg-min does: when it takes those of
// the right one, in terms of its parameters. Nothing if it computes something else.
Expr takes_right(scalar::Arena& arena, const soac::Lambda& op) {
  if (!op.body.empty()) return {};
  Expr condition;
  for (std::size_t k = 0; k < op.results.size(); ++k) {
    const Expr result = op.results[k], left = arena.name(op.params[k]),
               right = arena.name(op.params[op.results.size() + k]);
    if (result.op() != Op::select) return {};
    Expr taken;
    if (result.arg(1) == right && result.arg(2) == left) taken = result.arg(0);
    if (result.arg(1) == left && result.arg(2) == right) taken = arena.logical_not(result.arg(0));
    if (!taken || (condition && condition != taken)) return {};
    condition = taken;
  }
  return condition;
}

}  // namespace

PrivateBins::PrivateBins(Frame& frame) : at_(frame), arena_(frame.arena), lanes_(frame.policy.tail_lanes) {
  for (std::size_t g = 0; g < at_.op.scatters.size(); ++g) {
    const soac::Scatter& scatter = at_.op.scatters[g];
    if (scatter.combine.empty()) continue;
    Group group;
    group.scatter = g;
    group.size = at_.launches.product(scatter.shape);
    Expr whole = at_.launches.ceil_div(arena_.add(group.size, at_.i64(gap)), at_.i64(gap));
    group.stride = arena_.mul(whole, at_.i64(gap));
    Expr n = arena_.add(at_.i64(gap), arena_.mul(at_.grid.tasks, group.stride));
    std::int64_t bytes = 0;
    for (Var array : at_.names(at_.layout.scatters[g])) {
      const Kind kind = arena_.info(array).type.kind;
      bytes += static_cast<std::int64_t>(size_of(kind));
      group.bins.push_back(at_.temporary(kind, n, "bins"));
    }
    group.apart = copy_bytes / bytes / gap * gap;
    group.n_copies = bytes > 4 ? round / 2 : round;  // what they displace costs more than waiting now and
                                                     // then
    if (scatter.combine[0].commutative && group.apart > gap && posts(at_.op)) {
      Expr points = arena_.min(at_.grid.columns_per_task, at_.grid.columns);
      const Expr in_all = arena_.mul(group.stride, at_.i64(group.n_copies * points_a_bin));
      const Expr are_worth_it = arena_.le(in_all, points);
      group.are_few = arena_.logical_and(arena_.le(group.stride, at_.i64(group.apart)), are_worth_it);
    }
    groups_.push_back(std::move(group));
  }
}

Expr PrivateBins::first_of(const Group& group, Expr task) {
  return arena_.add(at_.i64(gap), arena_.mul(task, group.stride));
}

std::vector<Expr> PrivateBins::elements(std::size_t scatter, Expr task, Expr place) {
  const auto group = std::ranges::find(groups_, scatter, &Group::scatter);
  Expr at = arena_.add(first_of(*group, task), place);
  std::vector<Expr> elements;
  for (Var bins : group->bins) elements.push_back(arena_.index(arena_.name(bins), std::span(&at, 1)));
  return elements;
}

void PrivateBins::in_lanes(const Emitter& e, const std::function<void(const Emitter& lane, Expr t)>& body) {
  const Emitter lane = e.in_lanes();
  lane.par(kernel::Level::block, at_.i64(lanes_), "t", [&](Expr t) { body(lane, t); });
}

void PrivateBins::where_few(const Emitter& e, const Group& group, const std::function<void()>& few,
                            const std::function<void()>& many) {
  if (!group.are_few) return many();
  e.if_then_else(e.lower(group.are_few), few, many);
}

// What the task updates holds neutral elements, those that nobody reads included.
void PrivateBins::start(const Emitter& e, Group& group) {
  group.first = e.lower(first_of(group, e.context().task));
  if (group.are_few)
    for (Var bins : group.bins)
      group.copies.push_back(e.allocate_shared(arena_.info(bins).type.kind, group.n_copies * group.apart));
  where_few(
      e, group,
      [&] {
        for (std::int64_t c = 0; c < group.n_copies; ++c)
          fill(e, group, group.copies, at_.i64(c * group.apart), e.lower(group.stride));
      },
      [&] {
        const Expr stride = e.lower(group.stride);
        fill(e, group, group.bins, e.lower(arena_.sub(group.first, at_.i64(gap))), stride);
      });
}

void PrivateBins::fill(const Emitter& e, const Group& group, const std::vector<Var>& bins, Expr first,
                       Expr n) {
  const std::vector<Expr> neutral = e.lower(at_.op.scatters[group.scatter].combine[0].neutral);
  in_lanes(e, [&](const Emitter& lane, Expr t) {
    lane.for_loop(at_.i64(0), n, at_.i64(lanes_), "j", [&](Expr j) {
      Expr at = lane.bind(arena_.add(arena_.add(first, j), t), "at");
      for (std::size_t k = 0; k < neutral.size(); ++k) lane.store_plain(bins[k], at, neutral[k]);
    });
  });
}

// Whether the points' places and values can be left in buffers.
bool PrivateBins::posts(const soac::Soac& op) const {
  return !at_.policy.rows && !schedule::makes_arrays(op);
}

Ends PrivateBins::walk(const Emitter& e, const soac::Stm& s, const Entry& entry) {
  for (Group& group : groups_) start(e, group);
  const Range range = at_.points_of(e);
  if (posts(at_.op)) {
    Ends ends = walk_in_portions(e, s, range, entry);
    for (const Group& group : groups_) join_copies(e, group);
    return ends;
  }
  for (const Group& group : groups_) {
    const std::vector<Var> arrays = at_.names(at_.layout.scatters[group.scatter]);
    for (std::size_t k = 0; k < arrays.size(); ++k)
      e.set_destination(arrays[k], {group.bins[k], group.first});
  }
  return block_loop(e, s, range, at_.policy, entry);
}

// for (from ...) { block_loop over a portion; update }: what the walk over a portion ends with, the next goes
// on from.
Ends PrivateBins::walk_in_portions(const Emitter& e, const soac::Stm& s, const Range& range,
                                   const Entry& entry) {
  std::vector<Posts> all_posts;
  const soac::Stm posting_stm = posting(e, s, all_posts);
  const auto& op = std::get<soac::Soac>(posting_stm.op);
  const Running::Groups totals = walk::start(e, op);
  Running::Groups scans;
  for (const auto& group : entry.scans) {
    scans.emplace_back();
    for (Expr value : group) scans.back().push_back(e.declare(value, "so_far"));
  }
  std::vector<Running::Cursor> cursors = entry.partitions;
  for (Running::Cursor& cursor : cursors)
    for (Expr& next : cursor.next) next = e.declare(next, "next");
  auto values_of = [&](const std::vector<Expr>& variables) {
    std::vector<Expr> values;
    for (Expr variable : variables) values.push_back(e.snapshot(variable, arena_.info(variable.var()).name));
    return values;
  };
  auto state = [&] {
    Entry now;
    for (const auto& group : scans) now.scans.push_back(values_of(group));
    now.partitions = cursors;
    for (Running::Cursor& cursor : now.partitions) cursor.next = values_of(cursor.next);
    return now;
  };
  const std::int64_t portion = at_.policy.portion;
  e.for_loop(range.begin, range.end, at_.i64(portion), "from", [&](Expr from) {
    Range part;
    part.is_points = true;
    part.begin = from;
    part.end = e.bind(arena_.min(e.bind(arena_.add(from, at_.i64(portion)), "to"), range.end), "to");
    Expr base = e.bind(arena_.sub(at_.i64(0), from), "base");
    for (const Posts& posts : all_posts)
      for (std::size_t k = 0; k < posts.names.size(); ++k)
        e.set_destination(posts.names[k], {posts.buffers[k], base});
    const Ends ends = block_loop(e, posting_stm, part, at_.policy_of(op), state());
    std::size_t k = 0;
    for (std::size_t g = 0; g < totals.size(); ++g) {
      const std::span operands(ends.totals.data() + k, totals[g].size());
      join(e, op.reductions[g], totals[g], operands);
      k += totals[g].size();
    }
    for (std::size_t g = 0; g < scans.size(); ++g)
      for (std::size_t c = 0; c < scans[g].size(); ++c) e.assign(scans[g][c], ends.scans[g][c]);
    for (std::size_t g = 0; g < cursors.size(); ++g)
      for (std::size_t c = 0; c < cursors[g].next.size(); ++c)
        e.assign(cursors[g].next[c], ends.partitions[g][c]);
    Expr n = e.bind(arena_.sub(part.end, from), "n");
    for (std::size_t g = 0; g < groups_.size(); ++g)
      update(e, groups_[g], all_posts[g],
             {from, n, read_in_step(std::get<soac::Soac>(s.op), at_.policy.linear)});
  });
  Ends ends;
  for (const auto& group : totals)
    for (Expr value : values_of(group)) ends.totals.push_back(value);
  for (const auto& group : scans) ends.scans.push_back(values_of(group));
  for (const Running::Cursor& cursor : cursors) ends.partitions.push_back(values_of(cursor.next));
  return ends;
}

// The statement with places and values as mapped results, last, instead of the scatters with an operator.
soac::Stm PrivateBins::posting(const Emitter& e, const soac::Stm& s, std::vector<Posts>& all) {
  const auto& op = std::get<soac::Soac>(s.op);
  soac::Outputs outputs = soac::outputs_of(s);
  soac::Vars varying;
  soac::add_bound(op.body, varying);
  auto post = [&](Posts& posts, Expr value) {
    posts.names.push_back(arena_.fresh_array(value.kind(), {at_.i64(0)}, "posted").var());
    posts.buffers.push_back(e.allocate_shared(value.kind(), at_.policy.portion));
    outputs.mapped.push_back({value, posts.names.back()});
  };
  for (const Group& group : groups_) {
    const soac::Outputs::Scattered& scattered = outputs.scatters[group.scatter];
    Posts posts;
    if (op.dims.size() == 1) posts.point = op.body.params[0];
    post(posts, place_of(e, scattered.to, scattered.place));
    for (Expr value : scattered.values) {
      soac::Vars mentioned;
      soac::add_mentioned(std::span(&value, 1), mentioned);
      const bool varies =
          !is_pure(value) || std::ranges::any_of(mentioned, [&](Var v) { return varying.contains(v); });
      const bool is_posted = varies && !is_element(op, value);
      posts.values.push_back(is_posted ? Expr() : value);
      if (is_posted) post(posts, value);
    }
    all.push_back(std::move(posts));
  }
  std::erase_if(outputs.scatters, [](const auto& scattered) { return !scattered.to.combine.empty(); });
  return soac::with_outputs(s, std::move(outputs));
}

// An array's element with the point's own number, of whatever type it becomes: scalar code reads it where it
// lies, if nothing stores there before.
bool PrivateBins::is_element(const soac::Soac& op, Expr value) const {
  for (const soac::Scatter& scatter : op.scatters)
    if (scatter.combine.empty()) return false;
  while (value.op() == Op::cast) value = value.arg(0);
  return op.dims.size() == 1 && value.op() == Op::index && value.site() == 0 && value.args().size() == 2 &&
         value.arg(1).is_name() && value.arg(1).var() == op.body.params[0];
}

// The number of the place's bin, or -1 outside.
Expr PrivateBins::place_of(const Emitter& e, const soac::Scatter& scatter, std::span<const Expr> indices) {
  if (Expr key = scatter.shape.size() == 1 ? schedule::narrow_index(indices[0]) : Expr()) {
    key = arena_.cast(key, Kind::i32);
    Expr inside = schedule::is_inside(arena_, key, schedule::narrow_extent(arena_, scatter.shape[0]));
    return arena_.apply(Op::select, {inside, key, arena_.cast(at_.i64(-1), Kind::i32)});
  }
  Expr inside = arena_.boolean(true);
  for (std::size_t d = 0; d < indices.size(); ++d) {  // no extent is negative
    const Expr extent = arena_.cast(scatter.shape[d], Kind::u64), index = arena_.cast(indices[d], Kind::u64);
    inside = arena_.logical_and(inside, arena_.lt(index, extent));
  }
  return arena_.apply(Op::select, {inside, linear(e, indices, scatter.shape), at_.i64(-1)});
}

void PrivateBins::update(const Emitter& e, const Group& group, const Posts& posts, const Portion& portion) {
  std::vector<Expr> apart, together(round, group.first);
  for (std::int64_t c = 0; c < round; ++c) apart.push_back(at_.i64(gap + c % group.n_copies * group.apart));
  const auto all = [&](Rounds rounds) {
    where_few(
        e, group,
        [&] { this->rounds(e, group, posts, group.copies, apart, {portion.from, portion.n, {}}, rounds); },
        [&] { this->rounds(e, group, posts, group.bins, together, portion, rounds); });
  };
  if (!takes_right(arena_, at_.op.scatters[group.scatter].combine[0].op)) return all(Rounds::store_always);
  const Expr points = arena_.min(at_.grid.columns_per_task, at_.grid.columns);
  e.if_then_else(
      e.lower(arena_.le(arena_.mul(group.size, at_.i64(points_to_foretell)), points)),
      [&] { all(Rounds::store_if_taken); }, [&] { all(Rounds::store_always); });
}

// for (u = 0; u < n; u += round) { bins[at[0] + place[u]] op= value[u]; bins[at[1] + place[u + 1]] op= ... }
// and what is less than a round one by one.
void PrivateBins::rounds(const Emitter& e, const Group& group, const Posts& posts,
                         const std::vector<Var>& bins, std::span<const Expr> at, const Portion& portion,
                         Rounds rounds) {
  const soac::Reduction& r = at_.op.scatters[group.scatter].combine[0];
  const bool any = takes_anything(r.op);
  const auto some = [&](Expr u, std::int64_t width) {
    if (width == round)
      for (Var array : portion.read_ahead) {
        const Expr next = arena_.add(portion.from, at_.i64(at_.policy.portion));
        const Expr size = walk::size(e, array);
        e.prefetch(array, e.lower(arena_.add(next, u)), round, at_.i64(0), size);
      }
    for (std::int64_t c = 0; c < width; ++c) {
      Expr from = e.bind(arena_.add(u, at_.i64(c)), "from");
      Expr place = e.bind(arena_.cast(e.load_plain(posts.buffers[0], from, "place"), Kind::i64), "place");
      auto one = [&] {
        Expr bin = e.bind(arena_.add(at[static_cast<std::size_t>(c)], place), "bin");
        std::vector<Expr> args;
        for (Var array : bins) args.push_back(e.load_plain(array, bin, "before"));
        std::size_t next = 1;
        for (Expr value : posts.values)
          if (!value)
            args.push_back(e.load_plain(posts.buffers[next++], from, "value"));
          else if (is_pure(value))
            args.push_back(e.lower(value));
          else
            args.push_back(
                e.lower(scalar::substitute(arena_, value, {{posts.point, arena_.add(portion.from, from)}})));
        const auto store = [&](std::span<const Expr> elements) {
          for (std::size_t k = 0; k < bins.size(); ++k) e.store_plain(bins[k], bin, elements[k]);
        };
        if (rounds == Rounds::store_always) return store(apply(e, r.op, args));
        std::unordered_map<Var, Expr> operands;
        for (std::size_t k = 0; k < args.size(); ++k) operands.emplace(r.op.params[k], args[k]);
        const Expr taken = scalar::substitute(arena_, takes_right(arena_, r.op), operands);
        e.if_then(e.lower(taken), [&] { store(std::span(args).subspan(bins.size())); });
      };
      if (any)
        one();
      else
        e.if_then(e.bind(arena_.le(at_.i64(0), place), "inside"), one);
    }
  };
  const Expr left = e.bind(arena_.rem(portion.n, at_.i64(round)), "left");
  const Expr whole = e.bind(arena_.sub(portion.n, left), "whole");
  e.for_loop(at_.i64(0), whole, at_.i64(round), "u", [&](Expr u) { some(u, round); });
  e.for_loop(whole, portion.n, at_.i64(1), "u", [&](Expr u) { some(u, 1); });
}

// In lanes, into the task's bins; over a whole number of vectors, for a gap follows.
void PrivateBins::join_copies(const Emitter& of_task, const Group& group) {
  if (!group.are_few) return;
  const soac::Reduction& r = at_.op.scatters[group.scatter].combine[0];
  of_task.if_then(of_task.lower(group.are_few), [&] {
    in_lanes(of_task, [&](const Emitter& e, Expr t) {
      e.for_loop(at_.i64(0), e.lower(group.size), at_.i64(lanes_), "j", [&](Expr j) {
        Expr place = e.bind(arena_.add(j, t), "place");
        std::vector<Expr> so_far;
        for (std::int64_t c = 0; c < group.n_copies; ++c) {
          Expr at = e.bind(arena_.add(at_.i64(gap + c * group.apart), place), "at");
          for (Var array : group.copies) so_far.push_back(e.load_plain(array, at, "copy"));
          if (c > 0) so_far = apply(e, r.op, so_far);
        }
        Expr at = e.bind(arena_.add(group.first, place), "at");
        for (std::size_t k = 0; k < so_far.size(); ++k) e.store_plain(group.bins[k], at, so_far[k]);
      });
    });
  });
}

}  // namespace fulgurite::lower
