#include "tool/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "pipeline.h"
#include "plan/assume.h"
#include "plan/device_copies.h"
#include "runtime/mpi/model.h"
#include "scalar/value.h"
#include "specialised.h"
#include "tool/arguments.h"
#include "tool/explanation.h"
#include "trace/traced.h"

namespace fulgurite::tool {
namespace {

using runtime::mpi::LaunchCost, runtime::mpi::ModelDevice, runtime::mpi::PhaseCost;

// The elements of an array that a map has made: whole tasks of it in a row. A vector's tasks are about as
// long; of other arrays they are rows.
constexpr std::int64_t bytes_of_part = 65536;

// Arguments of which each rank has its part.
class Divided {
 public:
  Divided(ModelDevice& device, int n_ranks, const Arguments& arguments)
      : device_(device), n_ranks_(n_ranks), views_(arguments.views().begin(), arguments.views().end()) {
    for (const std::size_t k : arguments.divided()) divide(views_[k]);
  }
  std::span<const detail::ArgumentView> views() const { return views_; }

 private:
  void divide(detail::ArgumentView& view) {
    const std::span extents(view.extents, static_cast<std::size_t>(view.rank));
    const std::int64_t outermost = extents.front();
    const std::int64_t all =
        std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies{});
    const std::int64_t bytes =
        all * static_cast<std::int64_t>(scalar::size_of(static_cast<scalar::Kind>(view.kind)));
    std::int64_t of_task = extents.size() == 1 || outermost == 0 ? bytes_of_part : bytes / outermost;
    of_task = std::max<std::int64_t>(of_task, 1);
    const std::int64_t n_tasks = (bytes + of_task - 1) / of_task;
    std::vector<std::int64_t> blocks;
    for (std::int64_t r = 0, begin = 0; r < n_ranks_; ++r) {
      const std::int64_t end = std::min(n_tasks * (r + 1) / n_ranks_ * of_task, bytes);
      blocks.push_back(end - std::exchange(begin, end));
    }
    const runtime::Memory memory = device_.allocate(static_cast<std::size_t>(bytes));
    device_.place_blocks(memory, blocks);
    placed_.push_back(detail::storage_on(device_, memory, static_cast<std::size_t>(bytes)));
    view.storage = placed_.back().get();
    view.data = nullptr;
  }

  ModelDevice& device_;
  const std::int64_t n_ranks_;
  std::vector<detail::ArgumentView> views_;
  std::vector<std::shared_ptr<const detail::Storage>> placed_;
};

// What explain calls the extents of parameters ("x: f32[n, m]"), and what they are.
std::map<std::string, double> sizes_of(const std::vector<std::string>& parameters,
                                       std::span<const detail::ArgumentView> views) {
  std::map<std::string, double> sizes;
  for (std::size_t k = 0; k < parameters.size() && k < views.size(); ++k) {
    const std::size_t open = parameters[k].rfind('[');
    if (open == std::string::npos || views[k].rank == 0) continue;
    std::string_view names = std::string_view(parameters[k]).substr(open + 1);
    names.remove_suffix(1);
    for (int axis = 0; axis < views[k].rank; ++axis) {
      const std::size_t comma = names.find(", ");
      sizes.emplace(names.substr(0, comma), static_cast<double>(views[k].extents[axis]));
      if (comma == names.npos) break;
      names.remove_prefix(comma + 2);
    }
  }
  return sizes;
}

// Something that takes time, and where most of it is taken.
struct Taker {
  double seconds = 0, longest = 0;
  std::string where;
  void add(double taken, const std::string& place) {
    seconds += taken;
    if (taken <= longest) return;
    longest = taken;
    where = place;
  }
};

// The parts of the time of a call.
class Times {
 public:
  explicit Times(const Cluster& cluster) : cluster_(cluster) {}

