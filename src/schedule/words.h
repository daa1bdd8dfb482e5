// The words of the text form, one table for each closed list.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "schedule/ir.h"

namespace fulgurite::schedule {

template <class Value>
using Word = std::pair<Value, std::string_view>;

inline constexpr std::array roles{Word<Axis::Role>{Axis::Role::free, "free"},
                                  Word<Axis::Role>{Axis::Role::fold, "fold"},
                                  Word<Axis::Role>{Axis::Role::scan, "scan"}};
inline constexpr std::array units{
    Word<Unit>{Unit::grid, "grid"},         Word<Unit>{Unit::turn, "turn"},
    Word<Unit>{Unit::sequence, "sequence"}, Word<Unit>{Unit::lane, "lane"},
    Word<Unit>{Unit::thread, "thread"},     Word<Unit>{Unit::registers, "registers"}};
inline constexpr std::array tails{Word<Tail>{Tail::exact, "exact"}, Word<Tail>{Tail::mask, "mask"},
                                  Word<Tail>{Tail::apart, "apart"}, Word<Tail>{Tail::overlap, "overlap"}};
inline constexpr Word<Join> joins[] = {
#define FULGURITE_JOIN(name, ...) {Join::name, #name},
#include "schedule/joins.def"
};
static_assert(joins[static_cast<std::size_t>(Join::abreast)].first == Join::abreast);
inline constexpr std::array kinds_of_output{Word<Combine::Part>{Combine::Part::reduction, "reduction"},
                                            Word<Combine::Part>{Combine::Part::scan, "scan"},
                                            Word<Combine::Part>{Combine::Part::scatter, "scatter"},
                                            Word<Combine::Part>{Combine::Part::partition, "partition"}};
inline constexpr std::array spaces{Word<kernel::Space>{kernel::Space::global, "global"},
                                   Word<kernel::Space>{kernel::Space::shared, "shared"},
                                   Word<kernel::Space>{kernel::Space::thread, "thread"}};

template <class Table, class Value>
constexpr std::string_view word_of(const Table& table, Value value) {
  for (const auto& [each, word] : table)
    if (each == value) return word;
  return {};
}

}  // namespace fulgurite::schedule
