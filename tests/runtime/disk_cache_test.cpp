#include "runtime/disk_cache.h"
#include "temporary_directory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "kernels.h"

namespace fulgurite::runtime {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

constexpr std::uint64_t plenty = std::uint64_t{64} << 20;

base::Digest key(int i) {
  return base::digest("entry " + std::to_string(i));
}
std::string payload(int i, std::size_t bytes = 1000) {
  return std::string(bytes, static_cast<char>('a' + i % 26)) + std::to_string(i);
}

// The one file of a cache with one entry.
fs::path only_file(const fs::path& directory) {
  const fs::directory_iterator first(directory);
  EXPECT_EQ(std::distance(fs::begin(fs::directory_iterator(directory)), fs::directory_iterator()), 1);
  return first->path();
}

void overwrite(const fs::path& file, std::streamoff offset, char byte) {
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  f.seekp(offset);
  f.put(byte);
}

// Runs `child` in a process of its own; 0 if it says so.
int in_child(const std::function<int()>& child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(DiskCache, GivesBackWhatWasWritten) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "deep" / "cache";
  DiskCache cache(path, plenty);
  EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), std::nullopt);
  EXPECT_FALSE(fs::exists(path)) << "reading makes no directory";
  const std::string binary("\0\1\2\xff", 4);
  EXPECT_TRUE(cache.write(EntryKind::kernel, key(1), binary));
  EXPECT_TRUE(cache.write(EntryKind::program, key(1), ""));
  EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), binary);
  EXPECT_EQ(cache.read(EntryKind::program, key(1)), "");
  EXPECT_EQ(cache.read(EntryKind::kernel, key(2)), std::nullopt);
  DiskCache other(path, plenty);
  EXPECT_EQ(other.read(EntryKind::kernel, key(1)), binary);
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST(DiskCache, ListsMeasuresAndClears) {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path(), plenty);
  std::ofstream(directory.path() / "notes.txt") << "not ours";
  for (int i = 0; i < 10; ++i)
    ASSERT_TRUE(cache.write(i % 2 == 0 ? EntryKind::kernel : EntryKind::program, key(i), payload(i)));
  const auto entries = cache.list();
  ASSERT_EQ(entries.size(), 10U);
  std::set<std::string> keys;
  for (const auto& entry : entries) {
    keys.insert(entry.key);
    EXPECT_GT(entry.bytes, 1000U);
  }
  EXPECT_TRUE(keys.contains(key(3).hex()));
  EXPECT_GT(cache.size(), 10000U);
  EXPECT_EQ(cache.verify().n_entries, 10U);
  EXPECT_EQ(cache.clear(), 10U);
  EXPECT_EQ(cache.size(), 0U);
  EXPECT_TRUE(fs::exists(directory.path() / "notes.txt"));
}

// Every single byte of an entry matters, and so does its length.
TEST(DiskCache, DamagedEntriesAreMissesAndAreReplaced) {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path(), plenty);
  const std::string good = payload(1, 60);
  ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), good));
  const fs::path file = only_file(directory.path());
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  for (std::streamoff i = 0; i < size; ++i) {
    ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), good));
    std::ifstream in(file, std::ios::binary);
    in.seekg(i);
    const int byte = in.get();
    overwrite(file, i, static_cast<char>(byte ^ 0x10));
    EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), std::nullopt) << "byte " << i;
  }
  for (std::streamoff n = 0; n < size; n += 7) {
    ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), good));
    fs::resize_file(file, static_cast<std::uintmax_t>(n));
    EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), std::nullopt) << n << " bytes";
  }
  ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), good));
  std::ofstream(file, std::ios::app) << "more";
  EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), std::nullopt);
  std::ofstream(file, std::ios::trunc) << "garbage";
  EXPECT_EQ(cache.verify().n_damaged, 1U);
  EXPECT_FALSE(fs::exists(file));
  ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), good));
  EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), good);
}

TEST(DiskCache, AnEntryUnderAnotherNameIsAMiss) {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path(), plenty);
  ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), payload(1)));
  const fs::path file = only_file(directory.path());
  fs::copy_file(file, directory.path() / (key(2).hex() + ".kernel"));
  fs::copy_file(file, directory.path() / (key(1).hex() + ".program"));
  EXPECT_EQ(cache.read(EntryKind::kernel, key(2)), std::nullopt);
  EXPECT_EQ(cache.read(EntryKind::program, key(1)), std::nullopt);
  fs::remove(file);
  fs::create_symlink(directory.path() / (key(2).hex() + ".kernel"), file);
  EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), std::nullopt) << "a link is no entry";
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), std::nullopt);
  EXPECT_FALSE(cache.write(EntryKind::kernel, key(1), payload(1)));
}

