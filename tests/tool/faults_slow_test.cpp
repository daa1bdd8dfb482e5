// What a process meets on a machine that is full, or kills it (fault_program.cpp, run as processes of their
// own).
#include <fulgurite/npy.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "../runtime/temporary_directory.h"
#include "process.h"
#include "runtime/disk_cache.h"

namespace fg = fulgurite;
namespace fs = std::filesystem;

namespace {

using test::Outcome, test::shell;

class Faults : public testing::Test {
 protected:
  void SetUp() override { fs::create_directory(disk()); }

  fs::path cache() const { return folder_ / "cache"; }
  fs::path disk() const { return folder_ / "disk"; }
  std::string command(const std::string& words, const fs::path& cache) const {
    return "FULGURITE_CACHE='" + cache.string() +
           "' FULGURITE_THREADS=2 timeout 60 '" FULGURITE_FAULT_PROGRAM "' " + words;
  }
  Outcome run(const std::string& words, const std::string& before = "true") const {
    return shell(before + " && " + command(words, cache()), folder_ / "out.txt");
  }
  /// Commands of the shell on a disk of `kibibytes` KiB, which only they see; status 77 where nothing may be
  /// mounted, as in a root file system that is no mount point.
  Outcome on_disk(int kibibytes, const std::string& commands) const {
    std::ofstream(folder_ / "script")
        << "mount -t tmpfs -o size=" << kibibytes << "k tmpfs '" << disk().string() << "' || exit 77\n"
        << commands << "\n";
    const std::string script = "sh '" + (folder_ / "script").string() + "'";
    return shell("if unshare -m true; then unshare -m " + script +
                     "; elif unshare -rm true; then unshare -rm " + script + "; else exit 77; fi",
                 folder_ / "out.txt");
  }
  static int n_temporary(const fs::path& folder) {
    int n = 0;
    std::error_code none;
    for (const auto& file : fs::directory_iterator(folder, none))
      n += file.path().filename().string().starts_with("tmp-") ? 1 : 0;
    return n;
  }

