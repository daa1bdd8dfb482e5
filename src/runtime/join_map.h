// A table of things that are expensive to make: what several threads ask for at once is made by the first,
// and the others wait for it. A thing that could not be made is not remembered: whoever waited gets the same
// exception, who comes later tries again.
#pragma once

#include <future>
#include <mutex>
#include <unordered_map>

namespace fulgurite::runtime {

template <class Key, class Value>
class JoinMap {
 public:
  // Calls `make()` without holding the lock, unless another thread has made the value or is at it. `found`
  // tells which. A value must not need itself: make() may ask for other keys only.
  template <class Make>
  Value get(const Key& key, Make&& make, bool* found = nullptr) {
    std::promise<Value> promise;
    {
      std::unique_lock lock(mutex_);
      const auto [entry, is_new] = entries_.try_emplace(key);
      if (found != nullptr) *found = !is_new;
      if (!is_new) {
        const std::shared_future<Value> value = entry->second;
        lock.unlock();
        return value.get();
      }
      entry->second = promise.get_future().share();
    }
    try {
      Value value = make();
      promise.set_value(value);
      return value;
    } catch (...) {
      {
        const std::lock_guard lock(mutex_);
        entries_.erase(key);
      }
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  // A thing that is being made meanwhile reaches only the threads that wait for it.
  void clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<Key, std::shared_future<Value>> entries_;
};

}  // namespace fulgurite::runtime
