// What the tests of messages between ranks run under mpirun (tests/runtime/mpi.cmake): the first argument
// says what. With FULGURITE_TEST_OWN_MPI it has started MPI itself, as a program does that uses MPI besides.
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/mpi/ranks.h"

#ifdef FULGURITE_TEST_OWN_MPI
#include <mpi.h>
#endif

namespace fulgurite::runtime::mpi {
namespace {

// Two programs with different texts are two builds.
#ifdef FULGURITE_TEST_OTHER_BUILD
const char* const build = "the other";
#else
const char* const build = "this";
#endif

void require(bool holds, const std::string& what) {
  if (!holds) Ranks::world().end_job(what + " is wrong");
}

std::uint32_t element(int from, int to, std::size_t i) {
  return static_cast<std::uint32_t>(from * 1000 + to) * 2654435761u + static_cast<std::uint32_t>(i);
}

// Every rank to every other, n elements and a few more by rank; none where the sum of the ranks is a multiple
// of 4.
std::size_t elements(std::size_t n, int from, int to) {
  return (from + to) % 4 == 0 ? 0 : n + static_cast<std::size_t>(from);
}

using Parts = std::vector<std::vector<std::uint32_t>>;

void exchange_all(std::size_t n, const std::function<void()>& meanwhile = {}) {
  Ranks& ranks = Ranks::world();
  const int own = ranks.rank();
  Parts out(static_cast<std::size_t>(ranks.size())), in(out.size());
  std::vector<Message> sent, received;
  for (int other = 0; other < ranks.size(); ++other) {
    if (other == own) continue;
    std::vector<std::uint32_t>& to = out[static_cast<std::size_t>(other)];
    to.resize(elements(n, own, other));
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = element(own, other, i);
    std::vector<std::uint32_t>& from = in[static_cast<std::size_t>(other)];
    from.resize(elements(n, other, own));
    sent.push_back({other, to.data(), to.size() * sizeof(std::uint32_t)});
    received.push_back({other, from.data(), from.size() * sizeof(std::uint32_t)});
  }
  ranks.begin_exchange(sent, received);
  if (meanwhile) meanwhile();
  ranks.end_exchange();
  for (int other = 0; other < ranks.size(); ++other) {
    const std::vector<std::uint32_t>& from = in[static_cast<std::size_t>(other)];
    for (std::size_t i = 0; i < from.size(); ++i) require(from[i] == element(other, own, i), "a message");
  }
}

// What is sent is made as it goes, and what comes is looked at before the next portion but one.
void exchange_in_portions(std::size_t n, std::size_t portion) {
  Ranks& ranks = Ranks::world();
  const int own = ranks.rank();
  Parts out(static_cast<std::size_t>(ranks.size())), in(out.size());
  std::vector<Message> sent, received;
  std::vector<std::size_t> n_sent(out.size()), n_received(out.size());
  for (int other = 0; other < ranks.size(); ++other) {
    const std::size_t to = other == own ? 0 : elements(n, own, other),
                      from = other == own ? 0 : elements(n, other, own);
    out[static_cast<std::size_t>(other)].resize(to);
    in[static_cast<std::size_t>(other)].resize(2 * portion / sizeof(std::uint32_t));
    if (to != 0)
      sent.push_back(
          {other, out[static_cast<std::size_t>(other)].data(), to * sizeof(std::uint32_t), portion});
    if (from != 0)
      received.push_back(
          {other, in[static_cast<std::size_t>(other)].data(), from * sizeof(std::uint32_t), portion});
  }
  const auto for_elements = [](std::span<std::byte> bytes, std::size_t& number, const auto& take) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint32_t))
      take(*reinterpret_cast<std::uint32_t*>(bytes.data() + at), number++);
  };
  ranks.begin_exchange(sent, received, [&](std::size_t k, std::span<std::byte> bytes) {
    for_elements(bytes, n_sent[k],
                 [&](std::uint32_t& to, std::size_t i) { to = element(own, sent[k].rank, i); });
  });
  ranks.end_exchange([&](std::size_t k, std::span<std::byte> bytes) {
    for_elements(bytes, n_received[k], [&](std::uint32_t& from, std::size_t i) {
      require(from == element(received[k].rank, own, i), "a portion");
    });
  });
  for (std::size_t k = 0; k < received.size(); ++k)
    require(n_received[k] * sizeof(std::uint32_t) == received[k].bytes, "the number of elements that came");
}

