// Data as 32-bit words in the machine's order (every machine that we run on has the low byte first), for
// base/word_reader.h.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace fulgurite::base {

class WordWriter {
 public:
  void word(std::uint32_t value) { words_.push_back(value); }
  void number(std::int64_t value) { word(static_cast<std::uint32_t>(value)); }
  void wide(std::uint64_t value) {
    word(static_cast<std::uint32_t>(value));
    word(static_cast<std::uint32_t>(value >> 32));
  }
  void text(std::string_view text) {
    word(static_cast<std::uint32_t>(text.size()));
    const std::size_t at = words_.size();
    words_.resize(at + (text.size() + 3) / 4);
    if (!text.empty()) std::memcpy(words_.data() + at, text.data(), text.size());
  }
  // What `write` writes, as a section.
  template <class Write>
  void section(Write&& write) {
    const std::size_t at = words_.size();
    word(0);
    write();
    words_[at] = static_cast<std::uint32_t>(words_.size() - at - 1);
  }

  const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  std::vector<std::uint32_t> words_;
};

}  // namespace fulgurite::base
