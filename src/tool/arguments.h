// Arguments of a call in words: what explain and predict know of a call that is not made.
#pragma once

#include <fulgurite/executable.h>
#include <fulgurite/npy.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/traced.h"

namespace fulgurite::tool {

/// For each staged parameter a scalar's value; an array's extents, "1000x500", or "1000x500@all"; or the name
/// of a .npy file. Then what the program has captured. Throws FormatError where they do not fit.
class Arguments {
 public:
  Arguments(const detail::TracedProgram&, const std::vector<std::string>& words);

  /// Arrays of which only the extents are known hold memory that nothing may read.
  std::span<const detail::ArgumentView> views() const { return views_; }
  /// The arrays of which each rank has its part: extents without "@all".
  std::span<const std::size_t> divided() const { return divided_; }

 private:
  void add(const scalar::VarInfo& param, const std::string& word, std::size_t number);
  void read(detail::ArgumentView&, const std::string& file, std::size_t number);
  void have(detail::ArgumentView&, std::string_view word, std::size_t number);

  std::vector<detail::ArgumentView> views_;
  std::vector<std::size_t> divided_;
  std::vector<std::unique_ptr<AnyArray>> read_;
  std::vector<std::unique_ptr<std::vector<std::int64_t>>> extents_;
};

}  // namespace fulgurite::tool
