#include "runtime/mpi/model.h"

#include <fulgurite/error.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"
#include "runtime/cpu/kernel.h"
#include "runtime/mpi/by_owner.h"
#include "runtime/mpi/exchange.h"
#include "runtime/mpi/transfers.h"

namespace fulgurite::runtime::mpi {

struct ModelKernel final : Kernel {
  explicit ModelKernel(const KernelSource& of)
      : source(of), footprints(of.footprints.empty() ? Footprints() : Footprints::of_words(of.footprints)) {}

  // Tasks find places by what the engine's own arrays hold, so that these are counts.
  bool counts(std::size_t n_given) const {
    return std::ranges::any_of(footprints.phases, [&](const PhaseFootprint& phase) {
      return std::ranges::any_of(phase.formulas, [&](const Formula& f) {
        return f.op == Formula::Op::element && static_cast<std::size_t>(f.value) >= n_given;
      });
    });
  }

  KernelSource source;
  Footprints footprints;
  mutable LaunchCost cost;
  mutable Divisions divisions;
  mutable std::shared_ptr<const Kernel> machine_code;  // once it is needed
};

namespace {

// Larger arrays have an address, and no memory.
constexpr std::size_t most_known = std::size_t{64} << 20;

// As Ranks cuts messages.
constexpr std::int64_t most_bytes = std::int64_t{1} << 30;

// All touches of a phase: of each buffer whether it is read, and whether it is stored to.
struct Uses {
  std::vector<bool> read, stored;
  Uses(const PhaseFootprint& phase, std::size_t n_buffers) : read(n_buffers), stored(n_buffers) {
    for (const Touch& t : phase.touches)
      (t.stores ? stored : read)[static_cast<std::size_t>(t.buffer)] = true;
  }
};

// Nothing is known.
class NoElements final : public KnownElements {
 public:
  std::optional<Strided> at(std::int64_t, Strided) override { return std::nullopt; }
};

}  // namespace

class ModelDevice::Launching {
 public:
  Launching(ModelDevice& device, const ModelKernel& kernel, const Launch& launch)
      : device_(device),
        kernel_(kernel),
        of_(launch),
        buffers_(launch.buffers.begin(), launch.buffers.end()),
        n_given_(launch.buffers.size()),
        counts_(kernel.counts(launch.buffers.size())) {
    const Footprints& all = kernel.footprints;
    FULGURITE_CHECK(buffers_.size() + all.own.size() == all.element_bytes.size(), "{} and {} buffers of {}",
                    buffers_.size(), all.own.size(), all.element_bytes.size());
    for (std::size_t k = 0; k < all.own.size(); ++k) {
      const std::int32_t of = all.own[k].elements_of;
      const Array* array = of < 0 ? nullptr : device_.array(launch.buffers[static_cast<std::size_t>(of)]);
      own_.push_back(
          device_.allocate(own_bytes(all, k, launch, array == nullptr ? nullptr : &array->layout)));
      buffers_.push_back(own_.back().data);
    }
    for (const void* data : buffers_) {
      Array* const array = device_.array(data);
      layouts_.push_back(array == nullptr ? nullptr : &array->layout);
    }
    launch_ = launch;
    launch_.buffers = buffers_;
  }
  ~Launching() {
    for (const Memory& memory : own_) device_.release(memory);
  }
  Launching(const Launching&) = delete;
  Launching& operator=(const Launching&) = delete;

  void run() {
    LaunchCost& cost = kernel_.cost;
    ++cost.n_runs;
    cost.phases.resize(kernel_.footprints.phases.size());
    for (std::size_t p = 0; p < cost.phases.size(); ++p)
      if (!kernel_.footprints.phases[p].is_inspector) run(p, cost.phases[p]);
  }

 private:
  void run(std::size_t p, PhaseCost& cost) {
    const PhaseFootprint& phase = kernel_.footprints.phases[p];
    const std::int64_t n = phase.tasks_of < 0 ? 1 : of_.n_tasks[static_cast<std::size_t>(phase.tasks_of)];
    if (n == 0) return;
    const std::shared_ptr<const Division> division = division_of(p, n, nullptr);
    cost.n_tasks = n;
    cost.is_divided = division->is_divided;
    cost.n_unknown += division->unknown.size();
    cost.share = division->is_divided ? share_of(*division, n) : 1;
    cost.computing += busiest_bytes(*division) / device_.cluster_.memory;
    ask(p, n, *division, cost);
    const std::vector<Needs> needs = needs_of(*division, layouts_, buffers_);
    device_.count(needs, cost);
    meet(needs);
    post(*division, cost);
    settle(*division, layouts_);
    if (phase.can_fail && division->is_divided) {
      if (p + 1 == kernel_.footprints.phases.size())
        device_.has_untold_ = true;
      else
        cost.agreeing += device_.collective();
    }
    know(p, n);
  }

