// Every decision of a launch has a reason, and the numbers that reasons name are those of the policy.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/match.h"
#include "schedule/policy.h"
#include "schedule/print.h"

namespace fulgurite::testing_schedule {

/// What of a nest needs a reason, as subjects (schedule/explain.h).
inline void add_subjects(const scalar::Arena& arena, const schedule::Nest& nest, const std::string& around,
                         std::set<std::string>& to) {
  if (!nest.axes.empty() && nest.axes.back().by_number) to.insert(around + "axes");
  if (!nest.splits.empty()) to.insert(around + "split");
  if (nest.traffic.streaming > 0) to.insert(around + "stores");
  if (nest.traffic.touch) to.insert(around + "loads");
  if (nest.traffic.portion > 0) to.insert(around + "portion");
  for (const schedule::Stage& s : nest.stages) to.insert(around + "stage " + arena.info(s.array).name);
  for (const schedule::Combine& c : nest.combines)
    to.insert(fmt::format("{}{} {}", around, schedule::name_of(c.part), c.which));
  for (const schedule::Inner& inner : nest.inner) {
    if (inner.number == 0) continue;
    const std::string subject = fmt::format("{}inner {}", around, inner.number);
    to.insert(subject);
    if (inner.up_to == 0) add_subjects(arena, inner.nest, subject + ", ", to);
  }
}

inline std::set<std::string> names_of_numbers() {
  std::set<std::string> names;
  for (const auto& number : schedule::numbers<schedule::LanesPolicy>()) names.emplace(number.name);
  for (const auto& number : schedule::numbers<schedule::BlocksPolicy>()) names.emplace(number.name);
  return names;
}

/// What is missing or wrong, a sentence each; empty: nothing.
inline std::vector<std::string> faults_of_reasons(const scalar::Arena& arena,
                                                  const schedule::Launch& launch) {
  static const std::set<std::string> names = names_of_numbers();
  static const std::regex in_brackets(R"(\(([^()]*)\))"), name("[a-z0-9_]+");
  std::vector<std::string> faults;
  for (const schedule::Phase& phase : launch.phases) {
    std::set<std::string> wanted{"tasks"}, given;
    if (phase.guard) wanted.insert("version");
    if (const auto* nest = base::as<schedule::Nest>(phase.walk)) {
      wanted.insert(launch.vector_lanes != 0 ? "lanes" : "threads");
      add_subjects(arena, *nest, "", wanted);
    }
    for (const std::string& reason : phase.why) {
      given.insert(reason.substr(0, reason.find(": ")));
      for (std::sregex_iterator at(reason.begin(), reason.end(), in_brackets), end; at != end; ++at) {
        const std::string list = (*at)[1];
        for (std::sregex_iterator each(list.begin(), list.end(), name), last; each != last; ++each)
          if (!names.contains(each->str()))
            faults.push_back(fmt::format("{}: there is no number {}: {}", phase.name, each->str(), reason));
      }
      if (reason.ends_with(": ") || reason.ends_with("; "))
        faults.push_back(fmt::format("{}: no reason: {}", phase.name, reason));
    }
    for (const std::string& subject : wanted)
      if (!given.contains(subject))
        faults.push_back(fmt::format("{}: no reason for {}", phase.name, subject));
  }
  return faults;
}

}  // namespace fulgurite::testing_schedule
