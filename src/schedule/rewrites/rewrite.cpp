#include "schedule/rewrites/rewrite.h"

#include "base/dump.h"
#include "soac/check.h"
#include "soac/print.h"

namespace fulgurite::schedule {

namespace rewrite {
#define FULGURITE_REWRITE(name, is_optional, description) const Rewrite name{#name, description, is_optional};
#include "schedule/rewrites/rewrites.def"
}  // namespace rewrite

std::span<const Rewrite* const> rewrites() {
  static constexpr const Rewrite* all[] = {
#define FULGURITE_REWRITE(name, ...) &rewrite::name,
#include "schedule/rewrites/rewrites.def"
  };
  return all;
}

soac::Stm made_by(const Rewrite& rewrite, scalar::Arena& arena, soac::Stm stm) {
  soac::Program alone;
  alone.arena = std::shared_ptr<scalar::Arena>(std::shared_ptr<void>(), &arena);
  alone.body.push_back(std::move(stm));
  soac::check_anywhere(alone, rewrite.name);
  if (base::dumps(rewrite.name)) base::dump(rewrite.name, soac::print(alone));
  return std::move(alone.body[0]);
}

}  // namespace fulgurite::schedule
