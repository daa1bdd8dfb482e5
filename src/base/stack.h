// Recursion over programs needs a stack that a thread of the user's may not have.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>

namespace fulgurite::base {

// What the passes and the compiler of kernels may need.
inline constexpr std::size_t deep_stack = std::size_t{4} << 20;

// Calls `work`: here if the calling thread has this many bytes of stack left, else on another thread, which
// is waited for. What `work` throws is thrown here. Where the system gives no other thread, a quarter of the
// bytes is enough; throws OutOfMemory where this thread has less.
void call_with_stack(std::size_t bytes, const std::function<void()>& work);

// Calls work that has a result in this way, and returns the result.
template <class Work>
auto with_stack(std::size_t bytes, Work&& work) -> std::invoke_result_t<Work&> {
  std::optional<std::invoke_result_t<Work&>> result;
  call_with_stack(bytes, [&] { result.emplace(work()); });
  return std::move(*result);
}

}  // namespace fulgurite::base
