// What a bundle (format.h) holds, as it is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "bundled/format.h"
#include "plan/execute.h"

namespace fulgurite::bundled {

struct ValueType {
  scalar::Kind kind;
  std::int32_t rank;  // 0: a scalar
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

struct Target {
  TargetEngine engine;
  std::string architecture;
  plan::Plan plan;                 // whose kernels' sources are not written
  std::vector<std::string> codes;  // of its kernels
};

struct CapturedArray {
  ValueType type;
  std::vector<std::int64_t> extents;
  std::string bytes;
};

struct Program {
  std::string name;
  base::Digest key;  // equal where a traced program and the options for it are
  bool is_strict = false, is_unchecked = false;
  std::vector<ValueType> params, results;  // params: without the captured arrays
  std::vector<CapturedArray> captures;     // the last parameters of plans
  std::vector<plan::SiteText> sites;
  std::string text;  // of the traced program
  std::vector<Target> targets;
};

/// The file's bytes. Equal blobs are written once; equal programs give equal bytes.
std::string file_of(const std::vector<Program>&);

}  // namespace fulgurite::bundled
