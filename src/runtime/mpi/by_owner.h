// Elements at places that the data say travel by way of owners: each element of an array has one rank that
// answers for it, which all ranks know. Requests and what is posted are sets of elements, written as a mask
// for every 64 neighbours of which there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/mpi/layout.h"
#include "runtime/mpi/ranks.h"

namespace fulgurite::runtime::mpi {

/// Who answers for which bytes of the array. A division into equal blocks gives each byte to a rank; this
/// rank answers if it has the byte or if nobody does, else the first rank that has it.
std::vector<Intervals> owners(const Layout&, std::int64_t element_bytes);

/// One array of a launch, and the marks of this rank's tasks: a byte for every `unit` bytes.
struct MarkedArray {
  Layout* layout;
  std::byte* data;
  std::span<const std::byte> marks;
  std::int64_t unit, element_bytes;
};

/// Every rank gets the units that it has marked from their owners: a message of eight bytes to
/// each rank, one of masks to ranks of which it wants some, and one back. The layouts stay as they are:
/// nobody else knows what came. Returns the bytes that came to this rank.
std::size_t request(Ranks&, std::span<const MarkedArray>);

/// Every owner gets the elements that other ranks have marked, and has all of its elements then; others have
/// none: a message of eight bytes to each rank, and one of masks and elements where there are any. Returns
/// the bytes of elements and masks that this rank has sent.
std::size_t post(Ranks&, std::span<const MarkedArray>);

}  // namespace fulgurite::runtime::mpi
