#include "runtime/mpi/device.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/dump.h"
#include "runtime/cpu/kernel.h"
#include "runtime/host.h"
#include "runtime/mpi/by_owner.h"
#include "runtime/mpi/division.h"
#include "runtime/mpi/exchange.h"
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
    FULGURITE_CHECK(buffers_.size() + all.own.size() == all.element_bytes.size(), "{} and {} buffers of {}",
                    buffers_.size(), all.own.size(), all.element_bytes.size());
    for (std::size_t k = 0; k < all.own.size(); ++k) {
      const std::int32_t of = all.own[k].elements_of;
      const Layout* layout = of < 0 ? nullptr : device_.layout(launch.buffers[static_cast<std::size_t>(of)]);
      own_.push_back(device_.allocate(own_bytes(all, k, launch, layout)));
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
    for (std::size_t p = 0; p < phases.size() && !failed; ++p)
      if (phases[p].is_inspector)
        inspect(running, p);
      else
        failed = run(running, p);
    if (!failed) return std::nullopt;
    if (const std::optional<Failure> earlier = device_.wait()) return earlier;
    return device_.lowest(running.failure());
  }

 private:
  std::int64_t n_tasks(const PhaseFootprint& phase) const {
    return phase.tasks_of < 0 ? 1 : of_.n_tasks[static_cast<std::size_t>(phase.tasks_of)];
  }

  std::shared_ptr<const Division> division_of(std::size_t p, const Division* of_inspected) {
    const PhaseFootprint& phase = kernel_.footprints.phases[p];
    return kernel_.divisions.of({kernel_.footprints, p, of_inspected, n_tasks(phase), of_.scalars, buffers_,
                                 layouts_, device_.ranks_.size(),
                                 of_.bytes_read + of_.bytes_written < repeated_bytes(),
                                 device_.ranks_.rank()});
  }

  // This rank's tasks of a phase.
  std::pair<std::int64_t, std::int64_t> tasks_of(const Division& division, std::size_t p) const {
    const auto me = static_cast<std::size_t>(device_.ranks_.rank());
    if (!division.is_divided) return {0, n_tasks(kernel_.footprints.phases[p])};
    return {division.first_tasks[me], division.first_tasks[me + 1]};
  }

  // Marks what tasks of the phase that comes next read, and brings it here, unless all ranks have it.
  void inspect(cpu::Running& running, std::size_t p) {
    const std::vector<PhaseFootprint>& phases = kernel_.footprints.phases;
    std::size_t inspected = p;
    while (phases[inspected].is_inspector) ++inspected;
    if (n_tasks(phases[inspected]) == 0) return;
    if (!inspected_) inspected_ = division_of(inspected, nullptr);
    const auto is_missing = [&](std::size_t buffer) {
      const Layout* of = layouts_[buffer];
      return of != nullptr && !of->is_everywhere({0, of->bytes()});
    };
    if (std::ranges::none_of(inspected_->asked, is_missing)) return;

    const std::shared_ptr<const Division> division = division_of(p, inspected_.get());
    const std::vector<Needs> needs = needs_of(*division, layouts_, buffers_);
    Exchange exchange(device_.ranks_, needs);
    if (base::dumps("messages")) tell(p, *division, exchange, 0);
    exchange.begin();
    exchange.end();
    std::vector<MarkedArray> arrays;
    for (const Marks& marks : phases[p].marks) {
      clear(marks);
      if (is_missing(static_cast<std::size_t>(marks.buffer))) arrays.push_back(marked(marks));
    }
    const auto [first, last] = tasks_of(*division, p);
    running.run(p, first, last);
    device_.counts_.asked += arrays.size();
    const std::size_t bytes = request(device_.ranks_, arrays);
    if (base::dumps("messages"))
      base::dump("messages", fmt::format("rank {}: {} bytes of {} arrays come as it asks for them",
                                         device_.rank(), bytes, arrays.size()));
  }

  std::size_t own_number(const Marks& marks) const {
    return static_cast<std::size_t>(marks.marks) - of_.buffers.size();
  }
  void clear(const Marks& marks) const {
    const Memory& memory = own_[own_number(marks)];
    if (memory.bytes != 0) std::memset(memory.data, 0, memory.bytes);
  }
  MarkedArray marked(const Marks& marks) const {
    const auto buffer = static_cast<std::size_t>(marks.buffer);
    const std::size_t own = own_number(marks);
    const std::int64_t size = kernel_.footprints.element_bytes[buffer];
    return {layouts_[buffer], static_cast<std::byte*>(buffers_[buffer]),
            std::span(static_cast<const std::byte*>(own_[own].data), own_[own].bytes),
            size * kernel_.footprints.own[own].per, size};
  }
  // The marks of what only they say.
  std::vector<Marks> posted(const Division& division, std::size_t p) const {
    std::vector<Marks> all;
    for (const Marks& marks : kernel_.footprints.phases[p].marks)
      if (std::ranges::any_of(division.posted, [&](std::size_t array) {
            return layouts_[array] == layouts_[static_cast<std::size_t>(marks.buffer)];
          }))
        all.push_back(marks);
    return all;
  }

  // Whether it has failed, on any rank.
  bool run(cpu::Running& running, std::size_t p) {
    const PhaseFootprint& phase = kernel_.footprints.phases[p];
    const std::int64_t n = n_tasks(phase);
    if (n == 0) return false;
    Ranks& ranks = device_.ranks_;
    const std::shared_ptr<const Division> division =
        inspected_ ? std::exchange(inspected_, nullptr) : division_of(p, nullptr);
    if (n > 1) ++(division->is_divided ? device_.counts_.divided : device_.counts_.repeated);
    const std::vector<Needs> needs = needs_of(*division, layouts_, buffers_);
    const std::size_t n_gathered = gathered(*division, needs);
    device_.counts_.gathered += n_gathered;
    Exchange exchange(ranks, needs);
    const auto [first, last] = tasks_of(*division, p);
    if (base::dumps("messages")) tell(p, *division, exchange, n_gathered);
    const std::vector<Marks> left_to_marks = posted(*division, p);
    for (const Marks& marks : left_to_marks) clear(marks);
    exchange.begin();
    // Meanwhile what needs nothing that is on its way.
    const auto [inner_first, inner_last] = inner_tasks(*division, exchange, needs, first, last);
    running.run(p, inner_first, inner_last);
    exchange.end();
    running.run(p, first, inner_first);
    running.run(p, inner_last, last);
    settle(*division, layouts_);
    post(left_to_marks);

    if (!phase.can_fail) return false;
    if (!division->is_divided) return running.failure().has_value();
    if (p + 1 == kernel_.footprints.phases.size()) {
      device_.tell_later(running.failure());
      return false;
    }
    std::int64_t any = running.failure() ? 1 : 0;
    ranks.reduce({&any, 1}, fg_mpi_max);
    return any != 0;
  }
  // Arrays of which some rank lacks what another one has, and which come as a whole since nothing says what
  // of them is read.
  std::size_t gathered(const Division& division, std::span<const Needs> needs) const {
    return static_cast<std::size_t>(std::ranges::count_if(division.unknown, [&](std::size_t array) {
      return std::ranges::any_of(needs, [&](const Needs& of) {
        if (of.layout != layouts_[array]) return false;
        const Intervals there = of.layout->anywhere();
        return std::ranges::any_of(of.of_rank,
                                   [&](const Intervals& lacks) { return !(lacks & there).empty(); });
      });
    }));
  }
  void post(const std::vector<Marks>& all) {
    if (all.empty()) return;
    std::vector<MarkedArray> arrays;
    for (const Marks& marks : all) arrays.push_back(marked(marks));
    device_.counts_.posted += arrays.size();
    const std::size_t bytes = mpi::post(device_.ranks_, arrays);
    if (base::dumps("messages"))
      base::dump("messages", fmt::format("rank {}: {} bytes of {} arrays go to their owners", device_.rank(),
                                         bytes, arrays.size()));
  }

  // For FULGURITE_DUMP=messages.
  void tell(std::size_t p, const Division& division, const Exchange& exchange, std::size_t n_gathered) const {
    const PhaseFootprint& phase = kernel_.footprints.phases[p];
    const auto [first, last] = tasks_of(division, p);
    std::string text = fmt::format("rank {}: phase {} of {}{}, tasks: ", device_.rank(), p, kernel_.name,
                                   phase.is_inspector ? ", which marks what the next one reads" : "");
    text += division.is_divided ? fmt::format("{} to {} of {}", first, last, n_tasks(phase))
                                : fmt::format("all {}", n_tasks(phase));
    if (n_gathered != 0) text += fmt::format(", {} arrays gathered", n_gathered);
    if (!division.posted.empty()) text += fmt::format(", {} arrays posted", division.posted.size());
    base::dump("messages", text + exchange.text());
  }

  std::pair<std::int64_t, std::int64_t> inner_tasks(const Division& division, const Exchange& exchange,
                                                    std::span<const Needs> needs, std::int64_t first,
                                                    std::int64_t last) const {
    if (exchange.is_empty()) return {first, last};
    if (!division.is_divided || division.of_tasks.empty()) return {first, first};
    const auto waits = [&](std::int64_t task) {
      for (const TaskBytes& own : division.of_tasks[static_cast<std::size_t>(task - first)])
        for (std::size_t k = 0; k < needs.size(); ++k)
          if (needs[k].layout == layouts_[static_cast<std::size_t>(own.buffer)] &&
              meet(exchange.missing(k), own.bytes))
            return true;
      return false;
    };
    // The longest run of tasks that do not wait.
    std::pair<std::int64_t, std::int64_t> best{first, first};
    for (std::int64_t task = first; task < last;) {
      const std::int64_t begin = task;
      while (task < last && !waits(task)) ++task;
      if (task - begin > best.second - best.first) best = {begin, task};
      ++task;
    }
    return best;
  }

  MpiDevice& device_;
  const MpiKernel& kernel_;
  const Launch& of_;
  Launch launch_{};
  std::vector<void*> buffers_;
  std::vector<Layout*> layouts_;
  std::vector<Memory> own_;
  std::shared_ptr<const Division> inspected_;  // of the phase that comes next, where it was inspected
};