  std::shared_ptr<const Division> division_of(std::size_t p, std::int64_t n, const Division* of_inspected) {
    std::vector<void*> known = buffers_;
    for (void*& data : known)
      if (!is_known(data)) data = nullptr;
    return kernel_.divisions.of({kernel_.footprints, p, of_inspected, n, of_.scalars, known, layouts_,
                                 device_.cluster_.ranks,
                                 of_.bytes_read + of_.bytes_written < repeated_bytes()});
  }

  // Where only an inspector's marks tell, each rank is assumed to read everything.
  void ask(std::size_t p, std::int64_t n, const Division& division, PhaseCost& cost) {
    std::vector<Needs> asked;
    for (const std::size_t array : division.asked) {
      Layout& of = *layouts_[array];
      if (!of.is_everywhere({0, of.bytes()})) asked.push_back(needs_of_all(of, nullptr, of.bytes()));
    }
    if (asked.empty()) return;
    device_.assumes_places_ = true;
    for (std::size_t k = p; k-- > 0 && kernel_.footprints.phases[k].is_inspector;) {
      const std::shared_ptr<const Division> inspector = division_of(k, n, &division);
      cost.computing += busiest_bytes(*inspector) / device_.cluster_.memory;
      const std::vector<Needs> needs = needs_of(*inspector, layouts_, buffers_);
      device_.count(needs, cost);
      meet(needs);
    }
    device_.count(asked, cost);
  }

  // Where only marks tell, each rank is assumed to store an equal part of what each other rank owns.
  void post(const Division& division, PhaseCost& cost) {
    for (const std::size_t array : division.posted) {
      device_.assumes_places_ = true;
      Layout& of = *layouts_[array];
      device_.count_spread(of.bytes(), cost);
      of.computed(owners(of, kernel_.footprints.element_bytes[array]));
    }
  }

  static double share_of(const Division& division, std::int64_t n) {
    std::int64_t most = 0;
    for (std::size_t r = 0; r + 1 < division.first_tasks.size(); ++r)
      most = std::max(most, division.first_tasks[r + 1] - division.first_tasks[r]);
    return static_cast<double>(most) / static_cast<double>(n);
  }

  // Read and stored by the rank that has most of it.
  double busiest_bytes(const Division& division) const {
    std::vector<std::int64_t> of_rank(
        static_cast<std::size_t>(division.is_divided ? device_.cluster_.ranks : 1));
    for (const auto* all : {&division.read, &division.stored})
      for (const Stored& touched : *all)
        for (std::size_t r = 0; r < of_rank.size(); ++r) of_rank[r] += touched.of_rank[r].size();
    return static_cast<double>(*std::ranges::max_element(of_rank));
  }

  bool is_known(const void* data) const {
    const Array* const array = device_.array(data);
    return array != nullptr && array->is_known;
  }

  // Which elements are known when the phase has ended.
  void know(std::size_t p, std::int64_t n) {
    const Uses uses(kernel_.footprints.phases[p], buffers_.size());
    const bool runs = counts_ && n == 1 && can_run(uses);
    if (runs) run_here(p);
    set_known(uses, runs);
    if (counts_ && !runs) assume_kept(p, n, uses);
  }
  bool can_run(const Uses& uses) const {
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      if (!uses.read[k] && !uses.stored[k]) continue;
      const Array* const array = device_.array(buffers_[k]);
      if (array == nullptr || array->bytes > most_known || (uses.read[k] && !array->is_known)) return false;
    }
    return true;
  }
  void run_here(std::size_t p) {
    if (kernel_.machine_code == nullptr) kernel_.machine_code = device_.cpu_.build(kernel_.source);
    cpu::Running(static_cast<const cpu::CpuKernel&>(*kernel_.machine_code), launch_).run(p, 0, 1);
  }
  void set_known(const Uses& uses, bool is_known) {
    for (std::size_t k = 0; k < buffers_.size(); ++k)
      if (uses.stored[k]) device_.array(buffers_[k])->is_known = is_known;
  }

