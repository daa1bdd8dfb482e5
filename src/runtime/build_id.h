// Tells one build of Fulgurite from another, for cache keys: another build's result for a program may not be
// this one's. It also tells where this build lies.
#pragma once

#include <string>

namespace fulgurite::runtime {

// The linker's name for the contents of the library that this function is part of, in hexadecimal. A copy,
// and a build that changed nothing, keep it; a change of the code changes it.
const std::string& build_id();

// The path of the file `name` beside the library; or beside the file that the library's name is a link to,
// if it is there.
std::string beside_library(const std::string& name);

}  // namespace fulgurite::runtime
