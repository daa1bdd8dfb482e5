// Programs that use MPI themselves, beside the engine mpi: their communicator, and the parts of arrays that
// ranks have. fulgurite.h does not include this header; it needs no header of MPI's. All functions but
// local() and is_local() are called by all ranks, in the same order, from one thread. docs/cluster.md tells
// the rest.
#pragma once

#include <fulgurite/array.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite::mpi {
namespace detail {

using fulgurite::detail::Elements;

struct Piece {
  std::int64_t first_byte;
  const std::byte* data;
  std::size_t bytes;
};
void use(const void* communicator, std::size_t bytes);
std::vector<Piece> local(const Elements&, std::size_t bytes);
bool is_local(const Elements&, std::size_t bytes);
Elements adopt(const void* block, std::size_t bytes, std::size_t element_bytes, std::int64_t* n_elements);

}  // namespace detail

/// The ranks of this MPI_Comm are the engine's ranks, instead of all that the launcher has started; the
/// engine works on a duplicate. Before anything runs on the engine. Throws DeviceError afterwards, and the
/// engine's first use does for a communicator of another MPI than the one that FULGURITE_MPI names or the
/// launcher is of.
template <class Communicator>
void use(const Communicator& communicator) {
  static_assert(std::is_trivially_copyable_v<Communicator>, "the argument is MPI's handle, an MPI_Comm");
  detail::use(&communicator, sizeof communicator);
}

/// The number of this rank, from 0 on, and how many there are. Starts MPI where nothing has. Throws
/// DeviceError where there is no MPI.
int rank();
int n_ranks();

/// Neighbours among an array's elements that this rank has: `elements[k]` is element `first + k` in row-major
/// order.
template <class T>
struct Part {
  std::int64_t first;
  std::span<const T> elements;
};

/// The elements that this rank has and that no lower rank has, in order: the parts of all ranks are all
/// elements, each once. Of an array that every rank has whole (an argument, or a result that was read) rank 0
/// has all. Nothing is copied or sent; the parts live as long as the array. Throws DeviceError where there is
/// no MPI.
template <fulgurite::detail::Scalar T, int N>
std::vector<Part<T>> local(const Array<T, N>& array) {
  std::vector<Part<T>> parts;
  if (array.empty()) return parts;
  const std::size_t bytes = static_cast<std::size_t>(array.size()) * sizeof(T);
  for (const detail::Piece& piece : detail::local(array.parts()[0], bytes))
    parts.push_back({piece.first_byte / static_cast<std::int64_t>(sizeof(T)),
                     {reinterpret_cast<const T*>(piece.data), piece.bytes / sizeof(T)}});
  return parts;
}

/// Whether this rank has all elements, so that none is sent when it reads one.
template <fulgurite::detail::Scalar T, int N>
bool is_local(const Array<T, N>& array) {
  return array.empty() ||
         detail::is_local(array.parts()[0], static_cast<std::size_t>(array.size()) * sizeof(T));
}

/// The vector of all ranks' blocks, in the order of the ranks: each keeps its own, which is copied once, and
/// nothing else is sent than how many elements each has. Throws DeviceError where there is no MPI,
/// OutOfMemory.
template <fulgurite::detail::Scalar T>
Array<T, 1> adopt_block(std::span<const T> block) {
  std::int64_t n = 0;
  typename Array<T, 1>::Parts parts;
  parts[0] = detail::adopt(block.data(), block.size_bytes(), sizeof(T), &n);
  return Array<T, 1>(parts, {n});
}
template <fulgurite::detail::Scalar T>
Array<T, 1> adopt_block(const std::vector<T>& block) {
  return adopt_block(std::span<const T>(block));
}

}  // namespace fulgurite::mpi

#pragma GCC visibility pop
