#include "tidy/shared_layout.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/match.h"
#include "kernel/resources.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

constexpr std::int64_t alignment = 16;

/// The statements of the task, by number, between which an array is in use.
struct Life {
  Var array;
  std::int64_t bytes;
  int region;                 // that it is made in
  int first = -1, last = -1;  // -1: never
  std::int64_t offset = 0;
};

/// The body of a loop or branch, whose statements have numbers between the two: it may run never, a loop's
/// more than once.
struct Region {
  int outer, begin, end;
  bool is_loop;
};

class Layout {
 public:
  Layout(const Arena& arena, const Block& task, Space space) : arena_(arena), space_(space) {
    number(task, none);
  }

  std::unordered_map<Var, std::int64_t> offsets() {
    find_lives();
    std::vector<std::size_t> by_time(lives_.size());
    for (std::size_t i = 0; i < by_time.size(); ++i) by_time[i] = i;
    std::vector<std::size_t> by_size = by_time;
    const auto begins = [&](std::size_t i) { return std::pair(lives_[i].first, i); };
    std::ranges::sort(by_time, {}, begins);
    std::ranges::sort(by_size, {}, [&](std::size_t i) { return std::pair(-lives_[i].bytes, begins(i)); });
    // Neither order is the better one always.
    if (place(by_size) > place(by_time))
      place(by_time);
    else
      place(by_size);
    std::unordered_map<Var, std::int64_t> result;
    for (const Life& life : lives_) result[life.array] = life.offset;
    return result;
  }

 private:
  static constexpr int none = -1;

  // Numbers the statements of a block. A Par is one moment.
  void number(const Block& block, int region) {
    for (const Stm& s : block) {
      const int here = add(region);
      if (const auto* sync = base::as<Sync>(s.op); sync && sync->level == Level::block)
        barriers_.push_back(here);
      if (const auto* array = base::as<Allocate>(s.op); array && array->space == space_) {
        number_[array->buffer] = lives_.size();
        const std::int64_t bytes = (bytes_of(arena_, *array) + alignment - 1) / alignment * alignment;
        lives_.push_back({array->buffer, bytes, region});
      }
      if (const auto* branch = base::as<If>(s.op)) {  // threads come by one of the two
        for (const Block* taken : {&branch->then_branch, &branch->else_branch}) {
          const int inner = begin_region(region, here, false);
          number(*taken, inner);
          regions_[static_cast<std::size_t>(inner)].end = add(region);
        }
        continue;
      }
      if (base::as<For>(s.op) || base::as<While>(s.op)) {
        const int inner = begin_region(region, here, true);
        Parts parts;
        parts.block = [&](const Block& b) {
          number(b, inner);
          return Block();
        };
        map_children(s, parts);
        regions_[static_cast<std::size_t>(inner)].end = add(region);
        continue;
      }
      const Names names = names_of({s});
      for (const auto& used : {names.reads, names.stores})
        for (Var v : used) mentions_.emplace_back(v, here);
    }
  }
  int add(int region) {
    region_of_.push_back(region);
    return static_cast<int>(region_of_.size()) - 1;
  }
  int begin_region(int outer, int here, bool is_loop) {
    regions_.push_back({outer, here, here, is_loop});
    return static_cast<int>(regions_.size()) - 1;
  }
  const Region& region(int r) const { return regions_[static_cast<std::size_t>(r)]; }
  int outer(int r) const { return region(r).outer; }
  bool is_in(int statement, int r) const {
    for (int s = region_of_[static_cast<std::size_t>(statement)]; s != none; s = outer(s))
      if (s == r) return true;
    return false;
  }

  /// An array made outside of a loop and used in it is in use in all of its rounds.
  void find_lives() {
    for (const auto& [v, statement] : mentions_) {
      const auto found = number_.find(v);
      if (found == number_.end()) continue;
      Life& life = lives_[found->second];
      int first = statement, last = statement;
      for (int r = region_of_[static_cast<std::size_t>(statement)]; r != none && r != life.region;
           r = outer(r))
        if (region(r).is_loop) first = region(r).begin, last = region(r).end;
      life.first = life.first < 0 ? first : std::min(life.first, first);
      life.last = std::max(life.last, last);
    }
  }

