#include "runtime/mpi/gathered.h"

#include <algorithm>
#include <optional>

namespace fulgurite::runtime::mpi {
namespace {

using Part = Gathered::Part;

// Where bytes begin or end that a rank has, or lacks.
struct Edge {
  std::int64_t at;
  int rank;
  bool is_owner, begins;
};

// The ranks that have a byte, or lack it: how many, and the sum of their numbers.
struct Which {
  int count = 0;
  std::int64_t sum = 0;
  void change(const Edge& edge) {
    const int sign = edge.begins ? 1 : -1;
    count += sign;
    sum += sign * edge.rank;
  }
};

// Most needs are no such ones, and their first byte shows it: more than one rank can do without it.
bool is_needed_by_most(const Needs& need) {
  const auto first =
      std::ranges::find_if(need.of_rank, [](const Intervals& lacks) { return !lacks.empty(); });
  if (first == need.of_rank.end()) return false;
  const std::int64_t at = first->all().front().begin;
  int without = 0;
  for (const Intervals& lacks : need.of_rank)
    if (!lacks.meets({at, at + 1}) && ++without > 1) return false;
  return true;
}

// What ranks lack, if each byte of it is of one rank and all others lack it.
std::optional<std::vector<Part>> parts_of(const Needs& need, std::size_t number) {
  const int n_ranks = need.layout->n_ranks();
  std::vector<Edge> edges;
  for (int r = 0; r < n_ranks; ++r)
    for (const bool is_owner : {true, false}) {
      const Intervals& all = is_owner ? need.layout->of(r) : need.of_rank[static_cast<std::size_t>(r)];
      for (const Bytes& b : all.all()) {
        edges.push_back({b.begin, r, is_owner, true});
        edges.push_back({b.end, r, is_owner, false});
      }
    }
  std::ranges::sort(edges, {}, &Edge::at);
  const std::int64_t sum_of_ranks = std::int64_t{n_ranks} * (n_ranks - 1) / 2;
  Which have, lack;
  std::vector<Part> parts;
  for (std::size_t k = 0; k < edges.size();) {
    const std::int64_t at = edges[k].at;
    for (; k < edges.size() && edges[k].at == at; ++k) (edges[k].is_owner ? have : lack).change(edges[k]);
    if (lack.count == 0 || have.count == 0) continue;
    if (have.count != 1 || lack.count != n_ranks - 1 || lack.sum != sum_of_ranks - have.sum)
      return std::nullopt;
    const auto owner = static_cast<int>(have.sum);
    const Bytes bytes{at, edges[k].at};
    if (!parts.empty() && parts.back().owner == owner && parts.back().bytes.end == at)
      parts.back().bytes.end = bytes.end;
    else
      parts.push_back({number, owner, bytes});
  }
  return parts;
}

std::int64_t size_of(std::span<const Part> parts) {
  std::int64_t bytes = 0;
  for (const Part& part : parts) bytes += part.bytes.end - part.bytes.begin;
  return bytes;
}

}  // namespace

Gathered::Gathered(std::span<const Needs> needs) : has_(needs.size()) {
  // Two ranks have one message.
  const int n_ranks = needs.empty() ? 0 : needs.front().layout->n_ranks();
  if (n_ranks < 3) return;
  bytes_of_ranks_.resize(static_cast<std::size_t>(n_ranks));
  std::int64_t left = most_gathered_of_rank * n_ranks;
  for (std::size_t k = 0; k < needs.size(); ++k) {
    if (!is_needed_by_most(needs[k])) continue;
    const auto parts = parts_of(needs[k], k);
    if (!parts || parts->empty() || size_of(*parts) > left) continue;
    has_[k] = true;
    left -= size_of(*parts);
    parts_.insert(parts_.end(), parts->begin(), parts->end());
  }
  std::ranges::stable_sort(parts_, {}, &Part::owner);
  for (const Part& part : parts_)
    bytes_of_ranks_[static_cast<std::size_t>(part.owner)] +=
        static_cast<std::size_t>(part.bytes.end - part.bytes.begin);
}

}  // namespace fulgurite::runtime::mpi
