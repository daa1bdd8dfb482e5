// What is made by first use, without a lock: a child that is forked while another thread initialises a static
// variable of a function waits for ever when it comes there itself. Who owns the place frees what is there,
// or, of the process, nobody does.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace fulgurite::base {

// *place, or what make() returns as a std::unique_ptr<T>. Several threads may make one at once; the first
// stays.
template <class T, class Make>
T& made_once(std::atomic<T*>& place, Make&& make) {
  if (T* known = place.load(std::memory_order_acquire)) return *known;
  std::unique_ptr<T> fresh = std::forward<Make>(make)();
  T* known = nullptr;
  if (place.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *known;
}

}  // namespace fulgurite::base
