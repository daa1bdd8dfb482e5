// What tests of the engine mpi run under mpirun (mpi.cmake); the first argument says what.
#include "mpi_engine_programs.h"

#include <fmt/format.h>
#include <fulgurite/mpi.h>
#include <sys/resource.h>

#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <type_traits>

#include "pipeline.h"
#include "runtime/host.h"
#include "runtime/mpi/device.h"
#include "runtime/mpi/model.h"
#include "specialised.h"
#include "trace/traced.h"

namespace mpi_engine {
namespace {

namespace mpi = fulgurite::runtime::mpi;
using fulgurite::runtime::mpi::ModelDevice, fulgurite::runtime::mpi::MpiDevice,
    fulgurite::runtime::mpi::Ranks, fulgurite::runtime::mpi::Sent, fulgurite::runtime::mpi::Traffic;

const fg::Options on_ranks{.engine = fg::Engine::mpi}, alone{.engine = fg::Engine::cpu};

Ranks& ranks() {
  return MpiDevice::shared().ranks();
}

void say(const std::string& text) {
  if (ranks().rank() != 0) return;
  fmt::print("{}\n", text);
  std::fflush(nullptr);
}

// The bits of a result: shapes and elements.
template <class T>
std::string bits(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  } else if constexpr (requires { value.shape(); }) {
    std::string all;
    for (const auto extent : value.shape()) all += fmt::format("{} ", extent);
    for (std::int64_t i = 0; i < value.size(); ++i) all += bits(value.data()[i]);
    return all;
  } else {
    return std::apply([](const auto&... parts) { return (bits(parts) + ...); }, value);
  }
}

// An argument of which each rank has its part, as a program makes it.
template <class T, int N>
fg::Array<T, N> shared(const fg::Array<T, N>& all) {
  static const auto copy = fg::compile([](fg::Acc<T, N> x, Exp<T> one) { return x * one; }, on_ranks);
  return copy(all, T(1));
}
template <class T>
  requires std::is_arithmetic_v<T>
T shared(T value) {
  return value;
}

// Every program gives on ranks what it gives on one machine, whatever the sizes; wrong ones are named.
void programs() {
  const std::int64_t n_ranks = ranks().size();
  int n_wrong = 0, n_runs = 0;
  std::int64_t n = 0;
  const auto check = [&](const char* name, auto f, const auto&... arguments) {
    ++n_runs;
    std::string expected, got, of_parts;
    try {
      expected = bits(fg::compile(f, alone)(arguments...));
      const auto program = fg::compile(f, on_ranks);
      got = bits(program(arguments...));
      of_parts = bits(program(shared(arguments)...));
    } catch (const fg::Error& error) {
      got = error.what();
    }
    if (got == expected && of_parts == expected) return;
    ++n_wrong;
    fmt::print("rank {}: {} of {} elements is wrong {}\n", ranks().rank(), name, n,
               got.size() < 200 ? got : "");
    std::fflush(nullptr);
  };
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, n_ranks - 1, n_ranks + 1,
                                  std::int64_t{64}, std::int64_t{65}, std::int64_t{200}, std::int64_t{1000}})
    for_each_program(n = size, check);
  for_each_application(n = 640, check);
  say(fmt::format("{} runs, {} wrong", n_runs, n_wrong));
  if (n_wrong != 0) throw std::runtime_error("wrong results");
}

// What each rank sends in one call of each program of n elements; then in reading the result.
void messages(std::int64_t n) {
  const auto since = [](const Traffic& before) {
    const Traffic now = ranks().traffic();
    return fmt::format("{} messages, {} bytes, {} collectives", now.messages - before.messages,
                       now.bytes - before.bytes, now.collectives - before.collectives);
  };
  const auto tell = [&](const char* name, auto f, const auto&... arguments) {
    const auto program = fg::compile(f, on_ranks);
    const std::tuple own{shared(arguments)...};
    const Traffic before = ranks().traffic();
    [[maybe_unused]] const auto result = std::apply(program, own);
    const std::string of_call = since(before);
    const Traffic between = ranks().traffic();
    bits(result);
    for (const std::string& line : ranks().gather(fmt::format("{}; read: {}", of_call, since(between))))
      say(fmt::format("{:26} {}", name, line));
  };
  for_each_program(n, tell);
  for_each_application(n, tell);
}

