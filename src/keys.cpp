#include "keys.h"

#include <fmt/format.h>

#include "soac/print.h"
#include "soac/room.h"

namespace fulgurite::pipeline {

std::vector<plan::SiteText> sites_of(const soac::Program& program) {
  std::vector<plan::SiteText> sites;
  for (const soac::SiteInfo& site : soac::sites_with_room(program))
    sites.push_back(
        {static_cast<plan::SiteText::Error>(site.error), {site.where.file, site.where.line}, site.message});
  return sites;
}

schedule::Policy policy_of(const Options& options) {
  return schedule::parse_policy(schedule::policy_text(options.policy));
}

base::Digest key_in_bundles(const soac::Program& traced, Precision precision, Checks checks,
                            const schedule::Policy& policy) {
  const std::string changes = schedule::changes(policy);
  return base::digest(fmt::format("{} {} {}{}{}\n{} {}", version, static_cast<int>(precision),
                                  static_cast<int>(checks), changes.empty() ? "" : " ", changes,
                                  traced.sites.size(), soac::canonical(traced)));
}

}  // namespace fulgurite::pipeline
