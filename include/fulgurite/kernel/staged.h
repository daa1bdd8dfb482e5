// The boundary between the templates of the kernel language and what records a kernel (src/block/), which has
// the logic: staged elements without their C++ types, and the statements that functions of the language make.
// Nothing here is for users.
#pragma once

#include <fulgurite/executable.h>
#include <fulgurite/kernel/level.h>
#include <fulgurite/kernel/picture.h>
#include <fulgurite/kernel/runner.h>
#include <fulgurite/staged.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite::detail::block {

using kernel::Level;
using Body = std::function<void(Value)>;
enum class Space : std::uint8_t { global, shared, thread };

/// Where in a block code stands that acts on one of several equal parts of the data at once (`two`, `ilv` of
/// components, warps): groups within groups. The whole block is one group.
struct Nest {
  const Nest* parent = nullptr;  // null: the block
  std::int64_t n = 1;            // groups in each of the parent's
  Level level = Level::block;    // of the barriers that a group waits at
  bool interleaved = false;      // element i of group g is the parent's element i * n + g; else of neighbours
};

/// The nest that statements are made for, and another one within it.
const Nest* nest(Here where);
const Nest* within(const Nest*, std::int64_t n, Level, bool interleaved, Here where);
/// Statements are made for this nest while it lives.
class Entered {
 public:
  Entered(const Nest*, Here where);
  ~Entered();
  Entered(const Entered&) = delete;

 private:
  const Nest* outer_;
};
/// The number, among all groups of the nest in the block, of the group whose instance is being computed.
Value number(const Nest*, Here where);
/// Among all elements of the block: number i of the n elements of that group.
Value place(const Nest*, Value i, std::int64_t n, Here where);
/// Elements are computed for the group with this number while it lives.
class AsGroup {
 public:
  AsGroup(const Nest*, Value number, Here where);
  ~AsGroup();
  AsGroup(const AsGroup&) = delete;

 private:
  const Nest* outer_;
  Value number_;
};

[[noreturn, gnu::cold]] void refuse_size(std::int64_t size, Here where);
/// Throws ShapeError with this sentence.
[[noreturn, gnu::cold]] void refuse(const std::string& message, Here where);

/// n instances of the body for each group, which do not wait for each other. In an instance: a loop.
void par(std::int64_t n, const Body&, Here where);
/// for begin <= i < end, in one instance, or in all.
void loop(Value begin, Value end, const Body&, Here where);
/// While the condition holds, which all threads compute alike: the body, once a round. Both get the number of
/// the round; gives how many there were. Outside of par() only.
Value repeat(const std::function<Value(Value)>& condition, const Body& body, Here where);
/// What the emulator is to find: `index` is one of an array of n elements, where this stands. Throws
/// IndexError if it is known not to be. Nothing where no kernel is being recorded.
void within(Value index, std::int64_t n, Here where);
/// What `then` makes happens where the condition holds.
void when(Value condition, const std::function<void()>& then, Here where);
void barrier(Level, Here where);
/// What two components do that act on disjoint data: each step of the one and of the other between the same
/// two barriers.
void side_by_side(const std::function<void()>& first, const std::function<void()>& second, Here where);

/// Applies an operator in an instance: element[to] = element[left] op element[right], of elements that the
/// instances of a group share. All instances wait for each other before join_all() and join_up_to(), and
/// after. The blocks of the array language use these networks too (src/parts/networks.h).
using Meet = std::function<void(Value to, Value left, Value right)>;
/// Element 0 becomes the join of all n, a power of two; the operator commutes.
void join_all(std::int64_t n, const Meet&, Here where);
/// Each of the n >= 1 elements becomes the join of all elements up to it.
void join_up_to(std::int64_t n, const Meet&, Here where);

/// par() of n elements in each part of a warp, whose instances may shuffle.
void lanes(std::int64_t n, const Body&, Here where);
/// The instance's number in its part, and how many there are.
Value lane(Here where);
std::int64_t n_lanes(Here where);
/// The values that lane `from` has, one for each component.
Values shuffle(std::span<const Value> components, Value from, Here where);

/// Arrays of n elements for each group (thread: for each instance), one for each component.
using Buffers = std::vector<std::int32_t>;
Buffers allocate(Space, std::span<const Kind> components, std::int64_t n, Here where);
Values load(const Buffers&, Value index, Here where);
void store(const Buffers&, Value index, std::span<const Value> components, Here where);
/// what: add min max bit_and bit_or bit_xor exchange. Gives what the element was before; where the condition
/// does not hold, nothing happens, and it gives 0.
Value atomic(const char* what, std::int32_t buffer, Value index, Value value, Value condition, Here where);
/// The value of a staged integer that is a constant; throws TraceError for others.
std::int64_t number_of(Value, Here where);

