#include "runtime/mpi/device.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/dump.h"
#include "runtime/cpu/kernel.h"
#include "runtime/host.h"
#include "runtime/mpi/division.h"
#include "runtime/pool.h"
#include "runtime/stats.h"

namespace fulgurite::runtime::mpi {

struct MpiKernel final : Kernel {
  MpiKernel(std::shared_ptr<const Kernel> of_cpu, const KernelSource& source)
      : name(source.name),
        machine_code(std::move(of_cpu)),
        code(static_cast<const cpu::CpuKernel&>(*machine_code)),
        footprints(source.footprints.empty() ? Footprints() : Footprints::of_words(source.footprints)) {}

  std::string name;
  std::shared_ptr<const Kernel> machine_code;
  const cpu::CpuKernel& code;
  Footprints footprints;
  mutable Divisions divisions;  // of launches before this one
};

std::uint64_t repeated_bytes() {
  static const std::uint64_t bytes = [] {
    const char* text = std::getenv("FULGURITE_MPI_REPEATED");
    return text == nullptr ? std::uint64_t{32768} : std::strtoull(text, nullptr, 10);
  }();
  return bytes;
}

namespace {

std::atomic<MpiDevice*> started{nullptr};

// The processor that all ranks compile for: this one where they are alike, else the highest level that all
// of them reach.
std::string common_cpu(Ranks& ranks) {
  const std::string wanted = wanted_cpu();
  const std::vector<std::string> all =
      ranks.gather(wanted + "\n" + host().identity + "\n" + std::string(host_level()));
  if (std::ranges::all_of(all, [&](const std::string& other) { return other == all.front(); })) return wanted;
  std::string_view lowest;
  for (const std::string_view level : cpu_levels()) {
    const auto reaches = [&](const std::string& of_rank) {
      const std::string_view reached = std::string_view(of_rank).substr(of_rank.rfind('\n') + 1);
      const auto levels = cpu_levels();
      return std::ranges::find(levels, reached) >= std::ranges::find(levels, level) &&
             std::ranges::find(levels, reached) != levels.end();
    };
    if (std::ranges::all_of(all, reaches)) lowest = level;
  }
  if (lowest.empty())
    ranks.end_job("the ranks' processors have no level in common: run them on machines of one kind");
  return std::string(lowest);
}

}  // namespace

// One launch: its arrays, where they are, and its phases one after the other.
class MpiDevice::Launching {
 public:
  Launching(MpiDevice& device, const MpiKernel& kernel, const Launch& launch)
      : device_(device),
        kernel_(kernel),
        of_(launch),
        buffers_(launch.buffers.begin(), launch.buffers.end()) {
    const Footprints& all = kernel.footprints;
    FULGURITE_CHECK(buffers_.size() + all.own_tasks_of.size() == all.element_bytes.size(),
                    "{} and {} buffers of {}", buffers_.size(), all.own_tasks_of.size(),
                    all.element_bytes.size());
    for (std::size_t k = 0; k < all.own_tasks_of.size(); ++k) {
      const auto n_tasks =
          static_cast<std::size_t>(launch.n_tasks[static_cast<std::size_t>(all.own_tasks_of[k])]);
      const std::size_t bytes = n_tasks * static_cast<std::size_t>(all.element_bytes[buffers_.size()]);
      own_.push_back(device_.allocate(bytes));
      buffers_.push_back(own_.back().data);
    }
    for (const void* data : buffers_) layouts_.push_back(device_.layout(data));
    launch_ = launch;
    launch_.buffers = buffers_;
  }
  ~Launching() {
    for (const Memory& memory : own_) device_.release(memory);
  }
  Launching(const Launching&) = delete;
  Launching& operator=(const Launching&) = delete;

  std::optional<Failure> run() {
    const std::vector<PhaseFootprint>& phases = kernel_.footprints.phases;
    FULGURITE_CHECK(phases.size() == kernel_.code.phases().size(), "footprints of {} phases, and code of {}",
                    phases.size(), kernel_.code.phases().size());
    cpu::Running running(kernel_.code, launch_);
    bool failed = false;
    for (std::size_t p = 0; p < phases.size() && !failed; ++p) failed = run(running, p);
    return failed ? lowest(running.failure()) : std::nullopt;
  }

 private:
  std::int64_t n_tasks(const PhaseFootprint& phase) const {
    return phase.tasks_of < 0 ? 1 : of_.n_tasks[static_cast<std::size_t>(phase.tasks_of)];
  }

