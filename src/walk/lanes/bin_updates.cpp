#include "walk/lanes/bin_updates.h"

#include <algorithm>
#include <unordered_map>

#include "schedule/lanes/bins.h"
#include "soac/walk.h"
#include "walk/arrays.h"

namespace fulgurite::walk::lanes {

namespace {

using schedule::bin_gap, schedule::is_pure, schedule::Join;

// Whether the operator may be applied to any values: what a place outside leaves in its bin is never read.
bool takes_anything(const soac::Lambda& op) {
  if (soac::may_fail(op) || !std::ranges::all_of(op.body, soac::surely_ends)) return false;
  bool pure = true;
  soac::for_each_root(op, [&](Expr root) { pure = pure && is_pure(root); });
  return pure;
}

/// What an operator that chooses one operand may do: store only where that is not what the bin holds.
enum class Stores : std::uint8_t { always, if_taken };

/// Updates of bins side by side, then what is left one by one.
///
///   for (u = 0; u < n; u += side) { bins[at[0] + place[u]] op= value[u]; bins[at[1] + ... ] op= ... }
class Updates {
 public:
  Updates(const Emitter& e, const BinGroup& group, const Portion& portion, Stores stores)
      : e_(e),
        arena_(e.arena()),
        group_(group),
        portion_(portion),
        stores_(stores),
        side_(group.level(Join::in_order)->n) {}

  /// Into these bins; of updates side by side the k-th one counts from at[k] on.
  void run(const std::vector<Var>& bins, std::span<const Expr> at, std::span<const Var> read_ahead) const {
    const Expr left = e_.bind(portion_.n % side_, "left");
    const Expr whole = e_.bind(portion_.n - left, "whole");
    e_.for_loop(i64(0), whole, i64(side_), "u", [&](Expr u) {
      prefetch(u, read_ahead);
      for (std::int64_t c = 0; c < side_; ++c) one(bins, at[static_cast<std::size_t>(c)], u, c);
    });
    e_.for_loop(whole, portion_.n, i64(1), "u", [&](Expr u) { one(bins, at[0], u, 0); });
  }

 private:
  Expr i64(std::int64_t value) const { return arena_.i64(value); }

  void prefetch(Expr u, std::span<const Var> arrays) const {
    for (Var array : arrays) {
      const Expr next = portion_.from + portion_.length;
      const Expr size = walk::size(e_, array);
      e_.prefetch(array, e_.lower(next + u), static_cast<int>(side_), i64(0), size);
    }
  }

  // The update of point u + c.
  void one(const std::vector<Var>& bins, Expr at, Expr u, std::int64_t c) const {
    const Expr from = e_.bind(u + c, "from");
    const Expr posted = e_.load_plain(portion_.buffers[0], from, "place");
    const Expr place = e_.bind(cast(posted, Kind::i64), "place");
    if (takes_anything(group_.by().op)) return update(bins, at, from, place);
    e_.if_then(e_.bind(0 <= place, "inside"), [&] { update(bins, at, from, place); });
  }

  void update(const std::vector<Var>& bins, Expr at, Expr from, Expr place) const {
    const Expr bin = e_.bind(at + place, "bin");
    std::vector<Expr> args;
    for (Var array : bins) args.push_back(e_.load_plain(array, bin, "before"));
    std::size_t next = 1;
    for (Expr value : portion_.posts.values)
      args.push_back(value ? not_posted(value, from)
                           : e_.load_plain(portion_.buffers[next++], from, "value"));
    const auto store = [&](std::span<const Expr> elements) {
      for (std::size_t k = 0; k < bins.size(); ++k) e_.store_plain(bins[k], bin, elements[k]);
    };
    const soac::Lambda& op = group_.by().op;
    if (stores_ == Stores::always) return store(apply(e_, op, args));
    std::unordered_map<Var, Expr> operands;
    for (std::size_t k = 0; k < args.size(); ++k) operands.emplace(op.params[k], args[k]);
    const Expr taken = scalar::substitute(arena_, schedule::takes_right(arena_, op), operands);
    e_.if_then(e_.lower(taken), [&] { store(std::span(args).subspan(bins.size())); });
  }

  Expr not_posted(Expr value, Expr from) const {
    if (is_pure(value)) return e_.lower(value);
    const Expr point = portion_.from + from;
    return e_.lower(scalar::substitute(arena_, value, {{portion_.posts.point, point}}));
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const BinGroup& group_;
  const Portion& portion_;
  const Stores stores_;
  const std::int64_t side_;
};

}  // namespace

const schedule::Combine::Level* BinGroup::level(schedule::Join how) const {
  const auto found = std::ranges::find(combine.levels, how, &schedule::Combine::Level::how);
  return found == combine.levels.end() ? nullptr : &*found;
}

void BinGroup::where_few(const Emitter& e, const std::function<void()>& few,
                         const std::function<void()>& many) const {
  const schedule::Combine::Level* copied = level(Join::copies);
  if (!copied) return many();
  e.if_then_else(e.lower(copied->condition), few, many);
}

void update_bins(const Emitter& e, const BinGroup& group, const Portion& portion) {
  const auto side = static_cast<std::size_t>(group.level(Join::in_order)->n);
  const schedule::Combine::Level* copied = group.level(Join::copies);
  const std::vector<Expr> together(side, group.first);
  std::vector<Expr> apart;
  for (std::size_t c = 0; c < side && copied; ++c) {
    const std::int64_t copy = static_cast<std::int64_t>(c) % copied->n;
    apart.push_back(e.arena().i64(bin_gap + copy * copied->room));
  }
  const auto all = [&](Stores stores) {
    const Updates updates(e, group, portion, stores);
    group.where_few(
        e, [&] { updates.run(group.copies, apart, {}); },
        [&] { updates.run(group.combine.memory, together, portion.read_ahead); });
  };
  const schedule::Combine::Level* taken = group.level(Join::taken);
  if (!taken) return all(Stores::always);
  e.if_then_else(e.lower(taken->condition), [&] { all(Stores::if_taken); }, [&] { all(Stores::always); });
}

}  // namespace fulgurite::walk::lanes
