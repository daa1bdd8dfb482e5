#include "runtime/mpi/runs.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fulgurite::runtime::mpi {
namespace {

// The same bytes, where runs that lie side by side are one.
Runs made(std::int64_t begin, std::int64_t bytes, std::int64_t n, std::int64_t distance) {
  if (n > 1 && bytes < distance) return {begin, bytes, n, distance};
  return {begin, (n - 1) * distance + bytes};
}

// What two have together, if that is Runs again.
std::optional<Runs> joined(const Runs& a, const Runs& b) {
  const std::int64_t apart = b.begin - a.begin;
  if (a.n == b.n && a.distance == b.distance && apart <= a.bytes && -apart <= b.bytes)
    return made(std::min(a.begin, b.begin),
                std::max(a.bytes, apart + b.bytes) - std::min<std::int64_t>(apart, 0), a.n, a.distance);
  const std::int64_t distance = std::max(a.distance, b.distance);
  const bool are_alike = (a.n == 1 || a.distance == distance) && (b.n == 1 || b.distance == distance);
  if (a.bytes != b.bytes || distance == 0 || !are_alike || apart % distance != 0) return std::nullopt;
  const std::int64_t steps = apart / distance;  // from the first run of one to that of the other
  if (steps > a.n || -steps > b.n) return std::nullopt;
  return made(std::min(a.begin, b.begin), a.bytes,
              std::max(a.n, steps + b.n) - std::min<std::int64_t>(steps, 0), distance);
}

}  // namespace

bool meet(const Intervals& set, const Runs& runs) {
  const Bytes hull = runs.hull();
  const std::vector<Bytes>& all = set.all();
  for (auto next = std::ranges::upper_bound(all, hull.begin, {}, &Bytes::end);
       next != all.end() && next->begin < hull.end; ++next) {
    if (runs.n == 1) return true;
    // The last run that begins before it does, or the one after that.
    const std::int64_t k = std::max<std::int64_t>((next->begin - runs.begin) / runs.distance, 0);
    const std::int64_t begin = runs.begin + k * runs.distance;
    if (begin + runs.bytes > next->begin && begin < next->end) return true;
    if (k + 1 < runs.n && begin + runs.distance < next->end) return true;
  }
  return false;
}

void CollectedRuns::add(Runs added) {
  static constexpr std::ptrdiff_t few = 4;                     // a task touches an array at several places
  static constexpr std::int64_t most = std::int64_t{1} << 20;  // runs of neighbours that could not be joined
  if (added.bytes <= 0) return;
  n_last_ += added.n;
  for (bool again = true; again;) {
    again = false;
    const std::ptrdiff_t n = std::min(few, std::ssize(last_));
    for (auto other = last_.end(); other != last_.end() - n;) {
      const std::optional<Runs> both = joined(*--other, added);
      if (!both) continue;
      n_last_ -= added.n + other->n - both->n;
      added = *both;
      last_.erase(other);
      again = true;
      break;
    }
  }
  last_.push_back(added);
  if (n_last_ > most && std::ssize(last_) > few) settle();
}

void CollectedRuns::settle() {
  std::vector<Bytes> all;
  all.reserve(static_cast<std::size_t>(n_last_));
  for (const Runs& runs : last_)
    for (std::int64_t k = 0; k < runs.n; ++k) {
      const std::int64_t begin = runs.begin + k * runs.distance;
      all.push_back({begin, begin + runs.bytes});
    }
  earlier_.add(Intervals(std::move(all)));
  last_.clear();
  n_last_ = 0;
}

Intervals CollectedRuns::take() {
  settle();
  return std::exchange(earlier_, {});
}

}  // namespace fulgurite::runtime::mpi
