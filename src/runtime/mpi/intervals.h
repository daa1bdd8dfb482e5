// Sets of bytes of an array: intervals in their order, none empty, none beside another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fulgurite::runtime::mpi {

struct Bytes {
  std::int64_t begin, end;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

class Intervals {
 public:
  Intervals() = default;
  Intervals(std::int64_t begin, std::int64_t end) { add(Bytes{begin, end}); }
  /// The union of ranges in any order, none of them empty.
  explicit Intervals(std::vector<Bytes> all) {
    if (!std::ranges::is_sorted(all, {}, &Bytes::begin)) std::ranges::sort(all, {}, &Bytes::begin);
    for (const Bytes& b : all) {
      if (all_.empty() || all_.back().end < b.begin)
        all_.push_back(b);
      else
        all_.back().end = std::max(all_.back().end, b.end);
    }
  }

  bool empty() const { return all_.empty(); }
  const std::vector<Bytes>& all() const& { return all_; }
  const std::vector<Bytes>& all() const&& = delete;  // would dangle in a loop
  void clear() { all_.clear(); }
  std::int64_t size() const {
    std::int64_t n = 0;
    for (const Bytes& b : all_) n += b.end - b.begin;
    return n;
  }
  bool meets(const Bytes& other) const {
    const auto next = first_behind(other.begin);
    return next != all_.end() && next->begin < other.end;
  }

  void add(Bytes added) {
    if (added.begin >= added.end) return;
    // The intervals that the new one meets, or lies beside.
    const auto first = std::ranges::lower_bound(all_, added.begin, {}, &Bytes::end);
    auto last = first;
    while (last != all_.end() && last->begin <= added.end) {
      added.begin = std::min(added.begin, last->begin);
      added.end = std::max(added.end, last->end);
      ++last;
    }
    if (first == last) {
      all_.insert(first, added);
      return;
    }
    *first = added;
    all_.erase(first + 1, last);
  }
  void add(const Intervals& added) {
    static constexpr std::size_t few = 8;  // so that elements are moved seldom
    if (added.all_.size() <= few) {
      for (const Bytes& b : added.all_) add(b);
    } else {
      const Intervals both[] = {added, std::move(*this)};
      *this = together(both);
    }
  }
  /// What any of them has; faster than adding one after the other.
  static Intervals together(std::span<const Intervals> sets) {
    std::vector<Bytes> all;
    for (const Intervals& set : sets) all.insert(all.end(), set.all_.begin(), set.all_.end());
    return Intervals(std::move(all));
  }

  friend Intervals operator&(const Intervals& a, const Intervals& b) {
    Intervals to;
    for (auto x = a.all_.begin(), y = b.all_.begin(); x != a.all_.end() && y != b.all_.end();) {
      const Bytes common{std::max(x->begin, y->begin), std::min(x->end, y->end)};
      if (common.begin < common.end) to.all_.push_back(common);
      x->end < y->end ? ++x : ++y;
    }
    return to;
  }
  /// What of `a` is not in `b`.
  friend Intervals operator-(const Intervals& a, const Intervals& b) {
    Intervals to;
    auto y = b.all_.begin();
    for (Bytes left : a.all_) {
      while (y != b.all_.end() && y->end <= left.begin) ++y;
      for (auto z = y; z != b.all_.end() && z->begin < left.end; ++z) {
        if (left.begin < z->begin) to.all_.push_back({left.begin, z->begin});
        left.begin = z->end;
      }
      if (left.begin < left.end) to.all_.push_back(left);
    }
    return to;
  }
  friend bool operator==(const Intervals&, const Intervals&) = default;

 private:
  std::vector<Bytes>::const_iterator first_behind(std::int64_t begin) const {
    return std::ranges::upper_bound(all_, begin, {}, &Bytes::end);
  }

  std::vector<Bytes> all_;
};

}  // namespace fulgurite::runtime::mpi
