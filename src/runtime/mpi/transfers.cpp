#include "runtime/mpi/transfers.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace fulgurite::runtime::mpi {
namespace {

// A rank and the bytes of an array that it has, or needs.
struct OfRank {
  int rank;
  const Intervals& bytes;
};

// One array from its first byte to its last: between two places where somebody's bytes begin or end, the same
// ranks have what is there, and the same need it.
class Sweep {
 public:
  using Take = std::function<void(int from, int to, const Bytes&)>;

  Sweep(int n_ranks, Take take) : take_(std::move(take)), open_(static_cast<std::size_t>(n_ranks)) {}

  void run(std::span<const OfRank> owners, std::span<const OfRank> needing) {
    for (const OfRank& owner : owners) add(owner, true);
    for (const OfRank& one : needing) add(one, false);
    std::ranges::sort(edges_, {}, &Edge::at);
    for (std::size_t k = 0; k < edges_.size();) {
      const std::int64_t at = edges_[k].at;
      for (; k < edges_.size() && edges_[k].at == at; ++k) {
        const Edge& edge = edges_[k];
        std::set<int>& ranks = edge.is_owner ? owners_ : needing_;
        if (edge.begins)
          ranks.insert(edge.rank);
        else
          ranks.erase(edge.rank);
        if (!edge.is_owner && !edge.begins) close(edge.rank);
      }
      if (k == edges_.size()) break;
      const std::int64_t end = edges_[k].at;
      for (const int to : needing_) extend(to, {at, end});
    }
  }

 private:
  struct Edge {
    std::int64_t at;
    int rank;
    bool is_owner, begins;
  };
  // What a rank is about to get, as long as the same one sends it.
  struct Open {
    int from = -1;
    Bytes bytes{0, 0};
  };

  void add(const OfRank& of, bool is_owner) {
    for (const Bytes& b : of.bytes.all()) {
      edges_.push_back({b.begin, of.rank, is_owner, true});
      edges_.push_back({b.end, of.rank, is_owner, false});
    }
  }

  // The first rank after it that has these bytes; -1: none has.
  int sender_to(int rank) const {
    auto next = owners_.upper_bound(rank);
    if (next == owners_.end()) next = owners_.begin();
    return next == owners_.end() || *next == rank ? -1 : *next;
  }

  void extend(int to, const Bytes& bytes) {
    const int from = sender_to(to);
    Open& open = open_[static_cast<std::size_t>(to)];
    if (open.from == from) {
      open.bytes.end = bytes.end;
      return;
    }
    close(to);
    open = {from, bytes};
  }
  void close(int to) {
    const Open open = std::exchange(open_[static_cast<std::size_t>(to)], {});
    if (open.from >= 0) take_(open.from, to, open.bytes);
  }

  const Take take_;
  std::vector<Edge> edges_;
  std::set<int> owners_, needing_;  // of what is here
  std::vector<Open> open_;
};

bool is_met(const Needs& need) {
  return std::ranges::all_of(need.of_rank, [](const Intervals& bytes) { return bytes.empty(); });
}

const Intervals& needed(const Needs& need, int rank) {
  return need.of_rank[static_cast<std::size_t>(rank)];
}

// What each rank has or needs of it, as far as it lies in `where`.
class Parts {
 public:
  Parts(const Needs& need, const Intervals& where) {
    const int n = need.layout->n_ranks();
    for (int r = 0; r < n; ++r) {
      owned_.push_back(need.layout->of(r) & where);
      needed_.push_back(needed(need, r) & where);
    }
    for (int r = 0; r < n; ++r) {
      owners.push_back({r, owned_[static_cast<std::size_t>(r)]});
      needing.push_back({r, needed_[static_cast<std::size_t>(r)]});
    }
  }

  std::vector<OfRank> owners, needing;

 private:
  std::vector<Intervals> owned_, needed_;
};

}  // namespace

void for_transfers(std::span<const Needs> needs, const Gathered& gathered,
                   const std::function<void(const Transfer&)>& take) {
  for (std::size_t k = 0; k < needs.size(); ++k) {
    const Needs& need = needs[k];
    if (is_met(need) || gathered.has(k)) continue;
    const int n = need.layout->n_ranks();
    std::vector<OfRank> owners, needing;
    for (int r = 0; r < n; ++r) {
      owners.push_back({r, need.layout->of(r)});
      needing.push_back({r, needed(need, r)});
    }
    Sweep(n, [&](int from, int to, const Bytes& bytes) { take({k, from, to, bytes}); }).run(owners, needing);
  }
}

std::vector<Transfer> transfers_of(std::span<const Needs> needs, const Gathered& gathered, int rank) {
  std::vector<Transfer> all;
  for (std::size_t k = 0; k < needs.size(); ++k) {
    const Needs& need = needs[k];
    if (is_met(need) || gathered.has(k)) continue;
    const int n = need.layout->n_ranks();
    // Only where it needs something, and then where it has something, so that the transfers of others are not
    // looked at where all ranks get everything.
    if (const Intervals& lacks = needed(need, rank); !lacks.empty()) {
      const Parts parts(need, lacks);
      const auto take = [&](int from, int to, const Bytes& bytes) { all.push_back({k, from, to, bytes}); };
      Sweep(n, take).run(parts.owners, std::span(parts.needing).subspan(static_cast<std::size_t>(rank), 1));
    }
    if (const Intervals& own = need.layout->of(rank); !own.empty()) {
      const Parts parts(need, own);
      const auto take = [&](int from, int to, const Bytes& bytes) {
        if (from == rank) all.push_back({k, from, to, bytes});
      };
      Sweep(n, take).run(parts.owners, parts.needing);
    }
  }
  return all;
}

void meet(std::span<const Needs> needs) {
  for (const Needs& need : needs) {
    if (is_met(need)) continue;
    const Intervals there = need.layout->anywhere();  // bytes that no rank has did not come
    for (int r = 0; r < need.layout->n_ranks(); ++r) need.layout->received(r, needed(need, r) & there);
  }
}

}  // namespace fulgurite::runtime::mpi
