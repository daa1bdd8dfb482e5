#include "runtime/mpi/division.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/log.h"

namespace fulgurite::runtime::mpi {
namespace {

// Elements of arrays, where every rank has the ones that are asked for.
class Elements final : public KnownElements {
 public:
  explicit Elements(const Launched& of) : of_(of) {}

  std::optional<Strided> at(std::int64_t buffer, Strided index) override {
    static constexpr std::int64_t most = 4096;
    was_asked_ = true;
    const auto k = static_cast<std::size_t>(buffer);
    const Layout* layout = of_.layouts[k];
    const std::int64_t size = of_.footprints.element_bytes[k];
    if (layout == nullptr || of_.buffers[k] == nullptr || (size != 4 && size != 8) || index.low < 0 ||
        index.high - index.low >= most || index.high >= layout->bytes() / size)
      return std::nullopt;
    if (is_everywhere_.empty()) is_everywhere_.resize(of_.layouts.size());
    if (!is_everywhere_[k]) is_everywhere_[k] = layout->is_everywhere({0, layout->bytes()});
    if (!*is_everywhere_[k] && !layout->is_everywhere({index.low * size, (index.high + 1) * size}))
      return std::nullopt;
    std::optional<Strided> found;
    for (std::int64_t i = index.low; i <= index.high; ++i) {
      const std::int64_t value = read(k, i, size);
      if (!found) found = Strided::point(value);
      if (value < found->low || value > found->high)
        found = {std::min(found->low, value), std::max(found->high, value), 1};
    }
    return found;
  }
  bool was_asked() const { return was_asked_; }

 private:
  std::int64_t read(std::size_t buffer, std::int64_t i, std::int64_t size) const {
    const auto* from = static_cast<const std::byte*>(of_.buffers[buffer]) + i * size;
    std::int32_t narrow = 0;
    std::int64_t wide = 0;
    if (size == 4) {
      std::memcpy(&narrow, from, sizeof narrow);
      return narrow;
    }
    std::memcpy(&wide, from, sizeof wide);
    return wide;
  }

  const Launched& of_;
  std::vector<std::optional<bool>> is_everywhere_;  // of whole arrays
  bool was_asked_ = false;
};

class Dividing {
 public:
  // `others`: what tasks touch of arrays at places that no elements say, if it is known.
  Dividing(const Launched& of, std::span<const std::size_t> arrays, const ByTask<Touched>* others,
           ByTask<Touched>& tasks)
      : of_(of),
        phase_(of.footprints.phases[of.phase]),
        elements_(of),
        others_(others),
        arrays_(arrays),
        tasks_(tasks),
        read_(of.layouts.size()),
        stored_(of.layouts.size()) {}

  Division run() {
    Division division;
    const bool may_divide = !of_.is_small && phase_.is_divisible && of_.n_tasks > 1;
    if (of_.of_inspected != nullptr) {
      if (of_.of_inspected->is_divided)
        read_as(division, *of_.of_inspected);
      else
        repeat(division);
      return division;
    }
    for (const Look look : {Look::loops, Look::iterations}) {
      if (may_divide && divide(division, look)) return division;
      division = {};
    }
    repeat(division);
    return division;
  }
  bool depends_on_elements() const { return elements_.was_asked(); }
  ByTask<Touched> others() {
    ByTask<Touched> all;
    Touches touches = touches_of(Which::others);
    for (std::int64_t task = 0; task < of_.n_tasks; ++task) all.add(touches.of(task));
    return all;
  }

