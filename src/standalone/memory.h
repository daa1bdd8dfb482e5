// Memory of the static run time: of arrays, of which freed ones are kept for calls that ask for the same
// size, and what is allocated once.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace fulgurite::standalone {

// Uninitialised, aligned to 64 bytes, never null for 0 bytes; null if there is none left.
void* allocate_array(std::size_t bytes);
// `bytes` as it was asked for.
void release_array(void* array, std::size_t bytes);

// n zeroed things of a type without constructor and destructor, freed at the end. null() tells that there was
// no memory.
template <class T>
class Several {
 public:
  Several() = default;
  explicit Several(std::size_t n) : data_(static_cast<T*>(std::calloc(n + 1, sizeof(T)))), n_(n) {}
  ~Several() { std::free(data_); }
  Several(Several&& from) noexcept : data_(from.data_), n_(from.n_) { from.data_ = nullptr; }
  Several& operator=(Several&& from) noexcept {
    T* const data = data_;
    data_ = from.data_;
    n_ = from.n_;
    from.data_ = data;
    return *this;
  }
  bool is_null() const { return data_ == nullptr; }
  std::size_t size() const { return n_; }
  T* data() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + n_; }

 private:
  T* data_ = nullptr;
  std::size_t n_ = 0;
};

}  // namespace fulgurite::standalone
