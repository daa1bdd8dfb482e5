// The prelude is kept in sections (their rules: prelude/cpu/types.c), one for each function or for some that
// differ in their kinds only. Of a language's sections those whose functions a kernel names are printed, with
// what these need, and no others: every line costs compile time.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace fulgurite::emit {

enum class LanesInNames : bool { no, yes };  // fg_exp_f32, fg_exp_f32_x16

class PreludeLibrary {
 public:
  struct Content;

  /// The sections of all files whose names begin with one of these.
  PreludeLibrary(std::initializer_list<std::string_view> folders, LanesInNames);
  ~PreludeLibrary();

  /// Throws InternalError for a function that no section defines.
  std::string needed_by(std::string_view kernel_text) const;

 private:
  std::unique_ptr<Content> content_;
};

}  // namespace fulgurite::emit
