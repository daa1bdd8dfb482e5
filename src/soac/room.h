// Failures of memory, which name the line where an array is made. If a function makes an array for each
// element, its size is compared with the memory that there is for it; memory for other arrays is simply
// requested.
#pragma once

#include <map>
#include <utility>

#include "soac/ir.h"

namespace fulgurite::soac {

/// The program's sites, and after them one for every statement that makes an array, where some function of
/// elements has statements at all, and one for every statement outside of such functions; as they are if
/// these are among them. Their numbers follow from the program's structure alone, so that programs that
/// differ in locations only can share kernels.
std::vector<SiteInfo> sites_with_room(const Program&);
Program with_room_sites(Program);

/// The site of the statement at the location, or the nearest there is; 0 if the program has none.
Site room_site(const Program&, const Location&);

/// No memory has more elements, and this number times the number of tasks does not wrap around.
inline constexpr std::int64_t in_memory = std::int64_t{1} << 40;

/// The Check of a size of such arrays for which no bound is known, where the largest of all has been computed
/// before (simplify/largest_sizes.cpp): the size is at most that. An extent is not negative either.
Check within_largest(Expr size, Expr largest, bool is_extent, Site);
/// The most elements, one at least, that such Checks inside the function allow for an array; absent: there
/// are no such Checks.
Expr largest_room(const Lambda&);

/// Sites of failures to allocate memory.
class MemorySites {
 public:
  explicit MemorySites(const Program&);
  /// The site of the statement at the location; 0 if there is none.
  Site at(const Location&) const;

 private:
  std::map<std::pair<std::string, unsigned>, Site> sites_;
};

}  // namespace fulgurite::soac
