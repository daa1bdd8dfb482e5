#include "runtime/build_all.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "base/fork_gate.h"
#include "runtime/profile.h"

namespace fulgurite::runtime {

std::vector<std::shared_ptr<const Kernel>> build_all(Device& device, std::span<const KernelSource> sources,
                                                     int n_threads) {
  std::vector<std::shared_ptr<const Kernel>> kernels(sources.size());
  std::vector<std::exception_ptr> failures(sources.size());
  std::atomic<std::size_t> next{0};
  const bool is_compiling = base::is_compiling();
  const auto work = [&] {
    const base::PartOfSection part(is_compiling);
    for (std::size_t i; (i = next++) < sources.size();) try {
        const Span span(Activity::compilation, sources[i].name);
        kernels[i] = device.build(sources[i]);
      } catch (...) {
        failures[i] = std::current_exception();
      }
  };
  std::vector<std::thread> threads;
  const std::size_t wanted = std::min(sources.size(), static_cast<std::size_t>(n_threads));
  threads.reserve(wanted);
  try {
    while (threads.size() + 1 < wanted) threads.emplace_back(work);
  } catch (const std::exception&) {  // no memory or no more threads: the existing ones do it
  }
  work();
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return kernels;
}

}  // namespace fulgurite::runtime
