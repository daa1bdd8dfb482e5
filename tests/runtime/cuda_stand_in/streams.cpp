#include "streams.h"

#include <fmt/format.h>

#include <cstring>
#include <random>
#include <utility>

#include "memory.h"

namespace fulgurite::runtime::test {
namespace {

std::vector<Stream*>& streams() {
  static auto& all = *new std::vector<Stream*>;
  return all;
}
Stream& legacy_stream() {
  static Stream& one = *new Stream(0, nullptr);
  return one;
}

struct Event {
  Stream* stream = nullptr;  // of its last record
  std::uint64_t number = 0;
};
Event& event_of(EventId id) {
  return *reinterpret_cast<Event*>(id);
}

// With a seed, any stream may go on at any time.
void perhaps_run_some() {
  static std::minstd_rand random;
  static std::uint64_t seed = 0;
  if (machine().seed == 0) return;
  if (std::exchange(seed, machine().seed) != machine().seed)
    random.seed(static_cast<std::minstd_rand::result_type>(machine().seed));
  if (streams().empty() || random() % 3 != 0) return;
  Stream& stream = *streams()[random() % streams().size()];
  stream.run_until(random() % 2 == 0 ? stream.n_enqueued() : stream.n_enqueued() - 1);
}

// Uploads that a mutant does too late: once all is done that somebody waits for.
std::vector<std::function<void()>>& late_uploads() {
  static auto& steps = *new std::vector<std::function<void()>>;
  return steps;
}
int n_waiting = 0;  // calls of run_until

enum class Side { host, device };

// A copy of memory that the device or the host may not reach is found when it is asked for.
bool may_copy(const std::string& what, Address device, Side other_side, const void* other,
              std::size_t bytes) {
  const auto at = reinterpret_cast<Address>(other);
  if (!is_device_memory(device, bytes)) {
    report({status::illegal_address, fmt::format("{} of {}", what, described(device, bytes))});
  } else if (other_side == Side::device && !is_device_memory(at, bytes)) {
    report({status::illegal_address, fmt::format("{} of {}", what, described(at, bytes))});
  } else if (other_side == Side::host && !is_pinned(other, bytes)) {
    report({status::invalid_value,
            fmt::format("{} of {} bytes of the host's that cuMemHostAlloc did not give", what, bytes)});
  } else {
    return true;
  }
  return false;
}

}  // namespace

void Stream::enqueue(std::function<void()> step) {
  waiting_.push_back(std::move(step));
  ++n_enqueued_;
  perhaps_run_some();
}

void Stream::run_until(std::uint64_t n) {
  ++n_waiting;
  while (n_done_ < n && !waiting_.empty()) {
    const auto step = std::move(waiting_.front());
    waiting_.pop_front();
    ++n_done_;
    step();
  }
  if (--n_waiting == 0)
    for (const auto& upload : std::exchange(late_uploads(), {})) upload();
}

Stream& stream_of(StreamId id) {
  return id == nullptr || id == value::stream_legacy ? legacy_stream() : *reinterpret_cast<Stream*>(id);
}

void finish_everything() {
  legacy_stream().run();
  for (Stream* stream : streams()) stream->run();
}

}  // namespace fulgurite::runtime::test

using namespace fulgurite::runtime::test;

EXPORTED Status cuStreamCreate(StreamId* id, std::uint32_t) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuStreamCreate")) return *code;
  auto* const stream = new Stream(static_cast<int>(streams().size()) + 1, contexts_here().back());
  streams().push_back(stream);
  return make(id, stream);
}
EXPORTED Status cuStreamDestroy_v2(StreamId id) {
  const Lock lock(machine().mutex);
  finish_everything();
  std::erase(streams(), &stream_of(id));
  delete &stream_of(id);
  --machine().n_objects;
  return 0;
}
EXPORTED Status cuStreamGetCtx(StreamId id, ContextId* context) {
  const Lock lock(machine().mutex);
  *context = stream_of(id).context();
  return 0;
}
EXPORTED Status cuStreamSynchronize(StreamId id) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuStreamSynchronize")) return *code;
  stream_of(id).run();
  return take_finding();
}
EXPORTED Status cuStreamWaitEvent(StreamId id, EventId event, std::uint32_t) {
  const Lock lock(machine().mutex);
  Stream* const other = event_of(event).stream;
  const std::uint64_t number = event_of(event).number;
  note(fmt::format("stream {} waits for {}", stream_of(id).number(), other == nullptr ? 0 : other->number()));
  if (other != nullptr && machine().mutant != CudaMutant::dropped_waits)
    stream_of(id).enqueue([other, number] { other->run_until(number); });
  return 0;
}
EXPORTED Status cuEventCreate(EventId* id, std::uint32_t) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuEventCreate")) return *code;
  return make(id, new Event);
}
EXPORTED Status cuEventDestroy_v2(EventId id) {
  const Lock lock(machine().mutex);
  delete &event_of(id);
  --machine().n_objects;
  return 0;
}
EXPORTED Status cuEventRecord(EventId id, StreamId stream) {
  const Lock lock(machine().mutex);
  event_of(id) = {&stream_of(stream), stream_of(stream).n_enqueued()};
  return 0;
}
EXPORTED Status cuEventSynchronize(EventId id) {
  const Lock lock(machine().mutex);
  const Event event = event_of(id);
  if (event.stream != nullptr) event.stream->run_until(event.number);
  return take_finding();
}

EXPORTED Status cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, StreamId id) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuMemcpyHtoDAsync")) return *code;
  Stream& stream = stream_of(id);
  note(fmt::format("upload {} on {}", bytes, stream.number()));
  if (!may_copy("an upload", to, Side::host, from, bytes)) return take_finding();
  const auto copy = [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); };
  if (machine().mutant == CudaMutant::late_uploads)
    stream.enqueue([copy] { late_uploads().push_back(copy); });
  else
    stream.enqueue(copy);
  return 0;
}
EXPORTED Status cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, StreamId id) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuMemcpyDtoHAsync")) return *code;
  Stream& stream = stream_of(id);
  note(fmt::format("download {} on {}", bytes, stream.number()));
  if (!may_copy("a download", from, Side::host, to, bytes)) return take_finding();
  stream.enqueue([=] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); });
  return 0;
}
EXPORTED Status cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, StreamId id) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuMemcpyDtoDAsync")) return *code;
  Stream& stream = stream_of(id);
  note(fmt::format("copy {} on {}", bytes, stream.number()));
  if (!may_copy("a copy", to, Side::device, reinterpret_cast<const void*>(from), bytes))
    return take_finding();
  stream.enqueue(
      [=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes); });
  return 0;
}
EXPORTED Status cuMemsetD8Async(Address to, unsigned char byte, std::size_t bytes, StreamId id) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuMemsetD8Async")) return *code;
  if (!may_copy("a fill", to, Side::device, reinterpret_cast<const void*>(to), bytes)) return take_finding();
  stream_of(id).enqueue([=] { std::memset(reinterpret_cast<void*>(to), byte, bytes); });
  return 0;
}
