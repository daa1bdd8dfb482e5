// Where in the block the code stands that is being recorded: the nest of groups, and the group, whose
// elements it computes; in par() the threads that run it, and in lanes() the lanes that exchange values.
#pragma once

#include <fulgurite/kernel/staged.h>

#include <deque>
#include <optional>

#include "block/statements.h"
#include "tidy/values.h"

namespace fulgurite::detail::block {

inline constexpr std::int64_t lanes_of_warp = 32;

struct Position {
  Position() = default;
  Position(const Position&) = delete;
  Position& operator=(const Position&) = delete;

  /// The nest that statements are made for. An instance's own data is in no group.
  const Nest* nest() const { return is_in_instance() ? &nests.front() : entered; }
  bool is_in_instance() const { return threads.has_value(); }

  std::deque<Nest> nests = {Nest{}};  // the first one is the block
  const Nest* entered = &nests.front();

  /// The group for which elements are computed, and its number among the groups of its nest in the block.
  struct Group {
    const Nest* nest = nullptr;
    Expr number;
  };
  Group group;

  /// The values that expressions have in the threads of the par() at hand; absent outside of par().
  std::optional<tidy::Values> threads;

  /// The n lanes that exchange values, the number of the one that the code is for, and how many scopes of the
  /// trace are open where all of them run. Without lanes, n is 0.
  struct Lanes {
    std::int64_t n = 0;
    Expr lane;
    std::size_t depth = 0;
  };
  Lanes lanes;
};

}  // namespace fulgurite::detail::block
