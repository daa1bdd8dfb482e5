// What tests of .npy files of the engine mpi run under mpirun (mpi.cmake); the first argument says what, the
// second is a folder for files.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>
#include <fulgurite/mpi.h>
#include <fulgurite/npy.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/mpi/device.h"

namespace mpi_files {
namespace {

namespace fg = fulgurite;
namespace fs = std::filesystem;
using fulgurite::runtime::mpi::MpiDevice, fulgurite::runtime::mpi::Ranks;

Ranks& ranks() {
  return MpiDevice::shared().ranks();
}

void say(const std::string& text) {
  if (ranks().rank() != 0) return;
  fmt::print("{}\n", text);
  std::fflush(nullptr);
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(fmt::format("rank {}: {}: wrong", ranks().rank(), what));
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), path);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class T>
std::vector<T> values(std::int64_t n) {
  std::vector<T> all(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    all[static_cast<std::size_t>(i)] = static_cast<T>(std::is_same_v<T, bool> ? i % 3 == 0 : i * 7 % 251);
  return all;
}

// The file that rank 0 writes alone.
template <class T, int N>
void write_alone(const std::string& path, const fg::Array<T, N>& array) {
  if (ranks().rank() == 0) fg::write_npy(path, array);
  ranks().gather("");
}

// What one process writes, ranks read by parts, and write as it was: byte for byte.
template <class T, int N>
void round_trip(const fg::Array<T, N>& all) {
  const std::string name = fmt::format("{} {}", fmt::join(all.shape(), ","), sizeof(T));
  write_alone("alone.npy", all);
  const fg::Array<T, N> read = fg::read_npy<T, N>("alone.npy", fg::Engine::mpi);
  require(read.shape() == all.shape(), "the shape " + name);
  if (!all.empty()) {
    const std::int64_t n = ranks().size(), rows = all.shape()[0], row = all.size() / rows;
    const std::int64_t first = rows * ranks().rank() / n * row, last = rows * (ranks().rank() + 1) / n * row;
    std::int64_t has = 0;
    for (const auto& part : fg::mpi::local(read)) {
      require(part.first == first || n == 1, "the place of a part of " + name);
      has += static_cast<std::int64_t>(part.elements.size());
    }
    require(has == (n == 1 ? all.size() : last - first), "the size of a part of " + name);
  }
  fg::write_npy("ranks.npy", read);
  ranks().gather("");
  require(bytes_of("ranks.npy") == bytes_of("alone.npy"), "the file of " + name);
  require(read.to_vector() == all.to_vector(), "the elements of " + name);
  ranks().gather("");  // nobody reads the files any more
}

template <class T>
void round_trips() {
  const std::int64_t n = ranks().size();
  for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{1}, n - 1, n, std::int64_t{1000}}) {
    round_trip(fg::Array<T>(values<T>(rows)));
    for (const std::int64_t columns : {0, 1, 3})
      round_trip(fg::Array<T, 3>(values<T>(rows * columns * 5), {rows, columns, 5}));
  }
}

// Results that ranks have by columns, of which each writes rows; and of which every rank has all.
void results() {
  const auto transposed =
      fg::compile([](fg::Mat<float> x) { return fg::transpose(x); }, {.engine = fg::Engine::mpi});
  const fg::Array<float, 2> all(values<float>(300 * 70), {300, 70});
  write_alone("alone.npy", all);
  fg::write_npy("ranks.npy", transposed(fg::read_npy<float, 2>("alone.npy", fg::Engine::mpi)));
  std::vector<float> expected;
  for (std::int64_t j = 0; j < 70; ++j)
    for (std::int64_t i = 0; i < 300; ++i) expected.push_back(all(i, j));
  write_alone("alone.npy", fg::Array<float, 2>(expected, {70, 300}));
  require(bytes_of("ranks.npy") == bytes_of("alone.npy"), "the file of a transposed matrix");

  ranks().gather("");
  const auto sorted = fg::compile([](fg::Vec<float> x) { return fg::sort(x); }, {.engine = fg::Engine::mpi});
  fg::write_npy("ranks.npy", sorted(fg::Array<float>(values<float>(1000))));
  expected = values<float>(1000);
  std::ranges::sort(expected);
  write_alone("alone.npy", fg::Array<float>(expected));
  require(bytes_of("ranks.npy") == bytes_of("alone.npy"), "the file of sorted elements");
}

// A file that every rank reads whole.
void fortran_order() {
  ranks().gather("");
  if (ranks().rank() == 0) {
    const std::string text = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n";
    std::ofstream("alone.npy", std::ios::binary)
        << "\x93NUMPY\x01" << '\0' << static_cast<char>(text.size()) << '\0' << text << "abcdef";
  }
  ranks().gather("");
  const fg::Array<std::uint8_t, 2> read = fg::read_npy<std::uint8_t, 2>("alone.npy", fg::Engine::mpi);
  require(std::string(read.begin(), read.end()) == "acebdf", "a file in Fortran order");
}

