// says: HandlesAlternative
#include "base/match.h"

struct Map {};
struct Scan {};
struct Reduce {};

int arity(const std::variant<Map, Scan, Reduce>& v) {
  return fulgurite::base::match(v, [](const Map&) { return 1; }, [](const Reduce&) { return 2; });
}
