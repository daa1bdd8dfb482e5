// Parts of a text file that an emitted program is put together with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fulgurite::ahead {

/// From a file in which "//! <word>" opens each section, the sections whose word stands in the program, or in
/// a section that is taken, in the order of the file.
std::string sections_for(std::string_view program, std::string_view file);

/// All sections.
std::string sections_of(std::string_view file);

/// Whether the word stands in the text by itself.
bool mentions(std::string_view text, std::string_view word);

/// Statements that name the parameters which a function's text does not mention, as compilers warn about
/// them.
std::string unused_text(const std::vector<std::string>& parameters, std::string_view text);

/// A string literal of C with this text, whatever it holds.
std::string quoted(std::string_view text);

/// The text as part of a comment that ends with its line.
std::string in_comment(std::string_view text);

}  // namespace fulgurite::ahead
