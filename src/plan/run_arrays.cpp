#include "plan/run_arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "plan/device_copies.h"
#include "runtime/profile.h"

namespace fulgurite::plan {

using runtime::Memory;

void Array::refuse_shape() const {
  const std::span shape(extents, static_cast<std::size_t>(rank));
  throw ShapeError(
      fmt::format("an array cannot have the shape [{}]: a size is negative", fmt::join(shape, ", ")));
}

// The first extent with which the elements are too many.
void Array::refuse_size(Kind kind) const {
  std::size_t all = size_of(kind);
  std::int32_t d = 0;
  while (!__builtin_mul_overflow(all, static_cast<std::size_t>(extents[d]), &all) && all <= most) ++d;
  throw OutOfMemory(
      fmt::format("an array of {} with an extent of {} exceeds every memory", name_of(kind), extents[d]));
}

RunArrays::~RunArrays() {
  parks_ = false;  // keeping memory for later may itself need memory
  n_loops_ = 0;
  for (Place p = 0; p < n_places_; ++p) release(p);
  for (const Memory& memory : parked_) device_.release(memory);
  spare_.release_all(device_);
}

Memory RunArrays::memory_of(std::size_t bytes) {
  if (parks_) {
    const auto parked = std::ranges::find(parked_, bytes, &Memory::bytes);
    if (parked != parked_.end()) {
      const Memory memory = *parked;
      parked_.erase(parked);
      return memory;
    }
  }
  if (!is_host_) return detail::allocate_on(device_, bytes);
  if (n_loops_ == 0 || bytes > SpareBlocks::largest) return device_.allocate(bytes);
  // What a loop releases is little more often than not, and wanted again in the next iteration.
  const Memory spare = spare_.take(bytes);
  return spare.data != nullptr ? spare : device_.allocate(SpareBlocks::rounded(bytes));
}

void RunArrays::give_back(const Memory& memory) {
  if (parks_)
    parked_.push_back(memory);
  else if (n_loops_ == 0 || !is_host_ || !spare_.keep(memory))
    device_.release(memory);
}

Memory RunArrays::copy_of(const Array& array, Kind kind) {
  const std::size_t bytes = array.bytes(kind);
  const Memory copy = memory_of(bytes);
  const runtime::Span span(runtime::Activity::transfer, "copy", bytes, bytes);
  device_.copy(copy, {array.data, bytes}, bytes);
  return copy;
}

void RunArrays::release(Place p) {
  Array& array = (*this)[p];
  if (array.buffer >= 0) {
    Buffer& buffer = buffer_of(array);
    if (buffer.n_arrays == 1 && !buffer.is_given) give_back(buffer.memory);  // may fail: changes nothing then
    --buffer.n_arrays;
  }
  array.buffer = -1;
  array.data = nullptr;
}

// No more buffers are in use than places, and this place uses none.
void RunArrays::allocate(Place p, Kind kind) {
  Array& array = (*this)[p];
  std::int32_t free = p;
  while (buffers_[static_cast<std::size_t>(free)].n_arrays > 0) free = (free + 1) % n_places_;
  buffers_[static_cast<std::size_t>(free)] = {memory_of(array.bytes(kind)), 1, false};
  array.buffer = free;
  array.data = buffer_of(array).memory.data;
}

void RunArrays::allocate(Place p, Kind kind, Site site) {
  try {
    allocate(p, kind);
  } catch (const OutOfMemory& error) {
    if (site == 0 || error.line() != 0) throw;
    throw OutOfMemory(error.message(), sites_[site - 1].where);
  } catch (const ShapeError& error) {
    if (site == 0) throw;
    throw ShapeError(error.message(), sites_[site - 1].where);
  }
}

void RunArrays::share(Place to, Place from) {
  if (to == from) return;
  release(to);
  (*this)[to] = (*this)[from];
  if ((*this)[to].buffer >= 0) ++buffer_of((*this)[to]).n_arrays;
}

RunArrays::Moment RunArrays::now() {
  const auto n = static_cast<std::size_t>(n_places_);
  return {{arrays_.data(), arrays_.data() + n}, {buffers_.data(), buffers_.data() + n}};
}

void RunArrays::go_back_to(const Moment& then) {
  parked_.reserve(parked_.size() + then.buffers.size());  // no memory may be in both lists if this fails
  for (std::size_t b = 0; b < then.buffers.size(); ++b)
    if (buffers_[b].n_arrays > 0) parked_.push_back(buffers_[b].memory);
  for (const Buffer& buffer : then.buffers)
    if (buffer.n_arrays > 0)
      std::erase_if(parked_, [&](const Memory& memory) { return memory.data == buffer.memory.data; });
  std::ranges::copy(then.arrays, arrays_.data());
  std::ranges::copy(then.buffers, buffers_.data());
}

void RunArrays::end_parking() {
  parks_ = false;
  for (const Memory& memory : std::exchange(parked_, {})) device_.release(memory);
}

}  // namespace fulgurite::plan