void reduce_all() {
  Ranks& ranks = Ranks::world();
  const std::int64_t rank = ranks.rank(), size = ranks.size();
  std::vector<std::int64_t> values(1000);
  const auto fill = [&] {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = (rank + 1) * static_cast<std::int64_t>(i) - (std::int64_t{1} << 40) * rank;
  };
  const auto first = [&](std::size_t i) { return static_cast<std::int64_t>(i); };
  const auto last = [&](std::size_t i) {
    return size * static_cast<std::int64_t>(i) - (std::int64_t{1} << 40) * (size - 1);
  };
  fill();
  ranks.reduce(values, fg_mpi_max);
  for (std::size_t i = 0; i < values.size(); ++i) require(values[i] == first(i), "a maximum");
  fill();
  ranks.reduce(values, fg_mpi_min);
  for (std::size_t i = 0; i < values.size(); ++i) require(values[i] == last(i), "a minimum");
  fill();
  ranks.reduce(values, fg_mpi_sum);
  for (std::size_t i = 0; i < values.size(); ++i)
    require(values[i] == size * (size + 1) / 2 * static_cast<std::int64_t>(i) -
                             (std::int64_t{1} << 40) * (size * (size - 1) / 2),
            "a sum");
}

void gather_all(std::size_t n) {
  Ranks& ranks = Ranks::world();
  const auto text_of = [&](int rank) {
    return std::string(rank % 2 == 0 ? n + static_cast<std::size_t>(rank) : 0, static_cast<char>('a' + rank));
  };
  const std::vector<std::string> texts = ranks.gather(text_of(ranks.rank()));
  require(texts.size() == static_cast<std::size_t>(ranks.size()), "the number of texts");
  for (int rank = 0; rank < ranks.size(); ++rank)
    require(texts[static_cast<std::size_t>(rank)] == text_of(rank), "a gathered text");
  for (const std::string& text : ranks.gather("")) require(text.empty(), "an empty text");
}

void refuse_other_thread() {
  std::string message;
  std::thread([&] {
    try {
      Ranks::world().gather("");
    } catch (const DeviceError& error) {
      message = error.message();
    }
  }).join();
  require(message.find("another thread") != std::string::npos, "the message to another thread");
}

void refuse_self_and_twice() {
  Ranks& ranks = Ranks::world();
  int value = 0;
  const Message to_self{ranks.rank(), &value, sizeof value};
  const Message to_other{(ranks.rank() + 1) % ranks.size(), &value, sizeof value};
  const auto is_refused = [&](std::vector<Message> sent) {
    try {
      ranks.exchange(sent, {});
    } catch (const Error& error) {
      return error.kind() == std::string("InternalError");
    }
    return false;
  };
  require(is_refused({to_self}), "a message to itself");
  if (ranks.size() > 1) require(is_refused({to_other, to_other}), "a second message to one rank");
  require(is_refused({{ranks.size(), &value, sizeof value}}), "a message to a rank that is not there");
}

