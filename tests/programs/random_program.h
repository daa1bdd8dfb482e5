// Random programs as a user writes them, and arguments for them, from a list of numbers: fewer and smaller
// numbers give a simpler program. What is drawn is listed in nesting.h.
#pragma once

#include <limits>
#include <optional>
#include <random>

#include "nesting.h"
#include "soac/value.h"
#include "trace/traced.h"

namespace fulgurite::programs {

using Runs = std::vector<std::vector<soac::Value>>;  // the arguments of each

/// A program, and arguments.
struct Drawn {
  std::shared_ptr<const detail::TracedProgram> traced;
  std::string text;
  Runs arguments;
  Precision precision;
  std::string policy = "";

  const soac::Program& program() const { return traced->program(); }
};

/// Numbers for a program of two statements or more.
inline Numbers draw_numbers(std::mt19937_64& random, std::size_t most_statements = 7) {
  Numbers numbers(2 + random() % most_statements);
  for (auto& of_statement : numbers) {
    of_statement.resize(random() % 4 == 0 ? 500 : 20 + random() % 200);
    for (auto& number : of_statement) number = static_cast<std::uint8_t>(random());
  }
  return numbers;
}

namespace inside {

struct Parameter {
  std::string name;
  Kinds kinds;
  std::size_t rank;
};

/// The frame: parameters, which of the values that the statements made are results, sizes of arguments.
class Frame {
 public:
  explicit Frame(const Numbers& numbers) : draw_(numbers) {
    draw_.enter(0);
    is_large_ = draw_.one_in(40) && draw_.one_in(parameter("large", 1));
    const std::size_t n = 2 + draw_.below(3);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t rank = draw_.one_in(4) ? 2 + draw_.below(2) : 1;
      parameters_.push_back({"a" + std::to_string(k), draw_kinds(draw_), is_large_ ? 1 : rank});
    }
    for (std::size_t k = 0; k < 2; ++k)
      parameters_.push_back({"k" + std::to_string(k), {k == 0 ? Kind::i64 : draw_kind(draw_)}, 0});
    n_results_ = 1 + draw_.below(4);
    n_scalar_results_ = draw_.below(3);
    argument_seed_ = static_cast<std::uint32_t>(1 + draw_.below(256) + 256 * draw_.below(256));
    are_equal_ = !draw_.one_in(6);
    precision_ = draw_.one_in(3) ? Precision::strict : Precision::fast;
    unsigned number = 0;
    for (const Parameter& p : parameters_) {
      ++number;
      for (std::size_t k = 0; k < p.kinds.size(); ++k)
        infos_.push_back({p.kinds[k], static_cast<std::uint8_t>(p.rank), k == 0, number});
    }
  }

  Drawn draw() {
    Drawn drawn;
    const auto call = [](void* frame, std::span<const Value> staged, const void*) {
      return (*static_cast<Frame**>(frame))->trace(staged);
    };
    const detail::Traceable traceable(this, call, infos_, nullptr);
    drawn.traced = detail::trace("random", traceable, nullptr, false, Here::current());
    drawn.text = draw_.text();
    drawn.precision = precision_;
    for (int sample = 0; sample < 2; ++sample) drawn.arguments.push_back(arguments(sample));
    return drawn;
  }
  const std::string& text() const { return draw_.text(); }

 private:
  Values trace(std::span<const Value> staged) {
    draw_.is_large = is_large_;
    std::vector<std::string> params;
    Extent alike[3];
    std::size_t at = 0;
    for (const Parameter& p : parameters_) {
      const Values parts(staged.begin() + static_cast<std::ptrdiff_t>(at),
                         staged.begin() + static_cast<std::ptrdiff_t>(at + p.kinds.size()));
      at += p.kinds.size();
      const std::string type = type_text(p.kinds);
      params.push_back((p.rank == 0   ? "Exp<" + type + "> "
                        : p.rank == 1 ? "Vec<" + type + "> "
                                      : "fg::Acc<" + type + ", " + std::to_string(p.rank) + "> ") +
                       p.name);
      if (p.rank == 0) {
        draw_.add_scalars(p.name, p.kinds, parts);
        continue;
      }
      auto shape = draw_.fresh_shape(p.name, parts[0]);
      // Extents that the arguments have in common.
      for (std::size_t k = 0; k < shape.size() && are_equal_; ++k) {
        if (alike[k].value.node == nullptr) alike[k] = shape[k];
        shape[k].id = alike[k].id;
      }
      draw_.add(p.name, p.kinds, shape, parts);
    }
    draw_.line("auto random = [](" + joined(params) + ") {");
    draw_.indent();
    for (std::size_t k = 1; k <= draw_.n_statements(); ++k) {
      draw_.enter(k);
      statement(draw_);
    }
    Values results;
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < std::min(n_results_, draw_.arrays.size()); ++k) {
      const Array& a = draw_.arrays[draw_.arrays.size() - 1 - k];
      results.insert(results.end(), a.parts.begin(), a.parts.end());
      texts.push_back(a.name);
    }
    for (std::size_t k = 0; k < std::min(n_scalar_results_, draw_.scalars.size()); ++k) {
      const Scalar& s = draw_.scalars[draw_.scalars.size() - 1 - k];
      results.push_back(s.value);
      texts.push_back(s.text);
    }
    draw_.line("return std::tuple{" + joined(texts) + "};");
    draw_.outdent();
    draw_.line("};");
    return results;
  }

