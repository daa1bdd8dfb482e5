#include "scalar/lex.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace fulgurite::scalar {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

constexpr std::array<std::string_view, 6> long_symbols = {"<<", ">>", "<=", ">=", "==", "!="};

/// The length of the token of that kind at the start of `rest`.
std::size_t number_length(std::string_view rest) {
  const bool hexadecimal = rest.substr(0, 2) == "0x";
  std::size_t n = 1;
  for (; n < rest.size(); ++n) {
    const bool exponent_sign =
        (rest[n] == '+' || rest[n] == '-') && !hexadecimal && (rest[n - 1] == 'e' || rest[n - 1] == 'E');
    if (!is_digit(rest[n]) && !is_letter(rest[n]) && rest[n] != '.' && !exponent_sign) break;
  }
  return n;
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string file) : file_(std::move(file)) {
  unsigned line = 1;
  std::size_t at = 0;
  auto take = [&](Token::Kind kind, std::size_t length) {
    tokens_.push_back({kind, text.substr(at, length), line});
    at += length;
  };
  while (at < text.size()) {
    const char c = text[at];
    const std::string_view rest = text.substr(at);
    if (c == '\n') {
      ++line;
      ++at;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (is_digit(c)) {
      take(Token::Kind::number, number_length(rest));
    } else if (is_letter(c)) {
      const auto end =
          std::find_if(rest.begin(), rest.end(), [](char d) { return !is_digit(d) && !is_letter(d); });
      take(Token::Kind::name, static_cast<std::size_t>(end - rest.begin()));
    } else if (c == '"') {
      std::size_t n = 1;
      while (n < rest.size() && rest[n] != '"' && rest[n] != '\n') n += rest[n] == '\\' ? 2u : 1u;
      if (n >= rest.size() || rest[n] != '"') throw FormatError("a text is not closed", {file_, line});
      tokens_.push_back({Token::Kind::text, rest.substr(1, n - 1), line});
      at += n + 1;
    } else if (std::find(long_symbols.begin(), long_symbols.end(), rest.substr(0, 2)) != long_symbols.end()) {
      take(Token::Kind::symbol, 2);
    } else if (std::string_view("(){}[],:;=<>+-*/%&|^~!@").find(c) != std::string_view::npos) {
      take(Token::Kind::symbol, 1);
    } else {
      throw FormatError(fmt::format("character {:#04x} has no meaning here", static_cast<unsigned char>(c)),
                        {file_, line});
    }
  }
  tokens_.push_back({Token::Kind::end, "", line});
}

Token Lexer::next() {
  const Token token = peek();
  if (next_ + 1 < tokens_.size()) ++next_;
  return token;
}

bool Lexer::is(std::string_view spelling, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return (token.kind == Token::Kind::name || token.kind == Token::Kind::symbol) && token.spelling == spelling;
}

bool Lexer::accept(std::string_view spelling) {
  if (!is(spelling)) return false;
  next();
  return true;
}

void Lexer::expect(std::string_view spelling) {
  if (!accept(spelling)) fail(fmt::format("expected '{}'", spelling));
}

std::string Lexer::name() {
  if (peek().kind != Token::Kind::name) fail("expected a name");
  return std::string(next().spelling);
}

std::string Lexer::text() {
  if (peek().kind != Token::Kind::text) fail("expected a text in quotes");
  const std::string_view raw = peek().spelling;
  std::string result;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      result += raw[i];
      continue;
    }
    if (++i == raw.size()) fail("escape without a character");
    unsigned code = 0;
    if (raw[i] == 'x') {
      const std::string_view digits = raw.substr(std::min(i + 1, raw.size()), 2);
      const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16).ptr;
      if (digits.size() != 2 || end != digits.data() + 2) fail("\\x needs two hexadecimal digits");
      i += 2;
      result += static_cast<char>(code);
    } else {
      result += raw[i] == 'n' ? '\n' : raw[i];
    }
  }
  next();
  return result;
}

std::uint64_t Lexer::natural() {
  const Token& token = peek();
  std::uint64_t value = 0;
  const char* end = token.spelling.data() + token.spelling.size();
  if (token.kind != Token::Kind::number || std::from_chars(token.spelling.data(), end, value).ptr != end)
    fail("expected a natural number");
  next();
  return value;
}

void Lexer::fail(const std::string& what) const {
  const Token& token = peek();
  const std::string found = token.kind == Token::Kind::end ? std::string("the text ends")
                                                           : fmt::format("found '{}'", token.spelling);
  throw FormatError(fmt::format("{}, {}", what, found), {file_, token.line});
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (c == '\n')
      result += "\\n";
    else if (static_cast<unsigned char>(c) < 32)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      result += c;
  }
  return result + '"';
}

}  // namespace fulgurite::scalar
