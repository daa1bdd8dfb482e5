#include "tool/npy_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "base/file_limit.h"

namespace fulgurite::tool {
namespace {

FileNumber open_file(const std::string& path, int flags) {
  return FileNumber(::open(path.c_str(), flags | O_CLOEXEC, 0666));
}

// A new file; sets `suffix` to what its name has after the target's, which nobody can know before and
// so cannot lay a link under.
FileNumber new_beside(const std::string& target, std::string& suffix) {
  constexpr int most_attempts = 100;
  for (int attempt = 1;; ++attempt) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) < 0) number = static_cast<std::uint64_t>(attempt);
    suffix = fmt::format(".{:016x}.part", number);
    FileNumber file = open_file(NpyOutput::beside(target, suffix), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (file.is_open() || errno != EEXIST || attempt == most_attempts) return file;
  }
}

// From column-major to row-major order. Axis 0 is contiguous in `from`, the last axis in `to`: square blocks
// of these two keep both in the cache.
template <class T>
void to_row_major(const T* from, T* to, const std::vector<std::int64_t>& shape) {
  constexpr std::int64_t block = 32;
  const std::size_t last = shape.size() - 1;
  std::vector<std::int64_t> from_stride(shape.size(), 1), to_stride(shape.size(), 1), index(shape.size(), 0);
  for (std::size_t k = 1; k <= last; ++k) from_stride[k] = from_stride[k - 1] * shape[k - 1];
  for (std::size_t k = last; k-- > 0;) to_stride[k] = to_stride[k + 1] * shape[k + 1];
  const std::int64_t rows = shape[0], columns = shape[last];
  const auto planes = to_stride[0] / columns;  // points of the axes between
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    const T* from_plane =
        from + std::inner_product(index.begin(), index.end(), from_stride.begin(), std::int64_t{0});
    T* to_plane = to + std::inner_product(index.begin(), index.end(), to_stride.begin(), std::int64_t{0});
    for (std::int64_t r = 0; r < rows; r += block)
      for (std::int64_t c = 0; c < columns; c += block)
        for (std::int64_t i = r; i < std::min(r + block, rows); ++i)
          for (std::int64_t j = c; j < std::min(c + block, columns); ++j)
            to_plane[i * to_stride[0] + j] = from_plane[i + j * from_stride[last]];
    for (std::size_t k = 1; k < last && ++index[k] == shape[k]; ++k) index[k] = 0;
  }
}

std::shared_ptr<void> reordered(const std::shared_ptr<void>& from, const NpyHeader& header,
                                std::size_t bytes) {
  const std::size_t size = scalar::size_of(header.kind);
  std::shared_ptr<void> to = detail::allocate_elements(bytes / size, size);
  auto as = [&]<class T>(T) {
    to_row_major(static_cast<const T*>(from.get()), static_cast<T*>(to.get()), header.shape);
  };
  switch (size) {
    case 1: as(std::uint8_t()); break;
    case 2: as(std::uint16_t()); break;
    case 4: as(std::uint32_t()); break;
    default: as(std::uint64_t()); break;
  }
  return to;
}

}  // namespace

bool FileNumber::close() {
  const bool closed = number_ < 0 || ::close(number_) == 0;
  number_ = -1;
  return closed;
}