  void add(const LaunchCost& cost, std::size_t number, std::optional<double> operations) {
    double of_memory = 0, share = 0;
    for (const PhaseCost& phase : cost.phases) {
      of_memory += phase.computing;
      if (phase.n_tasks > 0) share = share == 0 ? phase.share : std::min(share, phase.share);
    }
    const double of_operations =
        operations.value_or(0) * static_cast<double>(cost.n_runs) * share / cluster_.operations;
    const bool is_arithmetic = of_operations > of_memory;
    if (is_arithmetic)
      (share < 1 || cluster_.ranks == 1 ? arithmetic : repeated)
          .add(of_operations, fmt::format("kernel {}", number));
    for (std::size_t p = 0; p < cost.phases.size(); ++p) {
      const PhaseCost& phase = cost.phases[p];
      const std::string where = cost.phases.size() == 1 ? fmt::format("kernel {}", number)
                                                        : fmt::format("kernel {}, phase {}", number, p + 1);
      if (!is_arithmetic)
        (phase.is_divided || cluster_.ranks == 1 ? memory : repeated).add(phase.computing, where);
      add_messages(phase, where);
    }
  }
  void add_messages(const PhaseCost& phase, const std::string& where) {
    latency.add(phase.latency, where);
    transfer.add(phase.transfer, where);
    agreement.add(phase.agreeing, where);
  }

  double computing() const { return memory.seconds + arithmetic.seconds + repeated.seconds; }
  double sending() const { return latency.seconds + transfer.seconds; }
  std::string limit() const {
    const std::pair<const Taker*, std::string_view> all[] = {
        {&memory, "memory"},   {&arithmetic, "arithmetic"}, {&repeated, "what all ranks repeat"},
        {&latency, "latency"}, {&transfer, "bandwidth"},    {&agreement, "agreement of all ranks"}};
    const auto longest =
        std::ranges::max_element(all, {}, [](const auto& one) { return one.first->seconds; });
    if (longest->first->seconds == 0) return "nothing";
    return longest->first->where.empty() ? std::string(longest->second)
                                         : fmt::format("{} ({})", longest->second, longest->first->where);
  }

  Taker memory, arithmetic, repeated, latency, transfer, agreement;

 private:
  const Cluster cluster_;
};

std::string counted(std::int64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string operations_text(std::int64_t messages, std::int64_t gatherings) {
  if (gatherings == 0) return counted(messages, "message");
  const std::string all = counted(gatherings, "gathering");
  return messages == 0 ? all : fmt::format("{} and {}", counted(messages, "message"), all);
}

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} us", seconds * 1e6);
}

std::string launch_text(const LaunchCost& cost, std::size_t number, std::string_view operation) {
  std::string text = fmt::format("  {:<12}{}{}\n", fmt::format("kernel {}", number), operation,
                                 cost.n_runs == 1 ? "" : fmt::format(", {} times", cost.n_runs));
  for (std::size_t p = 0; p < cost.phases.size(); ++p) {
    const PhaseCost& phase = cost.phases[p];
    if (phase.n_tasks == 0) continue;
    text += fmt::format("    phase {}: {}, {}", p + 1, counted(phase.n_tasks, "task"),
                        phase.is_divided     ? "shared"
                        : phase.n_tasks == 1 ? "on every rank"
                                             : "repeated on every rank");
    if (phase.all.bytes > 0)
      text += fmt::format(
          "; before it at most {} of {} of a rank, {} of {} of all",
          operations_text(phase.most.messages, phase.most.gatherings), counted(phase.most.bytes, "byte"),
          operations_text(phase.all.messages, phase.all.gatherings), counted(phase.all.bytes, "byte"));
    if (phase.n_unknown > 0)
      text += fmt::format("; {} gathered", counted(static_cast<std::int64_t>(phase.n_unknown), "array"));
    text += "\n";
  }
  return text;
}

std::vector<std::string> assumptions_of(const ModelDevice& device, const plan::Assumptions& assumed,
                                        const Cluster& cluster) {
  std::vector<std::string> all;
  if (device.assumes_places())
    all.emplace_back(
        "where elements say the places, every rank reads all of an array, and stores to all alike");
  if (device.assumes_kept())
    all.push_back(fmt::format("filters keep {:g} of the elements of each task", cluster.kept));
  if (assumed.loops)
    all.push_back(fmt::format("loops that elements end have {}", counted(assumed.iterations, "iteration")));
  if (assumed.branches) all.emplace_back("of branches that elements decide the first is taken");
  if (assumed.sizes && device.reads_unknown())
    all.emplace_back("numbers of elements that kernels compute are 0");
  return all;
}

}  // namespace
}  // namespace fulgurite::tool

