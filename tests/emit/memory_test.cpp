// Every form of access to memory, for every kind: contiguous, reversed, strided, scattered; masked or not;
// read and written.
#include <gtest/gtest.h>

#include <random>

#include "kernel/check.h"
#include "kernel_run.h"

namespace fulgurite {
namespace {

using kernel::Arena;
using kernel::Block;
using kernel::Param;
using kernel::Stm;
using namespace test;

/// A kernel of one task whose phases copy `lanes` elements from x to y, each in another way.
struct Copies {
  kernel::Kernel kernel{"copies", std::make_shared<Arena>(), {}, {}};
  Arena& arena = *kernel.arena;
  Kind kind;
  std::uint16_t lanes;
  Expr x, y, index, masks, stride;
  std::int64_t room = 0;  // elements of x and of each part of y
  int n_copies = 0;

  Copies(Kind k, int l) : kind(k), lanes(static_cast<std::uint16_t>(l)), room(16 * l + 64) {
    x = arena.fresh_array(kind, {arena.i64(room)}, "x");
    index = arena.fresh_array(Kind::i64, {arena.i64(room)}, "index");
    masks = arena.fresh_array(Kind::boolean, {arena.i64(room)}, "masks");
    y = arena.fresh_array(kind, {arena.i64(room)}, "y");
    stride = arena.fresh({Kind::i64}, "stride");
    kernel.params = {{x.var(), Param::Role::input},
                     {index.var(), Param::Role::input},
                     {masks.var(), Param::Role::input},
                     {stride.var(), Param::Role::scalar},
                     {y.var(), Param::Role::output}};
  }

  Expr load(Block& to, Expr buffer, Expr at, Expr by, Expr mask) {
    Expr v = arena.fresh({buffer.kind(), 0, lanes}, "v");
    to.push_back({kernel::Load{v.var(), {buffer.var(), at, by, mask}, arena.boolean(true)}});
    return v;
  }
  /// y[part ...] = x[...], both by the access given (indices from the middle: strides may be negative).
  void copy(bool masked, Expr load_stride, Expr store_stride, bool gather, bool scatter,
            bool streaming = false) {
    Block body;
    Expr middle = arena.i64(room / 2 / 64 * 64);
    Expr mask = masked ? load(body, masks, arena.i64(3), arena.i64(1), {}) : Expr();
    Expr lanes_index = load(body, index, arena.i64(5), arena.i64(1), {});
    if (!masked && scatter)
      lanes_index = lanes == 1 ? middle : splat(middle, lanes) + arena.lane(Kind::i64, lanes);
    Expr v = load(body, x, gather ? lanes_index : middle, gather ? Expr() : load_stride, mask);
    Expr base = arena.i64(room * n_copies++);
    Expr to = scatter ? Expr(lanes_index + splat(base, lanes)) : base + middle;
    body.push_back({kernel::Store{{y.var(), to, scatter ? Expr() : store_stride, mask}, v, streaming}});
    Expr task = arena.fresh({Kind::i64}, "task");
    kernel.body.push_back({kernel::Par{kernel::Level::grid, task.var(), arena.i64(1), std::move(body)}});
  }

  Launch launch() const {
    std::mt19937_64 random(lanes + 100u * static_cast<unsigned>(kind));
    Launch l;
    const auto fill = [&](Kind k, std::int64_t n, auto&& value) {
      Bytes& bytes = l.buffers.emplace_back(static_cast<std::size_t>(n) * scalar::size_of(k));
      for (std::int64_t i = 0; i < n; ++i) store_element(bytes, k, i, value(i));
    };
    fill(kind, room, [&](std::int64_t) { return kind == Kind::boolean ? random() & 1 : random(); });
    // Distinct indices, so that it does not matter which of equal ones wins; those of lanes that are off lie
    // far outside.
    fill(Kind::i64, room, [&](std::int64_t i) { return static_cast<Bits>(((i - 5) * 7 + 11) % room); });
    fill(Kind::boolean, room, [&](std::int64_t) { return random() & 1; });
    for (std::int64_t i = 0; i < lanes; ++i)
      if (!load_element(l.buffers[2], Kind::boolean, i + 3))
        store_element(l.buffers[1], Kind::i64, i + 5, std::uint64_t{1} << 60);
    fill(kind, room * n_copies, [](std::int64_t) { return Bits{0}; });
    l.scalars = {5};
    return l;
  }
};

class Memory : public testing::TestWithParam<std::tuple<Kind, int>> {};

TEST_P(Memory, CopiesAgreeWithTheInterpreter) {
  Copies copies(std::get<0>(GetParam()), std::get<1>(GetParam()));
  Arena& a = copies.arena;
  std::vector<Expr> strides{a.i64(1), a.i64(-1), a.i64(2), a.i64(3), a.i64(4), a.i64(-3), copies.stride};
  for (bool masked : {false, true}) {
    for (Expr s : strides) {
      copies.copy(masked, s, a.i64(1), false, false);
      copies.copy(masked, a.i64(1), s, false, false);
    }
    copies.copy(masked, a.i64(0), a.i64(1), false, false);
    if (masked) copies.copy(masked, a.i64(1), a.i64(1), true, false);
    copies.copy(masked, a.i64(1), a.i64(1), false, true);
    copies.copy(masked, a.i64(1), a.i64(1), false, false, true);
  }
  kernel::check(copies.kernel, kernel::Stage::vectors, "test");
  Launch expected = copies.launch(), actual = expected;
  interpret(copies.kernel, expected);
  CompiledKernel(copies.kernel).run(actual);
  EXPECT_EQ(actual.buffers[3], expected.buffers[3]);
}

INSTANTIATE_TEST_SUITE_P(OfKinds, Memory,
                         testing::Combine(testing::Values(Kind::boolean, Kind::i8, Kind::i16, Kind::i32,
                                                          Kind::u64, Kind::f32, Kind::f64),
                                          testing::Values(1, 4, 16, 64)),
                         [](const auto& instance) {
                           return std::string(scalar::name_of(std::get<0>(instance.param))) + "x" +
                                  std::to_string(std::get<1>(instance.param));
                         });

// Streaming to addresses that are no multiple of the vector's size falls back to plain stores.
TEST(MemoryStreaming, UnalignedAddressesAreStoredPlainly) {
  Copies copies(Kind::f32, 16);
  Arena& a = copies.arena;
  Block body;
  Expr v = copies.load(body, copies.x, a.i64(0), a.i64(1), {});
  body.push_back({kernel::Store{{copies.y.var(), a.i64(3), a.i64(1), {}}, v, true}});
  copies.n_copies = 1;
  copies.kernel.body = {
      {kernel::Par{kernel::Level::grid, a.fresh({Kind::i64}, "task").var(), a.i64(1), std::move(body)}}};
  Launch expected = copies.launch(), actual = expected;
  interpret(copies.kernel, expected);
  CompiledKernel(copies.kernel).run(actual);
  EXPECT_EQ(actual.buffers[3], expected.buffers[3]);
}

}  // namespace
}  // namespace fulgurite
