// Reductions of rows beside plain OpenMP: short ones, and those that keep a place.
#pragma once

#include <functional>
#include <string>

namespace bench {

/// Whether a program of this name is measured; measures ours, the peer and the limit in turn.
struct Table {
  std::function<bool(const std::string& name)> wants;
  std::function<void(const std::string& name, const std::function<void()>& ours,
                     const std::function<void()>& peer, const std::function<void()>& limit)>
      add;
};
void add_rows(const Table&);

}  // namespace bench
