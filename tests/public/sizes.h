// Sizes to try a program with: nothing, around vectors, around tiles, several tasks.
#pragma once

#include <cstddef>

inline constexpr std::size_t sizes[] = {0, 1, 2, 63, 64, 65, 1023, 1024, 1025, 100'003, 1'000'000};
