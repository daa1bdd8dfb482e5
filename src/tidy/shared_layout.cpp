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
  int first = -1, last = -1;  // -1: never
  std::int64_t offset = 0;
};

class Layout {
 public:
  Layout(const Arena& arena, const Block& task) {
    for_each_stm(task, [&](const Stm& s) {
      const auto* array = base::as<Allocate>(s.op);
      if (!array || array->space != Space::shared) return;
      number_[array->buffer] = lives_.size();
      lives_.push_back({array->buffer, (bytes_of(arena, *array) + alignment - 1) / alignment * alignment});
    });
    for (const Stm& s : task) {
      const auto* sync = base::as<Sync>(s.op);
      barriers_.push_back((barriers_.empty() ? 0 : barriers_.back()) + (sync && sync->level == Level::block));
    }
    for (std::size_t i = 0; i < task.size(); ++i) {
      const Names names = names_of({task[i]});
      for (const auto& used : {names.reads, names.stores})
        for (Var v : used) mention(v, static_cast<int>(i));
    }
  }

  std::unordered_map<Var, std::int64_t> offsets() {
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
  void mention(Var v, int statement) {
    const auto found = number_.find(v);
    if (found == number_.end()) return;
    Life& life = lives_[found->second];
    if (life.first < 0) life.first = statement;
    life.last = statement;
  }

  bool is_over(const Life& a, const Life& b) const {  // a's life, before b's begins, for all threads
    return a.last < b.first &&
           barriers_[static_cast<std::size_t>(a.last)] != barriers_[static_cast<std::size_t>(b.first)];
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

  std::vector<Life> lives_;
  std::unordered_map<Var, std::size_t> number_;
  std::vector<int> barriers_;  // up to each statement of the task
};

Block with_offsets(const Block& block, const std::unordered_map<Var, std::int64_t>& offsets) {
  Parts parts;
  parts.block = [&](const Block& inner) { return with_offsets(inner, offsets); };
  Block result;
  result.reserve(block.size());
  for (const Stm& s : block) {
    result.push_back(map_children(s, parts));
    auto* array = std::get_if<Allocate>(&result.back().op);
    if (array && array->space == Space::shared) array->offset = offsets.at(array->buffer);
  }
  return result;
}

}  // namespace

kernel::Kernel lay_out_shared(kernel::Kernel kernel) {
  for (Stm& s : kernel.body) {
    auto& phase = std::get<Par>(s.op);
    phase.body = with_offsets(phase.body, Layout(*kernel.arena, phase.body).offsets());
  }
  return kernel;
}

}  // namespace fulgurite::tidy
