#include "standalone/error.h"

namespace fulgurite::standalone {

namespace {

// string_view::substr can throw, which nothing here may.
std::string_view part(std::string_view text, std::size_t from, std::size_t n) {
  return {text.data() + from, n};
}

// The quoted places are as in base/quote.cpp.
struct Place {
  std::size_t number = 0;
  char reading = 's';  // signed, 'u'nsigned, '?' either
  bool is_one = false;
};
Place place_of(std::string_view word) {
  Place place;
  if (!word.empty() && (word.back() == 'u' || word.back() == '?')) {
    place.reading = word.back();
    word.remove_suffix(1);
  }
  for (const char digit : word) {
    if (digit < '0' || digit > '9' || place.number > 1000) return {};
    place.number = 10 * place.number + static_cast<std::size_t>(digit - '0');
  }
  place.is_one = !word.empty();
  return place;
}

void number(Text& text, std::int64_t value, char reading) {
  if (value >= 0 || reading == 's') {
    text << value;
    return;
  }
  text.number(static_cast<std::uint64_t>(value));
  if (reading == '?') text << " (or " << value << " if it is signed)";
}

// False for a brace of the user's.
bool quote(Text& text, std::string_view word, const std::int64_t* values, std::size_t n_values,
           std::int64_t position) {
  if (word == "at") {
    text << position;
    return true;
  }
  if (word == "range" && n_values > 1) {
    if (values[1] > 0)
      text << "0.." << values[1] - 1;
    else
      text << "an empty array";
    return true;
  }
  const Place place = place_of(word);
  if (!place.is_one) return false;
  if (n_values == 2 && place.number == 2) {
    text << position;
    return true;
  }
  if (place.number >= n_values) return false;
  number(text, values[place.number], place.reading);
  return true;
}

fg_runtime_status status_of(std::uint32_t error) {
  switch (error) {  // plan::SiteText::Error
    case 1: return FG_INDEX_ERROR;
    case 2: return FG_ARITHMETIC_ERROR;
    case 4: return FG_OUT_OF_MEMORY;
    default: return FG_SHAPE_ERROR;
  }
}

}  // namespace

Text& Text::number(std::uint64_t number) {
  char digits[20];
  std::size_t n = 0;
  do digits[n++] = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  while (n > 0) *this << std::string_view(&digits[--n], 1);
  return *this;
}

Text& Text::operator<<(std::int64_t value) {
  if (value >= 0) return number(static_cast<std::uint64_t>(value));
  *this << "-";
  return number(0 - static_cast<std::uint64_t>(value));
}

fg_runtime_status fail_at(fg_runtime_error* error, const Site& site, const std::int64_t* values,
                          std::size_t n_values, std::int64_t position) {
  const fg_runtime_status status = status_of(site.error);
  if (error == nullptr) return status;
  error->status = status;
  error->line = site.line;
  Text(error->file, sizeof error->file) << site.file;
  Text text(error->message, sizeof error->message);
  std::string_view rest = site.message;
  while (!rest.empty()) {
    const std::size_t begin = rest.find('{'), end = begin == rest.npos ? rest.npos : rest.find('}', begin);
    if (end == rest.npos) break;
    text << part(rest, 0, begin);
    if (quote(text, part(rest, begin + 1, end - begin - 1), values, n_values, position)) {
      rest.remove_prefix(end + 1);
    } else {
      text << "{";
      rest.remove_prefix(begin + 1);
    }
  }
  text << rest;
  return status;
}

}  // namespace fulgurite::standalone