TEST(DiskCache, StaysWithinItsBoundAndKeepsWhatIsUsed) {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path(), 100000);
  ASSERT_TRUE(cache.write(EntryKind::program, key(1000), payload(1000)));
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(cache.write(EntryKind::kernel, key(i), payload(i)));
    const auto files = cache.list();
    ASSERT_LE(cache.size(), 100000U);
    // File times are coarse: what was written before is older by a second than what is read now.
    for (const auto& entry : files)
      fs::last_write_time(
          directory.path() / (entry.key + (entry.kind == EntryKind::kernel ? ".kernel" : ".program")),
          entry.last_use - std::chrono::seconds(1));
    ASSERT_EQ(cache.read(EntryKind::program, key(1000)), payload(1000)) << i;
  }
  EXPECT_EQ(cache.read(EntryKind::kernel, key(0)), std::nullopt);
  EXPECT_EQ(cache.read(EntryKind::kernel, key(299)), payload(299));
  EXPECT_FALSE(cache.write(EntryKind::kernel, key(1), payload(1, 100000))) << "larger than the cache";
}

TEST(DiskCache, AReadOnlyDirectoryServesReadersOnly) {
  if (geteuid() == 0) {
    // Root may write anywhere: tried as another user.
    const TemporaryDirectory directory;
    ASSERT_EQ(chown(directory.path().c_str(), 65534, 65534), 0);
    EXPECT_EQ(in_child([&] {
                if (setgid(65534) != 0 || setuid(65534) != 0) return 1;
                DiskCache cache(directory.path(), plenty);
                if (!cache.write(EntryKind::kernel, key(1), payload(1))) return 2;
                if (chmod(directory.path().c_str(), 0500) != 0) return 3;
                DiskCache read_only(directory.path(), plenty);
                if (read_only.write(EntryKind::kernel, key(2), payload(2))) return 4;
                return read_only.read(EntryKind::kernel, key(1)) == payload(1) ? 0 : 5;
              }),
              0);
    return;
  }
  const TemporaryDirectory directory;
  DiskCache cache(directory.path(), plenty);
  ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), payload(1)));
  ASSERT_EQ(chmod(directory.path().c_str(), 0500), 0);
  EXPECT_FALSE(cache.write(EntryKind::kernel, key(2), payload(2)));
  EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), payload(1));
}

// A file may not grow beyond 4096 bytes: what a full disk looks like to a writer.
TEST(DiskCache, AFullDiskLeavesNothingBehind) {
  const TemporaryDirectory directory;
  EXPECT_EQ(in_child([&] {
              signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{4096, 4096};
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
              DiskCache cache(directory.path(), plenty);
              if (cache.write(EntryKind::kernel, key(1), payload(1, 100000))) return 2;
              if (!fs::is_empty(directory.path())) return 3;
              return cache.write(EntryKind::kernel, key(2), payload(2)) ? 0 : 4;
            }),
            0);
}

TEST(DiskCache, RefusesADirectoryThatOthersMayWrite) {
  for (const mode_t mode : {0777u, 0770u, 0702u}) {
    const TemporaryDirectory directory;
    DiskCache before(directory.path(), plenty);
    ASSERT_TRUE(before.write(EntryKind::kernel, key(1), payload(1)));
    ASSERT_EQ(chmod(directory.path().c_str(), mode), 0);
    DiskCache cache(directory.path(), plenty);
    testing::internal::CaptureStderr();
    EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), std::nullopt);
    EXPECT_FALSE(cache.write(EntryKind::kernel, key(2), payload(2)));
    const std::string notice = testing::internal::GetCapturedStderr();
    EXPECT_NE(notice.find("chmod 700"), std::string::npos) << notice;
    EXPECT_NE(notice.find("empty it ('rm -f "), std::string::npos) << "others' entries: " << notice;
    EXPECT_EQ(notice.find("no disk cache"), notice.rfind("no disk cache")) << "said once";
  }
}