MpiDevice::MpiDevice(Ranks& ranks, std::string cpu) : ranks_(ranks), cpu_(std::move(cpu)) {}

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
    const std::vector<Needs> needs{
        needs_of_all(*of, static_cast<std::byte*>(from.data), static_cast<std::int64_t>(bytes))};
    Exchange exchange(ranks_, needs);
    exchange.begin();
    exchange.end();
  }
  cpu_.download(to, from, bytes);
}

void MpiDevice::copy(Memory to, Memory from, std::size_t bytes) {
  // As launches of one rank say nothing of what they compute.
  if (ranks_.size() == 1) return cpu_.copy(to, from, bytes);
  Layout& copied = *layout(to.data);
  copied.copied(layout(from.data), static_cast<std::int64_t>(bytes));
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

void MpiDevice::tell_later(const std::optional<Failure>& mine) {
  if (mine && !failure_) {
    failure_ = mine;
    failed_launch_ = n_untold_;
  }
  ++n_untold_;
}

std::optional<Failure> MpiDevice::wait() {
  if (n_untold_ == 0) return std::nullopt;
  std::int64_t first = failed_launch_;
  ranks_.reduce({&first, 1}, fg_mpi_min);
  const std::optional<Failure> mine = first == failed_launch_ ? failure_ : std::nullopt;
  give_up();
  return first == INT64_MAX ? std::nullopt : lowest(mine);
}

std::optional<Failure> MpiDevice::give_up() {
  n_untold_ = 0;
  failed_launch_ = INT64_MAX;
  failure_.reset();
  return std::nullopt;
}

// The lowest of all ranks' failures.
std::optional<Failure> MpiDevice::lowest(const std::optional<Failure>& mine) {
  std::string text;
  if (mine) text.assign(reinterpret_cast<const char*>(&*mine), sizeof(Failure));
  FailureRecord record;
  for (const std::string& of_rank : ranks_.gather(text)) {
    if (of_rank.size() != sizeof(Failure)) continue;
    Failure failure{};
    std::memcpy(&failure, of_rank.data(), sizeof failure);
    record.report(failure);
  }
  return record.lowest();
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
  layout(memory.data)->place_blocks(bytes);
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
