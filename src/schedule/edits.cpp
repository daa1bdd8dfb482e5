#include "schedule/edits.h"

#include <algorithm>

#include "base/check.h"

namespace fulgurite::schedule {

namespace {

Nest& nest_of(Launch& launch, const Target& target) {
  const auto phase = std::ranges::find(launch.phases, target.phase, &Phase::name);
  FULGURITE_CHECK(phase != launch.phases.end(), "launch '{}' has no phase '{}'", launch.name, target.phase);
  auto* nest = std::get_if<Nest>(&phase->walk);
  FULGURITE_CHECK(nest != nullptr, "phase '{}' of launch '{}' is a skeleton, which has numbers and no nest",
                  target.phase, launch.name);
  return *nest;
}

template <class T>
T& numbered(std::vector<T>& list, const Target& target, std::string_view what) {
  FULGURITE_CHECK(target.number < list.size(), "phase '{}' has {} {}, and no number {}", target.phase,
                  list.size(), what, target.number);
  return list[target.number];
}

template <class T>
void drop(std::vector<T>& list, const Target& target, std::string_view what) {
  numbered(list, target, what);
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(target.number));
}

}  // namespace

const Edit resize{"resize", "the size of a cut's pieces",
                  [](scalar::Arena& arena, Launch launch, const Target& target, std::int64_t value) {
                    numbered(nest_of(launch, target).cuts, target, "cuts").size = arena.i64(value);
                    return launch;
                  }};

const Edit rest{"rest", "the size of the pieces that a cut's remainder is walked in",
                [](scalar::Arena&, Launch launch, const Target& target, std::int64_t value) {
                  numbered(nest_of(launch, target).cuts, target, "cuts").rest = value;
                  return launch;
                }};

const Edit unsplit{"unsplit", "keeps a condition in the loop instead of splitting the axis where it changes",
                   [](scalar::Arena&, Launch launch, const Target& target, std::int64_t) {
                     drop(nest_of(launch, target).splits, target, "splits");
                     return launch;
                   }};

const Edit unstage{"unstage", "reads an array where it lies instead of staging it",
                   [](scalar::Arena&, Launch launch, const Target& target, std::int64_t) {
                     drop(nest_of(launch, target).stages, target, "stages");
                     return launch;
                   }};

const Edit recombine{"recombine", "the number of the innermost level at which an output is combined",
                     [](scalar::Arena&, Launch launch, const Target& target, std::int64_t value) {
                       Combine& combine = numbered(nest_of(launch, target).combines, target, "combines");
                       FULGURITE_CHECK(!combine.levels.empty(),
                                       "output {} of phase '{}' is combined at no level", target.number,
                                       target.phase);
                       combine.levels.front().n = value;
                       return launch;
                     }};

template <auto field>
Launch with_traffic(scalar::Arena&, Launch launch, const Target& target, std::int64_t value) {
  nest_of(launch, target).traffic.*field = value;
  return launch;
}
const Edit stream{"stream", "bytes read and written from which on stores bypass the caches",
                  with_traffic<&Traffic::streaming>};
const Edit look_ahead{"look_ahead", "how many elements ahead of what is read memory is fetched",
                      with_traffic<&Traffic::ahead>};
const Edit portion{"portion", "points whose places and values wait for the scalar code of bins",
                   with_traffic<&Traffic::portion>};

std::span<const Edit* const> edits() {
  static constexpr const Edit* all[] = {&look_ahead, &portion, &recombine, &resize,
                                        &rest,       &stream,  &unsplit,   &unstage};
  return all;
}

}  // namespace fulgurite::schedule
