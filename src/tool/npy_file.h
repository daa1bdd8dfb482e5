// A .npy file while it is read or written: its header is checked against its size before anything is
// allocated, and it is written beside its place and renamed.
#pragma once

#include <fulgurite/npy.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "tool/npy_header.h"

namespace fulgurite::tool {

/// A file's number, which it closes.
class FileNumber {
 public:
  explicit FileNumber(int number) : number_(number) {}
  ~FileNumber() { close(); }
  FileNumber(FileNumber&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileNumber& operator=(const FileNumber&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// False if what was written could not be kept.
  bool close();
  /// False where the file ends before, or cannot be read.
  bool read(void* to, std::size_t bytes, std::size_t from) const;
  bool write(const void* from, std::size_t bytes) const;

 private:
  int number_;
};

/// Messages of FormatError are clauses of which the file is the subject; who calls puts its name before them.
class NpyInput {
 public:
  /// Throws FormatError for a file that cannot be read, or whose header or size is wrong.
  explicit NpyInput(const std::string& path);

  const NpyHeader& header() const { return header_; }
  /// The bytes of the elements, and where they begin.
  std::size_t bytes() const { return bytes_; }
  std::size_t start() const { return start_; }
  /// Kind, shape and order.
  std::string text() const;

  /// All elements, row-major. Throws FormatError, OutOfMemory.
  std::shared_ptr<const void> read() const;

 private:
  void read_at(void* to, std::size_t bytes, std::size_t from) const;

  FileNumber file_;
  NpyHeader header_;
  std::size_t start_ = 0, bytes_ = 0;
};

/// Throws FormatError for a byte among a file's booleans that is neither 0 nor 1; `first` is the number of
/// the first of them.
void require_booleans(const void* data, std::size_t n, std::size_t first);

/// A new file that takes the place of one that may be there when all is written.
class NpyOutput {
 public:
  /// With its header, and room for as many bytes of elements. Throws FormatError.
  NpyOutput(const std::string& path, const std::string& header, std::size_t bytes);
  /// Removes what was not kept.
  ~NpyOutput();
  NpyOutput(const NpyOutput&) = delete;
  NpyOutput& operator=(const NpyOutput&) = delete;

  /// What is there and not a regular file (a terminal, /dev/null) is written to as it is.
  static bool is_in_place(const std::string& path);
  /// Where a file lies that has this path, which may be a link, while it is written.
  static std::string beside(const std::string& path, const std::string& suffix);

  /// The suffix of its name while it is written.
  const std::string& suffix() const { return suffix_; }
  /// Throws FormatError.
  void write(const void* elements, std::size_t bytes);
  void keep();

 private:
  [[noreturn]] void fail() const;

  std::string path_, name_, suffix_;
  bool is_new_ = false;
  FileNumber file_;
};

/// The FormatError's clause with the file's name before it.
FormatError named(const std::string& path, const FormatError& error);

detail::Kind public_kind(scalar::Kind kind);
scalar::Kind scalar_kind(detail::Kind kind);

}  // namespace fulgurite::tool
