#include "runtime/mpi/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "runtime/mpi/transfers.h"

namespace fulgurite::runtime::mpi {

Exchange::Exchange(Ranks& ranks, std::span<const Needs> needs)
    : ranks_(ranks), needs_(needs), gathered_(needs), missing_(needs.size()) {
  const int me = ranks.rank();
  const auto parcel = [](std::vector<Parcel>& all, int rank) -> Parcel& {
    const auto known = std::ranges::find(all, rank, &Parcel::rank);
    return known == all.end() ? all.emplace_back(rank) : *known;
  };
  for (const Transfer& t : transfers_of(needs, gathered_, me)) {
    const Needs& need = needs[t.need];
    if (t.to == me) missing_[t.need].add(t.bytes);
    Parcel& of = t.to == me ? parcel(received_, t.from) : parcel(sent_, t.to);
    of.is_copied |= t.from == me && need.is_changed_meanwhile;
    of.pieces.push_back({need.data + t.bytes.begin, static_cast<std::size_t>(t.bytes.end - t.bytes.begin)});
  }
  for (const Gathered::Part& part : gathered_.parts())
    if (part.owner != me) missing_[part.need].add(part.bytes);
}

std::size_t Exchange::Parcel::bytes() const {
  std::size_t n = 0;
  for (const Piece& piece : pieces) n += piece.bytes;
  return n;
}

template <class Copy>
void Exchange::Parcel::move(std::span<std::byte> portion, const Copy& copy_bytes) {
  while (!portion.empty()) {
    const Piece& piece = pieces[next];
    const std::size_t n = std::min(piece.bytes - of_next, portion.size());
    copy_bytes(piece.data + of_next, portion.data(), n);
    portion = portion.subspan(n);
    of_next += n;
    if (of_next == piece.bytes) ++next, of_next = 0;
  }
}

std::string Exchange::text() const {
  std::string text;
  for (const Parcel& parcel : sent_)
    text += fmt::format("; {} bytes to rank {}", parcel.bytes(), parcel.rank);
  for (const Parcel& parcel : received_)
    text += fmt::format("; {} bytes from rank {}", parcel.bytes(), parcel.rank);
  if (!gathered_.empty()) {
    const std::span<const std::size_t> bytes = gathered_.bytes_of_ranks();
    text += fmt::format("; {} of {} bytes gathered", bytes[static_cast<std::size_t>(ranks_.rank())],
                        std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}));
  }
  return text;
}

template <class Copy>
void Exchange::for_gathered(const Copy& copy) {
  std::byte* place = together_.data();
  for (const Gathered::Part& part : gathered_.parts()) {
    const auto bytes = static_cast<std::size_t>(part.bytes.end - part.bytes.begin);
    copy(needs_[part.need].data + part.bytes.begin, place, bytes, part.owner);
    place += bytes;
  }
}

void Exchange::begin() {
  if (has_messages()) begin_messages();
  if (!gathered_.empty()) begin_gathering();
}

void Exchange::end() {
  if (!gathered_.empty()) end_gathering();
  if (has_messages()) end_messages();
  meet(needs_);
}

void Exchange::begin_gathering() {
  const std::span<const std::size_t> bytes = gathered_.bytes_of_ranks();
  together_.resize(std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}));
  for_gathered([&](const std::byte* part, std::byte* place, std::size_t n, int owner) {
    if (owner == ranks_.rank()) std::memcpy(place, part, n);
  });
  gathering_ = ranks_.begin_gathering(together_.data(), bytes);
}

void Exchange::end_gathering() {
  ranks_.end_gathering(gathering_);
  for_gathered([&](std::byte* part, const std::byte* place, std::size_t n, int owner) {
    if (owner != ranks_.rank()) std::memcpy(part, place, n);
  });
}

void Exchange::begin_messages() {
  std::vector<Message> sent, received;
  const auto packed = [](Parcel& parcel, std::size_t room) {
    const std::size_t bytes = parcel.bytes();
    parcel.copy.resize(std::min(bytes, room));
    return Message{parcel.rank, parcel.copy.data(), bytes, portion_bytes};
  };
  for (Parcel& parcel : sent_) {
    const Piece& first = parcel.pieces.front();
    if (parcel.is_packed()) {
      sent.push_back(packed(parcel, SIZE_MAX));
      continue;
    }
    if (parcel.is_copied) parcel.copy.append(first.data, first.bytes);
    sent.push_back({parcel.rank, parcel.is_copied ? parcel.copy.data() : first.data, first.bytes});
  }
  for (Parcel& parcel : received_) {
    const Piece& first = parcel.pieces.front();
    received.push_back(parcel.is_packed() ? packed(parcel, 2 * portion_bytes)
                                          : Message{parcel.rank, first.data, first.bytes});
  }
  ranks_.begin_exchange(sent, received, [&](std::size_t k, std::span<std::byte> portion) {
    sent_[k].move(portion,
                  [](const std::byte* piece, std::byte* to, std::size_t n) { std::memcpy(to, piece, n); });
  });
}

void Exchange::end_messages() {
  ranks_.end_exchange([&](std::size_t k, std::span<std::byte> portion) {
    received_[k].move(
        portion, [](std::byte* piece, const std::byte* from, std::size_t n) { std::memcpy(piece, from, n); });
  });
}

}  // namespace fulgurite::runtime::mpi