  // Whether it has failed, on any rank.
  bool run(cpu::Running& running, std::size_t p) {
    const PhaseFootprint& phase = kernel_.footprints.phases[p];
    const std::int64_t n = n_tasks(phase);
    if (n == 0) return false;
    Ranks& ranks = device_.ranks_;
    const Launched launched{kernel_.footprints,
                            p,
                            n,
                            of_.scalars,
                            buffers_,
                            layouts_,
                            ranks.size(),
                            of_.bytes_read + of_.bytes_written < repeated_bytes()};
    const std::shared_ptr<const Division> division = kernel_.divisions.of(launched);
    if (n > 1) ++(division->is_divided ? device_.counts_.divided : device_.counts_.repeated);
    device_.counts_.gathered += division->n_unknown;

    const std::vector<Needs> needs = needs_of(*division, layouts_, buffers_);
    Exchange exchange(ranks, needs);
    const auto me = static_cast<std::size_t>(ranks.rank());
    const std::int64_t first = division->is_divided ? division->first_tasks[me] : 0;
    const std::int64_t last = division->is_divided ? division->first_tasks[me + 1] : n;
    if (base::dumps("messages")) tell(p, n, *division, exchange);
    exchange.begin();
    // Meanwhile what needs nothing that is on its way.
    const auto [inner_first, inner_last] = inner_tasks(*division, exchange, needs, first, last);
    running.run(p, inner_first, inner_last);
    exchange.end();
    running.run(p, first, inner_first);
    running.run(p, inner_last, last);
    settle(*division);

    if (!phase.can_fail) return false;
    if (!division->is_divided) return running.failure().has_value();
    std::int64_t any = running.failure() ? 1 : 0;
    ranks.reduce({&any, 1}, fg_mpi_max);
    return any != 0;
  }

  // For FULGURITE_DUMP=messages.
  void tell(std::size_t phase, std::int64_t n, const Division& division, const Exchange& exchange) const {
    const auto me = static_cast<std::size_t>(device_.rank());
    std::string text = fmt::format("rank {}: phase {} of {}, tasks: ", me, phase, kernel_.name);
    text += division.is_divided
                ? fmt::format("{} to {} of {}", division.first_tasks[me], division.first_tasks[me + 1], n)
                : fmt::format("all {}", n);
    if (division.n_unknown != 0) text += fmt::format(", {} arrays gathered", division.n_unknown);
    base::dump("messages", text + exchange.text());
  }

  std::pair<std::int64_t, std::int64_t> inner_tasks(const Division& division, const Exchange& exchange,
                                                    std::span<const Needs> needs, std::int64_t first,
                                                    std::int64_t last) const {
    if (exchange.is_empty()) return {first, last};
    if (!division.is_divided || division.task_reads.empty()) return {first, first};
    const auto waits = [&](std::int64_t task) {
      for (const TaskRead& read : division.reads_of(task))
        for (std::size_t k = 0; k < needs.size(); ++k)
          if (needs[k].layout == layouts_[static_cast<std::size_t>(read.buffer)] &&
              exchange.missing(k).meets(read.bytes))
            return true;
      return false;
    };
    // The longest run of those that do not wait.
    std::pair<std::int64_t, std::int64_t> best{first, first};
    for (std::int64_t task = first; task < last;) {
      const std::int64_t begin = task;
      while (task < last && !waits(task)) ++task;
      if (task - begin > best.second - best.first) best = {begin, task};
      ++task;
    }
    return best;
  }

  void settle(const Division& division) {
    for (const Stored& stored : division.stored) {
      Layout* layout = layouts_[stored.buffer];
      FULGURITE_CHECK(layout != nullptr, "a kernel stores to memory of the host");
      if (division.is_divided)
        layout->computed(stored.of_rank);
      else
        layout->computed_everywhere(stored.of_rank.front());
    }
  }

  // Of all ranks' failures.
  std::optional<Failure> lowest(const std::optional<Failure>& mine) {
    std::string text;
    if (mine) text.assign(reinterpret_cast<const char*>(&*mine), sizeof(Failure));
    FailureRecord record;
    for (const std::string& of_rank : device_.ranks_.gather(text)) {
      if (of_rank.size() != sizeof(Failure)) continue;
      Failure failure{};
      std::memcpy(&failure, of_rank.data(), sizeof failure);
      record.report(failure);
    }
    return record.lowest();
  }

