#include "runtime/profile.h"

#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/made_once.h"

namespace fulgurite::runtime {
namespace {

using Clock = std::chrono::steady_clock;

struct Recorder {
  std::mutex mutex;
  Clock::time_point start;
  std::vector<Event> events;
};

Recorder& recorder() {
  static constinit std::atomic<Recorder*> one{nullptr};
  return base::made_once(one, [] { return std::make_unique<Recorder>(); });
}

int number_of_this_thread() {
  static std::atomic<int> n_threads{0};
  thread_local const int number = n_threads.fetch_add(1);
  return number;
}

}  // namespace

bool begin_profile() {
  const std::lock_guard lock(recorder().mutex);
  if (is_profiling.load()) return false;
  recorder().events.clear();
  recorder().start = Clock::now();
  is_profiling.store(true);
  return true;
}

std::vector<Event> end_profile() {
  is_profiling.store(false);
  const std::lock_guard lock(recorder().mutex);
  return std::exchange(recorder().events, {});
}

std::int64_t profile_time() {
  return std::chrono::nanoseconds(Clock::now() - recorder().start).count();
}

void Span::begin(Activity activity, std::string_view name) {
  event_.emplace();
  event_->activity = activity;
  event_->name = name;
  event_->thread = number_of_this_thread();
  event_->start = profile_time();
}

void Span::set_origin(std::string_view program, std::string_view operation, std::string_view file,
                      unsigned line) {
  event_->program = program;
  event_->operation = operation;
  event_->file = file;
  event_->line = line;
}

void Span::end() noexcept {
  event_->duration = profile_time() - event_->start;
  try {
    const std::lock_guard lock(recorder().mutex);
    recorder().events.push_back(std::move(*event_));
  } catch (const std::bad_alloc&) {  // the profile lacks an event
  }
}

}  // namespace fulgurite::runtime