void messages() {
  Ranks& ranks = Ranks::world();
  require(ranks.traffic().messages == 0 && ranks.traffic().collectives == 1, "the traffic at the start");
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{300'000}})
    exchange_all(n);
  exchange_all(5000, [] {
    reduce_all();
    gather_all(10);
  });
  reduce_all();
  for (const std::size_t n : {0u, 1u, 100'000u}) gather_all(n);
  refuse_other_thread();
  refuse_self_and_twice();

  for (const std::size_t n : {0u, 1u, 100u, 5000u, 1'000'000u}) exchange_in_portions(n, 65536);
  // Ranks that share cores take turns for each portion: with many ranks there are some hundred to each.
  const std::size_t most = ranks.size() <= 3 ? 1'000'000 : 40'000;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{5000}, most})
    exchange_in_portions(n, 400);

  const Traffic before = ranks.traffic();
  ranks.limit_messages(1000);
  exchange_all(1000);
  std::uint64_t expected = 0, bytes = 0;
  for (int other = 0; other < ranks.size(); ++other) {
    if (other == ranks.rank()) continue;
    const std::size_t n = 4 * elements(1000, ranks.rank(), other);
    expected += (n + 999) / 1000;
    bytes += n;
  }
  require(ranks.traffic().messages - before.messages == expected, "the number of pieces");
  require(ranks.traffic().bytes - before.bytes == bytes, "the number of bytes");
  exchange_in_portions(5000, 65536);
  reduce_all();
  for (const std::size_t n : {0u, 1u, 999u, 1000u, 5001u}) gather_all(n);
}

// By one rank; none goes on before it is said.
void say_all_are_there() {
  Ranks& ranks = Ranks::world();
  ranks.gather("");
  if (ranks.rank() == 0) {
    fmt::print("all ranks are there\n");
    std::fflush(nullptr);
  }
  ranks.gather("");
}

// The others go on with what needs rank 1.
void while_others_wait(const std::function<void()>& end) {
  say_all_are_there();
  Ranks& ranks = Ranks::world();
  if (ranks.rank() == std::min(1, ranks.size() - 1)) end();
  for (;;) ranks.gather("");
}

// Medians of microseconds, of rank 0.
void waiting() {
  Ranks& ranks = Ranks::world();
  const auto measure = [&](const char* what, int rounds, const std::function<void()>& step) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      step();
      times.push_back(
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(times.begin(), times.end());
    if (ranks.rank() == 0)
      fmt::print("{:28} median {:9.1f} us, 9 of 10 below {:9.1f} us\n", what, times[times.size() / 2],
                 times[times.size() * 9 / 10]);
  };
  std::vector<std::int64_t> one(1);
  measure("reduce 1", 1000, [&] { ranks.reduce(one, fg_mpi_sum); });
  std::vector<std::byte> parts(static_cast<std::size_t>(ranks.size()) * 1024);
  const std::vector<std::size_t> bytes(static_cast<std::size_t>(ranks.size()), 1024);
  measure("gather 1 KiB a rank", 1000, [&] { ranks.gather_parts(parts.data(), bytes); });
  for (const std::size_t n : {std::size_t{4} << 10, std::size_t{1} << 20, std::size_t{32} << 20}) {
    std::vector<std::byte> out(n), in(n);
    const int next = (ranks.rank() + 1) % ranks.size();
    const int last = (ranks.rank() + ranks.size() - 1) % ranks.size();
    const Message sent{next, out.data(), n}, received{last, in.data(), n};
    if (ranks.size() > 1)
      measure(fmt::format("ring of {} KiB", n >> 10).c_str(), n > (1 << 20) ? 20 : 300,
              [&] { ranks.exchange({&sent, 1}, {&received, 1}); });
  }
  const auto begin = std::chrono::steady_clock::now();
  measure("reduce after 20 ms of one", 20, [&] {
    if (ranks.rank() == 1)
      for (const auto start = std::chrono::steady_clock::now();
           std::chrono::steady_clock::now() - start < std::chrono::milliseconds(20);) {
      }
    ranks.reduce(one, fg_mpi_sum);
  });
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  const double elapsed =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (ranks.rank() == 0) fmt::print("{:28} {:.0f} ms\n", "of these, time in all", elapsed);
}

void print_traffic() {
  exchange_all(1000);
  gather_all(100);
  const Ranks& ranks = Ranks::world();
  fmt::print("rank {} messages {} bytes {} collectives {} gatherings {} given {}\n", ranks.rank(),
             ranks.traffic().messages, ranks.traffic().bytes, ranks.traffic().collectives,
             ranks.traffic().gatherings, ranks.traffic().given);
}

const std::map<std::string, std::function<void()>> commands{
    {"library", [] { fmt::print("{}, {} ranks\n", Ranks::world().library(), Ranks::world().size()); }},
    {"messages", messages},
    {"waiting", waiting},
    {"traffic", print_traffic},
    {"killed", [] { while_others_wait([] { raise(SIGKILL); }); }},
    {"thrown", [] { while_others_wait([] { std::thread([] { throw std::runtime_error("x"); }).join(); }); }},
    {"leaves", [] { while_others_wait([] { _exit(0); }); }},
    {"exits", [] { while_others_wait([] { std::exit(3); }); }},
    {"ends_job", [] { while_others_wait([] { Ranks::world().end_job("the disk is full"); }); }},
    {"all_exit",
     [] {
       Ranks& ranks = Ranks::world();
       std::this_thread::sleep_for(std::chrono::milliseconds(100 * ranks.rank()));
       fmt::print("rank {} says why\n", ranks.rank());
       std::exit(4);
     }},
    {"goes_on", [] { while_others_wait([] {}); }},
    // An exit in the middle of an exchange, whose messages never come.
    {"exits_within",
     [] {
       Ranks& ranks = Ranks::world();
       static int value = 0;
       say_all_are_there();
       const Message received{(ranks.rank() + 1) % ranks.size(), &value, sizeof value};
       ranks.begin_exchange({}, {&received, 1});
       std::exit(0);
     }},
};

int run(const char* name) {
#ifdef FULGURITE_TEST_OWN_MPI
  MPI_Init(nullptr, nullptr);
  // Ranks in the opposite order.
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &communicator);
  Ranks::use(&communicator, sizeof communicator);
  if (Ranks::world().rank() != Ranks::world().size() - 1 - rank)
    throw std::runtime_error("not the program's communicator");
  bool is_refused = false;
  try {
    Ranks::use(&communicator, sizeof communicator);
  } catch (const DeviceError&) {
    is_refused = true;
  }
  if (!is_refused) throw std::runtime_error("a communicator comes too late and is accepted");
#endif
  commands.at(name)();
  if (Ranks::world().rank() == 0) fmt::print("{} build: {} is done\n", build, name);
#ifdef FULGURITE_TEST_OWN_MPI
  MPI_Finalize();
#endif
  return 0;
}

}  // namespace
}  // namespace fulgurite::runtime::mpi

int main(int, char** arguments) {
  try {
    return fulgurite::runtime::mpi::run(arguments[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
