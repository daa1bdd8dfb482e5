#include "stale_loads.h"

#include <utility>

namespace fulgurite::runtime::test {
namespace {

constexpr std::size_t most_words = 512;  // so that turns stay short

std::byte& memory(cuda::Address address) {
  return *reinterpret_cast<std::byte*>(address);
}

}  // namespace

void StaleLoads::add(cuda::Address address, const std::byte* old, std::size_t bytes) {
  if (words_.size() >= most_words) words_.clear();
  for (std::size_t i = 0; i < bytes; ++i) {
    Word& w = words_[(address + i) / word];
    const std::size_t byte = (address + i) % word;
    if ((w.mask >> byte & 1) != 0) continue;  // it has an older one
    w.mask = static_cast<unsigned char>(w.mask | 1U << byte);
    w.other[byte] = old[i];
  }
}

void StaleLoads::exchange(cuda::Address number, Word& w) {
  for (std::size_t byte = 0; byte < word; ++byte)
    if ((w.mask >> byte & 1) != 0) std::swap(w.other[byte], memory(number * word + byte));
}

void StaleLoads::exchange() {
  for (auto& [number, w] : words_) exchange(number, w);
}

void StaleLoads::refresh() {
  exchange();
  words_.clear();
}

void StaleLoads::refresh(cuda::Address address, std::size_t bytes) {
  for (cuda::Address number = address / word; number <= (address + bytes - 1) / word; ++number) {
    const auto found = words_.find(number);
    if (found == words_.end()) continue;
    exchange(number, found->second);
    words_.erase(found);
  }
}

}  // namespace fulgurite::runtime::test
