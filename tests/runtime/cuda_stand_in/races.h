// Accesses of a block's shared memory by several of its threads, one of them a store, between which there is
// no barrier.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "moment.h"

namespace fulgurite::runtime::test {

enum class Access { load, store, strong_load, strong_store };  // strong: volatile or atomic

class SharedRaces {
 public:
  void begin(std::size_t shared_bytes) { cells_.assign(shared_bytes, {}); }
  // "thread 3 stores what thread 5 loads", if an access is not ordered after the earlier ones.
  std::optional<std::string> add(std::size_t offset, std::size_t bytes, Access access, const Moment& moment);

 private:
  enum class Readers : unsigned char { one, one_warp, many };
  struct Cell {
    Moment store, load;  // the last
    Readers readers = Readers::one;
    bool is_strong = false;  // the store
  };

  static bool is_behind_loads(const Cell& cell, const Moment& moment);
  static void add_load(Cell& cell, const Moment& moment);

  std::vector<Cell> cells_;  // of bytes
};

}  // namespace fulgurite::runtime::test
