// What the host's part of an emitted program is put together with (prelude/host).
#pragma once

#include <string>
#include <string_view>

#include "emit/dialect.h"

namespace fulgurite::emit {

/// Scalars of C and C++: expressions wrap, functions of the prelude carry no lanes in their names.
extern const Dialect host;

/// The scalar functions that the text uses, after the types.
std::string host_prelude(std::string_view text);

}  // namespace fulgurite::emit
