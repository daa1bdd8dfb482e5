// Whole kernels, those of tests/kernels and random ones, as printed and compiled, against the interpreter:
// bit for bit.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "kernel/check.h"
#include "kernel/parse.h"
#include "kernel/print.h"
#include "kernel/traverse.h"
#include "kernel_run.h"

namespace fulgurite {
namespace {

using kernel::Arena;
using kernel::Block;
using kernel::Param;
using kernel::Type;
using namespace test;

kernel::Kernel read_kernel(const std::string& name) {
  const auto path = std::filesystem::path(FULGURITE_TEST_DATA).parent_path() / "kernels" / (name + ".kernel");
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return kernel::parse(text.str(), path.filename());
}

template <class T>
Bytes array(std::size_t n, const std::function<T(std::size_t)>& element) {
  Bytes bytes(n * sizeof(T));
  for (std::size_t i = 0; i < n; ++i) {
    const T value = element(i);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}
Bytes floats(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  return array<float>(n, [&](std::size_t) { return static_cast<float>(random()) * 0x1p-31f - 1; });
}
Bits bits(float x) {
  return scalar::to_bits(x);
}

void expect_agreement(const kernel::Kernel& k, const Launch& launch) {
  kernel::check(k, kernel::Stage::vectors, "test");
  Launch expected = launch, actual = launch;
  interpret(k, expected);
  CompiledKernel(k).run(actual);
  ASSERT_EQ(actual.buffers.size(), expected.buffers.size());
  for (std::size_t i = 0; i < actual.buffers.size(); ++i)
    EXPECT_TRUE(actual.buffers[i] == expected.buffers[i]) << "buffer " << i;
  EXPECT_EQ(actual.reports, expected.reports);
}

TEST(Execution, Saxpy) {
  for (std::size_t n : {0u, 1u, 63u, 64u, 65u, 5000u, 10000u}) {
    SCOPED_TRACE(n);
    expect_agreement(read_kernel("saxpy"), {{floats(n, 1), floats(n, 2)}, {bits(1.5f), n}, {}});
  }
}

TEST(Execution, Dot) {
  for (std::size_t n : {1u, 64u, 65u, 16384u, 40000u}) {
    SCOPED_TRACE(n);
    const std::size_t tiles = (n + 16383) / 16384;
    expect_agreement(read_kernel("dot"),
                     {{floats(n, 1), floats(n, 2), Bytes(4 * tiles), Bytes(4)}, {n, tiles}, {}});
  }
}

TEST(Execution, GatherReportsWhatIsOutside) {
  const std::size_t n = 3000, m = 100;
  const auto indices = array<std::int32_t>(n, [](std::size_t i) {
    return i == 1234 ? 100 : i == 1240 ? -1 : i == 2999 ? 1 << 30 : static_cast<std::int32_t>(i * 7 % 100);
  });
  Launch launch{{floats(3 * n, 1), indices, Bytes(4 * n)}, {n, m, bits(0.25f)}, {}};
  expect_agreement(read_kernel("gather"), launch);
  CompiledKernel(read_kernel("gather")).run(launch);
  EXPECT_EQ(launch.reports,
            (std::vector<Report>{{7, 1234, 100, 100}, {7, 1240, -1, 100}, {7, 2999, 1 << 30, 100}}));
}

TEST(Execution, Mandelbrot) {
  for (std::size_t width : {1u, 16u, 50u})
    expect_agreement(read_kernel("mandelbrot"),
                     {{Bytes(4 * width * width)},
                      {width, 30, bits(3.0f / static_cast<float>(width)), bits(-2.0f), bits(-1.5f)},
                      {}});
}

TEST(Execution, Stencil) {
  const std::size_t width = 80, rows = 5;
  // Row 0 reads the row before it, the last row the one after: the picture is inside a larger one.
  kernel::Kernel k = read_kernel("stencil");
  const auto u =
      array<double>(width * (rows + 2), [](std::size_t i) { return static_cast<double>(i * i % 97); });
  auto& phase = std::get<kernel::Par>(k.body[0].op);
  Expr row = k.arena->fresh({Kind::i64}, "inner");
  phase.body = kernel::substitute(*k.arena, phase.body, {{phase.name, row + 1}});
  phase.body.insert(phase.body.begin(), {kernel::Let{row.var(), k.arena->name(phase.name)}});
  expect_agreement(k, {{u, Bytes(u.size())}, {width, rows}, {}});
}

TEST(Execution, Window) {
  const std::size_t n = 640;
  expect_agreement(read_kernel("window"), {{floats(n + 2, 4), Bytes(4 * n)}, {n}, {}});
}

TEST(Execution, Filter) {
  for (std::size_t n : {0u, 1u, 64u, 255u, 256u, 1000u}) {
    SCOPED_TRACE(n);
    std::mt19937 random(5);
    const auto x = array<std::int32_t>(n, [&](std::size_t) { return static_cast<std::int32_t>(random()); });
    expect_agreement(read_kernel("filter"),
                     {{x, Bytes(4 * n), Bytes(4 * ((n + 255) / 256)), Bytes(8), Bytes(8)}, {n}, {}});
  }
}

TEST(Execution, Integers) {
  const std::size_t n = 40;
  std::mt19937 random(3);
  const auto bytes = [&](std::size_t size, unsigned mask) {
    return array<std::uint8_t>(size, [&](std::size_t) { return static_cast<std::uint8_t>(random() & mask); });
  };
  for (Bits flag : {0u, 1u})
    expect_agreement(read_kernel("integers"), {{bytes(32 * n, 255), bytes(32 * n, 1), bytes(8 * n, 255),
                                                Bytes(32 * n), Bytes(32 * n), Bytes(8 * n)},
                                               {static_cast<Bits>(-77), flag, n},
                                               {}});
}

/// A random kernel of one phase that writes all its values; every statement of vectorised kernels occurs.
/// Loops end by construction.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  kernel::Kernel kernel() {
    const int choices[] = {1, 2, 8, 16, 32, 64};
    lanes_ = static_cast<std::uint16_t>(choices[below(6)]);
    n_ = arena_.fresh({Kind::i64}, "n");
    params_.push_back({n_.var(), Param::Role::scalar});
    known_.push_back(n_);
    for (Kind k : {Kind::i32, Kind::f32, Kind::boolean, Kind::u8}) {
      Expr e = arena_.fresh({k}, "s");
      params_.push_back({e.var(), Param::Role::scalar});
      known_.push_back(e);
    }
    for (Kind k : kinds) inputs_.push_back(buffer(k, "in", Param::Role::input));
    for (Kind k : kinds) outputs_.push_back(buffer(k, "out", Param::Role::output));
    task_ = arena_.fresh({Kind::i64}, "task");
    known_.push_back(task_);
    base_ = task_ * (room / n_tasks);
    Block body = block(3, 10);
    kernel_.params = params_;
    kernel_.body = {{kernel::Par{kernel::Level::grid, task_.var(), arena_.i64(n_tasks), std::move(body)}}};
    return kernel_;
  }

