#include "runtime/mpi/layout.h"

#include <fmt/format.h>

#include <cstring>

namespace fulgurite::runtime::mpi {

bool Layout::is_everywhere(const Intervals& bytes) const {
  return std::ranges::all_of(of_rank_, [&](const Intervals& has) { return (bytes - has).empty(); });
}

void Layout::computed_everywhere(const Intervals& bytes) {
  for (Intervals& has : of_rank_) has.add(bytes);
}

void Layout::computed(std::span<const Intervals> computed) {
  Intervals all;
  for (const Intervals& bytes : computed) all.add(bytes);
  for (std::size_t r = 0; r < of_rank_.size(); ++r) {
    of_rank_[r] = of_rank_[r] - (all - computed[r]);
    of_rank_[r].add(computed[r]);
  }
}

Exchange::Exchange(Ranks& ranks, std::span<const Needs> needs)
    : ranks_(ranks), needs_(needs), missing_(needs.size()) {
  const int n = ranks.size(), me = ranks.rank();
  const auto parcel = [](std::vector<Parcel>& all, int rank) -> Parcel& {
    const auto known = std::ranges::find(all, rank, &Parcel::rank);
    if (known != all.end()) return *known;
    return all.emplace_back(rank);
  };
  for (std::size_t k = 0; k < needs.size(); ++k) {
    const Needs& need = needs[k];
    for (int to = 0; to < n; ++to) {
      Intervals left = need.of_rank[static_cast<std::size_t>(to)];
      for (int step = 1; step < n && !left.empty(); ++step) {
        const int from = (to + step) % n;
        const Intervals sent = left & need.layout->of(from);
        if (sent.empty()) continue;
        left = left - sent;
        if (to == me) missing_[k].add(sent);
        if (to != me && from != me) continue;
        Parcel& of = to == me ? parcel(received_, from) : parcel(sent_, to);
        of.is_copied |= from == me && need.is_changed_meanwhile;
        for (const Bytes& b : sent.all())
          of.pieces.push_back({need.data + b.begin, static_cast<std::size_t>(b.end - b.begin)});
      }
    }
  }
}

std::size_t Exchange::size_of(const Parcel& parcel) {
  std::size_t n = 0;
  for (const Piece& piece : parcel.pieces) n += piece.bytes;
  return n;
}

std::string Exchange::text() const {
  std::string text;
  for (const Parcel& parcel : sent_)
    text += fmt::format("; {} bytes to rank {}", size_of(parcel), parcel.rank);
  for (const Parcel& parcel : received_)
    text += fmt::format("; {} bytes from rank {}", size_of(parcel), parcel.rank);
  return text;
}

void Exchange::begin() {
  if (is_empty()) return;
  std::vector<Message> sent, received;
  const auto message = [](Parcel& parcel, bool is_copied) {
    if (!is_copied) return Message{parcel.rank, parcel.pieces.front().data, parcel.pieces.front().bytes};
    parcel.copy.resize(size_of(parcel));
    return Message{parcel.rank, parcel.copy.data(), parcel.copy.size()};
  };
  for (Parcel& parcel : sent_) {
    const bool is_copied = parcel.is_copied || parcel.pieces.size() > 1;
    sent.push_back(message(parcel, is_copied));
    std::byte* to = parcel.copy.data();
    if (is_copied)
      for (const Piece& piece : parcel.pieces) {
        std::memcpy(to, piece.data, piece.bytes);
        to += piece.bytes;
      }
  }
  for (Parcel& parcel : received_) received.push_back(message(parcel, parcel.pieces.size() > 1));
  ranks_.begin_exchange(sent, received);
}

void Exchange::end() {
  if (!is_empty()) ranks_.end_exchange();
  for (const Parcel& parcel : received_) {
    const std::byte* from = parcel.copy.data();
    if (parcel.pieces.size() > 1)
      for (const Piece& piece : parcel.pieces) {
        std::memcpy(piece.data, from, piece.bytes);
        from += piece.bytes;
      }
  }
  for (const Needs& need : needs_)
    for (int r = 0; r < ranks_.size(); ++r) {
      Intervals has;  // what nobody has did not come
      for (int q = 0; q < ranks_.size(); ++q)
        has.add(need.of_rank[static_cast<std::size_t>(r)] & need.layout->of(q));
      need.layout->received(r, has);
    }
}

}  // namespace fulgurite::runtime::mpi