// What docs/cluster.md says that this rank sends in one call, where each rank has ten tasks of 64 elements.
// For x[at[i]], where x has one run of `elements` elements on each rank: 8 bytes for each rank; a question to
// each rank of whose lines of 64 bytes one is read, of 8 bytes and 16 for every 64 lines with such lines;
// lines in answers.
Sent sent_in_gather(std::int64_t elements) {
  const std::int64_t n_ranks = ranks().size(), rank = ranks().rank(), n = elements * n_ranks, line = 16;
  const std::vector<std::int64_t> at = places(n);
  const auto lines = [&](std::int64_t reader, std::int64_t owner) {
    std::set<std::int64_t> all;
    for (std::int64_t i = reader * elements; i < (reader + 1) * elements; ++i) {
      const std::int64_t place = at[static_cast<std::size_t>(i)];
      if (place / elements == owner) all.insert((place - owner * elements) / line);
    }
    return all;
  };
  if (n_ranks == 1) return {};
  Sent sent{0, 1, 8 * n_ranks};
  for (std::int64_t other = 0; other < n_ranks; ++other) {
    if (other == rank) continue;
    std::set<std::int64_t> masks;
    for (const std::int64_t of : lines(rank, other)) masks.insert(of / 64);
    const auto answers = static_cast<std::int64_t>(lines(other, rank).size());
    sent.messages += (masks.empty() ? 0 : 1) + (answers == 0 ? 0 : 1);
    if (!masks.empty()) sent.bytes += 8 + 16 * static_cast<std::int64_t>(masks.size());
    sent.bytes += 64 * answers;
  }
  return sent;
}

