// What a generator of public programs works with: numbers from which it decides, the staged values in scope,
// and the program's text as C++. The values are those of the boundary between the public templates and the
// tracer (staged.h), which lets a generator choose kinds and ranks at run time.
#pragma once

#include <fulgurite/fulgurite.h>
#include <fulgurite/kernel.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scalar/value.h"

namespace fulgurite::programs {

using detail::Body, detail::Here, detail::Kind, detail::Value, detail::Values;
using Kinds = std::vector<Kind>;

/// A number of RC_PARAMS, which `./dev fuzz` and the tests' configuration set for all properties.
inline std::uint64_t parameter(const std::string& name, std::uint64_t otherwise) {
  const char* all = std::getenv("RC_PARAMS");
  if (all == nullptr) return otherwise;
  const std::string text = all;
  const std::size_t at = text.find(name + "=");
  return at == text.npos ? otherwise : std::stoull(text.substr(at + name.size() + 1));
}

/// The source of all decisions: a list of numbers for the program's frame and one for each of its
/// statements, so that a statement can go without changing what the others decide.
using Numbers = std::vector<std::vector<std::uint8_t>>;

/// The size of an axis. Equal ids are sizes that are meant to be equal; an array made within `level` nested
/// functions may have another size at every element of these.
struct Extent {
  int id = 0;
  Value value;
  std::string text;
  int level = 0;
};
struct Array {
  std::string name;
  Kinds kinds;
  std::vector<Extent> shape;
  Values parts;

  std::size_t rank() const { return shape.size(); }
  bool is_like(const Array& other) const {
    return std::ranges::equal(shape, other.shape, {}, &Extent::id, &Extent::id);
  }
};
struct Scalar {
  std::string text;
  Value value;

  Kind kind() const { return value.kind; }
};
/// An index variable, below an extent.
struct Index_ {
  Scalar scalar;
  int extent;
};

inline bool is_float(Kind kind) {
  return kind == Kind::f32 || kind == Kind::f64;
}
inline bool is_integer(Kind kind) {
  return kind != Kind::boolean && !is_float(kind);
}
inline const char* name_of(Kind kind) {
  static constexpr const char* names[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                          "u16",  "u32", "u64", "f32", "f64"};
  return names[static_cast<std::size_t>(kind)];
}
inline std::string type_text(const Kinds& kinds) {
  if (kinds.size() == 1) return name_of(kinds[0]);
  std::string text = "std::tuple<";
  for (std::size_t i = 0; i < kinds.size(); ++i) text += (i > 0 ? ", " : "") + std::string(name_of(kinds[i]));
  return text + ">";
}
inline Value literal(Kind kind, std::int64_t value) {
  const auto to = static_cast<scalar::Kind>(kind);
  return {nullptr,
          scalar::evaluate(scalar::Op::cast, scalar::Kind::i64, to, static_cast<scalar::Bits>(value)), kind,
          0};
}
inline Scalar constant(Kind kind, std::int64_t value) {
  return {(kind == Kind::boolean ? (value != 0 ? "true" : "false")
                                 : name_of(kind) + ("(" + std::to_string(value) + ")")),
          literal(kind, value)};
}

class Draw {
 public:
  explicit Draw(Numbers numbers) : numbers_(std::move(numbers)) {}

  // Decisions.

  /// The following decisions are those of a statement of the program, or of its frame: 0.
  void enter(std::size_t statement) { statement_ = statement, next_ = 0; }
  std::size_t n_statements() const { return numbers_.empty() ? 0 : numbers_.size() - 1; }
  /// 0 .. n - 1; 0 when the numbers are used up.
  std::size_t below(std::size_t n) {
    if (n == 0 || is_exhausted()) return 0;
    return numbers_[statement_][next_++] % n;
  }
  bool one_in(std::size_t n) { return below(n) == n - 1; }
  bool is_exhausted() const { return statement_ >= numbers_.size() || next_ >= numbers_[statement_].size(); }

  // The program's text.

  void line(const std::string& text) { text_ += std::string(2 * indent_, ' ') + text + "\n"; }
  void indent() { ++indent_; }
  void outdent() { --indent_; }
  const std::string& text() const { return text_; }
  std::string fresh(const char* stem) { return stem + std::to_string(n_names_++); }

  // Scope.

  std::vector<Array> arrays;
  std::vector<Scalar> scalars;
  std::vector<Index_> indices;
  int level = 0;          // of functions of elements
  int depth = 0;          // of all functions
  bool is_large = false;  // arguments of many elements: no loops within loops
  bool is_safe = false;   // expressions cannot fail
  int budget = 40;        // statements that may still be drawn

  Extent extent(const Value& value, std::string text) {
    return {n_extents_++, value, std::move(text), level};
  }
  /// The extents of an array, none of them known to equal another.
  std::vector<Extent> fresh_shape(const std::string& name, const Value& part) {
    std::vector<Extent> shape;
    for (int k = 0; k < part.rank; ++k)
      shape.push_back(
          extent(detail::extent(part, k, Here::current()), name + ".size(" + std::to_string(k) + ")"));
    return shape;
  }
  const Array& add(std::string name, Kinds kinds, std::vector<Extent> shape, Values parts) {
    arrays.push_back({std::move(name), std::move(kinds), std::move(shape), std::move(parts)});
    return arrays.back();
  }
  const Array& add_fresh(const std::string& name, Kinds kinds, Values parts) {
    auto shape = fresh_shape(name, parts[0]);
    return add(name, std::move(kinds), std::move(shape), std::move(parts));
  }
  void add_scalars(const std::string& name, const Kinds& kinds, const Values& parts) {
    for (std::size_t i = 0; i < kinds.size(); ++i)
      scalars.push_back(
          {kinds.size() == 1 ? name : "fg::get<" + std::to_string(i) + ">(" + name + ")", parts[i]});
  }

  /// An array that fits, mostly one that was made recently; null if there is none.
  template <class F>
  const Array* pick(F&& fits) {
    std::vector<const Array*> all;
    for (auto at = arrays.rbegin(); at != arrays.rend(); ++at)
      if (fits(*at)) all.push_back(&*at);
    if (all.empty()) return nullptr;
    return all[below(one_in(3) ? all.size() : std::min<std::size_t>(all.size(), 3))];
  }
  const Array* pick() {
    return pick([](const Array&) { return true; });
  }
  const Array* pick_rank(std::size_t rank) {
    return pick([=](const Array& a) { return a.rank() == rank; });
  }

  /// f, which the tracer may call several times, with the same decisions, names and scope every time.
  template <class F>
  auto repeatable(F f) {
    return [this, f, next = next_, length = text_.size(), names = n_names_, extents = n_extents_,
            budget_before = budget, indent_before = indent_](std::span<const Value> arguments) -> Values {
      next_ = next, n_names_ = names, n_extents_ = extents, budget = budget_before, indent_ = indent_before;
      text_.resize(length);
      const std::size_t n_arrays = arrays.size(), n_scalars = scalars.size(), n_indices = indices.size();
      ++depth;
      indent();
      Values results = f(arguments);
      outdent();
      --depth;
      arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>(n_arrays), arrays.end());
      scalars.erase(scalars.begin() + static_cast<std::ptrdiff_t>(n_scalars), scalars.end());
      indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(n_indices), indices.end());
      return results;
    };
  }

 private:
  Numbers numbers_;
  std::size_t statement_ = 0, next_ = 0;
  std::string text_;
  std::size_t indent_ = 1;
  int n_names_ = 0, n_extents_ = 0;
};

/// So many values in braces or between commas.
inline std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

}  // namespace fulgurite::programs
