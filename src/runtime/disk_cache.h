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
#include <chrono>
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

  // The right of one process to make an entry, until the object ends or its process dies.
  class Turn {
   public:
    Turn(int file, bool has_waited) : file_(file), has_waited_(has_waited) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { end(); }

    bool has_waited() const { return has_waited_; }
    void end();

   private:
    int file_;  // -1: no turn, or none any more
    const bool has_waited_;
  };
  // Waits for the process whose turn it is, but not longer than `patience`. Where the directory or its file
  // system knows no locks there is no turn, and nobody waits.
  Turn turn(const base::Digest& key, std::chrono::milliseconds patience = std::chrono::seconds(10)) noexcept;

  // What find() gives, or make() if that is null. Several processes may lack one entry at the same time: the
  // first one makes and writes it, and the others wait and find it. make() must not wait for another process.
  template <class Find, class Make>
  auto find_or_make(const base::Digest& key, const Find& find, const Make& make) {
    if (auto found = find()) return found;
    Turn mine = turn(key);
    if (auto found = find()) return found;
    // The process before this one left nothing, since it was killed or the disk is full: the next ones need
    // not wait for this one.
    if (mine.has_waited()) mine.end();
    return make();
  }

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