  std::vector<soac::Value> arguments(int sample) {
    std::mt19937 random(argument_seed_ + static_cast<std::uint32_t>(sample));
    const auto size = [&]() -> std::int64_t {
      if (is_large_) return 60000 + static_cast<std::int64_t>(random() % 100000);
      if (random() % 6 == 0) return 15 + static_cast<std::int64_t>(random() % 55);
      return static_cast<std::int64_t>(random() % (random() % 2 == 0 ? 6 : 21));
    };
    // Rows of some programs are longer than what is sorted without merging.
    const std::int64_t widest = argument_seed_ % 4 == 0 ? 70 : 25;
    const std::int64_t common[] = {size(), std::min<std::int64_t>(size(), widest),
                                   std::min<std::int64_t>(size(), 9)};
    const bool fit = sample == 0 || random() % 8 != 0;
    std::vector<soac::Value> all;
    for (const Parameter& p : parameters_) {
      std::vector<std::int64_t> shape;
      std::size_t n = 1;
      for (std::size_t k = 0; k < p.rank; ++k) {
        shape.push_back(fit ? common[k] : k == 0 ? size() : std::min<std::int64_t>(size(), 9));
        if (p.rank > 1) shape.back() = std::min<std::int64_t>(shape.back(), p.rank == 2 ? widest : 9);
        n *= static_cast<std::size_t>(shape.back());
      }
      for (Kind kind : p.kinds) {
        soac::Value value{static_cast<scalar::Kind>(kind), shape, {}};
        value.bytes.resize(n * scalar::size_of(value.kind));
        const bool has_special = argument_seed_ % 5 == 0;
        for (std::size_t i = 0; i < n; ++i)
          value.set(i, has_special && random() % 8 == 0 ? special(random, value.kind)
                                                        : element(random, value.kind));
        if (p.rank == 0 && kind == Kind::i64 && random() % 6 == 0) {  // far outside of every array
          static constexpr int bits[] = {31, 40, 61, 62};
          value.set(0, (random() % 2 == 0 ? 1 : ~scalar::Bits{0}) * (scalar::Bits{1} << bits[random() % 4]));
        }
        all.push_back(std::move(value));
      }
    }
    return all;
  }
  /// NaN, infinities, -0, the least and the largest numbers, and any bits.
  static scalar::Bits special(std::mt19937& random, scalar::Kind kind) {
    const auto of = [&](double x) {
      return scalar::evaluate(scalar::Op::cast, scalar::Kind::f64, kind, scalar::to_bits(x));
    };
    if (scalar::is_float(kind)) {
      constexpr double inf = std::numeric_limits<double>::infinity();
      const double all[] = {std::numeric_limits<double>::quiet_NaN(), -0.0, inf, -inf, 1e-40, 1e30, -3e9};
      return of(all[random() % std::size(all)]);
    }
    if (random() % 3 == 0) return random() % 2 == 0 ? scalar::lowest(kind) : scalar::highest(kind);
    const scalar::Bits bits = scalar::Bits{random()} << 32 | random();
    return scalar::evaluate(scalar::Op::cast, scalar::Kind::u64, kind, bits >> random() % 64);
  }
  static scalar::Bits element(std::mt19937& random, scalar::Kind kind) {
    const auto small = static_cast<std::int64_t>(random() % (random() % 4 == 0 ? 100 : 9)) - 3;
    if (scalar::is_float(kind))
      return scalar::evaluate(scalar::Op::cast, scalar::Kind::f64, kind,
                              scalar::to_bits(static_cast<double>(small) / 2));
    return scalar::evaluate(scalar::Op::cast, scalar::Kind::i64, kind, static_cast<scalar::Bits>(small));
  }

  Draw draw_;
  bool is_large_ = false, are_equal_ = true;
  Precision precision_ = Precision::fast;
  std::size_t n_results_ = 1, n_scalar_results_ = 0;
  std::uint32_t argument_seed_ = 1;
  std::vector<Parameter> parameters_;
  std::vector<detail::ParameterInfo> infos_;
};

}  // namespace inside

/// Nothing if shapes that are known while tracing do not fit.
inline std::optional<Drawn> draw_program(const Numbers& numbers) {
  try {
    return inside::Frame(numbers).draw();
  } catch (const ShapeError&) {
    return {};
  } catch (const IndexError&) {
    return {};
  }
}

}  // namespace fulgurite::programs
