#include "base/fork_gate.h"

#include <fulgurite/error.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>

#include "base/made_once.h"

namespace fulgurite::base {
namespace {

// A thread that forks while it holds a lock for which a compiling thread waits would wait for ever.
constexpr auto longest_wait = std::chrono::seconds(10);

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  int n_sections = 0;  // of all threads; a section inside another one of its thread counts once
  int n_forking = 0;
  bool lost_sections = false;  // this process is a child, and others compiled when it was forked
};

// Threads may compile while the process exits.
Gate& gate() {
  static constinit std::atomic<Gate*> one{nullptr};
  return made_once(one, [] { return std::make_unique<Gate>(); });
}

thread_local int depth = 0;  // of sections of this thread

void before_fork() {
  Gate& g = gate();
  std::unique_lock lock(g.mutex);
  ++g.n_forking;
  if (depth == 0) g.changed.wait_for(lock, longest_wait, [&] { return g.n_sections == 0; });
  lock.release();  // fork() happens under the lock
}

void after_fork_in_parent() {
  Gate& g = gate();
  --g.n_forking;
  g.mutex.unlock();
  g.changed.notify_all();
}

void after_fork_in_child() {
  Gate& g = gate();
  const int n_own = depth > 0 ? 1 : 0;
  const bool lost = g.lost_sections || g.n_sections > n_own;
  new (&g) Gate;
  g.n_sections = n_own;
  g.lost_sections = lost;
}

const int forks_are_watched = pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);

}  // namespace

CompilingSection::CompilingSection() {
  if (depth == 0) {
    Gate& g = gate();
    std::unique_lock lock(g.mutex);
    if (g.lost_sections)
      throw DeviceError(
          "this process was forked while another thread of its parent compiled a program, and cannot compile "
          "or "
          "load one itself: compile before fork(), fork before threads compile, or exec() in the child");
    g.changed.wait(lock, [&] { return g.n_forking == 0; });
    ++g.n_sections;
  }
  ++depth;
}

CompilingSection::~CompilingSection() {
  if (--depth != 0) return;
  Gate& g = gate();
  const std::lock_guard lock(g.mutex);
  --g.n_sections;
  g.changed.notify_all();
}

bool is_compiling() {
  return depth != 0;
}

PartOfSection::PartOfSection(bool is_part) : is_part_(is_part) {
  if (is_part_) ++depth;
}

PartOfSection::~PartOfSection() {
  if (is_part_) --depth;
}

}  // namespace fulgurite::base
