// The statements of a kernel that is being recorded. Scalar code is traced, as a function of the array
// language is; statements of the trace become kernel statements as soon as they are made.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/build.h"
#include "trace/tracer.h"

namespace fulgurite::detail::block {

using scalar::Expr;
using scalar::Var;

class Statements {
 public:
  explicit Statements(const std::string& name) : tracer_(name), builder_(tracer_.arena(), {}) {}

  trace::Tracer& tracer() { return tracer_; }
  const kernel::Builder& builder() const { return builder_; }
  scalar::Arena& arena() { return tracer_.arena(); }

  /// Turns what was traced so far into kernel statements. Throws TraceError for a statement that makes an
  /// array of the array language.
  void flush(const Here&);
  /// The expression as a leaf, where statements are being made; what was traced before it comes first.
  Expr lower(const Value&, const Here&);
  std::vector<Expr> lower(std::span<const Value>, const Here&);
  /// The expressions of scalars, for statements that follow.
  std::vector<Expr> scalars(std::span<const Value>, const Here&);
  /// A name that the builder made, as a staged value of the innermost scope.
  Value given(Expr name);
  Values given(std::span<const Expr> names);

  /// Statements are of this line from here on.
  void at(const Here& where) { builder_ = builder_at(where); }
  /// Appends statements of this line.
  kernel::Builder builder_at(const Here& where);
  /// The lines that statements are of.
  const std::vector<kernel::Location>& lines() const { return lines_; }

  /// A scope of the trace whose statements become the kernel's as they are made.
  class Scope {
   public:
    Scope(Statements& statements, std::string origin, const Here& where)
        : statements_(statements),
          scope_(statements.tracer_, std::move(origin), where),
          outer_(std::exchange(statements.depth_, statements.tracer_.depth())) {}
    ~Scope() { statements_.depth_ = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Statements& statements_;
    trace::Scope scope_;
    std::size_t outer_;
  };
  /// Whether the innermost scope of the trace is one whose statements become the kernel's.
  bool is_making() const { return tracer_.depth() == depth_; }

 private:
  trace::Tracer tracer_;
  kernel::Builder builder_;
  std::size_t depth_ = 0;  // of the innermost Scope
  std::vector<kernel::Location> lines_;
};

}  // namespace fulgurite::detail::block