/// An argument of a kernel: a scalar, or an array of which each block has `block` neighbouring elements
/// (0: every block sees all of it). With `fill` the last block may be short, and reads this after the end.
/// `is_updated`: what the kernel stores is stored to this array, which becomes a result.
struct Input {
  std::vector<Kind> components;
  std::int64_t block = 0;
  bool is_scalar = false;
  std::vector<std::uint64_t> fill = {};
  bool is_updated = false;
  // For a matrix (rank 2), the tile that each block has; 0: every block sees all of it.
  int rank = 1;
  std::int64_t tile_rows = 0, tile_columns = 0;
};
struct Output {
  std::vector<Kind> components;
  std::int64_t block = 0;                     // elements that a block writes
  int updates = -1;                           // the number of the argument that it was
  std::optional<std::uint64_t> initial = {};  // bits of each element before the launch
  bool is_scratch = false;                    // memory of blocks, after the results
};
/// What the function gets of an argument.
struct Argument {
  int number = 0;
  Values scalar;
  Value size;                     // of an array: all of it
  Value rows = {}, columns = {};  // of a matrix
  std::function<Values(Value index)> element;
  // For an updated array, where the element exists. `change` returns its former value, or else 0.
  std::function<void(Value index, std::span<const Value> components)> store = {};
  std::function<Value(const char* operation, Value index, Value value)> change = {};
};
/// Which elements of an array the blocks of a launch have: `blocks` is how many there are, of sizes and
/// scalar arguments; element i of the block at hand is the array's element place(i).
struct Tiling {
  Value blocks;
  std::function<Value(Value i)> place;
};
/// One result: its elements are what `write` is called with, in Par statements. Without a tiling a block's
/// elements are neighbours; `size` is that of the array with one.
struct Result {
  Output output;
  std::function<void(const std::function<void(Value index, std::span<const Value> components)>& write)> run;
  std::optional<Tiling> tiling = {};
  Value size = {};
  // Instead of `run`: all blocks change elements of one array by this operation of atomic().
  const char* operation = nullptr;
  std::function<void(const std::function<Value(Value index, Value value)>& change)> change = {};
  std::vector<Value> shape = {};  // instead of `size`, of an array of several axes
};

/// The number of the block at hand among the blocks of the launch.
Value block_number(Here where);
/// How the blocks lie that have tiles of matrices: rows * columns of them, numbered row by row, and where the
/// block at hand is. Throws TraceError if no argument is dealt so.
struct Grid {
  Value rows, columns, row, column;
};
const Grid& grid(Here where);
/// The threads of a block as they are stated: x of them, or y rows of x.
struct ThreadShape {
  std::int64_t x = 0, y = 1;
  bool is_matrix = false;
};
ThreadShape thread_shape(Here where);
/// A launch is refused with this sentence, which quotes the values as {0}, {1} ..., unless the condition
/// holds; all are of sizes and scalar arguments.
void expects(Value condition, std::string message, std::span<const Value> quoted, Here where);
/// a / b, a % b where b is known to be positive.
Value quotient(Value a, Value b, Here where);
Value remainder(Value a, Value b, Here where);

class Kernel;  // src/block/block_kernel.h

/// Records a kernel: calls f once. `threads`: how many a block has at most, if the user states it. Throws
/// TraceError for a name that is not an identifier of C, or is a keyword there, and for a number of blocks
/// that is not of sizes and scalar arguments alone.
std::shared_ptr<const Kernel> record(std::string name, std::vector<Input> inputs,
                                     const std::function<std::vector<Result>(std::span<const Argument>)>& f,
                                     std::optional<ThreadShape> threads, Here where);

/// A launch in the array program that is being traced: components of arrays, and scalars, in order.
Values call(const Kernel&, std::span<const Value> given, Here where);

std::string text(const Kernel&, const char* language);  // c, cuda, opencl, ir
std::string drawing(const Kernel&, std::span<const kernel::PictureFrame> frames);
int depth(const Kernel&);
/// Runs it over arguments (components in order); allocates the results.
std::vector<ResultValue> run(const Kernel&, kernel::Runner, std::span<const ArgumentView>);
/// The counts as text for people.
std::string explanation(const Kernel&, const kernel::Traffic&);
kernel::Traffic traffic(const Kernel&, std::span<const ArgumentView>);

}  // namespace fulgurite::detail::block

#pragma GCC visibility pop
