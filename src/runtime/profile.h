// What a process spends its time on, event by event, while a profile is being made; at other times an event
// costs a load and a branch.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fulgurite::runtime {

// tasks: of a kernel, by one thread of the CPU.
enum class Activity : std::uint8_t { tracing, pass, compilation, transfer, kernel, tasks, message };

/// Between this rank of a job and another one, in one exchange.
struct PeerBytes {
  int rank;
  std::uint64_t sent, received;
};

struct Event {
  Activity activity;
  std::string name;
  std::int64_t start = 0, duration = 0;             // nanoseconds, from the beginning of the profile
  int thread = 0;                                   // numbered from 0 in the order of their first events
  std::uint64_t bytes_read = 0, bytes_written = 0;  // by kernels, as their plans count; by transfers
  std::string program = {}, operation = {};         // of a kernel: what it is of
  std::string file = {};                            // and where the user wrote that
  unsigned line = 0;
  std::vector<PeerBytes> peers = {};  // of an exchange
};

// False, and nothing begins, while there is one.
bool begin_profile();
std::vector<Event> end_profile();
// Nanoseconds from the beginning of the profile.
std::int64_t profile_time();

inline std::atomic<bool> is_profiling{false};

// Something that lasts as long as this does; what the numbers are, Event says.
class Span {
 public:
  Span(Activity activity, std::string_view name, std::uint64_t bytes_read = 0,
       std::uint64_t bytes_written = 0) {
    if (!is_profiling.load(std::memory_order_relaxed)) return;
    begin(activity, name);
    event_->bytes_read = bytes_read;
    event_->bytes_written = bytes_written;
  }
  ~Span() {
    if (event_) end();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  bool is_on() const { return event_.has_value(); }
  // Says what the kernel is of; only while it is on.
  void set_origin(std::string_view program, std::string_view operation, std::string_view file, unsigned line);
  void add_peer(const PeerBytes& peer) {
    if (event_) event_->peers.push_back(peer);
  }

 private:
  void begin(Activity activity, std::string_view name);
  void end() noexcept;

  std::optional<Event> event_;
};

}  // namespace fulgurite::runtime