  /// Whether all threads meet a barrier between the two statements if they come by either.
  bool are_ordered(int from, int to, int before, int behind) const {
    for (auto b = std::ranges::upper_bound(barriers_, from); b != barriers_.end() && *b < to; ++b) {
      bool is_met = true;
      for (int r = region_of_[static_cast<std::size_t>(*b)]; r != none; r = outer(r))
        is_met &= is_in(before, r) || is_in(behind, r);
      if (is_met) return true;
    }
    return false;
  }
  /// The innermost loop that both arrays are made in.
  int loop_of(const Life& a, const Life& b) const {
    for (int r = a.region; r != none; r = outer(r)) {
      if (!region(r).is_loop) continue;
      for (int s = b.region; s != none; s = outer(s))
        if (r == s) return r;
    }
    return none;
  }

  bool is_over(const Life& a, const Life& b) const {  // a's life, before b's begins, for all threads
    if (a.last >= b.first || !are_ordered(a.last, b.first, a.last, b.first)) return false;
    const int loop = loop_of(a, b);  // b's in one round, before a's in the next
    return loop == none || are_ordered(b.last, region(loop).end, b.last, b.last) ||
           are_ordered(region(loop).begin, a.first, a.first, a.first);
  }
  bool meet(const Life& a, const Life& b) const {
    return a.first >= 0 && b.first >= 0 && !is_over(a, b) && !is_over(b, a);
  }

  /// Each array in the lowest bytes that no array which it meets has taken; the bytes of all.
  std::int64_t place(const std::vector<std::size_t>& order) {
    std::int64_t end = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      Life& life = lives_[order[k]];
      std::vector<const Life*> taken;
      for (std::size_t j = 0; j < k; ++j)
        if (meet(life, lives_[order[j]])) taken.push_back(&lives_[order[j]]);
      std::ranges::sort(taken, {}, &Life::offset);
      life.offset = 0;
      for (const Life* other : taken) {
        if (life.offset + life.bytes <= other->offset) break;
        life.offset = std::max(life.offset, other->offset + other->bytes);
      }
      end = std::max(end, life.offset + life.bytes);
    }
    return end;
  }

  const Arena& arena_;
  const Space space_;
  std::vector<Life> lives_;
  std::unordered_map<Var, std::size_t> number_;
  std::vector<std::pair<Var, int>> mentions_;
  std::vector<Region> regions_;
  std::vector<int> region_of_;  // each statement; none: of no loop or branch
  std::vector<int> barriers_;   // the statements that are
};

Block with_offsets(const Block& block, const std::unordered_map<Var, std::int64_t>& offsets) {
  Parts parts;
  parts.block = [&](const Block& inner) { return with_offsets(inner, offsets); };
  Block result;
  result.reserve(block.size());
  for (const Stm& s : block) {
    result.push_back(map_children(s, parts));
    auto* array = std::get_if<Allocate>(&result.back().op);
    if (array == nullptr) continue;
    if (const auto found = offsets.find(array->buffer); found != offsets.end()) array->offset = found->second;
  }
  return result;
}

Kernel run_lay_out(Kernel kernel, const PassOptions&) {
  for (Stm& s : kernel.body) {
    auto& phase = std::get<Par>(s.op);
    for (const Space space : {Space::shared, Space::global})
      phase.body = with_offsets(phase.body, Layout(*kernel.arena, phase.body, space).offsets());
  }
  return kernel;
}

}  // namespace

const kernel::Pass lay_out{
    .name = "lay_out",
    .description = "each array of a block gets its offset; arrays whose lives do not meet share bytes",
    .run = run_lay_out};

}  // namespace fulgurite::tidy