bool FileNumber::read(void* to, std::size_t bytes, std::size_t from) const {
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    const ssize_t got = ::pread(number_, at, bytes, static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    from += static_cast<std::size_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool FileNumber::write(const void* from, std::size_t bytes) const {
  for (const auto* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t put = ::write(number_, at, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return true;
}

detail::Kind public_kind(scalar::Kind kind) {
  return static_cast<detail::Kind>(kind);
}
scalar::Kind scalar_kind(detail::Kind kind) {
  return static_cast<scalar::Kind>(kind);
}

FormatError named(const std::string& path, const FormatError& error) {
  return FormatError(path + " " + error.message());
}

// O_NONBLOCK: a pipe nobody writes to must not make us wait.
NpyInput::NpyInput(const std::string& path) : file_(open_file(path, O_RDONLY | O_NONBLOCK)) {
  struct stat status{};
  if (!file_.is_open() || ::fstat(file_.number(), &status) != 0)
    throw FormatError(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) throw FormatError("is a directory: name a .npy file in it");
  if (!S_ISREG(status.st_mode)) throw FormatError("is not a regular file: save the data to one first");
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);

  std::string prefix_text(std::min<std::uint64_t>(npy_prefix_bytes, file_bytes), '\0');
  read_at(prefix_text.data(), prefix_text.size(), 0);
  const NpyPrefix prefix = parse_npy_prefix(prefix_text);
  start_ = prefix.start + prefix.length;
  if (start_ > file_bytes) throw FormatError("ends within its header: the file is truncated");
  std::string dictionary(prefix.length, '\0');
  read_at(dictionary.data(), dictionary.size(), prefix.start);
  header_ = parse_npy_dictionary(dictionary);

  bytes_ = payload_bytes(header_);
  const std::uint64_t there = file_bytes - start_;
  const std::string what = to_string(AnyArray{public_kind(header_.kind), header_.shape, nullptr});
  if (there < bytes_)
    throw FormatError(
        fmt::format("is truncated: {} needs {} bytes of elements, {} are there", what, bytes_, there));
  if (there > bytes_)
    throw FormatError(fmt::format("has {} bytes after its {}: save one array a file", there - bytes_, what));
}

std::string NpyInput::text() const {
  return to_string(AnyArray{public_kind(header_.kind), header_.shape, nullptr}) +
         (header_.fortran_order ? " in Fortran order" : "");
}

void NpyInput::read_at(void* to, std::size_t bytes, std::size_t from) const {
  if (!file_.read(to, bytes, from))
    throw FormatError("could not be read to its end: it was changed or its disk failed");
}

std::shared_ptr<const void> NpyInput::read() const {
  const std::size_t size = scalar::size_of(header_.kind);
  std::shared_ptr<void> data = detail::allocate_elements(bytes_ / size, size);
  read_at(data.get(), bytes_, start_);
  if (header_.kind == scalar::Kind::boolean) require_booleans(data.get(), bytes_, 0);
  if (header_.fortran_order && header_.shape.size() > 1 && bytes_ > 0)
    return reordered(data, header_, bytes_);
  return data;
}

void require_booleans(const void* data, std::size_t n, std::size_t first) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  const auto* bad = std::find_if(bytes, bytes + n, [](unsigned char b) { return b > 1; });
  if (bad != bytes + n)
    throw FormatError(fmt::format("has the byte {} as boolean {}: the file is damaged; save it again", *bad,
                                  first + static_cast<std::size_t>(bad - bytes)));
}

bool NpyOutput::is_in_place(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
}

std::string NpyOutput::beside(const std::string& path, const std::string& suffix) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path, ignored).string() + suffix;
}

NpyOutput::NpyOutput(const std::string& path, const std::string& header, std::size_t bytes)
    : path_(path),
      is_new_(!is_in_place(path)),
      file_(is_new_ ? new_beside(path, suffix_) : open_file(path, O_WRONLY)) {
  if (!file_.is_open()) {
    is_new_ = false;
    fail();
  }
  if (is_new_) name_ = beside(path, suffix_);
  try {
    if (is_new_ && !base::may_write_file(header.size() + bytes)) {
      errno = EFBIG;
      fail();
    }
    // A full disk is found before anything is written. Not every file system has this operation.
    if (is_new_ && bytes > 0 &&
        ::fallocate(file_.number(), 0, 0, static_cast<off_t>(header.size() + bytes)) != 0 && errno == ENOSPC)
      fail();
    if (!file_.write(header.data(), header.size())) fail();
  } catch (...) {
    if (is_new_) ::unlink(name_.c_str());
    throw;
  }
}

NpyOutput::~NpyOutput() {
  if (is_new_) ::unlink(name_.c_str());
}

void NpyOutput::fail() const {
  throw FormatError(fmt::format("{} cannot be written: {}", path_, std::strerror(errno)));
}

void NpyOutput::write(const void* elements, std::size_t bytes) {
  if (!file_.write(elements, bytes)) fail();
}

void NpyOutput::keep() {
  if (!file_.close()) fail();
  if (!is_new_) return;
  if (::rename(name_.c_str(), beside(path_, "").c_str()) != 0) fail();
  is_new_ = false;
}

}  // namespace fulgurite::tool
