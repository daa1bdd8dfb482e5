// The facts that merge asks for each pair of statements of a body, computed once for each statement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "soac/walk.h"

namespace fulgurite::fuse {

struct MergeFacts {
  std::size_t n_nodes = 0;  // of expressions
  soac::Vars mentioned;     // names
  soac::Vars read;          // arrays of which elements are read
  soac::Vars elsewhere;     // names that are more than arrays read at a Soac's own point in its body
  soac::Vars updated;       // arrays that the statement updates in place
  bool is_check = false;
  std::optional<std::size_t> space;  // of a Soac: a number for its dims
  std::optional<std::size_t> step;
  std::optional<int> cost;  // of a Soac's body, once asked for
};

bool have_common(const soac::Vars&, const soac::Vars&);
/// Whether a name that the statement binds is among the names.
bool binds_any(const soac::Stm&, const soac::Vars& names);

/// The facts of the statements of a body, by their numbers, their order, and who needs whom. Two that become
/// one have the number of the first.
class BodyFacts {
 public:
  /// `kept`: arrays that nothing updates.
  BodyFacts(scalar::Arena&, const std::vector<soac::Stm>&, const soac::Vars& kept);

  MergeFacts& operator[](std::size_t statement) { return facts_[statement]; }
  const MergeFacts& operator[](std::size_t statement) const { return facts_[statement]; }

  /// The statements in their order, and where in it one stands.
  const std::vector<std::size_t>& order() const { return order_; }
  std::size_t position(std::size_t statement) const { return position_[statement]; }
  /// The statement that it has become part of, or itself.
  std::size_t current(std::size_t statement) const;
  /// The statement that binds the name, if one of the body does.
  std::optional<std::size_t> maker(scalar::Var) const;

  /// Statements that made names mentioned in this one.
  std::vector<std::size_t> needs(std::size_t statement) const;
  /// Whether `later` needs what `earlier` makes, directly or not.
  bool is_after(std::size_t later, std::size_t earlier) const;
  /// Whether a third statement needs what `earlier` makes, directly or not, and `later` needs the third.
  bool is_between(std::size_t earlier, std::size_t later) const;
  /// Statements that update arrays in place, in any order.
  const std::vector<std::size_t>& updating() const { return updating_; }

  /// The facts without the step of what has become of a statement.
  MergeFacts facts_of(const soac::Stm&);
  /// Notes that `first` and `second` are now one statement with these facts, and the order of all between
  /// them.
  void merged(std::size_t first, std::size_t second, const std::vector<std::size_t>& order, MergeFacts);

 private:
  using Set = std::vector<std::uint64_t>;  // of statements
  static bool has(const Set& set, std::size_t k) { return set[k / 64] >> k % 64 & 1; }
  static void add(Set& set, std::size_t k) { set[k / 64] |= std::uint64_t{1} << k % 64; }
  static void add(Set& set, const Set& more);

  scalar::Arena& arena_;
  const soac::Vars& kept_;
  std::vector<MergeFacts> facts_;
  std::vector<std::size_t> order_, position_;
  mutable std::vector<std::size_t> current_;  // one step towards the statement that it is now part of
  std::unordered_map<scalar::Var, std::size_t> maker_;
  std::vector<std::vector<std::size_t>> needs_;  // statements that may have become part of others
  std::vector<Set> before_;                      // all that the statement needs, directly or not
  std::vector<std::size_t> updating_;
  std::unordered_map<std::size_t, std::vector<std::pair<std::vector<scalar::Expr>, std::size_t>>> spaces_;
  std::size_t n_spaces_ = 0;
};

}  // namespace fulgurite::fuse
