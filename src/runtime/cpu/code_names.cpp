#include "runtime/cpu/code_names.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <iterator>
#include <mutex>
#include <utility>

extern "C" {

// GDB's interface for just-in-time compilers (Debugging with GDB, chapter 30): names and layouts are its.
struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};
struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action_flag;  // 1: relevant_entry is new; 2: it goes
  jit_code_entry *relevant_entry, *first_entry;
};

// A debugger stops the process here and reads the descriptor.
[[gnu::noinline, gnu::visibility("protected")]] void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}
[[gnu::visibility("protected")]] jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};

}  // extern "C"

namespace fulgurite::runtime::cpu {

void tell_perf(std::span<const CodeRange> functions, std::string_view label) {
  std::string lines;
  for (const CodeRange& f : functions)
    fmt::format_to(std::back_inserter(lines), "{:x} {:x} {}{}{}\n", reinterpret_cast<std::uintptr_t>(f.begin),
                   f.size, f.function, label.empty() ? "" : " of ", label);
  // One write each time, so that threads' lines do not mix. perf wants the file to be the process owner's.
  const std::string path = fmt::format("/tmp/perf-{}.map", getpid());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  [[maybe_unused]] const ssize_t written = ::write(file, lines.data(), lines.size());
  ::close(file);
}

struct DebuggedObject::Entry : jit_code_entry {};

namespace {

constinit std::mutex list_of_debuggers;

void tell_debuggers(std::uint32_t action, jit_code_entry* entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = entry;
  __jit_debug_register_code();
}

}  // namespace

DebuggedObject::DebuggedObject(std::string object) : object_(std::move(object)), entry_(new Entry) {
  const std::lock_guard lock(list_of_debuggers);
  jit_code_entry* const first = __jit_debug_descriptor.first_entry;
  static_cast<jit_code_entry&>(*entry_) = {first, nullptr, object_.data(), object_.size()};
  if (first != nullptr) first->prev_entry = entry_;
  __jit_debug_descriptor.first_entry = entry_;
  tell_debuggers(1, entry_);
}

DebuggedObject::~DebuggedObject() {
  const std::lock_guard lock(list_of_debuggers);
  jit_code_entry *const next = entry_->next_entry, *const previous = entry_->prev_entry;
  (previous != nullptr ? previous->next_entry : __jit_debug_descriptor.first_entry) = next;
  if (next != nullptr) next->prev_entry = previous;
  tell_debuggers(2, entry_);
  delete entry_;
}

}  // namespace fulgurite::runtime::cpu
