// Tells one build of Fulgurite from another, for cache keys: what an older build compiled may not be what
// this one would.
#pragma once

#include <string>

namespace fulgurite::runtime {

// The folder of the library that this function is part of, with a slash at its end.
const std::string& library_folder();

// Size and time of the library's file; and of any file beside it.
const std::string& build_stamp();
std::string build_stamp_of(const std::string& file);

}  // namespace fulgurite::runtime