 private:
  // Calls `take` with its bytes: none of an array of the host, or of what lies outside. Too many runs are
  // one, and false is returned.
  template <class Take>
  bool for_runs(const Touched& t, const Take& take) const {
    static constexpr std::int64_t most_runs = 65536;
    const auto k = static_cast<std::size_t>(t.buffer);
    const Layout* layout = of_.layouts[k];
    if (layout == nullptr) return true;
    const std::int64_t size = of_.footprints.element_bytes[k], n = layout->bytes() / size;
    const auto run = [&](std::int64_t low, std::int64_t high) {
      low = std::clamp<std::int64_t>(low, 0, n);
      high = std::clamp<std::int64_t>(high, -1, n - 1);
      if (low <= high) take(Runs{low * size, (high + 1 - low) * size});
    };
    if (!t.has_gaps() || is_unbounded(t) || (t.high - t.low) / t.stride >= most_runs) {
      run(t.low, t.high);
      return !t.has_gaps();
    }
    // The elements in the middle lie within the array.
    std::int64_t low = t.low, last = t.low + (t.high - t.low) / t.stride * t.stride;
    for (; low <= last && low < 0; low += t.stride) run(low, low + t.run - 1);
    for (; low <= last && last + t.run > n; last -= t.stride) run(last, last + t.run - 1);
    if (low == last) run(low, low + t.run - 1);
    if (low < last) take(Runs{low * size, t.run * size, (last - low) / t.stride + 1, t.stride * size});
    return true;
  }
  std::size_t array_of(const Touched& t) const { return arrays_[static_cast<std::size_t>(t.buffer)]; }
  std::int64_t elements_of(const Touched& t) const {
    const auto k = static_cast<std::size_t>(t.buffer);
    const Layout* layout = of_.layouts[k];
    return layout == nullptr ? 0 : layout->bytes() / of_.footprints.element_bytes[k];
  }
  // Any element, as far as its formula says.
  bool is_anywhere(const Touched& t) const {
    return is_unbounded(t) || (t.low <= 0 && t.high >= elements_of(t) - 1);
  }
  static void note(std::vector<std::size_t>& all, std::size_t array) {
    if (std::ranges::find(all, array) == all.end()) all.push_back(array);
  }
  // Whether marks say it, and the footprint does not.
  bool is_left_to_marks(const Division& division, const Touched& t) const {
    const std::vector<std::size_t>& all = t.stores ? division.posted : division.asked;
    return t.is_marked && std::ranges::find(all, array_of(t)) != all.end();
  }
  // One message costs less than questions and answers where little is read.
  void leave_to_marks(Division& division, const Touched& t) const {
    if (!t.stores && of_.is_small) return;
    if (t.is_marked && of_.layouts[array_of(t)] != nullptr && is_anywhere(t))
      note(t.stores ? division.posted : division.asked, array_of(t));
  }
  static bool is_unbounded(const Touched& t) { return t.low == INT64_MIN || t.high == INT64_MAX; }

  void note(const Division& division, const Touched& t) {
    const std::size_t array = array_of(t);
    if (of_.layouts[array] == nullptr || is_left_to_marks(division, t)) return;
    bool is_certain = t.is_certain;
    if (t.stores) is_certain &= for_runs(t, [&](const Runs& runs) { stored_[array].add(runs); });
    if (is_certain && t.stores) return;
    for_runs(t, [&](const Runs& runs) { read_[array].add(runs); });
  }
  // What is noted is what this rank's tasks touch.
  void give_noted(Division& division, std::size_t rank, std::size_t n_ranks) {
    const auto give = [&](std::vector<CollectedRuns>& noted, std::vector<Stored>& to) {
      for (std::size_t array = 0; array < noted.size(); ++array) {
        if (noted[array].empty()) continue;
        auto known = std::ranges::find(to, array, &Stored::buffer);
        if (known == to.end()) known = to.insert(to.end(), {array, std::vector<Intervals>(n_ranks)});
        known->of_rank[rank] = noted[array].take();
      }
    };
    give(read_, division.read);
    give(stored_, division.stored);
  }

  Touches touches_of(Which which) { return {phase_, of_.scalars, elements_, which}; }

