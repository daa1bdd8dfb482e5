// Sizes to try a program with: nothing, around vectors, around tiles, several tasks. Under sanitizers, which
// slow down the interpreter and the references, the largest is left to the other build.
#pragma once

#include <cstddef>

#ifdef FULGURITE_SANITIZED
inline constexpr std::size_t sizes[] = {0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 100'003};
#else
inline constexpr std::size_t sizes[] = {0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 100'003, 1'000'000};
#endif
