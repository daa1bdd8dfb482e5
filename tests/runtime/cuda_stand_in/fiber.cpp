#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <vector>

#ifndef __x86_64__
#error "write the switch of stacks for this processor"
#endif

// Puts the registers that a function keeps on the stack, the stack's end into *from, and takes the others'
// from `to`.
extern "C" void fulgurite_switch_stacks(void** from, void* to);
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

namespace fulgurite::runtime::test {
namespace {

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
  auto** top = reinterpret_cast<void**>(stack_ + Fiber::stack_bytes);
  *--top = nullptr;  // a return address, as of a caller: stacks are aligned to 16 ahead of it
  *--top = reinterpret_cast<void*>(body);
  for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
  at_ = top;
}

void Fiber::enter() {
  running_at = &at_;
  fulgurite_switch_stacks(&caller_at, at_);
}

void Fiber::leave() {
  fulgurite_switch_stacks(running_at, caller_at);
}

}  // namespace fulgurite::runtime::test