  // Integers that each task leaves to the turns of all tasks may be how many elements it keeps.
  void assume_kept(std::size_t p, std::int64_t n, const Uses& uses) {
    std::vector<std::int64_t*> counts;
    for (std::size_t k = n_given_; k < buffers_.size(); ++k) {
      Array& array = *device_.array(buffers_[k]);
      if (!uses.stored[k] || kernel_.footprints.element_bytes[k] != 8 || array.bytes > most_known) continue;
      counts.push_back(static_cast<std::int64_t*>(buffers_[k]));
      array.is_known = true;
    }
    if (counts.empty()) return;
    device_.assumes_kept_ = true;
    NoElements none;
    Touches touches(kernel_.footprints.phases[p], of_.scalars, none);
    for (std::int64_t task = 0; task < n; ++task) {
      std::int64_t most = 0;
      for (const Touched& t : touches.of(task))
        if (!t.stores && t.low != INT64_MIN && t.high != INT64_MAX) most = std::max(most, t.high - t.low + 1);
      for (std::int64_t* of_task : counts)
        of_task[task] = static_cast<std::int64_t>(static_cast<double>(most) * device_.cluster_.kept);
    }
  }

  ModelDevice& device_;
  const ModelKernel& kernel_;
  const Launch& of_;
  Launch launch_{};
  std::vector<void*> buffers_;
  const std::size_t n_given_;
  const bool counts_;
  std::vector<Layout*> layouts_;
  std::vector<Memory> own_;
};

ModelDevice::ModelDevice(const Cluster& cluster)
    : cluster_(cluster),
      sent_(static_cast<std::size_t>(cluster.ranks)),
      of_pairs_(static_cast<std::size_t>(cluster.ranks) * static_cast<std::size_t>(cluster.ranks)) {}

ModelDevice::~ModelDevice() {
  while (!arrays_.empty()) {
    const auto& [data, array] = *arrays_.begin();
    release({const_cast<void*>(data), array.bytes});
  }
}

// One rank too has its kernels' phases taken apart, so that all numbers of ranks are compared alike.
Description ModelDevice::describe() const {
  Description all = cpu_.describe();
  all.engine = "mpi";
  all.is_host = false;
  all.reads_host = true;
  all.n_ranks = std::max(cluster_.ranks, 2);
  return all;
}

Memory ModelDevice::allocate(std::size_t bytes) {
  const int access = bytes > most_known ? PROT_NONE : PROT_READ | PROT_WRITE;
  void* const data = mmap(nullptr, std::max<std::size_t>(bytes, 1), access,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED)
    throw OutOfMemory("the address space has no room for the arrays of this many ranks");
  arrays_.insert_or_assign(data, Array{bytes, Layout(bytes, cluster_.ranks)});
  return {data, bytes};
}

void ModelDevice::release(Memory memory) noexcept {
  if (memory.data == nullptr) return;
  arrays_.erase(memory.data);
  munmap(memory.data, std::max<std::size_t>(memory.bytes, 1));
}

ModelDevice::Array* ModelDevice::array(const void* data) {
  const auto found = arrays_.find(data);
  return found == arrays_.end() ? nullptr : &found->second;
}

void ModelDevice::upload(Memory to, const void* from, std::size_t bytes) {
  Array& of = *array(to.data);
  of.layout.computed_everywhere({0, static_cast<std::int64_t>(bytes)});
  of.is_known = bytes <= most_known;
  if (of.is_known) std::memcpy(to.data, from, bytes);
}

void ModelDevice::download(void* to, Memory from, std::size_t bytes) {
  Array& of = *array(from.data);
  const std::vector<Needs> needs{needs_of_all(of.layout, nullptr, static_cast<std::int64_t>(bytes))};
  count(needs, between_);
  meet(needs);
  if (of.is_known) {
    std::memcpy(to, from.data, bytes);
    return;
  }
  reads_unknown_ = true;
  std::memset(to, 0, bytes);
}

void ModelDevice::copy(Memory to, Memory from, std::size_t bytes) {
  const Array* const of = array(from.data);
  Array& copied = *array(to.data);
  copied.layout.copied(of == nullptr ? nullptr : &of->layout, static_cast<std::int64_t>(bytes));
  copied.is_known = of != nullptr && of->is_known && bytes <= most_known;
  if (copied.is_known) std::memcpy(to.data, from.data, bytes);
}

std::shared_ptr<const Kernel> ModelDevice::build(const KernelSource& source) {
  return std::make_shared<ModelKernel>(source);
}

std::optional<Failure> ModelDevice::launch(const Kernel& kernel, const Launch& launch) {
  Launching(*this, static_cast<const ModelKernel&>(kernel), launch).run();
  return std::nullopt;
}

double ModelDevice::latency_of_all() const {
  // Pairs of ranks, then pairs of pairs.
  return std::bit_width(static_cast<unsigned>(cluster_.ranks - 1)) * cluster_.latency;
}

// A reduction to one rank, and its result to all.
double ModelDevice::collective() {
  ++collectives_;
  return 2 * latency_of_all();
}

std::optional<Failure> ModelDevice::wait() {
  if (std::exchange(has_untold_, false)) between_.agreeing += collective();
  return std::nullopt;
}

