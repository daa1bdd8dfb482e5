#include "runtime/background_build.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/fork_gate.h"
#include "base/stack.h"
#include "runtime/ending_process.h"
#include "runtime/profile.h"

namespace fulgurite::runtime {

// What the threads and the program share. Whoever takes the lock is in a base::CompilingSection, so that
// fork() finds it free and no kernel half built.
class BackgroundBuild::Builds {
 public:
  Builds(Device& device, std::vector<KernelSource> sources)
      : there_(sources.size()),
        device_(device),
        sources_(std::move(sources)),
        n_open_(sources_.size()),
        states_(sources_.size()) {}

  std::size_t size() const { return sources_.size(); }
  const std::atomic<const Kernel*>* there() const { return there_.data(); }

  void cancel() { is_cancelled_ = true; }
  bool is_cancelled() const { return is_cancelled_; }

  // Whether there was one more that no thread had begun.
  bool build_next() {
    std::unique_lock lock(mutex_);
    const auto next = std::ranges::find(states_, Phase::queued, &State::phase);
    if (next == states_.end()) return false;
    build(static_cast<std::size_t>(next - states_.begin()), lock);
    return true;
  }

  const Kernel& wait_for(std::size_t k) {
    std::unique_lock lock(mutex_);
    State& state = states_[k];
    changed_.wait(lock, [&] { return state.phase != Phase::building; });
    if (state.phase == Phase::queued || (state.phase == Phase::refused && state.failure == nullptr))
      build(k, lock);
    if (state.phase == Phase::refused && state.failure != nullptr)
      std::rethrow_exception(std::exchange(state.failure, nullptr));
    return *state.kernel;
  }

  // In a child that was forked meanwhile, who asks for a kernel compiles it.
  bool is_ready() const { return n_open_ == 0 || process_ != getpid(); }

 private:
  enum class Phase : unsigned char { queued, building, there, refused };
  struct State {
    Phase phase = Phase::queued;
    bool was_built = false;
    std::shared_ptr<const Kernel> kernel;
    std::exception_ptr failure;  // not reported yet
  };

  // Without the lock.
  void build(std::size_t k, std::unique_lock<std::mutex>& lock) {
    State& state = states_[k];
    state.phase = Phase::building;
    lock.unlock();
    std::shared_ptr<const Kernel> kernel;
    std::exception_ptr failure;
    try {
      const Span span(Activity::compilation, sources_[k].name);
      kernel = base::with_stack(base::deep_stack, [&] { return device_.build(sources_[k]); });
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (!std::exchange(state.was_built, true)) --n_open_;
    state.phase = failure == nullptr ? Phase::there : Phase::refused;
    state.kernel = std::move(kernel);
    state.failure = std::move(failure);
    there_[k].store(state.kernel.get(), std::memory_order_release);
    changed_.notify_all();
  }

  std::vector<std::atomic<const Kernel*>> there_;
  Device& device_;
  const std::vector<KernelSource> sources_;
  const pid_t process_ = getpid();
  std::atomic<std::size_t> n_open_;  // kernels that are not finished once
  std::atomic<bool> is_cancelled_{false};
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<State> states_;
};

// What threads do. Between kernels they are in no section, so that fork() waits for one kernel of each only.
void BackgroundBuild::work(std::shared_ptr<Builds> builds) {
  for (;;) {
    const base::CompilingSection section;
    if (!builds->is_cancelled() && !is_process_ending() && builds->build_next()) continue;
    builds.reset();  // the last share of a kernel perhaps, which a driver unloads
    leave_worker();
    return;
  }
}

BackgroundBuild::BackgroundBuild(Device& device, std::vector<KernelSource> sources, int n_threads)
    : builds_(std::make_shared<Builds>(device, std::move(sources))), there_(builds_->there()) {
  const base::CompilingSection section;
  const std::size_t wanted = std::min(builds_->size(), static_cast<std::size_t>(n_threads));
  std::size_t n_started = 0;
  try {
    for (; n_started < wanted && enter_worker(); ++n_started) std::thread(&work, builds_).detach();
  } catch (const std::exception&) {  // no memory or no more threads
    leave_worker();
  }
  while (n_started == 0 && builds_->build_next()) continue;
}

BackgroundBuild::~BackgroundBuild() {
  builds_->cancel();
}

const Kernel& BackgroundBuild::wait_for(std::size_t k) const {
  const base::CompilingSection section;
  return builds_->wait_for(k);
}

bool BackgroundBuild::is_ready() const noexcept {
  return builds_->is_ready();
}

void BackgroundBuild::wait() const {
  for (std::size_t k = 0; k < builds_->size(); ++k) (*this)[k];
}

}  // namespace fulgurite::runtime