  void repeat(Division& division) {
    static constexpr std::int64_t most_tasks = 4096;
    tasks_.clear();
    Touches touches = touches_of(Which::all);
    if (of_.n_tasks <= most_tasks)
      for (std::int64_t task = 0; task < of_.n_tasks; ++task) tasks_.add(touches.of(task));
    else
      for (const Touch& t : phase_.touches)
        tasks_.add(std::array{Touched{t.buffer, t.stores, INT64_MIN, INT64_MAX, 1, 1, false, t.is_marked}});
    for (const Touched& t : tasks_.all())
      if (!t.stores) leave_to_marks(division, t);
    for (const Touched& t : tasks_.all()) note(division, t);
    give_noted(division, 0, 1);
  }

  // What an inspector reads of whose phase the tasks are divided already.
  void read_as(Division& division, const Division& inspected) {
    Touches touches = touches_of(Which::all);
    tasks_.clear();
    for (std::int64_t task = 0; task < of_.n_tasks; ++task) tasks_.add(touches.of(task));
    division.is_divided = true;
    division.first_tasks = inspected.first_tasks;
    for (const Touched& t : tasks_.all()) leave_to_marks(division, t);
    fill(division);
    keep_bytes(division);
  }

  bool divide(Division& division, Look look) {
    tasks_.clear();
    const bool has_others = others_ != nullptr && look == Look::loops;
    Touches touches = touches_of(has_others ? Which::by_elements : Which::all);
    for (std::int64_t task = 0; task < of_.n_tasks; ++task) {
      tasks_.add(touches.of(task, look),
                 has_others ? (*others_)[static_cast<std::size_t>(task)] : std::span<const Touched>());
      for (const Touched& t : tasks_[tasks_.size() - 1]) {
        leave_to_marks(division, t);
        if (t.stores && is_unbounded(t) && !is_left_to_marks(division, t)) return false;
      }
    }
    const auto n_ranks = static_cast<std::size_t>(of_.n_ranks);
    division.is_divided = true;
    // Rank r gets what begins in its part of the tasks.
    for (std::size_t r = 0; r <= n_ranks; ++r)
      division.first_tasks.push_back(part_of(of_.n_tasks, static_cast<std::int64_t>(r), of_.n_ranks));
    fill(division);
    if (!are_apart(division.stored) && post_all(division)) fill(division);
    if (!are_apart(division.stored)) {
      move_to_legal(division);
      fill(division);
      if (!are_apart(division.stored) || leaves_ranks_out(division.first_tasks, look)) return false;
    }
    keep_bytes(division);
    return true;
  }

  // Whether there are more stores that marks can say.
  bool post_all(Division& division) const {
    const std::size_t n_before = division.posted.size();
    for (const Touched& t : tasks_.all())
      if (t.stores && t.is_marked && of_.layouts[array_of(t)] != nullptr) note(division.posted, array_of(t));
    return division.posted.size() > n_before;
  }

  void fill(Division& division) {
    division.read.clear();
    division.stored.clear();
    for (std::size_t r = 0; r + 1 < division.first_tasks.size(); ++r) {
      for (std::int64_t task = division.first_tasks[r]; task < division.first_tasks[r + 1]; ++task)
        for (const Touched& t : tasks_[static_cast<std::size_t>(task)]) note(division, t);
      give_noted(division, r, static_cast<std::size_t>(of_.n_ranks));
    }
  }

  static bool are_apart(const std::vector<Stored>& all) {
    return std::ranges::all_of(all, [](const Stored& stored) {
      std::int64_t n = 0;
      for (const Intervals& bytes : stored.of_rank) n += bytes.size();
      return Intervals::together(stored.of_rank).size() == n;
    });
  }

  // Whether too few ranks have tasks: at most half of the ranks that could have some, as long as the loops
  // can be looked at more closely; after that, a single one.
  bool leaves_ranks_out(const std::vector<std::int64_t>& first_tasks, Look look) const {
    std::int64_t n_busy = 0;
    for (std::size_t r = 0; r + 1 < first_tasks.size(); ++r)
      n_busy += first_tasks[r] < first_tasks[r + 1] ? 1 : 0;
    return look == Look::iterations ? n_busy == 1
                                    : 2 * n_busy <= std::min<std::int64_t>(of_.n_ranks, of_.n_tasks);
  }

