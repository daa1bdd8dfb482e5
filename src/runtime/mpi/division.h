// How the ranks share the tasks of a phase, and which bytes each of them reads and stores: computed alike on
// every rank from the phase's footprint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/device.h"
#include "runtime/footprint.h"
#include "runtime/mpi/intervals.h"
#include "runtime/mpi/layout.h"
#include "runtime/mpi/runs.h"

namespace fulgurite::runtime::mpi {

/// Launches that move less are repeated on every rank, and files with less are read on every rank, as a
/// message takes longer: FULGURITE_MPI_REPEATED.
std::uint64_t repeated_bytes();

/// A phase that is about to run.
struct Launched {
  const Footprints& footprints;
  std::size_t phase;
  /// The division of the phase whose reads an inspector marks: the inspector is divided in the same way.
  const struct Division* of_inspected;
  std::int64_t n_tasks;
  std::span<const std::int64_t> scalars;
  std::span<void* const> buffers;    // null: its elements are unknown
  std::span<Layout* const> layouts;  // null: memory of the host, which all ranks have
  int n_ranks;
  bool is_small;  // to be repeated on every rank
  int rank = -1;  // whose Division::of_tasks are wanted, by which tasks are found that need not wait
};

/// Bytes of an array, by ranks; of a phase that all ranks repeat there is one entry.
struct Stored {
  std::size_t buffer;
  std::vector<Intervals> of_rank;
};
struct TaskBytes {
  std::int32_t buffer;
  Runs bytes;
};

/// Some of each task, one task's after the other's.
template <class T>
class ByTask {
 public:
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  std::span<const T> operator[](std::size_t task) const {
    const std::size_t begin = task == 0 ? 0 : ends_[task - 1];
    return std::span(all_).subspan(begin, ends_[task] - begin);
  }
  std::span<const T> all() const { return all_; }
  void clear() { all_.clear(), ends_.clear(); }
  /// Adds the items of the next task.
  void add(std::span<const T> of_task, std::span<const T> more = {}) {
    all_.insert(all_.end(), of_task.begin(), of_task.end());
    all_.insert(all_.end(), more.begin(), more.end());
    ends_.push_back(all_.size());
  }

 private:
  std::vector<T> all_;
  std::vector<std::size_t> ends_;
};

struct Division {
  /// Rank r runs tasks first_tasks[r] to first_tasks[r + 1]; else each runs all.
  bool is_divided = false;
  std::vector<std::int64_t> first_tasks = {};
  /// What has to be there, of what is stored too unless the stores are certain to change all of it.
  std::vector<Stored> read = {};
  std::vector<Stored> stored = {};
  std::vector<std::size_t> unknown = {};  // arrays of which tasks may read any element
  /// Arrays of which only marks say what tasks read, and those of which only marks say what a rank stores;
  /// they are not among the others.
  std::vector<std::size_t> asked = {}, posted = {};
  /// What each of one rank's tasks reads or stores, of arrays of which tasks read something; empty: there are
  /// too many tasks. A task that stores to bytes that are on their way here waits, as one that reads them.
  ByTask<TaskBytes> of_tasks = {};
};

/// The newest divisions of a kernel: loops launch the same again and again.
class Divisions {
 public:
  std::shared_ptr<const Division> of(const Launched&);

 private:
  // What a division depends on besides elements.
  struct Key {
    std::size_t phase;
    std::int64_t n_tasks;
    bool is_small;
    std::vector<std::int64_t> scalars;
    std::vector<std::size_t> bytes, same_as;
    std::vector<std::int64_t> cuts;  // of the phase that it inspects
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Known {
    Key key;
    std::shared_ptr<const Division> division;
  };
  // Where elements decide: what tasks touch of arrays at places that none says. Empty: not computed yet.
  struct Others {
    Key key;
    ByTask<Touched> touched = {};
  };
  std::vector<Known> known_;
  std::vector<Others> others_;
  ByTask<Touched> touched_;  // kept for its memory
};

/// Bytes of the own array with the number k. Of one whose elements stand for those of a buffer: of all of its
/// memory, which has the layout `of` and may hold more than the array that the plan sees in it.
std::size_t own_bytes(const Footprints&, std::size_t k, const Launch&, const Layout* of);

/// What each rank lacks of each array.
std::vector<Needs> needs_of(const Division&, std::span<Layout* const>, std::span<void* const> buffers);

/// Its tasks have run: the layouts know what each rank has stored.
void settle(const Division&, std::span<Layout* const>);

}  // namespace fulgurite::runtime::mpi
