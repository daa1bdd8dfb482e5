// Strong 32-bit ids: an index into a table of one kind of thing, which no other kind's index can be mistaken
// for.
//   using Var = base::Id<struct VarTag>;
// Ids order by number, that is by creation; nothing may be ordered by address.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace fulgurite::base {

template <class Tag>
struct Id {
  std::uint32_t number = 0;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t n) : number(n) {}
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace fulgurite::base

template <class Tag>
struct std::hash<fulgurite::base::Id<Tag>> {
  std::size_t operator()(fulgurite::base::Id<Tag> id) const noexcept { return id.number; }
};
