// A bundle that has been opened: mapped, its index checked, its programs known; blobs are checked when they
// are first asked for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/word_reader.h"
#include "bundled/contents.h"

namespace fulgurite::bundled {

/// Throws FormatError wherever the file is not what it should be.
class File {
 public:
  struct StoredKernel {
    plan::KernelText text;  // without a source
    std::uint32_t blob;
  };
  struct StoredTarget {
    TargetEngine engine;
    std::string architecture;
    base::WordReader rest;
  };
  struct StoredCapture {
    ValueType type;
    std::vector<std::int64_t> extents;
    std::uint32_t blob;
  };
  struct StoredProgram {
    std::string name;
    base::Digest key;
    bool is_strict, is_unchecked;
    std::vector<ValueType> params, results;
    std::vector<StoredCapture> captures;
    std::vector<plan::SiteText> sites;
    std::uint32_t text;
    std::vector<StoredTarget> targets;
  };
  struct StoredPlan {
    plan::Plan plan;  // whose kernels lack sources
    std::vector<std::uint32_t> codes;
  };

  explicit File(std::string path);
  /// Bytes that outlive it.
  File(std::string name, std::string_view bytes);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<StoredProgram>& programs() const { return programs_; }
  StoredPlan plan(const StoredProgram&, const StoredTarget&) const;
  /// `what` is said of it if it is damaged: "the code of kernel 'x'".
  std::string_view blob(std::uint32_t number, const std::string& what) const;

 private:
  struct Blob {
    std::uint64_t offset, size;
    base::Digest digest;
  };

  [[noreturn]] void refuse(const std::string& why) const;
  void read();
  void read_blobs(base::WordReader);
  StoredProgram read_program(base::WordReader) const;
  std::vector<ValueType> read_types(base::WordReader) const;
  ValueType read_type(base::WordReader&) const;
  std::uint32_t blob_number(base::WordReader&) const;
  StoredKernel read_kernel(base::WordReader&) const;

  const std::string path_;
  std::string_view bytes_;
  bool is_mapped_ = false;
  std::vector<Blob> blobs_;
  std::vector<StoredProgram> programs_;
};

}  // namespace fulgurite::bundled
