#include "runtime/disk_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "base/file_limit.h"
#include "base/log.h"

namespace fulgurite::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t format_version = 1;
constexpr std::array<char, 8> magic = {'f', 'g', 'c', 'a', 'c', 'h', 'e', '\n'};
constexpr std::string_view temporary_prefix = "tmp-";
constexpr auto abandoned_after = std::chrono::hours(1);

struct Header {
  std::array<char, 8> magic_bytes;
  std::uint32_t version;
  EntryKind kind;
  base::Digest key;
  std::uint64_t length;
  base::Digest checksum;
};
static_assert(sizeof(Header) == 56);

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  // A full disk may show only here.
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

bool read_all(int descriptor, char* to, std::size_t n) {
  while (n > 0) {
    const ssize_t got = ::read(descriptor, to, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    n -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int descriptor, const char* from, std::size_t n) {
  while (n > 0) {
    const ssize_t put = ::write(descriptor, from, n);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    from += put;
    n -= static_cast<std::size_t>(put);
  }
  return true;
}

std::string_view suffix(EntryKind kind) {
  return kind == EntryKind::program ? ".program" : ".kernel";
}

// Whether nobody but this user can have written the file: who once could write to the directory may have left
// entries of theirs in it, under a name that is asked for later.
bool is_ours_alone(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The payload if all of it is there and as we wrote it. Marks the entry as used.
std::optional<std::string> read_entry(const fs::path& path, EntryKind kind, const base::Digest* key) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0 || !is_ours_alone(status)) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  Header header{};
  if (size < sizeof header || !read_all(file.get(), reinterpret_cast<char*>(&header), sizeof header))
    return std::nullopt;
  if (header.magic_bytes != magic || header.version != format_version || header.kind != kind ||
      header.length != size - sizeof header || (key != nullptr && header.key != *key))
    return std::nullopt;
  std::string payload(header.length, '\0');
  if (!read_all(file.get(), payload.data(), payload.size()) || base::digest(payload) != header.checksum)
    return std::nullopt;
  futimens(file.get(), nullptr);
  return payload;
}

// A file of ours: an entry, or a temporary file that a writer left.
struct Found {
  fs::path path;
  std::optional<EntryKind> kind;  // none: temporary
  std::uint64_t bytes;
  fs::file_time_type time;
};

std::vector<Found> scan(const fs::path& directory) {
  std::vector<Found> found;
  std::error_code error;
  for (fs::directory_iterator i(directory, error), end; !error && i != end; i.increment(error)) {
    const std::string name = i->path().filename().string();
    std::optional<EntryKind> kind;
    if (name.ends_with(suffix(EntryKind::program))) kind = EntryKind::program;
    if (name.ends_with(suffix(EntryKind::kernel))) kind = EntryKind::kernel;
    if (!kind && !name.starts_with(temporary_prefix)) continue;
    std::error_code gone;  // another process may remove it meanwhile
    const std::uint64_t bytes = i->file_size(gone);
    const fs::file_time_type time = gone ? fs::file_time_type{} : i->last_write_time(gone);
    if (!gone) found.push_back({i->path(), kind, bytes, time});
  }
  return found;
}

fs::path home() {
  if (const char* path = std::getenv("HOME"); path != nullptr && *path != 0) return path;
  const passwd* user = getpwuid(geteuid());
  return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : "";
}

fs::path directory_from_environment() {
  if (const char* path = std::getenv("FULGURITE_CACHE")) return path;
  if (const char* path = std::getenv("XDG_CACHE_HOME"); path != nullptr && *path == '/')
    return fs::path(path) / "fulgurite";
  const fs::path base = home();
  return base.empty() ? fs::path{} : base / ".cache" / "fulgurite";
}

std::uint64_t limit_from_environment() {
  constexpr std::uint64_t standard = std::uint64_t{256} << 20;
  const char* text = std::getenv("FULGURITE_CACHE_SIZE");
  if (text == nullptr) return standard;
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), n);
  const std::string_view unit = end;
  const int shift = unit == "G" ? 30 : unit == "M" ? 20 : unit == "K" ? 10 : 0;
  if (error != std::errc{} || (shift == 0 && !unit.empty()) || n > UINT64_MAX >> shift) {
    base::log(fmt::format(
        "fulgurite: FULGURITE_CACHE_SIZE is '{}', not a number of bytes (with K, M or G): using 256M", text));
    return standard;
  }
  return n << shift;
}

}  // namespace

DiskCache::DiskCache(fs::path directory, std::uint64_t size_limit)
    : directory_(std::move(directory)),
      size_limit_(size_limit),
      state_(directory_.empty() ? State::refused : State::unknown) {}

DiskCache& DiskCache::shared() {
  // Never destroyed: programs may compile at exit.
  static DiskCache& cache = *new DiskCache(directory_from_environment(), limit_from_environment());
  return cache;
}

fs::path DiskCache::file(EntryKind kind, const base::Digest& key) const {
  return directory_ / (key.hex() + std::string(suffix(kind)));
}

void DiskCache::refuse(const std::string& reason) {
  state_.store(State::refused, std::memory_order_relaxed);
  base::log(fmt::format("fulgurite: no disk cache of kernels: {}", reason));
}

