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
#include <stdexcept>
#include <type_traits>

#include "runtime/mpi/device.h"

namespace mpi_engine {
namespace {

using fulgurite::runtime::mpi::MpiDevice, fulgurite::runtime::mpi::Ranks, fulgurite::runtime::mpi::Traffic;

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

// Every program gives on ranks what it gives on one machine, whatever the sizes; wrong ones are named.
void programs() {
  const std::int64_t n_ranks = ranks().size();
  int n_wrong = 0, n_runs = 0;
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, n_ranks - 1, n_ranks + 1,
                               std::int64_t{64}, std::int64_t{65}, std::int64_t{200}, std::int64_t{1000}})
    for_each_program(n, [&](const char* name, auto f, const auto&... arguments) {
      ++n_runs;
      std::string expected, got;
      try {
        expected = bits(fg::compile(f, alone)(arguments...));
        got = bits(fg::compile(f, on_ranks)(arguments...));
      } catch (const fg::Error& error) {
        got = error.what();
      }
      if (got == expected) return;
      ++n_wrong;
      fmt::print("rank {}: {} of {} elements is wrong {}\n", ranks().rank(), name, n,
                 got.size() < 200 ? got : "");
      std::fflush(nullptr);
    });
  say(fmt::format("{} runs, {} wrong", n_runs, n_wrong));
  if (n_wrong != 0) throw std::runtime_error("wrong results");
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

// What each rank sends in one call of each program of n elements; then in reading the result.
void messages(std::int64_t n) {
  const auto since = [](const Traffic& before) {
    const Traffic now = ranks().traffic();
    return fmt::format("{} messages, {} bytes, {} collectives", now.messages - before.messages,
                       now.bytes - before.bytes, now.collectives - before.collectives);
  };
  for_each_program(n, [&](const char* name, auto f, const auto&... arguments) {
    const auto program = fg::compile(f, on_ranks);
    const std::tuple own{shared(arguments)...};
    const Traffic before = ranks().traffic();
    const auto result = std::apply(program, own);
    const std::string of_call = since(before);
    const Traffic between = ranks().traffic();
    bits(result);
    for (const std::string& line : ranks().gather(fmt::format("{}; read: {}", of_call, since(between))))
      say(fmt::format("{:26} {}", name, line));
  });
}

// What docs/cluster.md says that this rank sends in one call, where each rank has ten tasks of 64 elements.
struct Sent {
  std::int64_t messages, bytes;
};
std::optional<Sent> expected_of(const std::string& program) {
  const std::int64_t n_ranks = ranks().size(), rank = ranks().rank(), others = n_ranks - 1;
  const std::int64_t neighbours = (rank > 0 ? 1 : 0) + (rank + 1 < n_ranks ? 1 : 0);
  const std::int64_t elements = 640, tasks = 10, scan_tasks = 5;
  const std::map<std::string, Sent> all{
      {"scaled", {0, 0}},
      {"dot", {others, others * 4 * tasks}},
      {"length", {others, others * 4 * tasks}},
      {"rmse", {others, others * 4 * tasks}},
      {"running sums", {others, others * 4 * scan_tasks}},
      {"integer scan", {others, others * 4 * scan_tasks}},
      {"filter", {others, others * 8 * tasks}},
      {"filter and sum", {others, others * 4 * tasks}},
      {"Jacobi in one dimension", {4 * neighbours, 4 * neighbours * 4}},        // four steps
      {"Jacobi in two dimensions", {3 * neighbours, 3 * neighbours * 4 * 13}},  // three, of rows of 13
      {"sums of rows", {0, 0}},
      {"gather", {others, others * 4 * elements}},
      {"n-body", {others, others * 4 * 4 * elements}},  // of four arrays
  };
  const auto found = all.find(program);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

void formulas() {
  int n_right = 0, n_wrong = 0;
  for_each_program(640 * ranks().size(), [&](const char* name, auto f, const auto&... arguments) {
    const std::optional<Sent> expected = expected_of(name);
    if (!expected) return;
    const auto program = fg::compile(f, on_ranks);
    const std::tuple own{shared(arguments)...};
    const Traffic before = ranks().traffic();
    std::apply(program, own);
    const Traffic after = ranks().traffic();
    const Sent sent{static_cast<std::int64_t>(after.messages - before.messages),
                    static_cast<std::int64_t>(after.bytes - before.bytes)};
    const bool is_right = sent.messages == expected->messages && sent.bytes == expected->bytes;
    ++(is_right ? n_right : n_wrong);
    if (!is_right)
      fmt::print("rank {}: {} sends {} messages of {} bytes, and should send {} of {}\n", ranks().rank(),
                 name, sent.messages, sent.bytes, expected->messages, expected->bytes);
  });
  const Traffic all = ranks().traffic();
  fmt::print("rank {} messages {} bytes {} collectives {}\n", ranks().rank(), all.messages, all.bytes,
             all.collectives);
  std::fflush(nullptr);
  say(fmt::format("{} formulas hold, {} do not", n_right, n_wrong));
  if (n_wrong != 0) throw std::runtime_error("wrong formulas");
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
