#include "bundled/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/word_reader.h"
#include "plan/words.h"

namespace fulgurite::bundled {

namespace {

// What a file's bytes are mapped to; no bytes for an empty file.
std::string_view map(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    const std::string why = file < 0 ? std::strerror(errno) : "it is not a file";
    if (file >= 0) close(file);
    throw FormatError(fmt::format("the bundle {} cannot be read: {}", path, why));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const bytes = size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED)
    throw OutOfMemory(fmt::format("the bundle {} cannot be mapped: {} bytes", path, size));
  return {static_cast<const char*>(bytes), size};
}

constexpr int max_rank = 8;
constexpr std::int32_t most_of_anything = 1 << 28;

}  // namespace

File::File(std::string path) : path_(std::move(path)), bytes_(map(path_)), is_mapped_(true) {
  try {
    read();
  } catch (...) {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
    throw;
  }
}

File::File(std::string name, std::string_view bytes) : path_(std::move(name)), bytes_(bytes) {
  read();
}

File::~File() {
  if (is_mapped_ && !bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void File::refuse(const std::string& why) const {
  throw FormatError(
      fmt::format("the bundle {} is damaged: {}: copy it again, or make it anew (fg::bundle)", path_, why));
}

void File::read() {
  Header header;
  if (bytes_.size() < sizeof header || std::memcmp(bytes_.data(), magic, sizeof magic) != 0)
    throw FormatError(fmt::format("{} is not a bundle: give a file that fg::bundle has written", path_));
  std::memcpy(&header, bytes_.data(), sizeof header);
  const std::string library(header.library, strnlen(header.library, sizeof header.library));
  if (header.major != major_version)
    throw FormatError(fmt::format(
        "{} is a bundle of version {}.{} (of Fulgurite {}), and this library, Fulgurite {}, reads "
        "bundles of version {}: make it anew with this library, or use the one that made it",
        path_, header.major, header.minor, library, library_version, major_version));
  if (header.file_size != bytes_.size())
    refuse(fmt::format("it has {} bytes, and was written with {}", bytes_.size(), header.file_size));
  if (header.index_offset > bytes_.size() || header.index_size > bytes_.size() - header.index_offset ||
      header.index_offset % blob_alignment != 0 || header.index_size % 4 != 0)
    refuse("its index lies outside of it");
  const std::string_view index = bytes_.substr(header.index_offset, header.index_size);
  if (base::digest(index) != base::Digest{header.index_digest[0], header.index_digest[1]})
    refuse("its index is not what was written");
  base::WordReader words(reinterpret_cast<const std::uint32_t*>(index.data()), index.size() / 4);
  read_blobs(words.section());
  base::WordReader programs = words.section();
  while (programs.n_left() > 0) programs_.push_back(read_program(programs.section()));
  if (!programs.is_done() || !words.is_done()) refuse("its index has another form");
}

void File::read_blobs(base::WordReader words) {
  while (words.n_left() > 0) {
    Blob blob{words.wide(), words.wide(), {}};
    blob.digest.first = words.wide();
    blob.digest.second = words.wide();
    if (blob.offset > bytes_.size() || blob.size > bytes_.size() - blob.offset)
      refuse("a part lies outside of it");
    blobs_.push_back(blob);
  }
  if (!words.is_done()) refuse("its list of parts has another form");
}

ValueType File::read_type(base::WordReader& words) const {
  const std::uint32_t kind = words.word(), rank = words.word();
  if (kind >= scalar::n_kinds || rank > max_rank) refuse("a value has no such type");
  return {static_cast<scalar::Kind>(kind), static_cast<std::int32_t>(rank)};
}

std::vector<ValueType> File::read_types(base::WordReader words) const {
  std::vector<ValueType> types;
  while (words.n_left() > 0) types.push_back(read_type(words));
  return types;
}

std::uint32_t File::blob_number(base::WordReader& words) const {
  const std::uint32_t number = words.word();
  if (number >= blobs_.size()) refuse("a part is not there");
  return number;
}

File::StoredProgram File::read_program(base::WordReader words) const {
  StoredProgram program;
  program.name = words.text();
  program.key.first = words.wide();
  program.key.second = words.wide();
  program.is_strict = words.word() != 0;
  program.is_unchecked = words.word() != 0;
  program.params = read_types(words.section());
  program.results = read_types(words.section());
  for (base::WordReader captures = words.section(); captures.n_left() > 0;) {
    StoredCapture capture{read_type(captures), {}, 0};
    std::uint64_t bytes = scalar::size_of(capture.type.kind);
    for (std::int32_t axis = 0; axis < capture.type.rank; ++axis) {
      const std::uint64_t extent = captures.wide();
      capture.extents.push_back(static_cast<std::int64_t>(extent));
      if (extent > bytes_.size() || __builtin_mul_overflow(bytes, extent, &bytes))
        refuse("an array is too large");
    }
    capture.blob = blob_number(captures);
    if (blobs_[capture.blob].size != bytes) refuse("an array has another size");
    program.captures.push_back(std::move(capture));
  }
  for (base::WordReader sites = words.section(); sites.n_left() > 0;) {
    const std::uint32_t error = sites.word(), line = sites.word();
    if (error > static_cast<std::uint32_t>(plan::SiteText::Error::memory))
      refuse("an error has no such kind");
    plan::SiteText site{static_cast<plan::SiteText::Error>(error), {std::string(sites.text()), line}, {}};
    site.message = sites.text();
    if (sites.has_passed_the_end()) refuse("its messages have another form");
    program.sites.push_back(std::move(site));
  }
  program.text = blob_number(words);
  for (base::WordReader targets = words.section(); targets.n_left() > 0;) {
    base::WordReader target = targets.section();
    StoredTarget stored{static_cast<TargetEngine>(target.word()), std::string(target.text()), target};
    if (target.has_passed_the_end() || targets.has_passed_the_end()) refuse("its programs have another form");
    stored.rest = target;
    program.targets.push_back(std::move(stored));
  }
  if (!words.is_done()) refuse("its programs have another form");
  return program;
}

File::StoredKernel File::read_kernel(base::WordReader& words) const {
  StoredKernel kernel{};
  kernel.text.name = words.text();
  kernel.text.n_phases = words.number();
  if (kernel.text.n_phases < 0 || kernel.text.n_phases > most_of_anything)
    refuse("a kernel has no such phases");
  for (auto* numbers : {&kernel.text.arguments, &kernel.text.block_sizes, &kernel.text.shared_bytes})
    for (base::WordReader list = words.section(); list.n_left() > 0;) numbers->push_back(list.number());
  kernel.text.can_fail = words.word() != 0;
  kernel.blob = blob_number(words);
  return kernel;
}

File::StoredPlan File::plan(const StoredProgram& program, const StoredTarget& target) const {
  base::WordReader words = target.rest;
  StoredPlan stored;
  plan::Plan& plan = stored.plan;
  plan.name = program.name;
  plan.n_slots = words.number();
  plan.n_places = words.number();
  if (plan.n_slots < 0 || plan.n_places < 0 || plan.n_slots > most_of_anything ||
      plan.n_places > most_of_anything)
    refuse("a program has no such size");
  // Extents of parameters arrive in slots, one for each axis.
  const auto is_somewhere = [&](const auto& value, std::int32_t n_slots) {
    if (value.rank > 0 && (value.place < 0 || value.place >= plan.n_places)) return false;
    return n_slots == 0 || (value.slot >= 0 && value.slot <= plan.n_slots - n_slots);
  };
  for (base::WordReader list = words.section(); list.n_left() > 0;) {
    const ValueType type = read_type(list);
    plan.params.push_back({type.kind, type.rank, list.number(), list.number()});
    if (!is_somewhere(plan.params.back(), std::max(type.rank, 1))) refuse("a parameter is nowhere");
  }
  for (base::WordReader list = words.section(); list.n_left() > 0;) {
    const ValueType type = read_type(list);
    plan.results.push_back({type.kind, type.rank, list.number(), list.number()});
    if (!is_somewhere(plan.results.back(), type.rank > 0 ? 0 : 1)) refuse("a result is nowhere");
  }
  for (base::WordReader list = words.section(); list.n_left() > 0;) {
    StoredKernel kernel = read_kernel(list);
    plan.kernels.push_back(std::move(kernel.text));
    stored.codes.push_back(kernel.blob);
  }
  const auto n_kernels = static_cast<std::int32_t>(plan.kernels.size());
  auto steps =
      plan::read_steps(words.section(), {plan.n_slots, plan.n_places, n_kernels, program.sites.size()});
  if (!steps) refuse("the steps of a program have another form");
  plan.steps = std::move(*steps);
  if (!words.is_done() || plan.params.size() != program.params.size() + program.captures.size() ||
      plan.results.size() != program.results.size())
    refuse("a program has another form");
  return stored;
}

std::string_view File::blob(std::uint32_t number, const std::string& what) const {
  const Blob& blob = blobs_.at(number);
  const std::string_view bytes = bytes_.substr(blob.offset, blob.size);
  if (base::digest(bytes) != blob.digest) refuse(what + " is not what was written");
  return bytes;
}

}  // namespace fulgurite::bundled
