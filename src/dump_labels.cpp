#include "dump_labels.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <cstdlib>

#include "base/nearest.h"
#include "base/text.h"
#include "schedule/rewrites/rewrite.h"
#include "tidy/passes.h"

namespace fulgurite::pipeline {

std::vector<std::string_view> dump_labels(std::span<const soac::Pass* const> passes) {
  std::vector<std::string_view> labels = {"traced", "schedule", "lower",    "distribute", "kernel",
                                          "source", "plan",     "messages", "time"};
  for (const soac::Pass* pass : passes) labels.push_back(pass->name);
  for (const schedule::Rewrite* rewrite : schedule::rewrites()) labels.push_back(rewrite->name);
  for (tidy::Route route : tidy::routes)
    for (const kernel::Pass* pass : tidy::passes(route)) labels.push_back(pass->name);
  std::ranges::sort(labels);
  const auto again = std::ranges::unique(labels);
  labels.erase(again.begin(), again.end());
  return labels;
}

void check_dump_labels(std::span<const soac::Pass* const> passes) {
  const char* wanted = std::getenv("FULGURITE_DUMP");
  if (wanted == nullptr) return;
  const std::vector<std::string_view> labels = dump_labels(passes);
  for (const std::string& label : base::split(wanted, ',')) {
    if (!label.empty() && !std::ranges::binary_search(labels, label))
      throw FormatError(
          fmt::format("FULGURITE_DUMP: there is no stage or pass '{}'; the nearest name is {}, and "
                      "docs/environment.md has them",
                      label, base::nearest(label, labels)));
  }
}

}  // namespace fulgurite::pipeline
