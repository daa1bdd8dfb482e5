// Files on one side, AnyArray on the other (include/fulgurite/npy.h). Nothing is allocated before the header
// has been checked against the file's size; a file is written beside its place and renamed.
#include <fulgurite/npy.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <utility>

#include "base/file_limit.h"
#include "tool/npy_header.h"

namespace fulgurite {
namespace {

using tool::NpyHeader;

class File {
 public:
  File(const std::string& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  /// A new file; sets `path` to its name, which nobody can know before and so cannot lay a link under.
  static File new_beside(const std::string& target, std::string& path) {
    constexpr int most_attempts = 100;
    for (int attempt = 1;; ++attempt) {
      std::uint64_t number = 0;
      if (::getrandom(&number, sizeof number, 0) < 0) number = static_cast<std::uint64_t>(attempt);
      path = fmt::format("{}.{:016x}.part", target, number);
      File file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
      if (file.is_open() || errno != EEXIST || attempt == most_attempts) return file;
    }
  }
  ~File() { close(); }
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(const File&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// False if what was written could not be kept.
  bool close() {
    const bool closed = number_ < 0 || ::close(number_) == 0;
    number_ = -1;
    return closed;
  }

  /// False where the file ends before, or cannot be read.
  bool read(void* to, std::size_t bytes, std::size_t from) const {
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
  bool write(const void* from, std::size_t bytes) const {
    for (const auto* at = static_cast<const char*>(from); bytes > 0;) {
      const ssize_t put = ::write(number_, at, bytes);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      at += put;
      bytes -= static_cast<std::size_t>(put);
    }
    return true;
  }

 private:
  int number_;
};

// A clause of which the file is the subject; read_npy and write_npy put its name before it.
[[noreturn]] void refuse(const std::string& why) {
  throw FormatError(why);
}

detail::Kind public_kind(scalar::Kind kind) {
  return static_cast<detail::Kind>(kind);
}
scalar::Kind scalar_kind(detail::Kind kind) {
  return static_cast<scalar::Kind>(kind);
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

AnyArray read(const std::string& path) {
  // O_NONBLOCK: a pipe nobody writes to must not make us wait.
  const File file(path, O_RDONLY | O_NONBLOCK);
  struct stat status{};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0)
    refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) refuse("is a directory: name a .npy file in it");
  if (!S_ISREG(status.st_mode)) refuse("is not a regular file: save the data to one first");
  const auto file_bytes = static_cast<std::uint64_t>(status.st_size);
  auto read_at = [&](void* to, std::size_t bytes, std::size_t from) {
    if (!file.read(to, bytes, from))
      refuse("could not be read to its end: it was changed or its disk failed");
  };

  std::string text(std::min<std::uint64_t>(tool::npy_prefix_bytes, file_bytes), '\0');
  read_at(text.data(), text.size(), 0);
  const tool::NpyPrefix prefix = tool::parse_npy_prefix(text);
  if (prefix.start + prefix.length > file_bytes) refuse("ends within its header: the file is truncated");
  text.resize(prefix.length);
  read_at(text.data(), text.size(), prefix.start);
  const NpyHeader header = tool::parse_npy_dictionary(text);

  const std::uint64_t bytes = tool::payload_bytes(header), there = file_bytes - prefix.start - prefix.length;
  AnyArray array{public_kind(header.kind), header.shape, nullptr};
  if (there < bytes)
    refuse(fmt::format("is truncated: {} needs {} bytes of elements, {} are there", to_string(array), bytes,
                       there));
  if (there > bytes)
    refuse(fmt::format("has {} bytes after its {}: save one array a file", there - bytes, to_string(array)));

  const std::size_t size = scalar::size_of(header.kind);
  std::shared_ptr<void> data = detail::allocate_elements(bytes / size, size);
  read_at(data.get(), bytes, prefix.start + prefix.length);
  if (header.kind == scalar::Kind::boolean) {
    const auto* first = static_cast<const unsigned char*>(data.get());
    const auto* bad = std::find_if(first, first + bytes, [](unsigned char b) { return b > 1; });
    if (bad != first + bytes)
      refuse(fmt::format("has the byte {} as boolean {}: the file is damaged; save it again", *bad,
                         bad - first));
  }
  if (header.fortran_order && header.shape.size() > 1 && bytes > 0) data = reordered(data, header, bytes);
  array.data = std::move(data);
  return array;
}

}  // namespace

std::string to_string(const AnyArray& array) {
  const std::string_view kind = scalar::name_of(scalar_kind(array.kind));
  if (array.shape.empty()) return std::string(kind);
  return fmt::format("{}[{}]", kind, fmt::join(array.shape, ", "));
}

AnyArray read_npy(const std::string& path) {
  try {
    return read(path);
  } catch (const FormatError& e) {
    throw FormatError(path + " " + e.message());
  }
}

void write_npy(const std::string& path, const AnyArray& array) {
  namespace fs = std::filesystem;
  const std::string header = tool::print_npy_header(scalar_kind(array.kind), array.shape);
  const std::size_t bytes =
      static_cast<std::size_t>(detail::element_count(array.shape)) * scalar::size_of(scalar_kind(array.kind));
  std::error_code ignored;
  // What is there and not a regular file (a terminal, /dev/null) is written to as it is; a link is followed.
  const fs::path target = fs::weakly_canonical(path, ignored);
  const bool in_place = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  std::string name = path;
  File file = in_place ? File(path, O_WRONLY) : File::new_beside(target.string(), name);
  const bool is_new = !in_place && file.is_open();
  auto fail = [&] {
    const int error = errno;
    if (is_new) ::unlink(name.c_str());
    refuse(fmt::format("{} cannot be written: {}", path, std::strerror(error)));
  };
  if (!file.is_open()) fail();
  if (!in_place && !base::may_write_file(header.size() + bytes)) {
    errno = EFBIG;
    fail();
  }
  if (!file.write(header.data(), header.size()) || !file.write(array.data.get(), bytes) || !file.close())
    fail();
  if (!in_place && ::rename(name.c_str(), target.c_str()) != 0) fail();
}

namespace detail {

void expect_npy(const std::string& path, const AnyArray& array, Kind kind, int rank) {
  if (array.kind == kind && array.shape.size() == static_cast<std::size_t>(rank)) return;
  refuse(fmt::format("{} holds {}, but {} is wanted: convert it in NumPy", path, to_string(array),
                     scalar::to_string(scalar::Type{scalar_kind(kind), static_cast<std::uint8_t>(rank), 1})));
}

}  // namespace detail
}  // namespace fulgurite
