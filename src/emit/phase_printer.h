// One phase of a kernel as a function: the printer's working parts. What every stage has is in
// phase_printer.cpp; statements of the CPU's vectors are in vector_statements.cpp, statements of a block's
// threads in thread_statements.cpp.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emit/expression.h"
#include "emit/magnitude.h"
#include "emit/memory.h"
#include "emit/names.h"
#include "emit/numbers.h"
#include "emit/uses.h"

namespace fulgurite::emit {

using kernel::Block;
using kernel::Stm;

/// A pattern of a dialect with its places filled.
template <class... Args>
std::string fill(std::string_view pattern, const Args&... args) {
  return fmt::format(fmt::runtime(pattern), args...);
}

class PhasePrinter {
 public:
  /// `numbers`: of vector code.
  PhasePrinter(const kernel::Kernel& kernel, const Dialect& dialect, const Numbers& numbers)
      : kernel_(kernel), arena_(*kernel.arena), dialect_(dialect), numbers_(numbers) {}

  std::string operator()(const kernel::Par& phase, std::size_t number);

 private:
  /// A node as text, and the mutable variables that it reads: it means what it says only until one of them
  /// changes.
  struct Value {
    Text text;
    std::vector<Var> variables;
  };
  /// A Let that is printed where it is used.
  struct Pending {
    Var name;
    Value value;
  };

  // Lines.

  void line(std::string_view text);
  /// From here on lines are of the user's line with this number in the kernel; 0: of the one before.
  void begin_user_line(std::uint32_t number);
  const scalar::VarInfo& info(Var v) const { return arena_.info(v); }
  std::string_view element_type(Var buffer) const;  // a boolean in memory is a byte
  std::string pointer_type(const kernel::Param&) const;

  // Parameters: read from a context, or the function's own.

  void fetch_parameters();
  std::string scalar_argument(Kind, int number) const;
  std::string parameter_list();

  // Names.

  std::string bind(Var);
  const std::string& name(Var v) const { return identifiers_.at(v); }

  // Expressions of one statement. Its nodes are printed once, children first; shared and long ones get lines
  // before the statement.

  void prepare(std::span<const Expr> roots);
  void prepare(const Stm&);
  Known known(Expr);
  Value render(Expr);
  Value named(Var);
  Value temporary(Type, const Value&);
  const Text& text(Expr e) const { return values_.at(e.id()).text; }
  std::string initialiser(Expr e, Type type) const { return as_value(dialect_, text(e), type); }
  std::string vector(Expr) const;  // for operators of C that do not splat

  // Values that wait to be printed where they are used, before something changes what they read.

  void flush(const std::function<bool(Var)>& changes);
  void flush_all_that_vary();
  void define(Var, const Text& value);

  // Statements.

  void body(const Block&);
  void block(const Block&);  // further in
  void statement(const Stm&);
  [[noreturn]] void refuse(std::string_view statement) const;
  void let(const Stm&, const kernel::Let&);
  void declare(const Stm&, const kernel::Declare&);
  void assign(const Stm&, const kernel::Assign&);
  Place place(const kernel::Access&, int lanes) const;
  void load(const Stm&, const kernel::Load&);
  void store(const Stm&, const kernel::Store&);
  void loop(const Stm&, const kernel::For&);
  void loop(const kernel::While&);
  void branch(const Stm&, const kernel::If&);
  void fail(const Stm&, const kernel::Fail&);
  std::string more_values(const kernel::Fail&, int lanes);
  std::string more_arguments(const kernel::Fail&);
  void allocate(const Stm&, const kernel::Allocate&);

  // Vectors.

  void prefetch(const Stm&, const kernel::Prefetch&);
  void permute(const Stm&, const kernel::Permute&);
  void pick(const Stm&, const kernel::Pick&);
  void pack(const Stm&, const kernel::Pack&);
  void transpose(const Stm&, const kernel::Transpose&);
  void in_order(const Stm&, const kernel::InOrder&);

  // Threads.

  void open_block(const kernel::Par& phase);
  void threads(const kernel::Par&);
  void sync(const kernel::Sync&);
  void atomic(const Stm&, const kernel::Atomic&);
  void shuffle(const Stm&, const kernel::Shuffle&);
  void wide_load(const Stm&, const kernel::WideLoad&);
  void wide_store(const Stm&, const kernel::WideStore&);
  std::string wide_type(Var buffer, std::size_t n) const;
  void shared_array(const kernel::Allocate&);
  void fail_of_thread(const Stm&, const kernel::Fail&);
  void exchange_through_memory(const Block& phase);
  /// What stands before a statement that not all threads run: outside of Par(block) one does.
  std::string guard() const;
  bool is_shared(Var buffer) const {
    return spaces_.contains(buffer) && spaces_.at(buffer) == kernel::Space::shared;
  }
  bool is_of_thread(Var buffer) const {
    return spaces_.contains(buffer) && spaces_.at(buffer) == kernel::Space::thread;
  }

  const kernel::Kernel& kernel_;
  const scalar::Arena& arena_;
  const Dialect& dialect_;
  const Numbers& numbers_;
  Names names_;
  std::unordered_map<Var, Use> uses_;
  std::unordered_map<Var, std::string> identifiers_;
  std::unordered_map<Var, Text> aliases_;  // names of other names
  std::unordered_set<Var> mutable_;
  std::unordered_map<std::uint32_t, Value> values_;  // of the statement at hand, by node number
  std::vector<Pending> pending_;                     // of the block at hand
  const Block* block_ = nullptr;
  std::string lines_;
  std::string user_line_;  // what stands before each line; empty: nothing
  int depth_ = 0;
  bool streams_ = false;

  Magnitudes magnitudes_;
  // The sums within the index that is being printed: its element exists, so they do not overflow.
  std::unordered_set<std::uint32_t> sums_;
  struct Room {
    std::string name;
    std::uint64_t n;
  };
  std::map<std::pair<std::string_view, std::int64_t>, Room> rooms_;  // by element type and offset
  std::unordered_map<Var, kernel::Space> spaces_;                    // of arrays
  std::unordered_map<Var, std::string> shared_values_;  // of atomics outside of Par(block), for all threads
  std::string thread_, failure_, shared_;  // names: the thread's number, where failures go, the bytes shared
  int n_threads_ = 1;                      // of the block
  std::int64_t n_at_once_ = 0;             // of the Par(block) at hand; 0: in none
  std::unordered_map<Kind, std::string> exchanged_;  // arrays through which threads shuffle
  bool is_doubled_ = false;                          // threads beside the instances do what the last one does
  bool in_loop_ = false;                             // of the task
};

}  // namespace fulgurite::emit