// As after a time in which others could write to the directory: their entries are whole and under the right
// names.
TEST(DiskCache, RefusesEntriesOfSomebodyElse) {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path(), plenty);
  ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), payload(1)));
  const fs::path file = only_file(directory.path());
  const auto expect_refused = [&](const char* what) {
    EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), std::nullopt) << what;
    DiskCache other(directory.path(), plenty);
    EXPECT_EQ(other.read(EntryKind::kernel, key(1)), std::nullopt) << what;
  };
  for (const mode_t mode : {0620u, 0602u, 0666u, 0777u}) {
    ASSERT_EQ(chmod(file.c_str(), mode), 0);
    expect_refused("others may write to it");
  }
  ASSERT_EQ(chmod(file.c_str(), 0600), 0);
  ASSERT_EQ(cache.read(EntryKind::kernel, key(1)), payload(1));

  fs::rename(file, directory.path() / "elsewhere");
  fs::create_symlink(directory.path() / "elsewhere", file);
  expect_refused("a symbolic link");
  ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), payload(7)));
  EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), payload(7)) << "replaced";
  EXPECT_FALSE(fs::is_symlink(file)) << "not written through";
  fs::remove(directory.path() / "elsewhere");

  if (geteuid() != 0) GTEST_SKIP() << "only root can make a file of another user";
  ASSERT_EQ(chown(file.c_str(), 65534, 65534), 0);
  expect_refused("another owner");
  EXPECT_EQ(cache.verify().n_damaged, 1U) << "and is removed";
  ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), payload(1)));
  ASSERT_EQ(chown(file.c_str(), 65534, 0), 0);
  ASSERT_TRUE(cache.write(EntryKind::kernel, key(1), payload(2)));
  EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), payload(2)) << "the next write replaces it";
}

TEST(DiskCache, RefusesADirectoryOfSomebodyElse) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a directory of another user";
  const TemporaryDirectory directory;
  ASSERT_EQ(chown(directory.path().c_str(), 65534, 65534), 0);
  DiskCache cache(directory.path(), plenty);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(cache.write(EntryKind::kernel, key(1), payload(1)));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("another user"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(DiskCache, WorksWithoutADirectory) {
  DiskCache none({}, plenty);
  EXPECT_FALSE(none.write(EntryKind::kernel, key(1), payload(1)));
  EXPECT_EQ(none.read(EntryKind::kernel, key(1)), std::nullopt);
  EXPECT_TRUE(none.list().empty());
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "file") << "in the way";
  testing::internal::CaptureStderr();
  DiskCache impossible(directory.path() / "file" / "cache", plenty);
  EXPECT_FALSE(impossible.write(EntryKind::kernel, key(1), payload(1)));
  DiskCache file(directory.path() / "file", plenty);
  EXPECT_FALSE(file.write(EntryKind::kernel, key(1), payload(1)));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("no disk cache"), std::string::npos);
}

TEST(DiskCache, TwoProcessesFillOneCache) {
  const TemporaryDirectory directory;
  const auto fill = [&] {
    DiskCache cache(directory.path(), plenty);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 100; ++i) {
        if (!cache.write(EntryKind::kernel, key(i), payload(i, 5000))) return 1;
        const auto read = cache.read(EntryKind::kernel, key((i * 7) % 100));
        if (read && *read != payload((i * 7) % 100, 5000)) return 2;
      }
    }
    return 0;
  };
  const pid_t other = fork();
  if (other == 0) _exit(fill());
  EXPECT_EQ(fill(), 0);
  int status = 0;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  DiskCache cache(directory.path(), plenty);
  const DiskCache::Verdict verdict = cache.verify();
  EXPECT_EQ(verdict.n_entries, 100U);
  EXPECT_EQ(verdict.n_damaged, 0U);
  EXPECT_EQ(std::distance(fs::begin(fs::directory_iterator(directory.path())), fs::directory_iterator()), 100)
      << "no temporary file stays";
}

bool has_temporary_file(const fs::path& directory) {
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(directory, ignored))
    if (file.path().filename().string().starts_with("tmp-")) return true;
  return false;
}

