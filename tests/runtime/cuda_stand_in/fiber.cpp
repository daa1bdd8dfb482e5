#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <vector>

// Puts the registers that a function keeps on the stack, the stack's end into *from, and takes the others'
// from `to`.
extern "C" void fulgurite_switch_stacks(void** from, void* to);
#if defined(__x86_64__)
asm(R"(
.text
.type fulgurite_switch_stacks, @function
fulgurite_switch_stacks:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size fulgurite_switch_stacks, . - fulgurite_switch_stacks
)");
#elif defined(__aarch64__)
asm(R"(
.text
.type fulgurite_switch_stacks, @function
fulgurite_switch_stacks:
  stp x29, x30, [sp, -160]!
  stp x19, x20, [sp, 16]
  stp x21, x22, [sp, 32]
  stp x23, x24, [sp, 48]
  stp x25, x26, [sp, 64]
  stp x27, x28, [sp, 80]
  stp d8, d9, [sp, 96]
  stp d10, d11, [sp, 112]
  stp d12, d13, [sp, 128]
  stp d14, d15, [sp, 144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, 16]
  ldp x21, x22, [sp, 32]
  ldp x23, x24, [sp, 48]
  ldp x25, x26, [sp, 64]
  ldp x27, x28, [sp, 80]
  ldp d8, d9, [sp, 96]
  ldp d10, d11, [sp, 112]
  ldp d12, d13, [sp, 128]
  ldp d14, d15, [sp, 144]
  ldp x29, x30, [sp], 160
  ret
.size fulgurite_switch_stacks, . - fulgurite_switch_stacks
)");
#else
#error "write the switch of stacks for this processor"
#endif

namespace fulgurite::runtime::test {
namespace {

// What the switch finds on a stack that is new: registers of no value, `body` to return to, and, on x86-64, a
// return address of body's caller, as stacks are aligned to 16 ahead of it.
#if defined(__x86_64__)
constexpr std::size_t n_words = 8, place_of_body = 6;
#else
constexpr std::size_t n_words = 20, place_of_body = 1;
#endif

void* caller_at = nullptr;
void** running_at = nullptr;

// Kept for later launches.
std::vector<std::byte*>& free_stacks() {
  static auto& all = *new std::vector<std::byte*>;
  return all;
}

// A page in front of it is nobody's.
std::byte* take_stack() {
  if (!free_stacks().empty()) {
    std::byte* const stack = free_stacks().back();
    free_stacks().pop_back();
    return stack;
  }
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const mapped = mmap(nullptr, page + Fiber::stack_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  mprotect(mapped, page, PROT_NONE);
  return static_cast<std::byte*>(mapped) + page;
}

}  // namespace

Fiber::~Fiber() {
  if (stack_ != nullptr) free_stacks().push_back(stack_);
}

void Fiber::start(void (*body)()) {
  if (stack_ == nullptr) stack_ = take_stack();
  auto** const words = reinterpret_cast<void**>(stack_ + Fiber::stack_bytes) - n_words;
  std::fill_n(words, n_words, nullptr);
  words[place_of_body] = reinterpret_cast<void*>(body);
  at_ = words;
}

void Fiber::enter() {
  running_at = &at_;
  fulgurite_switch_stacks(&caller_at, at_);
}

void Fiber::leave() {
  fulgurite_switch_stacks(running_at, caller_at);
}

}  // namespace fulgurite::runtime::test