// Looks at the directory once. One that does not exist is looked at again, until a write makes it.
bool DiskCache::usable(bool create) {
  if (const State state = state_.load(std::memory_order_relaxed); state != State::unknown)
    return state == State::usable;
  const std::lock_guard lock(mutex_);
  if (const State state = state_.load(std::memory_order_relaxed); state != State::unknown)
    return state == State::usable;
  if (create) {
    std::error_code ignored;  // mkdir's answer counts
    fs::create_directories(directory_.parent_path(), ignored);
    if (::mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) {
      refuse(fmt::format("{} cannot be made ({})", directory_.string(), std::strerror(errno)));
      return false;
    }
  }
  struct stat status{};
  if (::stat(directory_.c_str(), &status) != 0) {
    if (errno != ENOENT) refuse(fmt::format("{}: {}", directory_.string(), std::strerror(errno)));
    return false;
  }
  if (!S_ISDIR(status.st_mode)) {
    refuse(fmt::format("{} is not a directory", directory_.string()));
  } else if (status.st_uid != geteuid()) {
    refuse(fmt::format("{} belongs to another user; set FULGURITE_CACHE to a directory of your own",
                       directory_.string()));
  } else if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    refuse(
        fmt::format("others may write to {0}, and may have left code there: empty it ('rm -f {0}/*.kernel "
                    "{0}/*.program {0}/tmp-*'), then run 'chmod 700 {0}'",
                    directory_.string()));
  } else {
    state_.store(State::usable, std::memory_order_relaxed);
    return true;
  }
  return false;
}

std::optional<std::string> DiskCache::read(EntryKind kind, const base::Digest& key) noexcept try {
  if (!usable(false)) return std::nullopt;
  return read_entry(file(kind, key), kind, &key);
} catch (const std::exception&) {
  return std::nullopt;  // no memory: as if it were not there
}

bool DiskCache::write(EntryKind kind, const base::Digest& key, std::string_view payload) noexcept try {
  static std::atomic<unsigned> serial{0};
  const std::uint64_t bytes = payload.size() + sizeof(Header);
  if (bytes > size_limit_ || !base::may_write_file(bytes) || !usable(true)) return false;
  make_room(bytes);
  const Header header{magic, format_version, kind, key, payload.size(), base::digest(payload)};
  // Who was killed may have had this process's number, and have left a file of that name.
  std::uint32_t chance = 0;
  if (::getrandom(&chance, sizeof chance, 0) < 0) chance = 0;
  const fs::path temporary =
      directory_ / fmt::format("{}{}-{}-{:08x}", temporary_prefix, ::getpid(), serial.fetch_add(1), chance);
  File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return false;
  const bool written = write_all(file.get(), reinterpret_cast<const char*>(&header), sizeof header) &&
                       write_all(file.get(), payload.data(), payload.size()) && file.close();
  if (written && ::rename(temporary.c_str(), this->file(kind, key).c_str()) == 0) return true;
  ::unlink(temporary.c_str());
  return false;
} catch (const std::exception&) {
  return false;
}

// Locks one byte of a file that all keys share. The lock belongs to the open file and not to the process,
// since threads of one process compile side by side; the system ends it with the process.
DiskCache::Turn DiskCache::turn(const base::Digest& key, std::chrono::milliseconds patience) noexcept try {
  if (!usable(true)) return Turn(-1, false);
  const int file =
      ::open((directory_ / "turns").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0) return Turn(-1, false);
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(key.first >> 1);
  lock.l_len = 1;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  bool has_waited = false;
  while (::fcntl(file, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES) &&
         std::chrono::steady_clock::now() < deadline) {
    has_waited = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return Turn(file, has_waited);
} catch (const std::exception&) {
  return Turn(-1, false);
}

// A child that was forked meanwhile has the same open file: to close it does not unlock it.
void DiskCache::Turn::end() {
  if (file_ < 0) return;
  struct flock all{};
  all.l_type = F_UNLCK;
  all.l_whence = SEEK_SET;
  ::fcntl(file_, F_OFD_SETLK, &all);
  ::close(std::exchange(file_, -1));
}

// Removes abandoned temporary files, and the entries not used for longest until there is room and a little
// more.
void DiskCache::make_room(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (estimate_ && *estimate_ + bytes <= size_limit_) {
    *estimate_ += bytes;
    return;
  }
  std::vector<Found> found = scan(directory_);
  const auto now = fs::file_time_type::clock::now();
  std::error_code gone;
  std::erase_if(found, [&](const Found& f) {
    if (f.kind || now - f.time < abandoned_after) return false;
    fs::remove(f.path, gone);
    return true;
  });
  std::uint64_t total = 0;
  for (const Found& f : found) total += f.bytes;
  if (total + bytes > size_limit_) {
    std::erase_if(found, [](const Found& f) { return !f.kind; });
    std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.time < b.time; });
    const std::uint64_t goal = size_limit_ / 4 * 3;
    for (const Found& f : found) {
      if (total + bytes <= goal) break;
      if (fs::remove(f.path, gone)) total -= f.bytes;
    }
  }
  estimate_ = total + bytes;
}

std::vector<DiskCache::Entry> DiskCache::list() const {
  std::vector<Entry> entries;
  for (const Found& f : scan(directory_))
    if (f.kind) entries.push_back({*f.kind, f.path.stem().string(), f.bytes, f.time});
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.last_use > b.last_use; });
  return entries;
}

std::uint64_t DiskCache::size() const {
  std::uint64_t total = 0;
  for (const Found& f : scan(directory_)) total += f.bytes;
  return total;
}

std::size_t DiskCache::clear() {
  const std::lock_guard lock(mutex_);
  std::size_t n_removed = 0;
  std::error_code gone;
  for (const Found& f : scan(directory_)) n_removed += fs::remove(f.path, gone) ? 1u : 0u;
  estimate_.reset();
  return n_removed;
}

DiskCache::Verdict DiskCache::verify() {
  Verdict verdict;
  std::error_code gone;
  for (const Found& f : scan(directory_)) {
    if (!f.kind) continue;
    ++verdict.n_entries;
    if (const auto payload = read_entry(f.path, *f.kind, nullptr); payload) continue;
    ++verdict.n_damaged;
    fs::remove(f.path, gone);
  }
  return verdict;
}

}  // namespace fulgurite::runtime
