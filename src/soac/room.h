// Failures of memory for arrays that a function makes for each element: its size is compared with the memory
// that there is for it, and the error names the line where the array is made.
#pragma once

#include "soac/ir.h"

namespace fulgurite::soac {

/// The program's sites, and behind them one for every statement that makes an array, where some function of
/// elements has statements at all; as they are if these are among them. Their numbers follow from the
/// program's structure alone, so that programs that differ in locations only can share kernels.
std::vector<SiteInfo> sites_with_room(const Program&);
Program with_room_sites(Program);

/// The site of the statement at the location, or the nearest there is; 0 if the program has none.
Site room_site(const Program&, const Location&);

}  // namespace fulgurite::soac