  MpiDevice& device_;
  const MpiKernel& kernel_;
  const Launch& of_;
  Launch launch_{};
  std::vector<void*> buffers_;
  std::vector<Layout*> layouts_;
  std::vector<Memory> own_;
};

MpiDevice::MpiDevice(Ranks& ranks, std::string cpu)
    : ranks_(ranks), cpu_(std::move(cpu), DiskCache::shared(), ranks.size() > 1) {}

MpiDevice& MpiDevice::shared() {
  static MpiDevice& device = []() -> MpiDevice& {
    Ranks& ranks = Ranks::world();
    auto* made = new MpiDevice(ranks, common_cpu(ranks));  // arrays may outlive everything
    started.store(made, std::memory_order_release);
    return *made;
  }();
  return device;
}

MpiDevice* MpiDevice::if_started() {
  return started.load(std::memory_order_acquire);
}

Description MpiDevice::describe() const {
  Description all = cpu_.describe();
  all.engine = "mpi";
  all.name = fmt::format("{} {} of {}, {}", ranks_.size(), ranks_.size() == 1 ? "rank" : "ranks", all.name,
                         ranks_.library());
  all.is_host = false;
  all.reads_host = true;
  all.n_ranks = ranks_.size();
  return all;
}

Memory MpiDevice::allocate(std::size_t bytes) {
  // Footprints may look at elements of small arrays that no kernel has stored: they are the same on all
  // ranks.
  static constexpr std::size_t cleared = 65536;
  const Memory memory{BufferPool::shared().allocate(bytes), bytes};
  if (bytes <= cleared && ranks_.size() > 1) std::memset(memory.data, 0, bytes);
  try {
    const std::lock_guard lock(mutex_);
    layouts_.insert_or_assign(memory.data, Layout(bytes, ranks_.size()));
  } catch (...) {
    BufferPool::shared().release(memory.data, bytes);
    throw;
  }
  return memory;
}

void MpiDevice::release(Memory memory) noexcept {
  {
    const std::lock_guard lock(mutex_);
    layouts_.erase(memory.data);
  }
  BufferPool::shared().release(memory.data, memory.bytes);
}

Layout* MpiDevice::layout(const void* data) {
  const std::lock_guard lock(mutex_);
  const auto found = layouts_.find(data);
  return found == layouts_.end() ? nullptr : &found->second;
}

void MpiDevice::upload(Memory to, const void* from, std::size_t bytes) {
  cpu_.upload(to, from, bytes);
  layout(to.data)->computed_everywhere({0, static_cast<std::int64_t>(bytes)});
}

void MpiDevice::download(void* to, Memory from, std::size_t bytes) {
  if (Layout* of = layout(from.data)) {
    const Intervals wanted(0, static_cast<std::int64_t>(bytes));
    std::vector<Needs> needs(1);
    needs[0] = {of, static_cast<std::byte*>(from.data), false, {}};
    for (int r = 0; r < ranks_.size(); ++r) needs[0].of_rank.push_back(wanted - of->of(r));
    Exchange exchange(ranks_, needs);
    exchange.begin();
    exchange.end();
  }
  cpu_.download(to, from, bytes);
}

void MpiDevice::copy(Memory to, Memory from, std::size_t bytes) {
  Layout* const of = layout(from.data);
  Layout& copied = *layout(to.data);
  copied = Layout(to.bytes, ranks_.size());
  const Intervals wanted(0, static_cast<std::int64_t>(bytes));
  for (int r = 0; r < ranks_.size(); ++r) copied.received(r, of == nullptr ? wanted : of->of(r) & wanted);
  for (const Bytes& b : copied.of(ranks_.rank()).all())
    std::memcpy(static_cast<std::byte*>(to.data) + b.begin,
                static_cast<const std::byte*>(from.data) + b.begin,
                static_cast<std::size_t>(b.end - b.begin));
  counters.bytes_copied.add(bytes);
}

std::shared_ptr<const Kernel> MpiDevice::build(const KernelSource& source) {
  return std::make_shared<MpiKernel>(cpu_.build(source), source);
}

std::optional<Failure> MpiDevice::launch(const Kernel& kernel, const Launch& launch) {
  const auto& of = static_cast<const MpiKernel&>(kernel);
  if (ranks_.size() == 1) return cpu::launch(of.code, launch);
  counters.launches.add();
  counters.bytes_moved.add(launch.bytes_read + launch.bytes_written);
  return Launching(*this, of, launch).run();
}

void MpiDevice::agree(std::string_view what, const std::source_location& line) {
  if (ranks_.size() == 1) return;
  std::string doing(what);
  if (line.line() != 0) doing += fmt::format(" ({}:{})", line.file_name(), line.line());
  ranks_.say(doing);
  if (ranks_.have_same(what)) return;
  const std::vector<std::string> all = ranks_.gather(what), told = ranks_.gather(doing);
  const auto other = std::ranges::find_if(all, [&](const std::string& text) { return text != all.front(); });
  if (other == all.end()) return;
  ranks_.end_job(
      fmt::format("all ranks have to do the same, but rank 0 comes with\n  {}\nand rank {} with\n  {}",
                  told.front(), other - all.begin(), told[static_cast<std::size_t>(other - all.begin())]));
}

void MpiDevice::place_blocks(Memory memory, std::span<const std::int64_t> bytes) {
  std::int64_t begin = 0;
  for (std::size_t r = 0; r < bytes.size(); ++r) {
    layout(memory.data)->received(static_cast<int>(r), {begin, begin + bytes[r]});
    begin += bytes[r];
  }
}

bool MpiDevice::has_all(const void* data, std::size_t bytes) {
  const Layout* of = layout(data);
  if (ranks_.size() == 1) return true;
  return of != nullptr && (Intervals(0, static_cast<std::int64_t>(bytes)) - of->of(rank())).empty();
}

Intervals MpiDevice::own_part(const void* data) {
  Layout* of = layout(data);
  if (of == nullptr) return {};
  if (ranks_.size() == 1) return {0, of->bytes()};
  Intervals mine = of->of(ranks_.rank());
  for (int r = 0; r < ranks_.rank(); ++r) mine = mine - of->of(r);
  return mine;
}

}  // namespace fulgurite::runtime::mpi
