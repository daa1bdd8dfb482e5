#include "ahead/sections.h"

#include <fmt/format.h>

#include <cctype>
#include <vector>

namespace fulgurite::ahead {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

struct Section {
  std::string_view word, text;
  bool is_taken = false;
};

std::vector<Section> split(std::string_view file) {
  constexpr std::string_view mark = "//! ";
  std::vector<Section> sections;
  for (std::size_t at = file.find(mark); at != file.npos;) {
    const std::size_t line = file.find('\n', at), next = file.find(mark, line);
    sections.push_back({file.substr(at + mark.size(), line - at - mark.size()),
                        file.substr(line + 1, next == file.npos ? file.npos : next - line - 1)});
    at = next;
  }
  return sections;
}

}  // namespace

bool mentions(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

std::string unused_text(const std::vector<std::string>& parameters, std::string_view text) {
  std::string statements;
  for (const std::string& name : parameters)
    if (!mentions(text, name)) statements += "  (void)" + name + ";\n";
  return statements;
}

std::string sections_for(std::string_view program, std::string_view file) {
  std::vector<Section> sections = split(file);
  for (bool changes = true; changes;) {
    changes = false;
    for (Section& section : sections) {
      bool is_wanted = mentions(program, section.word);
      for (const Section& other : sections)
        is_wanted = is_wanted || (other.is_taken && mentions(other.text, section.word));
      changes = changes || (is_wanted && !section.is_taken);
      section.is_taken = section.is_taken || is_wanted;
    }
  }
  std::string text;
  for (const Section& section : sections)
    if (section.is_taken) text += section.text;
  return text;
}

std::string sections_of(std::string_view file) {
  std::string text;
  for (const Section& section : split(file)) text += section.text;
  return text;
}

std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      literal += {'\\', c};
    else if (byte < 0x20 || byte >= 0x7f || c == '?')  // two question marks may begin a trigraph
      literal += fmt::format("\\{:03o}", byte);
    else
      literal += c;
  }
  return literal + "\"";
}

std::string in_comment(std::string_view text) {
  std::string comment;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    comment += byte < 0x20 || c == '\\' || c == '?' ? ' ' : c;
    if (comment.ends_with("*/") || comment.ends_with("/*")) comment.insert(comment.size() - 1, " ");
  }
  return comment;
}

}  // namespace fulgurite::ahead
