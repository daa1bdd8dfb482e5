#include "simplify/unrolled.h"
#include "soac/literal.h"

namespace fulgurite::simplify {

std::optional<soac::Lambda> with_literals(scalar::Arena& arena, const soac::Lambda& f, std::int64_t most) {
  auto done = unrolled(arena, f, most);
  if (!done) return {};
  soac::Lambda result{f.params, std::move(done->body), f.results};
  for (std::size_t k = 0; k < f.results.size(); ++k) {
    Unrolled::Result& each = done->results[k];
    if (each.value) {
      result.results[k] = each.value;
      continue;
    }
    const scalar::VarInfo info = arena.info(f.results[k].var());
    result.body.push_back(
        soac::literal(arena, info.type.kind, info.shape, each.elements, f.body.back().where));
    result.results[k] = arena.name(result.body.back().names[0]);
  }
  return result;
}

}  // namespace fulgurite::simplify