void files() {
  round_trips<float>();
  round_trips<double>();
  round_trips<std::int32_t>();
  round_trips<std::uint8_t>();
  round_trips<bool>();
  ranks().limit_messages(1000);  // in several pieces
  round_trip(fg::Array<double>(values<double>(1000)));
  ranks().limit_messages(std::size_t{1} << 30);
  results();
  fortran_order();
  std::int64_t n_left = std::distance(fs::directory_iterator("."), fs::directory_iterator());
  require(n_left == 2, "the number of files that are left");
  say("files is done");
}

// The same on all ranks, and nobody waits for somebody.
void expect_error(const std::string& what, const std::string& message, const std::function<void()>& work) {
  std::string own = "none";
  try {
    work();
  } catch (const fg::FormatError& error) {
    own = error.message();
  }
  for (const std::string& of_rank : ranks().gather(own))
    require(of_rank == own && of_rank.find(message) != std::string::npos, what + ": '" + of_rank + "'");
  say("FormatError: " + own);
}

void errors() {
  const auto read = [](const char* path) { fg::read_npy<float, 1>(path, fg::Engine::mpi); };
  const fg::Array<float> x(values<float>(1000));
  write_alone("x.npy", x);
  write_alone("short.npy", x);
  fs::create_directory(fmt::format("rank_{}", ranks().rank()));
  if (ranks().rank() == 0) fs::resize_file("short.npy", 2000);
  std::vector<bool> bits(1000);
  write_alone("bits.npy", fg::Array<bool>(bits));
  if (ranks().rank() == 0) {
    std::fstream file("bits.npy", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-1, std::ios::end).put(2);
  }
  ranks().gather("");
  expect_error("a truncated file", "short.npy is truncated: f32[1000] needs 4000 bytes",
               [&] { read("short.npy"); });
  expect_error("no file", "none.npy cannot be read: No such file or directory", [&] { read("none.npy"); });
  expect_error("a folder", ". is a directory", [&] { read("."); });
  expect_error("another type", "x.npy holds f32[1000], but f64[] is wanted",
               [&] { fg::read_npy<double>("x.npy", fg::Engine::mpi); });
  expect_error("a damaged file", "bits.npy has the byte 2 as boolean 999",
               [&] { fg::read_npy<bool>("bits.npy", fg::Engine::mpi); });

  const fg::Array<float> on_ranks = fg::read_npy<float>("x.npy", fg::Engine::mpi);
  const auto write = [&](const char* path) { fg::write_npy(path, on_ranks); };
  expect_error("no folder", "nowhere/y.npy cannot be written: No such file", [&] { write("nowhere/y.npy"); });
  rlimit unlimited{}, limited{};
  getrlimit(RLIMIT_FSIZE, &unlimited);
  limited = unlimited;
  limited.rlim_cur = 2000;
  if (ranks().rank() == 1) setrlimit(RLIMIT_FSIZE, &limited);
  expect_error("no room on one rank", "y.npy cannot be written: File too large (rank 1 of",
               [&] { write("y.npy"); });
  setrlimit(RLIMIT_FSIZE, &unlimited);
  require(!fs::exists("y.npy"), "a file is left of what could not be written");

  // Each rank has its own machine, as it were.
  fs::current_path(fmt::format("rank_{}", ranks().rank()));
  if (ranks().rank() != 1) fg::write_npy("own.npy", x);
  expect_error("no file on one rank", "own.npy cannot be read: No such file or directory (rank 1 of",
               [&] { read("own.npy"); });
  if (ranks().rank() == 1) fg::write_npy("own.npy", fg::Array<float>(values<float>(999)));
  expect_error("another file on one rank",
               "own.npy is not the same file on all ranks: rank 0 finds f32[1000], rank 1 f32[999]",
               [&] { read("own.npy"); });
  expect_error("no shared folder", "y.npy cannot be written: No such file or directory (rank 1 of",
               [&] { write("y.npy"); });
  require(!fs::exists("y.npy"), "a file is left of what could not be written");
  fs::current_path("..");
  require(fg::read_npy<float>("x.npy", fg::Engine::mpi).to_vector() == x.to_vector(), "a file after errors");
  say("errors is done");
}

}  // namespace
}  // namespace mpi_files

int main(int, char** arguments) {
  try {
    const std::string folder = arguments[2];
    if (mpi_files::ranks().rank() == 0) {
      std::filesystem::remove_all(folder);
      std::filesystem::create_directories(folder);
    }
    mpi_files::ranks().gather("");
    std::filesystem::current_path(folder);
    std::string(arguments[1]) == "files" ? mpi_files::files() : mpi_files::errors();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
