#include "tool/npy_ranks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/file_limit.h"
#include "plan/device_copies.h"
#include "runtime/mpi/device.h"
#include "runtime/mpi/division.h"
#include "tool/npy_file.h"

namespace fulgurite::tool {
namespace {

using runtime::mpi::Bytes, runtime::mpi::MpiDevice, runtime::mpi::Ranks;

std::string last_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// What a rank does alone, whose FormatError is thrown on all.
template <class Work>
void on_each_rank(Ranks& ranks, Work&& work) {
  std::string error;
  try {
    work();
  } catch (const FormatError& e) {
    error = e.message();
  }
  if (std::string first = ranks.first_error(error); !first.empty()) throw FormatError(first);
}

// The file as every rank finds it.
std::unique_ptr<NpyInput> open_on_ranks(Ranks& ranks, const std::string& path) {
  std::unique_ptr<NpyInput> file;
  on_each_rank(ranks, [&] { file = std::make_unique<NpyInput>(path); });
  if (ranks.have_same(file->text())) return file;
  const std::vector<std::string> all = ranks.gather(file->text());
  const auto other = std::ranges::find_if(all, [&](const std::string& text) { return text != all.front(); });
  throw FormatError(fmt::format("is not the same file on all ranks: rank 0 finds {}, rank {} {}", all.front(),
                                other - all.begin(), *other));
}

detail::Elements read_rows(MpiDevice& device, const NpyInput& file, const std::string& path) {
  Ranks& ranks = device.ranks();
  const auto bytes = static_cast<std::int64_t>(file.bytes());
  const std::int64_t n_rows = file.header().shape.front(), row_bytes = bytes / n_rows;
  const auto begin_of = [&](std::int64_t rank) { return n_rows * rank / ranks.size() * row_bytes; };
  std::vector<std::int64_t> of_ranks;
  for (int r = 0; r < ranks.size(); ++r) of_ranks.push_back(begin_of(r + 1) - begin_of(r));

  const runtime::Memory memory = detail::allocate_on(device, file.bytes());
  try {
    const std::int64_t begin = begin_of(ranks.rank()), end = begin_of(ranks.rank() + 1);
    std::byte* const own = static_cast<std::byte*>(memory.data) + begin;
    const std::string error =
        ranks.read_file(path, {static_cast<std::int64_t>(file.start()) + begin, own, end - begin});
    if (!error.empty()) throw FormatError(fmt::format("could not be read by all ranks: {}", error));
    if (file.header().kind == scalar::Kind::boolean)
      on_each_rank(ranks, [&] {
        require_booleans(own, static_cast<std::size_t>(end - begin), static_cast<std::size_t>(begin));
      });
  } catch (...) {
    device.release(memory);
    throw;
  }
  device.place_blocks(memory, of_ranks);
  return detail::storage_on(device, memory, file.bytes());
}

NpyArray read_on_ranks(MpiDevice& device, const std::string& path) {
  device.agree("read_npy of " + last_name(path));
  const std::unique_ptr<NpyInput> file = open_on_ranks(device.ranks(), path);
  const NpyHeader& header = file->header();
  NpyArray array{public_kind(header.kind), header.shape, {}};
  const bool is_shared = file->bytes() > 0 && file->bytes() >= runtime::mpi::repeated_bytes();
  if (is_shared && !header.shape.empty() && !(header.fortran_order && header.shape.size() > 1))
    array.elements = read_rows(device, *file, path);
  else
    on_each_rank(device.ranks(), [&] { array.elements = file->read(); });
  return array;
}

std::optional<runtime::Memory> on_ranks(const detail::Elements& elements) {
  MpiDevice* const device = MpiDevice::if_started();
  if (device == nullptr || device->ranks().size() == 1 || elements.storage() == nullptr) return std::nullopt;
  if (elements.at_hand() != nullptr || elements.storage()->known_on_host() != nullptr) return std::nullopt;
  return elements.storage()->copies().known_on(*device);
}

// Where rank 0 has begun the file, and this rank finds it.
std::string opened_beside(const std::string& path, const std::string& suffix, std::uint64_t bytes) {
  const std::string name = NpyOutput::beside(path, suffix);
  const FileNumber file(::open(name.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.is_open() && base::may_write_file(bytes)) return name;
  const int error = file.is_open() ? EFBIG : errno;
  throw FormatError(fmt::format("{} cannot be written: {}", path, std::strerror(error)));
}

void write_on_ranks(MpiDevice& device, const std::string& path, const NpyArray& array,
                    runtime::Memory memory) {
  Ranks& ranks = device.ranks();
  device.agree(fmt::format("write_npy of {} to {}", to_string(AnyArray{array.kind, array.shape, nullptr}),
                           last_name(path)));
  const std::string header = print_npy_header(scalar_kind(array.kind), array.shape);
  const std::int64_t element_bytes = static_cast<std::int64_t>(scalar::size_of(scalar_kind(array.kind)));
  const std::int64_t bytes = detail::element_count(array.shape) * element_bytes;

  std::unique_ptr<NpyOutput> file;  // of rank 0
  on_each_rank(ranks, [&] {
    if (ranks.rank() == 0) file = std::make_unique<NpyOutput>(path, header, static_cast<std::size_t>(bytes));
  });
  const std::string suffix = ranks.gather(file != nullptr ? file->suffix() : "").front();
  if (suffix.empty()) {
    // A terminal, or a device, which rank 0 writes alone.
    const void* const elements = array.elements.get();
    on_each_rank(ranks, [&] {
      if (file == nullptr) return;
      file->write(elements, static_cast<std::size_t>(bytes));
      file->keep();
    });
    return;
  }

  const std::int64_t row_bytes = bytes / array.shape.front();
  const Bytes own = device.blocks_of_ranks(memory, bytes, row_bytes)[static_cast<std::size_t>(ranks.rank())];
  const auto start = static_cast<std::int64_t>(header.size());
  std::string name;
  on_each_rank(ranks,
               [&] { name = opened_beside(path, suffix, static_cast<std::uint64_t>(start + own.end)); });
  const std::string error = ranks.write_file(
      name, {start + own.begin, static_cast<std::byte*>(memory.data) + own.begin, own.end - own.begin});
  if (!error.empty()) throw FormatError(fmt::format("{} cannot be written: {}", path, error));
  on_each_rank(ranks, [&] {
    if (file != nullptr) file->keep();
  });
}

}  // namespace

NpyArray read_for(Engine engine, const std::string& path) {
  try {
    if (engine == Engine::mpi && MpiDevice::shared().ranks().size() > 1)
      return read_on_ranks(MpiDevice::shared(), path);
    const NpyInput file(path);
    return {public_kind(file.header().kind), file.header().shape, file.read()};
  } catch (const FormatError& error) {
    throw named(path, error);
  }
}

void write_from_anywhere(const std::string& path, const NpyArray& array) {
  const std::optional<runtime::Memory> memory = on_ranks(array.elements);
  if (memory && detail::element_count(array.shape) > 0)
    write_on_ranks(*MpiDevice::if_started(), path, array, *memory);
  else
    write_npy(path, AnyArray{array.kind, array.shape, array.elements});
}

bool lies_on_ranks(const detail::Elements& elements) {
  return on_ranks(elements).has_value();
}

void read_first(const detail::Elements& elements, void* to, std::size_t bytes) {
  MpiDevice& device = *MpiDevice::if_started();
  device.agree("a read of an array");
  device.download(to, *on_ranks(elements), bytes);
}

}  // namespace fulgurite::tool