  Launch launch() {
    Launch l;
    l.scalars = {below(1000), 77, scalar::to_bits(0.75f), below(2), 200};
    for (Kind k : kinds) {
      Bytes& b = l.buffers.emplace_back(room * scalar::size_of(k));
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(room); ++i) store_element(b, k, i, value(k));
    }
    for (Kind k : kinds) l.buffers.emplace_back(room * scalar::size_of(k));
    return l;
  }

 private:
  static constexpr Kind kinds[] = {Kind::boolean, Kind::i8,  Kind::u16, Kind::i32,
                                   Kind::i64,     Kind::u64, Kind::f32, Kind::f64};
  static constexpr int n_tasks = 3;
  static constexpr std::size_t room = n_tasks * 512;

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Bits value(Kind k) {
    if (scalar::is_float(k)) return scalar::evaluate(Op::cast, Kind::i32, k, below(2001) - 1000);
    return scalar::evaluate(Op::bitcast, k, k,
                            k == Kind::boolean ? below(2)
                            : below(3)         ? below(7) - 3
                                               : random_());
  }
  Expr buffer(Kind k, const char* name, Param::Role role) {
    Expr e = arena_.fresh_array(k, {n_}, name);
    params_.push_back({e.var(), role});
    return e;
  }
  Type random_type() { return {kinds[below(std::size(kinds))], 0, below(3) ? lanes_ : std::uint16_t{1}}; }