namespace fulgurite::detail {

Prediction predict(const TracedProgram& traced, const Options& given, const Cluster& cluster,
                   const std::vector<std::string>& arguments) {
  using namespace tool;
  if (cluster.ranks < 1 || cluster.ranks > 65536)
    throw FormatError(fmt::format("{} ranks: a prediction is for 1 to 65536", cluster.ranks));
  Options options = given;
  options.engine = Engine::mpi;
  options.background = false;
  ModelDevice device(cluster);
  const Arguments words(traced, arguments);
  const Divided placed(device, cluster.ranks, words);
  const soac::Program program = pipeline::program_of_call(traced.program(), placed.views(), options);
  runtime::Description alone = device.describe();
  alone.n_ranks = 1;
  const pipeline::Report report = pipeline::compile(program, options, alone);
  const Explanation told = explanation_of(report, named_program(options.name).parameters);
  plan::Loaded loaded = pipeline::load(program, options, device.describe(), device);
  plan::Assumptions assumed{.iterations = cluster.iterations};
  loaded.plan = plan::without_elements(std::move(loaded.plan), assumed);
  loaded.instructions = plan::instructions_of(loaded.plan, loaded.is_host);

  std::vector<ResultValue> results(loaded.plan.results.size());
  plan::execute(loaded, placed.views(), results);

  const std::map<std::string, double> sizes = sizes_of(told.parameters, placed.views());
  Times times(cluster);
  std::string launches;
  for (std::size_t i = 0; i < told.launches.size(); ++i) {
    const auto kernel = static_cast<std::size_t>(report.lowered.notes[i].kernel);
    const LaunchCost* const cost = device.cost_of(*loaded.kernels[kernel]);
    if (cost == nullptr) continue;
    const LaunchReport& launch = told.launches[i];
    times.add(*cost, i + 1, launch.operations ? launch.operations->with(sizes) : std::nullopt);
    launches += launch_text(*cost, i + 1, launch.operation.origin);
  }
  times.add_messages(device.between(), "");

  Prediction to;
  to.computing = times.computing();
  to.sending = times.sending();
  to.agreeing = times.agreement.seconds;
  to.seconds = to.computing + to.sending + to.agreeing;
  for (const runtime::mpi::Sent& sent : device.sent()) {
    to.messages += sent.messages;
    to.bytes += sent.bytes;
    to.messages_of_rank = std::max(to.messages_of_rank, sent.messages);
    to.bytes_of_rank = std::max(to.bytes_of_rank, sent.bytes);
    to.gatherings = sent.gatherings;
  }
  to.limit = times.limit();
  to.assumptions = assumptions_of(device, assumed, cluster);
  to.text = fmt::format("{} of {:g} GB/s and {:g} us a message, and {:g} GB/s of memory\n",
                        counted(cluster.ranks, "rank"), cluster.bandwidth / 1e9, cluster.latency * 1e6,
                        cluster.memory / 1e9);
  to.text +=
      fmt::format("  {:<12}{} of {} of a rank at most, {} of {} of all\n", "sends",
                  operations_text(to.messages_of_rank, to.gatherings), counted(to.bytes_of_rank, "byte"),
                  operations_text(to.messages, to.gatherings), counted(to.bytes, "byte"));
  to.text += fmt::format("  {:<12}{}: {} computing, {} sending, {} agreeing; limited by {}\n", "time",
                         time_text(to.seconds), time_text(to.computing), time_text(to.sending),
                         time_text(to.agreeing), to.limit);
  for (const std::string& assumption : to.assumptions)
    to.text += fmt::format("  {:<12}{}\n", "assumed", assumption);
  to.text += launches;
  return to;
}

}  // namespace fulgurite::detail

namespace fulgurite::tool {
namespace {

// "100" and "Gb" of "100Gb".
std::pair<double, std::string_view> number_and_unit(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number <= 0) return {0, text};
  return {number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

constexpr std::pair<std::string_view, double> rate_units[] = {
    {"Gb", 1e9 / 8}, {"Mb", 1e6 / 8}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}};
constexpr std::pair<std::string_view, double> time_units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}};

double parse(std::string_view text, std::span<const std::pair<std::string_view, double>> units,
             std::string_view example) {
  const auto [number, unit] = number_and_unit(text);
  for (const auto& [name, factor] : units)
    if (unit == name && number > 0) return number * factor;
  throw FormatError(fmt::format("'{}' is no number with a unit, as {}", text, example));
}

}  // namespace

double parse_rate(std::string_view text) {
  return parse(text, rate_units, "20GB or 100Gb");
}

void parse_network(std::string_view text, Cluster& to) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos)
    throw FormatError(fmt::format("'{}' is no network: give bandwidth and latency, as 100Gb,2us", text));
  to.bandwidth = parse_rate(text.substr(0, comma));
  to.latency = parse(text.substr(comma + 1), time_units, "2us");
}

}  // namespace fulgurite::tool
