// The preprocessor's conditions of a prelude's section, decided when it is printed: what a reader and a
// compiler get is the text that holds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fulgurite::emit {

/// What a name is in a condition: its number; defined names without one are 1. nullopt: the compiler decides.
using NumberOf = std::function<std::optional<long>(std::string_view name)>;

/// Leaves conditions as they are that have a name which `number_of` does not know.
std::string decide_conditions(std::string_view text, const NumberOf& number_of);

}  // namespace fulgurite::emit
