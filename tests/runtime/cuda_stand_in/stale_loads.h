// What a block may still load although another block has made a newer value visible: until a fence of its
// own, or a volatile or atomic access of the very bytes. While the block runs, memory has the old values.
#pragma once

#include <array>
#include <cstddef>
#include <unordered_map>

#include "runtime/cuda/driver.h"

namespace fulgurite::runtime::test {

class StaleLoads {
 public:
  // Another block changed these bytes, which were `old` before. This one does not run.
  void add(cuda::Address address, const std::byte* old, std::size_t bytes);
  // Before the block's turns and after them.
  void show() { exchange(); }
  void hide() { exchange(); }
  // The block runs, and sees what is there, everywhere or there.
  void refresh();
  void refresh(cuda::Address address, std::size_t bytes);
  void clear() { words_.clear(); }

 private:
  static constexpr std::size_t word = 8;
  // The bytes of a word that are old: those of the mask.
  struct Word {
    unsigned char mask = 0;
    std::array<std::byte, word> other{};  // what memory has not
  };

  void exchange();
  static void exchange(cuda::Address number, Word& word);

  std::unordered_map<cuda::Address, Word> words_;  // by address / 8
};

}  // namespace fulgurite::runtime::test