  // Tasks that store side by side, as tasks of the column tiles of a row block do, stay together: a legal cut
  // has all that earlier tasks store on one side of what later ones do.
  void move_to_legal(Division& division) const {
    std::vector<std::int64_t>& first_tasks = division.first_tasks;
    const std::size_t n = tasks_.size();
    std::vector<bool> legal(n + 1, true);
    for (std::size_t array = 0; array < of_.layouts.size(); ++array) {
      struct Hull {
        std::int64_t low = INT64_MAX, high = INT64_MIN;
      };
      std::vector<Hull> before(n + 1), behind(n + 1);
      const auto grow = [&](Hull hull, std::size_t task) {
        for (const Touched& t : tasks_[task])
          if (t.stores && array_of(t) == array && !is_left_to_marks(division, t))
            hull = {std::min(hull.low, t.low), std::max(hull.high, t.high)};
        return hull;
      };
      for (std::size_t t = 0; t < n; ++t) before[t + 1] = grow(before[t], t);
      for (std::size_t t = n; t-- > 0;) behind[t] = grow(behind[t + 1], t);
      for (std::size_t t = 0; t <= n; ++t)
        if (before[t].high >= behind[t].low && before[t].low <= behind[t].high) legal[t] = false;
    }
    for (std::size_t r = 1; r + 1 < first_tasks.size(); ++r) {
      const auto wanted = static_cast<std::size_t>(first_tasks[r]);
      for (std::size_t away = 0; away <= n; ++away) {
        if (away <= wanted && legal[wanted - away]) {
          first_tasks[r] = static_cast<std::int64_t>(wanted - away);
          break;
        }
        if (wanted + away <= n && legal[wanted + away]) {
          first_tasks[r] = static_cast<std::int64_t>(wanted + away);
          break;
        }
      }
      first_tasks[r] = std::max(first_tasks[r], first_tasks[r - 1]);
    }
  }

  void keep_bytes(Division& division) const {
    static constexpr std::size_t most_tasks = 65536;
    for (const Touched& t : tasks_.all())
      if (!t.stores && is_unbounded(t) && of_.layouts[array_of(t)] != nullptr &&
          !is_left_to_marks(division, t))
        note(division.unknown, array_of(t));
    if (of_.rank < 0 || tasks_.size() > most_tasks) return;
    const auto rank = static_cast<std::size_t>(of_.rank);
    std::vector<TaskBytes> bytes;
    // What inspectors ask for is there before the tasks run. What is posted is stored here first.
    const auto meets_arrivals = [&](const Touched& t) {
      return of_.layouts[array_of(t)] != nullptr && (t.stores || !is_left_to_marks(division, t)) &&
             std::ranges::find(division.read, array_of(t), &Stored::buffer) != division.read.end();
    };
    for (std::int64_t task = division.first_tasks[rank]; task < division.first_tasks[rank + 1]; ++task) {
      bytes.clear();
      for (const Touched& t : tasks_[static_cast<std::size_t>(task)])
        if (meets_arrivals(t))
          for_runs(
              t, [&](const Runs& runs) { bytes.push_back({static_cast<std::int32_t>(array_of(t)), runs}); });
      division.of_tasks.add(bytes);
    }
  }

  const Launched& of_;
  const PhaseFootprint& phase_;
  Elements elements_;
  const ByTask<Touched>* const others_;
  const std::span<const std::size_t> arrays_;  // of each buffer the first with the same memory
  ByTask<Touched>& tasks_;
  std::vector<CollectedRuns> read_, stored_;  // of each array, what is noted of a rank's tasks
};

}  // namespace

std::uint64_t repeated_bytes() {
  static const std::uint64_t bytes = [] {
    constexpr std::uint64_t standard = 32768;
    const char* text = std::getenv("FULGURITE_MPI_REPEATED");
    if (text == nullptr) return standard;
    std::uint64_t n = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), n);
    if (error == std::errc{} && *end == 0) return n;
    base::log(fmt::format("fulgurite: FULGURITE_MPI_REPEATED is '{}', not a number of bytes: using {}", text,
                          standard));
    return standard;
  }();
  return bytes;
}

