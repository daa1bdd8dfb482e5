// What merge asks of the statements of a body for each pair of them, worked out once for each statement.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "soac/walk.h"

namespace fulgurite::fuse {

struct MergeFacts {
  std::size_t id = 0;       // of no other statement of the body, nor of one that it had before
  std::size_t n_nodes = 0;  // of expressions
  soac::Vars mentioned;     // names
  soac::Vars read;          // arrays of which elements are read
  soac::Vars updated;       // arrays that it updates in place
  std::optional<std::size_t> step;
  std::optional<int> cost;         // of a Soac's body, once asked for
  std::vector<std::size_t> needs;  // ids of statements, gone ones too, that made names mentioned here
};

/// The facts without id, step and needs. `kept`: arrays that nothing updates.
MergeFacts facts_of(scalar::Arena&, const soac::Stm&, const soac::Vars& kept);

bool have_common(const soac::Vars&, const soac::Vars&);
/// Whether a name that the statement binds is among the names.
bool binds_any(const soac::Stm&, const soac::Vars& names);

/// The facts of the statements of a body, in their order, and who needs whom.
class BodyFacts {
 public:
  BodyFacts(scalar::Arena&, const std::vector<soac::Stm>&, const soac::Vars& kept);

  MergeFacts& operator[](std::size_t position) { return facts_[position]; }
  const MergeFacts& operator[](std::size_t position) const { return facts_[position]; }
  std::size_t n_ids() const { return current_.size(); }

  /// Positions of statements before this one that made names mentioned in it.
  std::vector<std::size_t> needs(std::size_t position) const;
  /// For each position, whether its statement needs what the one at `position` makes, directly or not.
  const std::vector<bool>& after(std::size_t position);
  /// Positions of statements that update arrays in place.
  const std::vector<std::size_t>& updating() const { return updating_; }

  /// The statements from `first` to `second` are now those of `order`, positions that they had, where the two
  /// have become one with these facts, in the place of `first`.
  void merged(std::size_t first, std::size_t second, const std::vector<std::size_t>& order, MergeFacts);

 private:
  std::size_t position_of(std::size_t id) const;
  void renumber();

  std::vector<MergeFacts> facts_;
  std::vector<std::size_t> current_;   // by id: the id of what it became part of, or its own
  std::vector<std::size_t> position_;  // by id, of those that are there
  std::vector<std::optional<std::vector<bool>>> after_;
  std::vector<std::size_t> updating_;
};

}  // namespace fulgurite::fuse
