#include "base/stack.h"

#include <fmt/format.h>
#include <fulgurite/error.h>
#include <pthread.h>

#include <cstdint>
#include <cstring>
#include <exception>

#include "base/fork_gate.h"

namespace fulgurite::base {
namespace {

// A thread's stack; empty if the system does not know it.
struct Stack {
  std::uintptr_t lowest = 0;
  std::size_t size = 0;
};

Stack stack_of_this_thread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* lowest = nullptr;
  std::size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  return known ? Stack{reinterpret_cast<std::uintptr_t>(lowest), size} : Stack{};
}

// From here to the end of the calling thread's stack; 0 if this is another stack, a coroutine's perhaps.
std::size_t stack_left() {
  static thread_local const Stack stack = stack_of_this_thread();  // the system takes long to say it
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here > stack.lowest && here - stack.lowest <= stack.size ? here - stack.lowest : 0;
}

struct Call {
  const std::function<void()>& work;
  const bool is_compiling;
  std::exception_ptr failure;
};

void* run(void* argument) {
  Call& call = *static_cast<Call*>(argument);
  const PartOfSection part(call.is_compiling);
  try {
    call.work();
  } catch (...) {
    call.failure = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void call_with_stack(std::size_t bytes, const std::function<void()>& work) {
  if (stack_left() >= bytes) return work();
  Call call{work, is_compiling(), nullptr};
  pthread_attr_t attributes;
  pthread_t thread{};
  int error = pthread_attr_init(&attributes);
  if (error == 0) {
    // The thread's own frames and the C library's share the stack with the work.
    pthread_attr_setstacksize(&attributes, bytes + (std::size_t{256} << 10));
    error = pthread_create(&thread, &attributes, &run, &call);
    pthread_attr_destroy(&attributes);
  }
  // Most programs need far less, and nothing could be compiled where a user may start no thread.
  if (error != 0 && stack_left() >= bytes / 4) return work();
  if (error != 0)
    throw OutOfMemory(fmt::format(
        "compiling needs {} KiB of stack, of which this thread has {} KiB left, and the system gives "
        "no thread that has them ({}): compile on a thread with a larger stack, or free memory",
        bytes >> 10, stack_left() >> 10, std::strerror(error)));
  pthread_join(thread, nullptr);
  if (call.failure) std::rethrow_exception(call.failure);
}

}  // namespace fulgurite::base
