// Whether a program is well formed: every name bound once and used in its scope only, kinds, ranks and counts
// right everywhere, sites in their table. Run after every pass in tests, by option elsewhere.
#pragma once

#include <string_view>

#include "soac/ir.h"

namespace fulgurite::soac {

/// Throws InternalError that names the pass and says what is wrong where.
void check(const Program&, std::string_view after_pass);

/// The same of statements that stand in some scope: names that they mention and do not bind are that scope's.
void check_in_scope(const Program& statements, std::string_view after_pass);

}  // namespace fulgurite::soac