  const fulgurite::runtime::test::TemporaryDirectory directory_;
  const fs::path& folder_ = directory_.path();
};

// Without room for any entry, for some, and for all.
TEST_F(Faults, AFullDiskOfTheCacheIsDoneWithout) {
  for (const int kibibytes : {4, 16, 48, 4096}) {
    const fs::path there = disk() / "cache";
    const Outcome full =
        on_disk(kibibytes, "chmod 700 '" + disk().string() + "' && " + command("run", there) + " && " +
                               command("run", there) + " && ls -a '" + there.string() + "'");
    if (full.status == 77) GTEST_SKIP() << "nothing may be mounted here";
    EXPECT_EQ(full.status, 0) << kibibytes << "\n" << full.out;
    EXPECT_EQ(full.out.find("tmp-"), std::string::npos) << kibibytes << "\n" << full.out;
    if (kibibytes == 4096) {
      EXPECT_NE(full.out.find(".kernel"), std::string::npos) << full.out;
    }
  }
}

TEST_F(Faults, AFullDiskKeepsTheOldNpyFile) {
  const std::string file = (disk() / "x.npy").string();
  const Outcome full =
      on_disk(64, "echo old >'" + file + "'; " + command("write '" + file + "'", cache()) +
                      "; echo status $?; cat '" + file + "'; ls -A '" + disk().string() + "'");
  if (full.status == 77) GTEST_SKIP() << "nothing may be mounted here";
  EXPECT_NE(full.out.find("x.npy cannot be written: No space left on device\nstatus 3\nold\nx.npy\n"),
            std::string::npos)
      << full.out;
}

// Whoever writes more than it may is sent a signal that ends it; a cache is not worth that.
TEST_F(Faults, ALimitOfFilesEndsNobody) {
  const Outcome cached = run("run", "ulimit -f 1");
  EXPECT_EQ(cached.status, 0) << cached.out;
  EXPECT_EQ(n_temporary(cache()), 0);
  const std::string file = (folder_ / "x.npy").string();
  const Outcome written = run("write '" + file + "'", "ulimit -f 8");
  EXPECT_EQ(written.status, 3) << written.out;
  EXPECT_NE(written.out.find("x.npy cannot be written: File too large"), std::string::npos) << written.out;
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(Faults, ALimitOfOpenFilesIsAnError) {
  for (const int n : {3, 4, 5, 6, 8, 20}) {
    const Outcome limited = run("run", "ulimit -n " + std::to_string(n));
    if (limited.status == 127 ||
        limited.out.find("error while loading shared libraries") != std::string::npos)
      continue;
    EXPECT_TRUE(limited.status == 0 || limited.status == 3) << n << ": " << limited.status << "\n"
                                                            << limited.out;
    EXPECT_EQ(limited.status == 3, limited.out.find("fulgurite::CompileError: ") != std::string::npos)
        << limited.out;
  }
}

TEST_F(Faults, AnyStackOfTheMainThreadIsEnough) {
  for (const char* kibibytes : {"128", "1024", "8192", "unlimited"}) {
    const Outcome outcome = run("run", std::string("ulimit -s ") + kibibytes);
    EXPECT_EQ(outcome.status, 0) << kibibytes << "\n" << outcome.out;
    fs::remove_all(cache());
  }
}

TEST_F(Faults, NoThreadsAreDoneWithout) {
  for (const int n : {0, 1, 2}) {
    const Outcome outcome = run("without_threads " + std::to_string(n), "export FULGURITE_THREADS=4");
    EXPECT_EQ(outcome.status, 0) << n << "\n" << outcome.out;
  }
}

// Processes are killed while they compile and put kernels into one cache.
TEST_F(Faults, KilledProcessesLeaveASoundCache) {
  const auto start = [&](int seed) {
    const pid_t child = fork();
    if (child != 0) return child;
    setenv("FULGURITE_CACHE", cache().c_str(), 1);
    const std::string word = std::to_string(seed);
    execl(FULGURITE_FAULT_PROGRAM, "fault_program", "compile_for_ever", word.c_str(), nullptr);
    _exit(127);
  };
  std::size_t n_entries = 0;
  for (int round = 0; round < 12; ++round) {
    const pid_t children[] = {start(round % 3), start(round % 3 + 1)};
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 37 * round));
    for (const pid_t child : children) {
      kill(child, SIGKILL);
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself: " << status;
    }
    const auto verdict = fg::runtime::DiskCache(cache(), 1 << 30).verify();
    EXPECT_EQ(verdict.n_damaged, 0U);
    EXPECT_GE(verdict.n_entries, n_entries);
    n_entries = verdict.n_entries;
  }
  EXPECT_GT(n_entries, 0U);
  // What they left goes when it is old: each writer begins with looking for it.
  std::ofstream(cache() / "tmp-1-1") << "half an entry";
  for (const auto& file : fs::directory_iterator(cache()))
    if (file.path().filename().string().starts_with("tmp-"))
      fs::last_write_time(file.path(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  const Outcome outcome = run("run");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(n_temporary(cache()), 0);
}

// Every entry is replaced by another one, by none of its bytes, by a link, a folder and a pipe.
TEST_F(Faults, PlantedEntriesAreCompiledAgain) {
  ASSERT_EQ(run("run").status, 0);
  std::vector<fs::path> entries;
  for (const auto& file : fs::directory_iterator(cache())) entries.push_back(file.path());
  ASSERT_GT(entries.size(), 1U);
  const auto plant = [&](const char* what, const auto& replace) {
    for (const fs::path& entry : entries) {
      fs::remove_all(entry);
      replace(entry);
    }
    const Outcome outcome = run("run");
    EXPECT_EQ(outcome.status, 0) << what << "\n" << outcome.out;
  };
  fs::copy(cache(), folder_ / "good");
  plant("another entry", [&](const fs::path& entry) {
    for (const auto& other : fs::directory_iterator(folder_ / "good"))
      if (other.path().filename() != entry.filename())
        fs::copy_file(other, entry, fs::copy_options::overwrite_existing);
  });
  plant("nothing", [](const fs::path& entry) { std::ofstream(entry).close(); });
  std::ofstream(folder_ / "precious") << "precious";
  plant("a link", [&](const fs::path& entry) { fs::create_symlink(folder_ / "precious", entry); });
  EXPECT_EQ(test::text_of(folder_ / "precious"), "precious");
  plant("a link to a good one",
        [&](const fs::path& entry) { fs::create_symlink(folder_ / "good" / entry.filename(), entry); });
  plant("a pipe", [](const fs::path& entry) { mkfifo(entry.c_str(), 0600); });
  plant("a folder", [](const fs::path& entry) { fs::create_directory(entry); });
}

}  // namespace
