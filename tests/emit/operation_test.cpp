// Every operation of op.def on every kind it allows, in 1, 16 and 64 lanes, as printed and compiled, against
// scalar::evaluate: bit for bit, but for the transcendental ones (the bounds of docs/semantics.md), NaN (any
// is as good) and min, max of zeros of both signs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernel/check.h"
#include "kernel_run.h"

namespace fulgurite {
namespace {

using kernel::Access;
using kernel::Arena;
using kernel::Block;
using kernel::Param;
using namespace test;

template <class T>
std::vector<Bits> float_values() {
  std::vector<Bits> values;
  const T least = std::numeric_limits<T>::denorm_min(), normal = std::numeric_limits<T>::min();
  const T largest = std::numeric_limits<T>::max(), infinity = std::numeric_limits<T>::infinity();
  for (T x : {T(0),    T(1),   T(0.5),    T(1.5),    T(2),      T(2.5),   T(3),     T(0.1),
              T(100),  T(1e6), T(0x1p31), T(0x1p63), T(0x1p64), T(127.5), T(255.5), T(4e9),
              T(1e18), T(20),  T(1e-10),  least,     normal,    largest,  infinity})
    for (T y : {x, -x}) values.push_back(scalar::to_bits(y));
  values.push_back(scalar::to_bits(std::numeric_limits<T>::quiet_NaN()));
  return values;
}

std::vector<Bits> values_of(Kind kind) {
  if (kind == Kind::boolean) return {0, 1};
  if (kind == Kind::f32) return float_values<float>();
  if (kind == Kind::f64) return float_values<double>();
  std::vector<Bits> values;
  const Bits low = scalar::lowest(kind), high = scalar::highest(kind);
  for (Bits b :
       {low,         low + 1,     low + 2,       high,     high - 1, high / 2,  high / 3, Bits(0) - 1,
        Bits(0) - 2, Bits(0) - 7, Bits(0) - 100, Bits(0),  Bits(1),  Bits(2),   Bits(3),  Bits(5),
        Bits(7),     Bits(8),     Bits(10),      Bits(31), Bits(64), Bits(100), Bits(127)})
    values.push_back(scalar::evaluate(Op::bitcast, kind, kind, b));
  return values;
}

Bits random_value(Kind kind, std::mt19937_64& random) {
  Bits bits = random();
  if (scalar::is_integer(kind) && random() % 2) bits >>= random() % 64;
  if (scalar::is_float(kind) && random() % 4) {  // of everyday size
    const double x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), -63) *
                     std::exp2(static_cast<double>(random() % 12) - 4);
    return scalar::evaluate(Op::cast, Kind::f64, kind, scalar::to_bits(x));
  }
  return scalar::evaluate(Op::bitcast, kind, kind, kind == Kind::boolean ? bits & 1 : bits);
}

double as_double(Kind kind, Bits bits) {
  return kind == Kind::f32 ? scalar::from_bits<float>(bits) : scalar::from_bits<double>(bits);
}

/// In units of the last place of b, which is what the bounds speak of.
double ulps(Kind kind, Bits a, Bits b) {
  const double x = as_double(kind, a), y = as_double(kind, b);
  if (x == y) return 0;
  if (!std::isfinite(x) || !std::isfinite(y)) {  // one step beyond the largest
    const double largest =
        kind == Kind::f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    const double finite = std::isfinite(x) ? x : y;
    return std::signbit(x) == std::signbit(y) && !std::isnan(x) && !std::isnan(y) &&
                   std::fabs(finite) >= largest * (1 - 1e-7)
               ? 1
               : INFINITY;
  }
  const double step = kind == Kind::f32 ? std::max<double>(std::ldexp(1.0, std::ilogb(y) - 23), 0x1p-149)
                                        : std::ldexp(1.0, std::max(std::ilogb(y), -1022) - 52);
  return std::fabs(x - y) / step;
}

