// What a word was meant to be.
#pragma once

#include <span>
#include <string_view>

namespace fulgurite::base {

/// The name, of at least one, that fewest insertions, removals and replacements of letters make of the word.
std::string_view nearest(std::string_view word, std::span<const std::string_view> names);

}  // namespace fulgurite::base