std::optional<Sent> expected_of(const std::string& program) {
  const std::int64_t n_ranks = ranks().size(), rank = ranks().rank(), others = n_ranks - 1;
  // Each rank has these bytes for all others; they are few.
  const auto gatherings = [&](std::int64_t n, std::int64_t bytes) {
    return n_ranks == 1 ? Sent() : n_ranks == 2 ? Sent{n, 0, bytes} : Sent{0, n, bytes};
  };
  const auto gathering = [&](std::int64_t bytes) { return gatherings(1, bytes); };
  const std::int64_t neighbours = (rank > 0 ? 1 : 0) + (rank + 1 < n_ranks ? 1 : 0);
  const std::int64_t elements = 640, tasks = 10, scan_tasks = 5;
  const std::map<std::string, Sent> all{
      {"scaled", {}},
      {"dot", gathering(4 * tasks)},
      {"length", gathering(4 * tasks)},
      {"rmse", gathering(4 * tasks)},
      {"running sums", gathering(4 * scan_tasks)},
      {"integer scan", gathering(4 * scan_tasks)},
      {"filter", gathering(8 * tasks)},
      {"filter and sum", gathering(4 * tasks)},
      {"Jacobi in one dimension", {4 * neighbours, 0, 4 * neighbours * 4}},        // four steps
      {"Jacobi in two dimensions", {3 * neighbours, 0, 3 * neighbours * 4 * 13}},  // three, of rows of 13
      {"sums of rows", {}},
      {"transpose", {}},
      {"transpose of a square", {others, 0, others * 4 * 64 * 64}},  // of 64 rows a rank
      {"product", gathering(4 * 64 * 13)},                           // of 64 columns of 13 a rank
      {"large product", {others, 0, others * 4 * 64 * 100}},
      {"sums of columns", gathering(4 * 13 * 16)},  // 16 tasks a rank, of 13 columns
      {"Black-Scholes", {}},
      {"n-body", gathering(4 * 4 * elements)},  // of four arrays
  };
  if (program == "gather") return sent_in_gather(elements);
  // Two rounds, of two sums of each cluster for each of two coordinates.
  if (program == "k-means" && clusters % n_ranks == 0) return gatherings(2, 2 * 4 * 4 * clusters * tasks);
  // Tiles of vectors of 64 bytes have rows that do not divide a rank's 64.
  if (program == "large product" && fulgurite::runtime::host().vector_bytes > 32) return std::nullopt;
  const auto found = all.find(program);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

// A program as a call runs it, compiled for ranks that are not there.
class ModelledCall final : public fg::detail::Executable {
 public:
  ModelledCall(ModelDevice& device, std::shared_ptr<const fg::detail::TracedProgram> traced)
      : device_(device), traced_(std::move(traced)) {}
  void call(std::span<const fg::detail::ArgumentView> arguments,
            std::span<fg::detail::ResultValue> results) const override {
    using namespace fulgurite;
    const soac::Program program = pipeline::program_of_call(traced_->program(), arguments, on_ranks);
    plan::execute(pipeline::load(program, on_ranks, device_.describe(), device_), arguments, results);
  }

 private:
  ModelDevice& device_;
  const std::shared_ptr<const fg::detail::TracedProgram> traced_;
};

class OnModel final : public fg::detail::Variants {
 public:
  OnModel(ModelDevice& device, std::shared_ptr<const fg::detail::TracedProgram> traced)
      : traced_(traced), program_(device, std::move(traced)) {}
  const fg::detail::Executable& find(const void*) override { return program_; }
  std::shared_ptr<const fg::detail::TracedProgram> traced(const void*) const override { return traced_; }
  const fg::Options& options() const override { return on_ranks; }
  bool are_ready() const noexcept override { return true; }
  void wait() const override {}

 private:
  std::shared_ptr<const fg::detail::TracedProgram> traced_;
  const ModelledCall program_;
};
template <class Signature>
fg::Compiled<Signature> on_model(ModelDevice& device, const fg::Compiled<Signature>& f) {
  return fg::Compiled<Signature>(std::make_shared<OnModel>(device, f.traced()));
}

template <class T, int N>
fg::Array<T, N> shared_on(ModelDevice& device, const fg::Array<T, N>& all) {
  static const auto copy = fg::compile([](fg::Acc<T, N> x, Exp<T> one) { return x * one; }, on_ranks);
  return on_model(device, copy)(all, T(1));
}
template <class T>
  requires std::is_arithmetic_v<T>
T shared_on(ModelDevice&, T value) {
  return value;
}

// What the model says that this rank sends in one call; nothing where it had to assume places.
template <class Signature, class... Arguments>
std::optional<Sent> predicted(const fg::Compiled<Signature>& program, const Arguments&... arguments) {
  ModelDevice device({.ranks = ranks().size()});
  const std::tuple own{shared_on(device, arguments)...};
  device.begin_counting();
  [[maybe_unused]] const auto result = std::apply(on_model(device, program), own);
  if (device.assumes_places()) return std::nullopt;
  return device.sent()[static_cast<std::size_t>(ranks().rank())];
}

// Its elements say what is sent, and the model knows none.
bool needs_elements(std::string_view program) {
  return program == "until small" || program == "histogram";
}

// What docs/cluster.md says, and what the model predicts, against what is sent.
void formulas() {
  int n_right = 0, n_wrong = 0, n_predicted = 0;
  const auto check = [&](const char* name, auto f, const auto&... arguments) {
    const auto program = fg::compile(f, on_ranks);
    const std::tuple own{shared(arguments)...};
    const Traffic before = ranks().traffic();
    std::apply(program, own);
    const Traffic after = ranks().traffic();
    const Sent sent{static_cast<std::int64_t>(after.messages - before.messages),
                    static_cast<std::int64_t>(after.gatherings - before.gatherings),
                    static_cast<std::int64_t>(after.bytes + after.given - before.bytes - before.given)};
    const auto compare = [&](const char* what, const Sent& expected) {
      ++(sent == expected ? n_right : n_wrong);
      if (sent == expected) return;
      fmt::print("rank {}: {} sends {} messages and {} gatherings of {} bytes, and {} says {} and {} of {}\n",
                 ranks().rank(), name, sent.messages, sent.gatherings, sent.bytes, what, expected.messages,
                 expected.gatherings, expected.bytes);
    };
    if (const std::optional<Sent> expected = expected_of(name)) compare("the formula", *expected);
    if (needs_elements(name)) return;
    const std::optional<Sent> by_model = predicted(program, arguments...);
    if (!by_model) return;
    ++n_predicted;
    compare("the model", *by_model);
  };
  for_each_program(640 * ranks().size(), check);
  for_each_application(640 * ranks().size(), check);
  const Traffic all = ranks().traffic();
  fmt::print("rank {} messages {} bytes {} collectives {} gatherings {} given {}\n", ranks().rank(),
             all.messages, all.bytes, all.collectives, all.gatherings, all.given);
  std::fflush(nullptr);
  say(fmt::format("{} formulas and predictions hold ({} predictions), {} do not", n_right, n_predicted,
                  n_wrong));
  if (n_wrong != 0) throw std::runtime_error("wrong formulas");
}

// How ranks share a program: whether one asks others for what it reads, or posts what it stores. Nothing
// comes as a whole because nobody knows what of it is read, and no phase of several tasks runs on every rank.
void constructs() {
  const std::map<std::string, std::string> all{{"gather", "asks"},
                                               {"gather of a gather", "asks"},
                                               {"sparse product", "asks"},
                                               {"scatter", "asks, posts"},
                                               {"scatter with doubles", "asks, posts"},
                                               {"scatter and stencil", "asks, posts"},
                                               {"sort", "asks, posts"},
                                               {"sort of rows", "asks, posts"},
                                               {"sorted integers", "asks, posts"},
                                               {"classes", "posts"}};
  int n_right = 0, n_wrong = 0;
  for_each_program(640 * ranks().size(), [&](const char* name, auto f, const auto&... arguments) {
    const auto program = fg::compile(f, on_ranks);
    const std::tuple own{shared(arguments)...};
    const mpi::Counts before = MpiDevice::shared().counts();
    std::apply(program, own);
    const mpi::Counts after = MpiDevice::shared().counts();
    std::string found = after.asked > before.asked ? "asks" : "";
    if (after.posted > before.posted) found += found.empty() ? "posts" : ", posts";
    if (after.gathered > before.gathered) found += ", gathers";
    if (after.repeated > before.repeated) found += ", repeats";
    const auto known = all.find(name);
    const std::string expected = known == all.end() ? "" : known->second;
    ++(found == expected ? n_right : n_wrong);
    if (found != expected) say(fmt::format("{}: \"{}\", and should be \"{}\"", name, found, expected));
  });
  say(fmt::format("{} constructs are as they should be, {} are not", n_right, n_wrong));
  if (n_wrong != 0) throw std::runtime_error("wrong constructs");
}

struct Gather {
  decltype(fg::compile(gathered, on_ranks)) program = fg::compile(gathered, on_ranks);
  fg::Array<float> x{floats(1000)};
  fg::Array<float> operator()(std::vector<std::int64_t> at) const {
    return program(x, fg::Array<std::int64_t>(std::move(at)));
  }
};

void killed() {
  const auto f = fg::compile(running, on_ranks);
  for (int k = 0;; ++k) {
    const fg::Array<float> sums = f(fg::Array<float>(floats(1000)));
    if (k == 0) say("all ranks are there");
    if (sums[999] < 0) return;
    if (k == 3 && ranks().rank() == 1) raise(SIGKILL);
  }
}

void unequal_sizes() {
  fg::compile(scaled, on_ranks)(fg::Array<float>(floats(ranks().rank() == 1 ? 999 : 1000)));
}

void unequal_scalars() {
  fg::compile(jacobi_1d, on_ranks)(fg::Array<float>(floats(1000)), ranks().rank() == 1 ? 3 : 4);
}

// The element is of the last rank's part; then of the first rank's and the last one's, and the first is told.
void index_error() {
  const Gather gather;
  std::string expected;
  for (const std::vector<std::size_t>& wrong : {std::vector<std::size_t>{990}, {7, 990}, {500}}) {
    std::vector<std::int64_t> at = places(1000);
    for (const std::size_t k : wrong) at[k] = 1000 + static_cast<std::int64_t>(k);
    std::string message;
    try {
      gather(at);
    } catch (const fg::IndexError& error) {
      message = error.what();
    }
    const std::string text = fmt::format("at position {} ", wrong.front());
    for (const std::string& of_rank : ranks().gather(message))
      if (of_rank.find(text) == std::string::npos || of_rank != message)
        throw std::runtime_error(fmt::format("'{}' lacks '{}'", of_rank, text));
    say(message);
  }
  if (bits(gather(places(1000))) !=
      bits(fg::compile(gathered, alone)(gather.x, fg::Array<std::int64_t>(places(1000)))))
    throw std::runtime_error("what is called after an error is wrong");
  say("index_error is done");
}

void no_memory() {
  fg::compile(length, on_ranks)(fg::Array<float>(floats(1000)));
  const auto iota = fg::compile(
      [](Exp<fg::i64> n) { return fg::generate(n, [](Exp<fg::i64> i) { return i + i; }); }, on_ranks);
  iota(1000);
  say("all ranks are there");
  if (ranks().rank() == 1) {
    // As much as it has now, and a little more.
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit most{};
    most.rlim_cur = most.rlim_max = static_cast<rlim_t>(pages) * 4096 + (rlim_t{64} << 20);
    setrlimit(RLIMIT_AS, &most);
  }
  iota(std::int64_t{32} << 20);
  say("there was memory");
}

void skipped_call() {
  const auto f = fg::compile(scaled, on_ranks), g = fg::compile(running, on_ranks);
  const fg::Array<float> x(floats(1000));
  f(x);
  say("all ranks are there");
  if (ranks().rank() != 1) f(x);
  g(x);
}

void lone_read() {
  const fg::Array<float> y = fg::compile(scaled, on_ranks)(fg::Array<float>(floats(1000)));
  say("all ranks are there");
  if (ranks().rank() == 1) fmt::print("{}\n", y[0] + y[999]);
}

void require(bool holds, std::string_view what) {
  if (!holds) throw std::runtime_error(fmt::format("rank {}: {}: wrong", fg::mpi::rank(), what));
}

// mpi.h: each rank brings a block, keeps it, and has its part of what is made of it, until somebody reads.
void blocks() {
  const int r = fg::mpi::rank(), n_ranks = fg::mpi::n_ranks();
  const auto own = static_cast<std::size_t>(1000 + r);
  std::vector<float> block(own, static_cast<float>(r));
  const fg::Array<float> x = fg::mpi::adopt_block(block);
  std::vector<float> expected;
  for (int q = 0; q < n_ranks; ++q)
    expected.insert(expected.end(), static_cast<std::size_t>(1000 + q), static_cast<float>(q));
  require(x.size() == static_cast<std::int64_t>(expected.size()), "the blocks together");
  const auto parts = fg::mpi::local(x);
  require(parts.size() == 1 && std::ranges::equal(parts[0].elements, block), "this rank's block");
  require(fg::mpi::is_local(x) == (n_ranks == 1), "blocks of others are not here");
  const auto twice = fg::compile([](Vec<float> v) { return v * 2.0f; }, on_ranks)(x);
  std::int64_t n = 0;
  for (const auto& part : fg::mpi::local(twice)) {
    n += static_cast<std::int64_t>(part.elements.size());
    for (std::size_t k = 0; k < part.elements.size(); ++k)
      require(part.elements[k] == 2 * expected[static_cast<std::size_t>(part.first) + k],
              "an element of this rank's part");
  }
  ranks().reduce({&n, 1}, fg_mpi_sum);
  require(n == x.size(), "the parts are all elements, each once");
  const std::vector<float> read = twice.to_vector();
  require(fg::mpi::is_local(twice), "what was read is here");
  for (std::size_t k = 0; k < read.size(); ++k) require(read[k] == 2 * expected[k], "an element");
  require(fg::mpi::adopt_block(std::vector<int>()).empty(), "blocks of nothing");
  say("blocks is done");
}

const std::map<std::string, std::function<void()>> commands{
    {"programs", programs},
    {"messages", [] { messages(640 * ranks().size()); }},
    {"formulas", formulas},
    {"constructs", constructs},
    {"blocks", blocks},
    {"killed", killed},
    {"unequal_sizes", unequal_sizes},
    {"unequal_scalars", unequal_scalars},
    {"index_error", index_error},
    {"no_memory", no_memory},
    {"skipped_call", skipped_call},
    {"lone_read", lone_read},
};

}  // namespace
}  // namespace mpi_engine

int main(int, char** arguments) {
  try {
    mpi_engine::commands.at(arguments[1])();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
