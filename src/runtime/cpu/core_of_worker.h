// On which core a worker wakes.
//
// Linux may wake a thread on the core where its waker is busy although another core is idle (an idle core of
// a virtual machine often counts as taken), and leaves both there until a time slice of some 3 ms is over:
// meanwhile the caller computes alone. So a worker that is about to sleep gives up the core of its caller,
// and takes it back once it is awake. A caller that has moved in the meantime corrects what its workers gave
// up.
//
// The static run time has it too: nothing here needs the C++ library.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include <atomic>

namespace fulgurite::runtime::cpu {

class CoreOfWorker {
 public:
  /// By the worker: when it starts, before it sleeps and after it has slept. `core`: of its caller; -1:
  /// unknown.
  void start();
  void sleep_apart_from(int core);
  void awake();
  /// By the worker: where it finds itself on this core, it moves to another one without binding itself.
  static void leave(int core);

  /// By the caller, which runs on `core` and is about to wake the worker if that sleeps.
  void keep_apart_from(int core);

 private:
  /// The cores that the worker may use, as far as it has seen: users may change them at any time.
  void look();

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  cpu_set_t allowed_;
  pid_t thread_ = 0;               // 0: the system does not tell which cores there are
  std::atomic<int> given_up_{-1};  // -1: none
};

}  // namespace fulgurite::runtime::cpu
