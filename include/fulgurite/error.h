// What Fulgurite throws. Every error is an fg::Error that knows its kind, what to do about it, and the line
// of the user's program that caused it. what() reads like a compiler's message:
//   saxpy.cpp:7: fulgurite::ShapeError: elementwise '+' needs equal shapes: left is f32[1000], right is
//   f32[999]
#pragma once

#include <fulgurite/abi.h>

#include <source_location>
#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)

namespace fulgurite {

/// A line of the user's program; `line` is 0 where none is to blame.
struct Where {
  std::string file;
  unsigned line = 0;

  Where() = default;
  Where(std::string file_, unsigned line_) : file(static_cast<std::string&&>(file_)), line(line_) {}
  Where(const std::source_location& at) : file(at.file_name()), line(at.line()) {}
};

/// What every exception of Fulgurite is: a sentence that says what to do, and the line of the user's program.
/// what() is "file:line: kind: message".
class [[gnu::visibility("default")]] Error : public std::runtime_error {
 public:
  const std::string& kind() const noexcept { return kind_; }        // "ShapeError"
  const std::string& message() const noexcept { return message_; }  // what() without kind and place
  const std::string& file() const noexcept {
    return where_.file;
  }  // as the compiler was given it; may be empty
  unsigned line() const noexcept { return where_.line; }

 protected:
  Error(const char* kind, const std::string& message, const Where& where);

 private:
  std::string kind_, message_;
  Where where_;
};

// Shapes that do not fit together, negative or absurd sizes, a zero stride.
struct [[gnu::visibility("default")]] ShapeError : Error {
  explicit ShapeError(const std::string& message, const Where& where = {})
      : Error("ShapeError", message, where) {}
};

// A dynamic index outside its array.
struct [[gnu::visibility("default")]] IndexError : Error {
  explicit IndexError(const std::string& message, const Where& where = {})
      : Error("IndexError", message, where) {}
};

// An integer divided by zero.
struct [[gnu::visibility("default")]] ArithmeticError : Error {
  explicit ArithmeticError(const std::string& message, const Where& where = {})
      : Error("ArithmeticError", message, where) {}
};

// Misuse while a program is traced: a staged value outside its scope, a value of another trace.
struct [[gnu::visibility("default")]] TraceError : Error {
  explicit TraceError(const std::string& message, const Where& where = {})
      : Error("TraceError", message, where) {}
};

// A file or text that is not what it should be: .npy files, programs in text form, command lines.
struct [[gnu::visibility("default")]] FormatError : Error {
  explicit FormatError(const std::string& message, const Where& where = {})
      : Error("FormatError", message, where) {}
};

// An engine or device that is missing, refuses, or failed.
struct [[gnu::visibility("default")]] DeviceError : Error {
  explicit DeviceError(const std::string& message, const Where& where = {})
      : Error("DeviceError", message, where) {}
};

// No memory of the needed size, after the pool was emptied.
struct [[gnu::visibility("default")]] OutOfMemory : Error {
  explicit OutOfMemory(const std::string& message, const Where& where = {})
      : Error("OutOfMemory", message, where) {}
};

// An engine's compiler cannot be loaded or refuses a kernel.
struct [[gnu::visibility("default")]] CompileError : Error {
  explicit CompileError(const std::string& message, const Where& where = {})
      : Error("CompileError", message, where) {}
};

// A kernel that is wrong: a data race, an index out of range, a barrier that not all reach.
struct [[gnu::visibility("default")]] KernelError : Error {
  explicit KernelError(const std::string& message, const Where& where = {})
      : Error("KernelError", message, where) {}
};

// A bug in Fulgurite; file() and line() are its own.
struct [[gnu::visibility("default")]] InternalError : Error {
  explicit InternalError(const std::string& message, const Where& where = {})
      : Error("InternalError", message, where) {}
};

}  // namespace fulgurite

#pragma GCC visibility pop
