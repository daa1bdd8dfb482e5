// Who reads the arrays of a body. A chain of ten thousand elementwise operations ends as one expression in
// one reader: to rewrite it for each operation that it takes in would take quadratic time. In a large reader
// the values that take the place of reads are therefore only noted, and put in all at once. In the meantime
// the table knows which reads stand in the noted values.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "soac/walk.h"

namespace fulgurite::fuse {

/// Who uses the arrays of one statement, in the statements after it and in the results of the same body.
struct Uses {
  std::vector<scalar::Var> read;     // arrays of which elements are read
  std::vector<scalar::Var> whole;    // arrays needed in memory: results, state of loops
  std::vector<std::size_t> readers;  // statements that read elements
  bool read_by_results = false;      // the expressions after the last statement do
};

/// A read, and the value that takes its place.
using Replacement = std::pair<scalar::Expr, scalar::Expr>;

/// The arrays that each statement of a body, and its results, mention. Whoever changes the body keeps it
/// up to date. A user is a statement's number, or the number of statements for the results.
class UseTable {
 public:
  UseTable(const std::vector<soac::Stm>&, const std::vector<scalar::Expr>& results);

  Uses of(const std::vector<scalar::Var>& arrays, std::size_t producer) const;
  void changed(const std::vector<soac::Stm>&, std::size_t at);
  void inserted(const std::vector<soac::Stm>&, std::size_t at, std::size_t count);
  void erased(std::size_t at);
  void results_changed(const std::vector<scalar::Expr>&);

  /// Whether the user's expressions are so large, or so many, that no array of which it reads several
  /// elements had better be computed in it.
  bool should_not_grow(std::size_t user) const;
  /// The user's reads of the arrays, if values may take their place late: the user is large, all of the reads
  /// stand at the top of its function (or among the results), none can fail, and no index waits for a value.
  std::optional<std::vector<scalar::Expr>> late_reads(const std::vector<scalar::Var>& arrays,
                                                      std::size_t user) const;
  /// Notes values for all of the user's reads of the arrays, in the order of late_reads().
  void replace_late(std::size_t user, const std::vector<scalar::Var>& arrays, std::vector<Replacement>);
  /// The noted values, which the caller puts in before it tells the table that the user changed.
  std::vector<Replacement> take_late(std::size_t user);

 private:
  struct User {
    std::size_t number = 0;
    std::size_t n_nodes = 0, n_roots = 0;
    soac::Vars read, whole;
    // For a large user: reads at the top of its function by array, and arrays that are read elsewhere in it.
    std::unordered_map<scalar::Var, std::vector<scalar::Expr>> top;
    std::unordered_set<scalar::Expr> at_top;
    soac::Vars elsewhere;
    std::vector<Replacement> late;
    std::unordered_set<scalar::Expr> replaced;
  };

  void look(User&, const soac::Stm&);
  void look(User&, const std::vector<scalar::Expr>& top, const std::vector<scalar::Expr>& elsewhere);
  User& user(std::size_t number) const { return number < users_.size() ? *users_[number] : *results_; }
  void renumber(std::size_t from);
  bool is_large(std::size_t number) const;

  std::vector<std::unique_ptr<User>> users_;
  std::unique_ptr<User> results_;
  // By array: the users that mention it, and some that did before they changed.
  std::unordered_map<scalar::Var, std::vector<const User*>> mentioned_by_;
  std::vector<std::unique_ptr<User>> gone_;  // erased, but still in mentioned_by_
};

}  // namespace fulgurite::fuse
