#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <utility>

namespace fulgurite::base {
namespace {

// Where texts go, and where they went before. None is freed, as another thread may be inside of it; without a
// lock, which a child that is forked meanwhile would find locked.
struct Wanted {
  Log to;
  const Wanted* before;
};

constinit std::atomic<const Wanted*> wanted{nullptr};

}  // namespace

void log(std::string_view text) noexcept {
  try {
    const Wanted* const now = wanted.load(std::memory_order_acquire);
    if (now != nullptr && now->to) return now->to(text.substr(0, text.find_last_not_of('\n') + 1));
    std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  } catch (...) {  // the text is lost
  }
}

Log log_to(Log to) {
  auto* const now = new Wanted{std::move(to), wanted.load(std::memory_order_acquire)};
  while (!wanted.compare_exchange_weak(now->before, now, std::memory_order_acq_rel)) {
  }
  return now->before != nullptr ? now->before->to : Log();
}

}  // namespace fulgurite::base
