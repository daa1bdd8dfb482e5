#include "runtime/stats.h"

namespace fulgurite {

namespace runtime {
constinit Counters counters;
}  // namespace runtime

Stats stats() {
  const runtime::Counters& c = runtime::counters;
  return {.launches = c.launches.get(),
          .device_launches = c.device_launches.get(),
          .waits = c.waits.get(),
          .compilations = c.compilations.get(),
          .memory_hits = c.memory_hits.get(),
          .disk_hits = c.disk_hits.get(),
          .misses = c.misses.get(),
          .program_hits = c.program_hits.get(),
          .traces = c.traces.get(),
          .retraces = c.retraces.get(),
          .bytes_allocated = c.bytes_allocated.get(),
          .bytes_copied = c.bytes_copied.get(),
          .bytes_moved = c.bytes_moved.get(),
          .pool_reuses = c.pool_reuses.get()};
}

void reset_stats() {
  runtime::Counters& c = runtime::counters;
  for (runtime::Counter* counter :
       {&c.launches, &c.device_launches, &c.waits, &c.compilations, &c.memory_hits, &c.disk_hits, &c.misses,
        &c.program_hits, &c.traces, &c.retraces, &c.bytes_allocated, &c.bytes_copied, &c.bytes_moved,
        &c.pool_reuses})
    counter->reset();
}

}  // namespace fulgurite
