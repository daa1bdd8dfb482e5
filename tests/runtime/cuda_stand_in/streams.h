// Streams, which run as late as they may: what is enqueued is done when somebody waits for it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "findings.h"

namespace fulgurite::runtime::test {

class Stream {
 public:
  Stream(int number, ContextId context) : number_(number), context_(context) {}

  int number() const { return number_; }
  ContextId context() const { return context_; }
  std::uint64_t n_enqueued() const { return n_enqueued_; }

  void enqueue(std::function<void()> step);
  // Does the first n steps that were ever enqueued, if they are not done yet.
  void run_until(std::uint64_t n);
  void run() { run_until(n_enqueued_); }

 private:
  const int number_;
  const ContextId context_;
  std::deque<std::function<void()>> waiting_;
  std::uint64_t n_enqueued_ = 0, n_done_ = 0;
};

// A null stream is the legacy one, which is always there; its number is 0.
Stream& stream_of(StreamId id);
void finish_everything();

}  // namespace fulgurite::runtime::test
