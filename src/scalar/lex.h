// Tokens of the text forms of both IRs. Comments run from `#` to the end of the line; line breaks mean
// nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fulgurite::scalar {

struct Token {
  enum class Kind : unsigned char { name, number, text, symbol, end };
  Kind kind;
  std::string_view spelling;  // of a text: without its quotes, escapes not yet resolved
  unsigned line;
};

class Lexer {
 public:
  /// `text` must outlive the lexer. `file` is named by errors.
  explicit Lexer(std::string_view text, std::string file = "");

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }
  Token next();
  bool is(std::string_view spelling, std::size_t ahead = 0) const;  // a name or symbol of this spelling
  bool accept(std::string_view spelling);                           // consumes it if it is next
  void expect(std::string_view spelling);
  std::string name();
  std::string text();
  std::uint64_t natural();
  [[noreturn]] void fail(const std::string& what) const;  // FormatError at the next token

 private:
  std::string file_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
};

/// A text in quotes, with escapes, as Lexer::text reads it.
std::string quoted(std::string_view);

}  // namespace fulgurite::scalar
