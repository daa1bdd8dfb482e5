// Whether a program is well formed: every name bound once and used in its scope only, kinds, ranks and counts
// right everywhere, sites in their table. Run after every pass in tests, by option elsewhere.
#pragma once

#include <string_view>

#include "soac/ir.h"

namespace fulgurite::soac {

/// Throws InternalError that names the pass and says what is wrong where.
void check(const Program&, std::string_view after_pass);

/// Checks statements that a launch computes, which stand in some scope: names that they mention and do not
/// bind are that scope's. The scope's arrays may have the elements of several axes in one, and a scatter of a
/// partition that only counts stores nothing.
void check_in_scope(const Program& statements, std::string_view after_pass);

/// check_in_scope() where the scope may be that of a function, so that extents may read elements, and where
/// the table of sites is the one of another program.
void check_anywhere(const Program& statements, std::string_view after_pass);

}  // namespace fulgurite::soac