  /// An expression of the type over what is known.
  Expr expr(Type t, int depth) {
    if (depth == 0 || below(6) == 0) {
      std::vector<Expr> fitting;
      for (Expr e : known_)
        if (e.type() == t) fitting.push_back(e);
      if (!fitting.empty() && below(4)) return fitting[below(fitting.size())];
      if (t.lanes > 1 && below(3) && scalar::is_integer(t.kind)) return arena_.lane(t.kind, t.lanes);
      if (t.lanes > 1)
        return splat(depth == 0 ? arena_.constant(t.kind, value(t.kind)) : expr({t.kind}, depth - 1),
                     t.lanes);
      return arena_.constant(t.kind, value(t.kind));
    }
    const Type truth{Kind::boolean, 0, t.lanes};
    switch (below(8)) {
      case 0: return select(expr(truth, depth - 1), expr(t, depth - 1), expr(t, depth - 1));
      case 1: {
        Type from = random_type();
        from.lanes = t.lanes;
        if (scalar::is_float(from.kind) && t.kind == Kind::boolean) from.kind = Kind::i32;
        return cast(expr(from, depth - 1), t.kind);
      }
      default: break;
    }
    if (t.kind == Kind::boolean) {
      if (t.lanes == 1 && below(5) == 0) {
        Expr mask = expr({Kind::boolean, 0, lanes_}, depth - 1);
        return below(2) ? Expr(any(mask)) : all(mask);
      }
      if (below(2))
        return logic(t, depth, {Op::bit_and, Op::bit_or, Op::bit_xor, Op::bit_not, Op::eq, Op::lt});
      Type of = random_type();
      of.lanes = t.lanes;
      return logic(of, depth, {Op::eq, Op::ne, Op::lt, Op::le});
    }
    if (scalar::is_float(t.kind))
      return logic(t, depth,
                   {Op::add, Op::sub, Op::mul, Op::neg, Op::abs, Op::min, Op::floor, Op::div, Op::sign});
    return logic(t, depth,
                 {Op::add, Op::sub, Op::mul, Op::neg, Op::bit_and, Op::bit_or, Op::bit_xor, Op::bit_not,
                  Op::shl, Op::shr, Op::min, Op::max, Op::popcount, Op::clz, Op::abs, Op::rem});
  }
  Expr logic(Type t, int depth, std::initializer_list<Op> ops) {
    const Op op = ops.begin()[below(ops.size())];
    if (scalar::info(op).arity == 1) return arena_.apply(op, {expr(t, depth - 1)});
    Expr b = expr(t, depth - 1);
    if (op == Op::rem) b = b | splat(arena_.constant(t.kind, 1), t.lanes);
    // Zeros of both signs may be told apart by nothing but their bits: no minimum of them.
    if (op == Op::min && scalar::is_float(t.kind))
      b = b +
          splat(arena_.constant(t.kind, scalar::evaluate(Op::cast, Kind::f64, t.kind, scalar::to_bits(0.5))),
                t.lanes);
    return arena_.apply(op, {expr(t, depth - 1), b});
  }

  /// An access to elements that the task may touch: 64 lanes of stride up to 3 from its part of the buffer.
  kernel::Access access(Expr buffer, std::uint16_t lanes, bool load) {
    const std::int64_t strides[] = {1, 1, -1, 2, 3};
    const std::int64_t stride = strides[below(5)];
    std::int64_t start = static_cast<std::int64_t>(below(100)) + (stride < 0 ? 70 : 0);
    if (!load && stride == 1) start = start / 64 * 64;
    kernel::Access a{buffer.var(), base_ + start, arena_.i64(stride), {}};
    if (lanes > 1 && load && below(4) == 0) {
      Expr low = expr({Kind::i64, 0, lanes}, 2) & splat(arena_.i64(255), lanes);
      a.index = splat(base_, lanes) + low;
      a.stride = Expr();
    }
    if (below(3) == 0) a.mask = expr({Kind::boolean, 0, lanes}, 2);
    return a;
  }

  Block block(int depth, std::uint64_t length) {
    const std::size_t known_outside = known_.size(), variables_outside = variables_.size();
    Block b;
    for (std::uint64_t i = 0, n = 1 + below(length); i < n; ++i) statement(b, depth);
    for (std::size_t i = known_outside; i < known_.size(); ++i) store(b, known_[i]);
    for (std::size_t i = 0; i < variables_.size(); ++i)
      if (below(3) == 0) store(b, variables_[i]);
    known_.resize(known_outside);
    variables_.resize(variables_outside);
    return b;
  }
  void store(Block& b, Expr value) {
    for (Expr out : outputs_)
      if (out.kind() == value.kind()) {
        kernel::Access to = access(out, value.type().lanes, false);
        b.push_back({kernel::Store{to, value, below(4) == 0}});
      }
  }
  void know(Expr e) { known_.push_back(e); }

