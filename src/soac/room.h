// Failures of memory, which name the line where an array is made. Of arrays that a function makes for each
// element the size is compared with the memory that there is for it; for others memory is asked for.
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

/// More elements are in no memory, and their number times that of tasks does not wrap around.
inline constexpr std::int64_t in_memory = std::int64_t{1} << 40;

/// What is said of a size of such arrays that no bound is known for, where the largest of all has been
/// computed before (simplify/largest_sizes.cpp): it is at most that one. An extent is not negative either.
Check within_largest(Expr size, Expr largest, bool is_extent, Site);
/// The most elements, one at least, that such Checks inside the function let an array have; absent: there are
/// none.
Expr largest_room(const Lambda&);

/// Of failures to get memory.
class MemorySites {
 public:
  explicit MemorySites(const Program&);
  /// The site of the statement at the location; 0 if there is none.
  Site at(const Location&) const;

 private:
  std::map<std::pair<std::string, unsigned>, Site> sites_;
};

}  // namespace fulgurite::soac