/// One operation, its operands a, b, c in buffers.
struct Case {
  Op op;
  std::vector<Kind> operands;
  Kind result;
  double bound = 0;
};

std::vector<Kind> allowed_kinds(const scalar::OpInfo& row) {
  std::vector<Kind> kinds;
  for (int k = 0; k < scalar::n_kinds; ++k) {
    const Kind kind = static_cast<Kind>(k);
    if (row.has(kind == Kind::boolean ? 'B' : scalar::is_float(kind) ? 'F' : 'I')) kinds.push_back(kind);
  }
  return kinds;
}

/// All of op.def but leaves, index and what is only there for vectors, by the kind of the first operand that
/// is not a condition.
std::vector<Case> cases_of(Kind kind) {
  std::vector<Case> cases;
  for (const scalar::OpInfo& row : scalar::all_ops()) {
    const Op op = *scalar::op_named(row.name);
    if (row.rule == scalar::Rule::leaf || row.rule == scalar::Rule::special || row.has('s') ||
        !std::ranges::count(allowed_kinds(row), kind))
      continue;
    const auto arity = static_cast<std::size_t>(row.arity);
    if (row.rule == scalar::Rule::convert) {
      for (int k = 0; k < scalar::n_kinds; ++k) {
        const Kind to = static_cast<Kind>(k);
        const bool is_bitcast_of_same_size =
            scalar::size_of(to) == scalar::size_of(kind) && to != Kind::boolean;
        if (to != kind && (op == Op::cast || is_bitcast_of_same_size)) cases.push_back({op, {kind}, to});
      }
    } else if (row.rule == scalar::Rule::select) {
      cases.push_back({op, {Kind::boolean, kind, kind}, kind});
    } else {
      const bool is_truth = row.rule == scalar::Rule::compare || row.rule == scalar::Rule::test;
      const double bound = !row.has('$') ? 0 : op == Op::pow || op == Op::erfc ? 4 : 2;
      cases.push_back({op, std::vector<Kind>(arity, kind), is_truth ? Kind::boolean : kind, bound});
    }
  }
  return cases;
}

class Operations : public testing::TestWithParam<std::tuple<Kind, int>> {
 protected:
  void SetUp() override {
    cases_ = cases_of(kind_);
    Arena& arena = *kernel_.arena;
    n_ = arena.fresh({Kind::i64}, "n");
    kernel_.params.push_back({n_.var(), Param::Role::scalar});
    for (const Case& c : cases_) phase(arena, c);
    kernel::check(kernel_, kernel::Stage::vectors, "test");
  }

  /// A phase that computes the case's operation for n elements, and its buffers.
  void phase(Arena& arena, const Case& c) {
    const int lanes = std::get<1>(GetParam());
    Expr task = arena.fresh({Kind::i64}, "task"), at = task * lanes;
    std::vector<Expr> operands;
    Block body;
    const char* names[] = {"a", "b", "c"};
    for (std::size_t i = 0; i < c.operands.size(); ++i) {
      Expr buffer = arena.fresh_array(c.operands[i], {n_}, names[i]);
      kernel_.params.push_back({buffer.var(), Param::Role::input});
      operands.push_back(arena.fresh({c.operands[i], 0, static_cast<std::uint16_t>(lanes)}, names[i]));
      body.push_back({kernel::Load{operands.back().var(), {buffer.var(), at, arena.i64(1), {}}}});
    }
    Expr result = c.op == Op::cast      ? cast(operands[0], c.result)
                  : c.op == Op::bitcast ? bitcast(operands[0], c.result)
                                        : arena.apply(c.op, operands);
    Expr buffer = arena.fresh_array(c.result, {n_}, "result");
    kernel_.params.push_back({buffer.var(), Param::Role::output});
    body.push_back({kernel::Store{{buffer.var(), at, arena.i64(1), {}}, result}});
    Expr n_tasks = n_ / lanes;
    kernel_.body.push_back({kernel::Par{kernel::Level::grid, task.var(), n_tasks, std::move(body)}});
  }