  void statement(Block& b, int depth) {
    switch (below(depth > 0 ? 10 : 6)) {
      case 0:
      case 1: {
        Type t = random_type();
        Expr value = expr(t, 3), name = arena_.fresh(t, "v");
        b.push_back({kernel::Let{name.var(), value}});
        know(name);
        return;
      }
      case 2: {
        Type t = random_type();
        Expr value = expr(t, 2), name = arena_.fresh(t, "m");
        b.push_back({kernel::Declare{name.var(), value}});
        know(name);
        variables_.push_back(name);
        return;
      }
      case 3: {
        Expr from = inputs_[below(inputs_.size())];
        const std::uint16_t lanes = below(3) ? lanes_ : 1;
        kernel::Access a = access(from, lanes, true);
        Expr name = arena_.fresh({from.kind(), 0, lanes}, "l");
        b.push_back({kernel::Load{name.var(), a}});
        know(name);
        return;
      }
      case 4: {
        if (lanes_ == 1) return;
        const Type t{kinds[below(std::size(kinds))], 0, lanes_};
        Expr low = expr(t, 1), high = expr(t, 1), name = arena_.fresh(t, "w");
        std::vector<std::int32_t> from;
        for (int l = 0; l < lanes_; ++l) from.push_back(static_cast<std::int32_t>(below(2u * lanes_)));
        b.push_back({kernel::Permute{name.var(), low, high, from}});
        know(name);
        return;
      }
      case 5: {
        if (variables_.empty()) return;
        Expr name = variables_[below(variables_.size())];
        Expr mask =
            name.type().lanes > 1 && below(2) ? expr({Kind::boolean, 0, name.type().lanes}, 2) : Expr();
        b.push_back({kernel::Assign{name.var(), expr(name.type(), 3), mask}});
        return;
      }
      case 6: {
        Expr i = arena_.fresh({Kind::i64}, "i");
        Expr end = expr({Kind::i64}, 2) & 3;
        known_.push_back(i);
        Block body = block(depth - 1, 5);
        known_.pop_back();
        b.push_back({kernel::For{i.var(), arena_.i64(0), end,
                                 arena_.i64(1 + static_cast<std::int64_t>(below(2))), std::move(body)}});
        return;
      }
      case 7: {
        Expr condition = expr({Kind::boolean}, 2);
        Block yes = block(depth - 1, 4), no = below(2) ? block(depth - 1, 4) : Block();
        b.push_back({kernel::If{condition, std::move(yes), std::move(no)}});
        return;
      }
      case 8: {
        Expr count = arena_.fresh({Kind::i64}, "count");
        b.push_back({kernel::Declare{count.var(), arena_.i64(0)}});
        const std::size_t known_outside = known_.size(), variables_outside = variables_.size();
        Block head;
        statement(head, 0);
        Expr condition = expr({Kind::boolean}, 2) & (count < 4);
        Block body = block(depth - 1, 4);
        body.push_back({kernel::Assign{count.var(), count + 1, {}}});
        known_.resize(known_outside);
        variables_.resize(variables_outside);
        b.push_back({kernel::While{std::move(head), condition, std::move(body)}});
        return;
      }
      default: {
        const std::uint16_t lanes = below(2) ? lanes_ : 1;
        b.push_back({kernel::Fail{expr({Kind::boolean, 0, lanes}, 2), static_cast<kernel::Site>(below(9)),
                                  expr({Kind::i64}, 1), arena_.i64(1), expr({Kind::i64, 0, lanes}, 1),
                                  expr({Kind::i64}, 1)}});
        return;
      }
    }
  }

  std::mt19937_64 random_;
  kernel::Kernel kernel_{"random", std::make_shared<Arena>(), {}, {}};
  Arena& arena_ = *kernel_.arena;
  std::uint16_t lanes_ = 1;
  std::vector<Param> params_;
  std::vector<Expr> inputs_, outputs_, known_, variables_;
  Expr n_, task_, base_;
};

/// NaN payloads are free: all NaN become one.
void forget_payloads(Bytes& bytes, Kind kind) {
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(bytes.size() / scalar::size_of(kind)); ++i) {
    const Bits b = load_element(bytes, kind, i);
    if (scalar::evaluate(Op::isnan, kind, Kind::boolean, b)) store_element(bytes, kind, i, ~Bits{0});
  }
}

RC_GTEST_PROP(ExecutionProperty, RandomKernelsAgree, (std::uint64_t seed)) {
  Generator generator(seed);
  const kernel::Kernel k = generator.kernel();
  const Launch launch = generator.launch();
  kernel::check(k, kernel::Stage::vectors, "the generator");
  RC_ASSERT(kernel::print(kernel::parse(kernel::print(k))) == kernel::print(k));
  Launch expected = launch, actual = launch;
  interpret(k, expected);
  CompiledKernel(k).run(actual);
  std::size_t buffer = 0;
  for (const Param& p : k.params) {
    if (p.role == Param::Role::scalar) continue;
    const Kind kind = k.arena->info(p.name).type.kind;
    if (scalar::is_float(kind))
      forget_payloads(expected.buffers[buffer], kind), forget_payloads(actual.buffers[buffer], kind);
    if (actual.buffers[buffer] != expected.buffers[buffer])
      RC_FAIL(kernel::print(k) + emit::print_phases(k, emit::c));
    ++buffer;
  }
  RC_ASSERT(actual.reports == expected.reports);
}

}  // namespace
}  // namespace fulgurite
