#include "runtime/mpi/by_owner.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "runtime/mpi/pooled_bytes.h"

namespace fulgurite::runtime::mpi {
namespace {

using Parcels = std::vector<PooledBytes>;  // to each rank, or from it

std::size_t bytes_of(const Parcels& all) {
  std::size_t n = 0;
  for (const PooledBytes& parcel : all) n += parcel.size();
  return n;
}

template <class T>
void append(PooledBytes& to, const T& value) {
  to.append(&value, sizeof value);
}

// Reads what append() wrote.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> from) : from_(from) {}
  bool is_empty() const { return from_.empty(); }
  std::span<const std::byte> next(std::size_t n) {
    FULGURITE_CHECK(n <= from_.size() - at_, "a message of {} bytes ends too early", from_.size());
    at_ += n;
    return from_.subspan(at_ - n, n);
  }
  template <class T>
  T next() {
    T value{};
    std::memcpy(&value, next(sizeof value).data(), sizeof value);
    return value;
  }

 private:
  std::span<const std::byte> from_;
  std::size_t at_ = 0;
};

void exchange(Ranks& ranks, Parcels& sent, Parcels& received) {
  std::vector<Message> to, from;
  const auto messages = [&](Parcels& parcels, std::vector<Message>& all) {
    for (std::size_t r = 0; r < parcels.size(); ++r)
      if (!parcels[r].empty()) all.push_back({static_cast<int>(r), parcels[r].data(), parcels[r].size()});
  };
  messages(sent, to);
  messages(received, from);
  ranks.exchange(to, from);
}

// Every rank says to every other one how many bytes follow.
void size_by_exchange(Ranks& ranks, const Parcels& sent, Parcels& received) {
  std::vector<std::int64_t> sizes;
  for (const PooledBytes& parcel : sent) sizes.push_back(static_cast<std::int64_t>(parcel.size()));
  const std::vector<std::int64_t> from = ranks.numbers_of_each(sizes);
  for (std::size_t r = 0; r < from.size(); ++r) received[r].resize(static_cast<std::size_t>(from[r]));
}

constexpr std::int64_t per_mask = 64;

// The units of these bytes, as far as they lie in them.
struct Units {
  std::int64_t first, last;  // below it
};
Units units_of(const Bytes& bytes, std::int64_t unit) {
  return {bytes.begin / unit, (bytes.end + unit - 1) / unit};
}
Bytes bytes_of(const Units& units, std::int64_t unit, const Bytes& in) {
  return {std::max(units.first * unit, in.begin), std::min(units.last * unit, in.end)};
}

// Calls f(first unit, mask) for every 64 units from `first` on of which some are marked.
template <class F>
void for_masks(std::span<const std::byte> marks, Units units, const F& f) {
  FULGURITE_CHECK(units.last <= static_cast<std::int64_t>(marks.size()), "{} marks of {} elements",
                  marks.size(), units.last);
  for (std::int64_t at = units.first; at < units.last; at += per_mask) {
    const std::int64_t n = std::min(per_mask, units.last - at);
    std::uint64_t mask = 0;
    for (std::int64_t k = 0; k < n; k += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, marks.data() + at + k, static_cast<std::size_t>(std::min<std::int64_t>(8, n - k)));
      // Each byte is 0 or 1: byte i becomes bit i of the highest byte.
      mask |= (eight * 0x0102'0408'1020'4080u >> 56) << k;
    }
    if (mask != 0) f(at, mask);
  }
}
// With each run of marked neighbours.
template <class F>
void for_units(std::int64_t first, std::uint64_t mask, const F& f) {
  for (int at = 0; mask != 0;) {
    const int skipped = std::countr_zero(mask), run = std::countr_one(mask >> skipped);
    at += skipped + run;
    f(Units{first + at - run, first + at});
    mask = skipped + run == 64 ? 0 : mask >> (skipped + run);
  }
}

struct Masks {
  std::int64_t first;
  std::uint64_t mask;
};
void append_masks(PooledBytes& to, const std::vector<Masks>& masks) {
  append(to, static_cast<std::uint64_t>(masks.size()));
  for (const Masks& m : masks) append(to, m);
}
// A message without bytes has no masks.
std::vector<Masks> masks_from(Reader& from, Units within) {
  if (from.is_empty()) return {};
  std::vector<Masks> masks(from.next<std::uint64_t>());
  for (Masks& m : masks) {
    m = from.next<Masks>();
    FULGURITE_CHECK(
        m.first >= within.first && m.first + static_cast<std::int64_t>(std::bit_width(m.mask)) <= within.last,
        "a rank names elements from {} on, and {} to {} are meant", m.first, within.first, within.last);
  }
  return masks;
}

void copy_units(PooledBytes& to, const MarkedArray& array, const Masks& m, const Bytes& in) {
  for_units(m.first, m.mask, [&](const Units& units) {
    const Bytes bytes = bytes_of(units, array.unit, in);
    to.append(array.data + bytes.begin, static_cast<std::size_t>(bytes.end - bytes.begin));
  });
}
void take_units(Reader& from, const MarkedArray& array, const Masks& m, const Bytes& in) {
  for_units(m.first, m.mask, [&](const Units& units) {
    const Bytes bytes = bytes_of(units, array.unit, in);
    const auto n = static_cast<std::size_t>(bytes.end - bytes.begin);
    std::memcpy(array.data + bytes.begin, from.next(n).data(), n);
  });
}
std::size_t size_of(const Masks& m, std::int64_t unit, const Bytes& in) {
  std::int64_t n = 0;
  for_units(m.first, m.mask, [&](const Units& units) {
    const Bytes bytes = bytes_of(units, unit, in);
    n += bytes.end - bytes.begin;
  });
  return static_cast<std::size_t>(n);
}

std::vector<Masks> masks_of(const MarkedArray& array, const Bytes& in) {
  std::vector<Masks> masks;
  for_masks(array.marks, units_of(in, array.unit),
            [&](std::int64_t first, std::uint64_t mask) { masks.push_back({first, mask}); });
  return masks;
}

}  // namespace

