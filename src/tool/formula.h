// Numbers of bytes as formulas in sizes: polynomials whose variables are names of extents, or whole
// expressions such as max(n, 1) that are no polynomials. In: i64 expressions of a program. Out: text, "8n +
// 4n*m".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scalar/print.h"
#include "soac/ir.h"

namespace fulgurite::tool {

class Formula {
 public:
  Formula() = default;
  Formula(std::int64_t constant);
  /// `share`: its value where every size is large, as a part of such a size.
  static Formula variable(std::string name, double share = 1);

  friend Formula operator+(Formula a, const Formula& b);
  friend Formula operator-(Formula a, const Formula& b);
  friend Formula operator*(const Formula& a, const Formula& b);
  friend bool operator==(const Formula&, const Formula&) = default;

  /// Every size being `size`.
  double at(double size) const;
  /// With the sizes of these names; nothing if it has others.
  std::optional<double> with(const std::map<std::string, double>& sizes) const;
  std::string text() const;

 private:
  // The sorted variables of each product, and its coefficient, which is not 0.
  std::map<std::vector<std::string>, std::int64_t> terms_;
  std::map<std::string, double> shares_;  // of variables; others are sizes
};

/// What sizes are called: extents that the program's checks force to be equal have one name. Extents of
/// parameters are n, m, k ... in their order; other names are the program's.
class SizeNames {
 public:
  /// `given`: what the user calls the parameters, "pixels" or, with names of components, "point.x.y".
  explicit SizeNames(const soac::Program&, const std::vector<std::string>& given = {});

  Formula formula(soac::Expr);
  std::string text(soac::Expr);
  scalar::NameOf naming();
  /// "f32[n, m]"; of a scalar "f32".
  std::string type(soac::Var);
  std::string_view name(soac::Var);
  Formula bytes(soac::Var array);
  /// What the user calls a parameter, or "n_pixels" of its extent; nothing for all other variables.
  const std::string* given(soac::Var) const;

 private:
  void take_given(const std::vector<std::string>&);
  soac::Var representative(soac::Var) const;

  const soac::Program& program_;
  std::unordered_map<soac::Var, soac::Var> equal_to_;
  std::unordered_map<soac::Var, std::string> chosen_, given_;
  scalar::Names names_;
};

}  // namespace fulgurite::tool
