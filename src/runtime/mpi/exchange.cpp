#include "runtime/mpi/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime/mpi/transfers.h"

namespace fulgurite::runtime::mpi {

Exchange::Exchange(Ranks& ranks, std::span<const Needs> needs)
    : ranks_(ranks), needs_(needs), missing_(needs.size()) {
  const int me = ranks.rank();
  const auto parcel = [](std::vector<Parcel>& all, int rank) -> Parcel& {
    const auto known = std::ranges::find(all, rank, &Parcel::rank);
    return known == all.end() ? all.emplace_back(rank) : *known;
  };
  for (const Transfer& t : transfers_of(needs, me)) {
    const Needs& need = needs[t.need];
    if (t.to == me) missing_[t.need].add(t.bytes);
    Parcel& of = t.to == me ? parcel(received_, t.from) : parcel(sent_, t.to);
    of.is_copied |= t.from == me && need.is_changed_meanwhile;
    of.pieces.push_back({need.data + t.bytes.begin, static_cast<std::size_t>(t.bytes.end - t.bytes.begin)});
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
  meet(needs_);
}

}  // namespace fulgurite::runtime::mpi
