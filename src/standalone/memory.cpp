#include "standalone/memory.h"

#include <pthread.h>
#include <sys/mman.h>

#include <new>

#include "runtime/spin_lock.h"

namespace fulgurite::standalone {

namespace {

constexpr std::size_t alignment = 64, huge_page = std::size_t{2} << 20;

// Freed arrays, the one that was freed last at the end.
class Kept {
 public:
  void* take(std::size_t bytes) {
    void* array = nullptr;
    lock_.lock();
    for (std::size_t i = n_; i > 0 && array == nullptr; --i)
      if (all_[i - 1].bytes == bytes) array = remove(i - 1);
    lock_.unlock();
    return array;
  }
  // Keeps the array, and tells what has to go for it; null if nothing.
  void* keep(void* array, std::size_t bytes) {
    if (bytes > most_bytes) return array;
    void* old = nullptr;
    lock_.lock();
    if (n_ == most || bytes_ + bytes > most_bytes) old = n_ > 0 ? remove(0) : nullptr;
    if (n_ < most && bytes_ + bytes <= most_bytes) {
      all_[n_++] = {array, bytes};
      bytes_ += bytes;
      array = nullptr;
    }
    lock_.unlock();
    if (old != nullptr && array != nullptr) std::free(old);
    return array != nullptr ? array : old;
  }
  void clear() {
    for (;;) {
      lock_.lock();
      void* const array = n_ > 0 ? remove(n_ - 1) : nullptr;
      lock_.unlock();
      if (array == nullptr) return;
      std::free(array);
    }
  }
  void release_lock() { lock_.unlock(); }

 private:
  void* remove(std::size_t i) {
    void* const array = all_[i].array;
    bytes_ -= all_[i].bytes;
    for (--n_; i < n_; ++i) all_[i] = all_[i + 1];
    return array;
  }

  static constexpr std::size_t most = 64, most_bytes = std::size_t{512} << 20;
  struct Array {
    void* array;
    std::size_t bytes;
  };
  runtime::SpinLock lock_;
  std::size_t n_ = 0, bytes_ = 0;
  Array all_[most] = {};
};
constinit Kept kept;

// In a child nobody holds the lock.
[[gnu::constructor]] void release_the_lock_in_children() {
  pthread_atfork(nullptr, nullptr, [] { kept.release_lock(); });
}

std::size_t rounded(std::size_t bytes) {
  const std::size_t to = bytes >= huge_page ? huge_page : alignment;
  return bytes == 0 ? alignment : (bytes + to - 1) / to * to;
}

void* fresh(std::size_t size) {
  void* array = nullptr;
  const bool is_huge = size >= huge_page;
  if (posix_memalign(&array, is_huge ? huge_page : alignment, size) != 0) return nullptr;
  if (is_huge) madvise(array, size, MADV_HUGEPAGE);
  return array;
}

}  // namespace

void* allocate_array(std::size_t bytes) {
  if (bytes > std::size_t{1} << 47) return nullptr;
  const std::size_t size = rounded(bytes);
  if (void* array = kept.take(size)) return array;
  if (void* array = fresh(size)) return array;
  kept.clear();
  return fresh(size);
}

void release_array(void* array, std::size_t bytes) {
  if (array != nullptr) std::free(kept.keep(array, rounded(bytes)));
}

}  // namespace fulgurite::standalone
