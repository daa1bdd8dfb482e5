// Refuses programs whose standard library lays std::string and std::vector out differently from the
// library's: both cross the boundary between the two, and would be misread there.
#pragma once

#include <cstddef>

#ifdef _GLIBCXX_DEBUG
#error \
    "Fulgurite's library is not compiled with _GLIBCXX_DEBUG, which changes the layout of std::vector: compile without it, or with -D_GLIBCXX_ASSERTIONS, which changes no layout"
#endif
#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#error \
    "Fulgurite's library is not compiled with _GLIBCXX_USE_CXX11_ABI=0, which changes the layout of std::string: compile without it"
#endif

/// Before a declaration that exists to say, in the compiler's first line, what to write instead. g++ 11 can
/// only warn.
#if __has_attribute(unavailable)
#define FULGURITE_REFUSED(message) __attribute__((unavailable(message)))
#else
#define FULGURITE_REFUSED(message) __attribute__((deprecated(message)))
#endif