  Kind kind_ = std::get<0>(GetParam());
  std::vector<Case> cases_;
  Expr n_;
  kernel::Kernel kernel_{"operations", std::make_shared<Arena>(), {}, {}};
};

TEST_P(Operations, AgreeWithEvaluate) {
  std::mt19937_64 random(static_cast<unsigned>(kind_));
  const std::size_t n = 1024;
  // Edge values of all operands meet: their numbers are coprime with those of the next operand's repetitions.
  std::vector<Bits> edge = values_of(kind_);
  Launch launch;
  launch.scalars = {n};
  std::vector<std::vector<std::vector<Bits>>> inputs;
  for (const Case& c : cases_) {
    auto& columns = inputs.emplace_back();
    for (std::size_t i = 0; i < c.operands.size(); ++i) {
      const std::vector<Bits> values = c.operands[i] == Kind::boolean ? values_of(Kind::boolean) : edge;
      std::vector<Bits>& column = columns.emplace_back(n);
      Bytes& bytes = launch.buffers.emplace_back(n * scalar::size_of(c.operands[i]));
      for (std::size_t k = 0; k < n; ++k) {
        const bool is_edge = k < 3 * n / 4 && random() % 8 != 0;
        column[k] = is_edge ? values[(i == 0 ? k : k / values.size()) % values.size()]
                            : random_value(c.operands[i], random);
        store_element(bytes, c.operands[i], static_cast<std::int64_t>(k), column[k]);
      }
    }
    launch.buffers.emplace_back(n * scalar::size_of(c.result));
  }
  ASSERT_GE(cases_.size(), scalar::is_float(kind_) ? 55u : kind_ == Kind::boolean ? 20u : 30u);
  CompiledKernel(kernel_).run(launch);

  std::size_t buffer = 0;
  for (std::size_t p = 0; p < cases_.size(); ++p) {
    const Case& c = cases_[p];
    buffer += c.operands.size();
    const Bytes& results = launch.buffers[buffer++];
    int wrong = 0;
    for (std::size_t k = 0; k < n && wrong < 3; ++k) {
      Bits in[3] = {};
      for (std::size_t i = 0; i < c.operands.size(); ++i) in[i] = inputs[p][i][k];
      const bool is_division = scalar::is_division(c.op) && !scalar::is_float(kind_);
      if (is_division && in[1] == 0) continue;  // the kernel has tested and reported it
      const Bits got = load_element(results, c.result, static_cast<std::int64_t>(k));
      const Bits want =
          scalar::evaluate(c.op, c.op == Op::select ? kind_ : c.operands[0], c.result, in[0], in[1], in[2]);
      if (got == want) continue;
      if (scalar::is_float(c.result)) {
        const double x = as_double(c.result, got), y = as_double(c.result, want);
        if (std::isnan(x) && std::isnan(y)) continue;
        if ((c.op == Op::min || c.op == Op::max) && x == 0 && y == 0) continue;
        if (c.bound > 0 && ulps(c.result, got, want) <= c.bound + 0.5)
          continue;  // evaluate is itself rounded
      }
      ++wrong;
      ADD_FAILURE() << scalar::info(c.op).name << " of " << name_of(kind_) << " -> " << name_of(c.result)
                    << std::hex << ": operands " << in[0] << " " << in[1] << " " << in[2] << ", got " << got
                    << ", want " << want;
    }
  }
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<Kind, int>>& info) {
  return std::string(scalar::name_of(std::get<0>(info.param))) + "x" +
         std::to_string(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(OfKinds, Operations,
                         testing::Combine(testing::Values(Kind::boolean, Kind::i8, Kind::i16, Kind::i32,
                                                          Kind::i64, Kind::u8, Kind::u16, Kind::u32,
                                                          Kind::u64, Kind::f32, Kind::f64),
                                          testing::Values(1, 16, 64)),
                         name_of_case);

}  // namespace
}  // namespace fulgurite