std::vector<Intervals> owners(const Layout& layout, std::int64_t element_bytes) {
  const int n_ranks = layout.n_ranks();
  const std::int64_t n = layout.bytes() / element_bytes;
  Intervals left(0, layout.bytes());
  const Intervals nobodys = left - layout.anywhere();
  std::vector<Intervals> all(static_cast<std::size_t>(n_ranks));
  std::int64_t begin = 0;
  for (int r = 0; r < n_ranks; ++r) {
    const std::int64_t end = r + 1 == n_ranks ? layout.bytes() : part_of(n, r + 1, n_ranks) * element_bytes;
    const Intervals block(begin, end);
    Intervals& of = all[static_cast<std::size_t>(r)];
    of = block & layout.of(r);
    of.add(block & nobodys);
    left = left - of;
    begin = end;
  }
  for (int r = 0; r < n_ranks && !left.empty(); ++r) {
    const Intervals more = left & layout.of(r);
    all[static_cast<std::size_t>(r)].add(more);
    left = left - more;
  }
  return all;
}

std::size_t request(Ranks& ranks, std::span<const MarkedArray> arrays) {
  const auto n = static_cast<std::size_t>(ranks.size()), me = static_cast<std::size_t>(ranks.rank());
  // For each array, what its owner may have to send to whom.
  std::vector<std::vector<Intervals>> owned;
  for (const MarkedArray& array : arrays) owned.push_back(owners(*array.layout, array.element_bytes));
  const auto lacks = [&](std::size_t k, std::size_t rank, std::size_t owner) {
    return owned[k][owner] - arrays[k].layout->of(static_cast<int>(rank));
  };
  Parcels asked(n), questions(n);
  std::vector<std::vector<std::vector<Masks>>> wanted(n);  // of each owner, for each run of bytes
  for (std::size_t owner = 0; owner < n; ++owner) {
    bool is_any = false;
    for (std::size_t k = 0; owner != me && k < arrays.size(); ++k) {
      const Intervals missing = lacks(k, me, owner);
      for (const Bytes& b : missing.all()) {
        wanted[owner].push_back(masks_of(arrays[k], b));
        append_masks(asked[owner], wanted[owner].back());
        is_any |= !wanted[owner].back().empty();
      }
    }
    if (!is_any) asked[owner].clear();
  }
  size_by_exchange(ranks, asked, questions);
  exchange(ranks, asked, questions);

  Parcels answers(n), received(n);
  for (std::size_t other = 0; other < n; ++other) {
    if (other == me) continue;
    Reader reader(questions[other]);
    std::size_t n_bytes = 0, number = 0;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      const Intervals given = lacks(k, other, me), taken = lacks(k, me, other);
      for (const Bytes& b : given.all())
        for (const Masks& m : masks_from(reader, units_of(b, arrays[k].unit)))
          copy_units(answers[other], arrays[k], m, b);
      for (const Bytes& b : taken.all())
        for (const Masks& m : wanted[other][number++]) n_bytes += size_of(m, arrays[k].unit, b);
    }
    received[other].resize(n_bytes);
  }
  exchange(ranks, answers, received);
  for (std::size_t other = 0; other < n; ++other) {
    if (other == me) continue;
    Reader reader(received[other]);
    std::size_t number = 0;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      const Intervals taken = lacks(k, me, other);
      for (const Bytes& b : taken.all())
        for (const Masks& m : wanted[other][number++]) take_units(reader, arrays[k], m, b);
    }
  }
  return bytes_of(received);
}

std::size_t post(Ranks& ranks, std::span<const MarkedArray> arrays) {
  const auto n = static_cast<std::size_t>(ranks.size()), me = static_cast<std::size_t>(ranks.rank());
  std::vector<std::vector<Intervals>> owned;
  for (const MarkedArray& array : arrays) owned.push_back(owners(*array.layout, array.element_bytes));
  Parcels posted(n), received(n);
  for (std::size_t owner = 0; owner < n; ++owner) {
    bool is_any = false;
    for (std::size_t k = 0; owner != me && k < arrays.size(); ++k)
      for (const Bytes& b : owned[k][owner].all()) {
        const std::vector<Masks> masks = masks_of(arrays[k], b);
        append_masks(posted[owner], masks);
        for (const Masks& m : masks) copy_units(posted[owner], arrays[k], m, b);
        is_any |= !masks.empty();
      }
    if (!is_any) posted[owner].clear();
  }
  size_by_exchange(ranks, posted, received);
  exchange(ranks, posted, received);
  for (std::size_t other = 0; other < n; ++other) {
    if (other == me) continue;
    Reader reader(received[other]);
    for (std::size_t k = 0; k < arrays.size(); ++k)
      for (const Bytes& b : owned[k][me].all())
        for (const Masks& m : masks_from(reader, units_of(b, arrays[k].unit)))
          take_units(reader, arrays[k], m, b);
  }
  for (std::size_t k = 0; k < arrays.size(); ++k) arrays[k].layout->computed(owned[k]);
  return bytes_of(posted);
}

}  // namespace fulgurite::runtime::mpi
