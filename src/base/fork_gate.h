// Compiling and fork(): only the forking thread exists in the child, and a lock that another thread held
// stays locked there for ever. So fork() waits until no thread compiles.
#pragma once

namespace fulgurite::base {

// A thread of the user's is about to trace, compile or load a program, until this object is gone. Waits while
// another thread forks. Throws DeviceError in a child that was forked in the middle of another thread's
// compilation, because fork() waits for some seconds only.
class CompilingSection {
 public:
  CompilingSection();
  ~CompilingSection();
  CompilingSection(const CompilingSection&) = delete;
  CompilingSection& operator=(const CompilingSection&) = delete;
};

bool is_compiling();

// A thread of ours works for one that is in a section: fork() on it, which a device's driver may call, does
// not wait for that section to end.
class PartOfSection {
 public:
  explicit PartOfSection(bool is_part);
  ~PartOfSection();
  PartOfSection(const PartOfSection&) = delete;
  PartOfSection& operator=(const PartOfSection&) = delete;

 private:
  const bool is_part_;
};

}  // namespace fulgurite::base