void ModelDevice::agree(std::string_view, const std::source_location&) {
  if (cluster_.ranks > 1) between_.agreeing += collective();
}

void ModelDevice::place_blocks(Memory memory, std::span<const std::int64_t> bytes) {
  array(memory.data)->layout.place_blocks(bytes);
}

void ModelDevice::begin_counting() {
  std::ranges::fill(sent_, Sent());
  collectives_ = 0;
  between_ = {};
}

const LaunchCost* ModelDevice::cost_of(const Kernel& kernel) const {
  const LaunchCost& cost = static_cast<const ModelKernel&>(kernel).cost;
  return cost.n_runs == 0 ? nullptr : &cost;
}

void ModelDevice::count(std::span<const Needs> needs, PhaseCost& cost) {
  const Gathered gathered(needs);
  if (!gathered.empty()) count_gathering(gathered.bytes_of_ranks(), cost);
  count_messages(needs, gathered, cost);
}

void ModelDevice::count_gathering(std::span<const std::size_t> bytes_of_ranks, PhaseCost& cost) {
  ++collectives_;
  std::int64_t all = 0, most = 0, least = INT64_MAX;
  for (std::size_t r = 0; r < bytes_of_ranks.size(); ++r) {
    const auto bytes = static_cast<std::int64_t>(bytes_of_ranks[r]);
    ++sent_[r].gatherings;
    sent_[r].bytes += bytes;
    most = std::max(most, bytes);
    least = std::min(least, bytes);
    all += bytes;
  }
  ++cost.all.gatherings;
  ++cost.most.gatherings;
  cost.all.bytes += all;
  cost.most.bytes += most;
  cost.latency += latency_of_all();
  cost.transfer += static_cast<double>(all - least) / cluster_.bandwidth;
}

void ModelDevice::count_messages(std::span<const Needs> needs, const Gathered& gathered, PhaseCost& cost) {
  const auto n = static_cast<std::size_t>(cluster_.ranks);
  std::vector<std::size_t> pairs;  // that have a message
  for_transfers(needs, gathered, [&](const Transfer& t) {
    const std::size_t pair = static_cast<std::size_t>(t.from) * n + static_cast<std::size_t>(t.to);
    if (of_pairs_[pair].pieces++ == 0) pairs.push_back(pair);
    of_pairs_[pair].bytes += t.bytes.end - t.bytes.begin;
  });
  if (pairs.empty()) return;
  std::vector<Sent> out(n), in(n);
  for (const std::size_t pair : pairs) {
    const auto [bytes, pieces] = std::exchange(of_pairs_[pair], {});
    const std::int64_t most = pieces > 1 ? static_cast<std::int64_t>(portion_bytes) : most_bytes;
    for (Sent* of : {&out[pair / n], &in[pair % n]}) {
      of->messages += (bytes + most - 1) / most;
      of->bytes += bytes;
    }
  }
  add(out, in, cost);
}

void ModelDevice::count_spread(std::int64_t bytes, PhaseCost& cost) {
  if (cluster_.ranks == 1) return;
  const std::int64_t ranks = cluster_.ranks, others = ranks - 1;
  // Sizes, then elements.
  count_gathering(
      std::vector<std::size_t>(static_cast<std::size_t>(ranks), 8 * static_cast<std::size_t>(ranks)), cost);
  const std::vector<Sent> each(static_cast<std::size_t>(ranks),
                               {others, 0, others * (bytes / ranks / ranks)});
  add(each, each, cost);
}

void ModelDevice::add(std::span<const Sent> out, std::span<const Sent> in, PhaseCost& cost) {
  Sent most;
  double latency = 0, transfer = 0;  // of the rank that takes longest
  for (std::size_t r = 0; r < out.size(); ++r) {
    sent_[r].messages += out[r].messages;
    sent_[r].bytes += out[r].bytes;
    cost.all.messages += out[r].messages;
    cost.all.bytes += out[r].bytes;
    most = {std::max(most.messages, out[r].messages), 0, std::max(most.bytes, out[r].bytes)};
    const double of_messages =
        static_cast<double>(std::max(out[r].messages, in[r].messages)) * cluster_.latency;
    const double of_bytes = static_cast<double>(std::max(out[r].bytes, in[r].bytes)) / cluster_.bandwidth;
    if (of_messages + of_bytes > latency + transfer) {
      latency = of_messages;
      transfer = of_bytes;
    }
  }
  cost.most.messages += most.messages;
  cost.most.bytes += most.bytes;
  cost.latency += latency;
  cost.transfer += transfer;
}

}  // namespace fulgurite::runtime::mpi
