// Reads what base/word_writer.h writes: 32-bit words, with texts and lists among them. Nothing of it is
// believed: after the end of the words come zeros, and the reader knows that it has been there. Needs
// nothing of a library's, since the static run time reads with it too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fulgurite::base {

class WordReader {
 public:
  WordReader() = default;
  WordReader(const std::uint32_t* words, std::size_t n) : at_(words), n_(n) {}

  std::uint32_t word() {
    if (n_ == 0) {
      has_passed_the_end_ = true;
      return 0;
    }
    --n_;
    return *at_++;
  }
  std::int32_t number() { return static_cast<std::int32_t>(word()); }
  std::uint64_t wide() {
    const std::uint64_t low = word();
    return low | std::uint64_t{word()} << 32;
  }
  // Its length in bytes, and the bytes in whole words.
  std::string_view text() {
    const std::uint32_t bytes = word();
    const WordReader of_text = part((std::size_t{bytes} + 3) / 4);
    return of_text.has_passed_the_end_ ? std::string_view()
                                       : std::string_view(reinterpret_cast<const char*>(of_text.at_), bytes);
  }
  // The next n words.
  WordReader part(std::size_t n) {
    if (n > n_) {
      has_passed_the_end_ = true;
      n_ = 0;
      WordReader none;
      none.has_passed_the_end_ = true;
      return none;
    }
    const WordReader words(at_, n);
    at_ += n;
    n_ -= n;
    return words;
  }
  // Its length in words, and the words.
  WordReader section() { return part(word()); }

  std::size_t n_left() const { return n_; }
  const std::uint32_t* at() const { return at_; }
  bool has_passed_the_end() const { return has_passed_the_end_; }
  // Everything was read, and nothing else.
  bool is_done() const { return n_ == 0 && !has_passed_the_end_; }

 private:
  const std::uint32_t* at_ = nullptr;
  std::size_t n_ = 0;
  bool has_passed_the_end_ = false;
};

}  // namespace fulgurite::base
