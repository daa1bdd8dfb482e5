// Composite elements as structs of C: an emitted function takes an array for each component, and its header
// has a struct and what turns an array of structs into those arrays and back.
#pragma once

#include <string>

#include "ahead/program.h"

namespace fulgurite::ahead {

/// Whether an array's elements become a struct: their author has named the components.
bool has_struct(const Value&);
/// The type's name, with which the converters' begin: locate_places.
std::string struct_name(const Program&, const Value&);
/// The types and converters of all parameters and results that have one; empty: none has.
std::string structs_text(const Program&);

}  // namespace fulgurite::ahead
