// error: HandlesAlternative
#include "base/match.h"

int size_of(const std::variant<int, char, long>& v) {
  return fulgurite::base::match(v, [](const int&) { return 4; }, [](const long&) { return 8; });
}
