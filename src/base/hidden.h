// A class that public headers only declare stays out of the library's symbols. The headers declare all names
// as visible; g++ takes the visibility of the definition, Clang refuses one that differs from the
// declaration's.
#pragma once

#ifdef __clang__
#define FULGURITE_HIDDEN
#else
#define FULGURITE_HIDDEN [[gnu::visibility("hidden")]]
#endif