// Whenever the writer is seen to be in the middle of a file, it is killed.
TEST(DiskCache, AWriterKilledInMidWriteLeavesAValidCache) {
  constexpr std::size_t large = 2000000;
  const TemporaryDirectory directory;
  int n_left = 0;
  for (int round = 0; round < 12; ++round) {
    const fs::path path = directory.path() / std::to_string(round % 4);
    std::error_code ignored;
    for (const auto& file : fs::directory_iterator(path, ignored))
      if (file.path().filename().string().starts_with("tmp-")) fs::rename(file.path(), path / "left");
    const pid_t writer = fork();
    if (writer == 0) {
      DiskCache cache(path, std::uint64_t{1} << 30);
      for (int i = 0;; ++i) cache.write(EntryKind::kernel, key(i % 3), payload(i % 3, large));
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!has_temporary_file(path) && std::chrono::steady_clock::now() < deadline) {
    }
    ASSERT_EQ(kill(writer, SIGKILL), 0);
    ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
    n_left += has_temporary_file(path) ? 1 : 0;
    DiskCache cache(path, std::uint64_t{1} << 30);
    ASSERT_EQ(cache.verify().n_damaged, 0U);
    for (int i = 0; i < 3; ++i) {
      const auto read = cache.read(EntryKind::kernel, key(i));
      ASSERT_TRUE(!read || *read == payload(i, large));
    }
  }
  EXPECT_GT(n_left, 0) << "no writer was killed in mid-write: this test tested nothing";
}

// In a container every process may have the same number.
TEST(DiskCache, WritesBesideWhatAKilledWriterOfItsNumberLeft) {
  const TemporaryDirectory directory;
  for (int serial = 0; serial < 3000; ++serial)
    std::ofstream(directory.path() / ("tmp-" + std::to_string(getpid()) + "-" + std::to_string(serial)));
  DiskCache cache(directory.path(), plenty);
  EXPECT_TRUE(cache.write(EntryKind::kernel, key(1), payload(1)));
  EXPECT_EQ(cache.read(EntryKind::kernel, key(1)), payload(1));
}

TEST(DiskCache, SweepsWhatAKilledWriterLeft) {
  const TemporaryDirectory directory;
  const fs::path fresh = directory.path() / "tmp-1-1", old = directory.path() / "tmp-1-2";
  std::ofstream(fresh) << "half an entry";
  std::ofstream(old) << "half an entry";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  DiskCache cache(directory.path(), plenty);
  ASSERT_TRUE(cache.write(EntryKind::kernel, key(7), payload(7)));
  EXPECT_TRUE(fs::exists(fresh)) << "its writer may be alive";
  EXPECT_FALSE(fs::exists(old));
  EXPECT_EQ(cache.read(EntryKind::kernel, key(7)), payload(7));
}

struct Environment {
  const char* variable;  // null: none but HOME
  std::string value;
  const char* size;  // null: not set
};

// Ends the process: 0 if the cache of the process is there and bounded so.
[[noreturn]] void look_at_shared_cache(const fs::path& home, const Environment& environment,
                                       const fs::path& expected, std::uint64_t limit) {
  for (const char* name : {"FULGURITE_CACHE", "XDG_CACHE_HOME", "FULGURITE_CACHE_SIZE"}) unsetenv(name);
  setenv("HOME", home.c_str(), 1);
  if (environment.size != nullptr) setenv("FULGURITE_CACHE_SIZE", environment.size, 1);
  if (environment.variable != nullptr) setenv(environment.variable, environment.value.c_str(), 1);
  const DiskCache& cache = DiskCache::shared();
  std::exit(cache.path() == expected && cache.size_limit() == limit ? 0 : 1);
}

TEST(DiskCache, IsWhereTheEnvironmentSays) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // processes that have not looked at the cache yet
  const fs::path home = "/nowhere";
  const auto ok = testing::ExitedWithCode(0);
  constexpr std::uint64_t standard = std::uint64_t{256} << 20;
  EXPECT_EXIT(look_at_shared_cache(home, {"FULGURITE_CACHE", "/here", nullptr}, "/here", standard), ok, "");
  EXPECT_EXIT(look_at_shared_cache(home, {"FULGURITE_CACHE", "", nullptr}, "", standard), ok, "");
  EXPECT_EXIT(look_at_shared_cache(home, {"XDG_CACHE_HOME", "/xdg", "5000"}, "/xdg/fulgurite", 5000), ok, "");
  EXPECT_EXIT(
      look_at_shared_cache(home, {nullptr, "", "3M"}, home / ".cache/fulgurite", std::uint64_t{3} << 20), ok,
      "");
  EXPECT_EXIT(look_at_shared_cache(home, {nullptr, "", "plenty"}, home / ".cache/fulgurite", standard), ok,
              "256M");
}

}  // namespace
}  // namespace fulgurite::runtime
