// The arguments of a kernel that is being recorded: the parameters that they are, and what the kernel's
// function gets of them.
#pragma once

#include <unordered_set>

#include "block/recorder.h"

namespace fulgurite::detail::block {

class Inputs {
 public:
  /// Makes parameters for the inputs of the kernel.
  explicit Inputs(Recorder&);

  struct Given {
    const Input& input;
    std::vector<Expr> components;    // arrays, or scalars
    std::vector<Expr> extents = {};  // of an array: its elements, or the rows and columns of a matrix
    Expr size = {};                  // of an array
  };
  const std::vector<Given>& given() const { return given_; }
  const Given& operator[](int number) const { return given_[static_cast<std::size_t>(number)]; }

  /// What the kernel's function gets. The arguments refer to this, which must outlive them.
  std::vector<Argument> for_function() const;

  /// The kernel's parameters without the number of blocks, but with its results' parameters.
  std::vector<kernel::Param> params(std::span<const kernel::Param> results) const;

  /// Throws TraceError, which calls the expression `what`, unless it is of scalars and sizes alone.
  void require_known(Expr, const char* what) const;

 private:
  Expr known(scalar::Kind, std::string name);
  void be_written(const Given&, Argument&) const;
  Values element(const Given&, const Value& index) const;

  Recorder& recorder_;
  Statements& code_;
  std::vector<Given> given_;
  std::unordered_set<scalar::Var> known_;  // to the host before the launch
};

}  // namespace fulgurite::detail::block
