// A directory of compilation's results: kernels (machine code) and programs (plans as text), found again by
// digest.
//
// An entry is a file with a header (magic, version, kind, key, length, checksum) and the payload. It is
// written under a temporary name and renamed, so that no reader ever sees half of one, whoever is killed
// when; an entry that does not check is a miss and is replaced by the next write. The directory is bounded:
// entries that were not used for longest go first, and so do temporary files that writers left. It belongs to
// the user alone: code found there is executed, so a directory that somebody else owns or can write to is
// refused, and so is each entry that is somebody else's. Whatever goes wrong with the directory, programs
// work without it; a notice on standard error, once, says what went wrong.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace fulgurite::runtime {

enum class EntryKind : std::uint32_t { program = 1, kernel = 2 };

class DiskCache {
 public:
  struct Entry {
    EntryKind kind;
    std::string key;  // hexadecimal
    std::uint64_t bytes;
    std::filesystem::file_time_type last_use;
  };
  struct Verdict {
    std::size_t n_entries = 0, n_damaged = 0;  // damaged ones are removed
  };

  // An empty path: no disk cache. The directory is made by the first write.
  DiskCache(std::filesystem::path directory, std::uint64_t size_limit);

  std::optional<std::string> read(EntryKind kind, const base::Digest& key) noexcept;
  // False if it could not be written.
  bool write(EntryKind kind, const base::Digest& key, std::string_view payload) noexcept;

  // While it lives other processes that ask for a turn with the key wait, at most for some seconds: so that
  // one compiles, and the others find what it wrote.
  class Turn {
   public:
    Turn() = default;  // nobody waits
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();

   private:
    friend class DiskCache;
    explicit Turn(int file) : file_(file) {}
    const int file_ = -1;
  };
  Turn turn(const base::Digest& key) noexcept;

  // For the `cache` command.
  const std::filesystem::path& path() const { return directory_; }
  std::uint64_t size_limit() const { return size_limit_; }
  std::vector<Entry> list() const;
  std::uint64_t size() const;
  std::size_t clear();  // number of files removed
  Verdict verify();

  // $FULGURITE_CACHE (empty: none), or $XDG_CACHE_HOME/fulgurite, or ~/.cache/fulgurite; at most
  // $FULGURITE_CACHE_SIZE bytes (suffixes K, M, G), 256 MiB if not set.
  static DiskCache& shared();

 private:
  enum class State { unknown, usable, refused };

  bool usable(bool create);
  void refuse(const std::string& reason);
  void make_room(std::uint64_t bytes);
  std::filesystem::path file(EntryKind kind, const base::Digest& key) const;

  const std::filesystem::path directory_;
  const std::uint64_t size_limit_;
  std::atomic<State> state_{State::unknown};
  std::mutex mutex_;                       // of what follows, and of changing state_
  std::optional<std::uint64_t> estimate_;  // of the directory's size: as counted, and what we wrote since
};

}  // namespace fulgurite::runtime
