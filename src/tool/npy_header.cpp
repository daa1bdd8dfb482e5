#include "tool/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fulgurite/error.h>

#include <charconv>
#include <optional>

#include "base/text.h"

namespace fulgurite::tool {
namespace {

using scalar::Kind;

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_dictionary = 1 << 16;
constexpr std::size_t max_rank = 8;

// What is said of a file may end on a terminal: at most 40 characters, all of them printable.
std::string quoted(std::string_view text) {
  std::string result;
  for (char c : text.substr(0, 40)) result += ' ' <= c && c <= '~' ? c : '?';
  return "'" + result + (text.size() > 40 ? "..." : "") + "'";
}

Kind kind_of(std::string_view descr) {
  const std::string_view type = descr.size() < 2 ? std::string_view() : descr.substr(1);
  constexpr std::pair<std::string_view, Kind> kinds[] = {
      {"b1", Kind::boolean}, {"i1", Kind::i8},  {"i2", Kind::i16}, {"i4", Kind::i32},
      {"i8", Kind::i64},     {"u1", Kind::u8},  {"u2", Kind::u16}, {"u4", Kind::u32},
      {"u8", Kind::u64},     {"f4", Kind::f32}, {"f8", Kind::f64}};
  for (const auto& [name, kind] : kinds) {
    if (name != type) continue;
    if (size_of(kind) > 1 && descr[0] == '>')
      throw FormatError(
          fmt::format("has big-endian elements ('{}'): convert it in NumPy with "
                      "a.astype(a.dtype.newbyteorder('<'))",
                      descr));
    if (std::string_view("<=|>").find(descr[0]) != std::string_view::npos) return kind;
  }
  const char letter = type.empty() ? ' ' : type[0];
  const char* what = letter == 'O'                    ? "Python objects"
                     : letter == 'c'                  ? "complex numbers"
                     : letter == 'U' || letter == 'S' ? "strings"
                     : letter == 'V'                  ? "records"
                     : letter == 'M' || letter == 'm' ? "times"
                     : type == "f2"                   ? "16-bit floats"
                     : letter == 'f'                  ? "extended floats"
                                                      : "elements of an unknown type";
  throw FormatError(
      fmt::format("has {} ({}), but elements are bool, i8 to i64, u8 to u64, f32 or f64: convert "
                  "them in NumPy, as in a.astype(np.float32)",
                  what, quoted(descr)));
}

// The few Python literals that stand in a header.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  NpyHeader dictionary() {
    std::optional<std::string_view> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::int64_t>> shape;
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !descr) {
        if (peek() == '[')
          throw FormatError(
              "has records (a structured dtype): save each field as an array in a file of its own");
        descr = string();
      } else if (key == "fortran_order" && !fortran_order) {
        fortran_order = boolean();
      } else if (key == "shape" && !shape) {
        shape = tuple();
      } else {
        broken(fmt::format("the key {} is unknown or there twice", quoted(key)));
      }
      if (!take(',') && peek() != '}') broken("',' or '}' is missing");
    }
    if (peek() != 0) broken("something follows the dictionary");
    if (!descr || !fortran_order || !shape) broken("it needs 'descr', 'fortran_order' and 'shape'");
    return {kind_of(*descr), *fortran_order, std::move(*shape)};
  }

 private:
  [[noreturn]] void broken(const std::string& why) const {
    throw FormatError(
        fmt::format("has a damaged header ({}, at {}): save it again with np.save", why, quoted(text_)));
  }
  char peek() {
    const std::size_t next = text_.find_first_not_of(" \t\n\r");
    text_.remove_prefix(next == text_.npos ? text_.size() : next);
    return text_.empty() ? '\0' : text_[0];
  }
  bool take(char c) {
    if (peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) broken(fmt::format("'{}' is missing", c));
  }
  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') broken("a string is missing");
    const std::size_t end = text_.find(quote, 1);
    if (end == text_.npos) broken("a string has no end");
    const std::string_view value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    peek();
    for (const auto& [word, value] : {std::pair("True", true), std::pair("False", false)}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(std::string_view(word).size());
      return value;
    }
    broken("True or False is missing");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!take(')')) {
      peek();
      std::int64_t extent = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error == std::errc::result_out_of_range) broken("an extent does not fit 64 bits");
      if (error != std::errc()) broken("an extent is not a number");
      if (extent < 0) broken(fmt::format("the extent {} is negative", extent));
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      take('L');  // Python 2's long integers
      extents.push_back(extent);
      if (extents.size() > max_rank)
        throw FormatError(fmt::format("has more than {} axes: reshape it in NumPy", max_rank));
      if (!take(',') && peek() != ')') broken("',' or ')' is missing");
    }
    return extents;
  }

  std::string_view text_;
};

}  // namespace

NpyPrefix parse_npy_prefix(std::string_view prefix) {
  if (prefix.size() < 10 || !prefix.starts_with(magic))
    throw FormatError("is not a .npy file (it does not start with \\x93NUMPY): write it with np.save");
  auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(prefix[i])}; };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    throw FormatError(fmt::format("has .npy format version {}.{}; 1.0 to 3.0 are known", version, byte(7)));
  NpyPrefix result{version == 1 ? std::size_t{10} : std::size_t{12}, byte(8) | byte(9) << 8};
  if (version > 1) {
    if (prefix.size() < 12) throw FormatError("ends within its header: the file is truncated");
    result.length |= byte(10) << 16 | byte(11) << 24;
  }
  if (result.length > max_dictionary)
    throw FormatError(
        fmt::format("claims a header of {} bytes: the file is damaged; save it again", result.length));
  return result;
}

NpyHeader parse_npy_dictionary(std::string_view text) {
  return Reader(text).dictionary();
}

std::uint64_t payload_bytes(const NpyHeader& header) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  std::uint64_t bytes = size_of(header.kind);
  bool overflow = false;
  for (std::int64_t extent : header.shape) {
    if (extent == 0) return 0;
    const auto n = static_cast<std::uint64_t>(extent);
    overflow = overflow || bytes > most / n;
    if (!overflow) bytes *= n;
  }
  if (overflow)
    throw FormatError(fmt::format("claims the absurd shape ({}): the file is damaged; save it again",
                                  fmt::join(header.shape, ", ")));
  return bytes;
}

std::string numpy_type(Kind kind) {
  const char order = size_of(kind) == 1 ? '|' : '<';
  const char letter = kind == Kind::boolean ? 'b' : is_float(kind) ? 'f' : is_signed(kind) ? 'i' : 'u';
  return fmt::format("{}{}{}", order, letter, size_of(kind));
}

std::string print_npy_header(Kind kind, std::span<const std::int64_t> shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 numpy_type(kind), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t prefix = magic.size() + 4;
  text.append(63 - (prefix + text.size()) % 64, ' ');
  text += '\n';
  std::string result(magic);
  result += {'\x01', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return result + text;
}

}  // namespace fulgurite::tool