std::shared_ptr<const Division> Divisions::of(const Launched& launched) {
  static constexpr std::size_t most_known = 8, most_others = 2;
  static constexpr std::int64_t most_tasks = 65536;  // whose touches are kept
  Key key{
      launched.phase,
      launched.n_tasks,
      launched.is_small,
      {launched.scalars.begin(), launched.scalars.end()},
      {},
      {},
      launched.of_inspected == nullptr ? std::vector<std::int64_t>() : launched.of_inspected->first_tasks};
  for (const Layout* layout : launched.layouts) {
    key.bytes.push_back(layout == nullptr ? 0 : static_cast<std::size_t>(layout->bytes()) + 1);
    key.same_as.push_back(
        static_cast<std::size_t>(std::ranges::find(launched.layouts, layout) - launched.layouts.begin()));
  }
  if (const auto known = std::ranges::find(known_, key, &Known::key); known != known_.end())
    return known->division;
  const auto others = std::ranges::find(others_, key, &Others::key);
  const bool has_others = others != others_.end() && !others->touched.empty();
  Dividing dividing(launched, key.same_as, has_others ? &others->touched : nullptr, touched_);
  auto division = std::make_shared<const Division>(dividing.run());
  if (launched.n_tasks > most_tasks) touched_ = {};
  if (!dividing.depends_on_elements()) {
    if (known_.size() >= most_known) known_.erase(known_.begin());
    known_.push_back({std::move(key), division});
  } else if (others == others_.end()) {
    if (others_.size() >= most_others) others_.erase(others_.begin());
    others_.push_back({std::move(key)});
  } else if (!has_others && division->is_divided && launched.n_tasks <= most_tasks) {
    others->touched = dividing.others();
  }
  return division;
}

std::size_t own_bytes(const Footprints& footprints, std::size_t k, const Launch& launch, const Layout* of) {
  const OwnArray& own = footprints.own[k];
  const auto size = static_cast<std::size_t>(footprints.element_bytes[launch.buffers.size() + k]);
  if (own.tasks_of >= 0)
    return static_cast<std::size_t>(launch.n_tasks[static_cast<std::size_t>(own.tasks_of)]) * size;
  const auto buffer = static_cast<std::size_t>(own.elements_of);
  const std::int64_t n =
      of == nullptr ? launch.n_elements[buffer] : of->bytes() / footprints.element_bytes[buffer];
  return static_cast<std::size_t>((n + own.per - 1) / own.per) * size;
}

std::vector<Needs> needs_of(const Division& division, std::span<Layout* const> layouts,
                            std::span<void* const> buffers) {
  std::vector<Needs> all;
  for (const Stored& read : division.read) {
    Layout* const layout = layouts[read.buffer];
    Needs needs{layout, static_cast<std::byte*>(buffers[read.buffer]), false, {}};
    needs.is_changed_meanwhile =
        std::ranges::any_of(division.stored, [&](const Stored& s) { return s.buffer == read.buffer; }) ||
        std::ranges::find(division.posted, read.buffer) != division.posted.end();
    for (int r = 0; r < layout->n_ranks(); ++r)
      needs.of_rank.push_back(read.of_rank[division.is_divided ? static_cast<std::size_t>(r) : 0] -
                              layout->of(r));
    all.push_back(std::move(needs));
  }
  return all;
}

void settle(const Division& division, std::span<Layout* const> layouts) {
  for (const Stored& stored : division.stored) {
    Layout* layout = layouts[stored.buffer];
    FULGURITE_CHECK(layout != nullptr, "a kernel stores to memory of the host");
    if (division.is_divided)
      layout->computed(stored.of_rank);
    else
      layout->computed_everywhere(stored.of_rank.front());
  }
}

}  // namespace fulgurite::runtime::mpi
