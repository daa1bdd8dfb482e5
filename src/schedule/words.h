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
                                  Word<Tail>{Tail::apart, "apart"}};
inline constexpr std::array joins{Word<Join>{Join::accumulators, "accumulators"},
                                  Word<Join>{Join::chain, "chain"},
                                  Word<Join>{Join::runs, "runs"},
                                  Word<Join>{Join::tree, "tree"},
                                  Word<Join>{Join::in_order, "in_order"},
                                  Word<Join>{Join::partials, "partials"},
                                  Word<Join>{Join::carried, "carried"},
                                  Word<Join>{Join::handed_on, "handed_on"},
                                  Word<Join>{Join::packed, "packed"},
                                  Word<Join>{Join::counted, "counted"},
                                  Word<Join>{Join::copies, "copies"},
                                  Word<Join>{Join::bins, "bins"},
                                  Word<Join>{Join::taken, "taken"},
                                  Word<Join>{Join::atomic, "atomic"},
                                  Word<Join>{Join::exchange, "exchange"},
                                  Word<Join>{Join::winner, "winner"},
                                  Word<Join>{Join::ranked, "ranked"}};
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
