// Loads and stores as text: which function of the prelude (memory.c there) an access of the kernel IR
// becomes.
#pragma once

#include <optional>
#include <string>

#include "emit/dialect.h"

namespace fulgurite::emit {

/// The elements of an access, its expressions printed.
struct Place {
  std::string buffer;
  Kind kind;
  int lanes;
  std::string index;
  bool index_by_lane;  // the index has lanes itself
  bool is_near;        // they are of 32 bits
  std::string stride;  // empty: none
  std::optional<std::int64_t> constant_stride;
  std::string mask;  // empty: none
};

/// The elements as a value (what a lane that is off gives is 0).
std::string load_text(const Dialect&, const Place&);

/// Whole vectors of neighbouring elements: only these are touched, and streamed.
bool is_run(const Place&);
/// A small load from each cache line of a run.
std::string touch_text(const Place&);
std::string store_text(const Dialect&, const Place&, const std::string& value, bool streaming);

}  // namespace fulgurite::emit
