// A launch of blocks in the making: the statement that it computes, how its points are cut into blocks, its
// memory and its phases.
#pragma once

#include "schedule/blocks/nests.h"
#include "schedule/rewrites/ranks.h"
#include "soac/outputs.h"

namespace fulgurite::schedule::blocks {

class Frame {
 public:
  Frame(const Surroundings&, const soac::Stm& original);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  const Surroundings& around() const { return around_; }
  scalar::Arena& arena() const { return around_.arena; }
  Expr i64(std::int64_t value) const { return arena().i64(value); }
  Expr product(std::span<const Expr> factors) const;

  const soac::Stm& original() const { return original_; }
  /// The original with neutral elements.
  const soac::Stm& lifted() const { return launch_.statement; }
  /// The lifted one with Scans and scatters for partitions of few classes; and its parts.
  const Ranks& ranks() const { return ranks_; }
  const soac::Stm& s() const { return ranks_.s; }
  const soac::Soac& op() const { return std::get<soac::Soac>(ranks_.s.op); }
  const soac::OutputView& outputs() const { return outputs_; }
  /// Whether the scatter, one of a partition's values, goes to places without gaps.
  bool is_dense(std::size_t scatter) const;
  bool is_made(Var array) const;

  /// Blocks that the whole space is cut into, at least one; how many points each takes; and whether the Scans
  /// are made in the launch's one walk over the space, by blocks that look back at earlier ones.
  Expr blocks() const { return blocks_; }
  Expr per_block() const { return per_block_; }
  bool looks_back() const { return looks_back_; }
  const Points& points() const { return points_; }
  /// How many points the original's partition keeps.
  Var kept(std::size_t partition) const { return kept_[partition]; }

  Launch& launch() { return launch_; }
  Var temporary(Kind, Expr size, std::string name);
  Var temporary(Kind, std::vector<Expr> shape, std::string name);
  /// The phase gets a number if there is one of its name.
  Phase& add(std::string name, soac::Stm computes, std::variant<Nest, Skeleton> walk, Expr guard = {},
             std::vector<std::string> why = {});
  /// A phase in which the blocks walk the whole space, of a statement over it. Of the main one they may hand
  /// on values of Scans; `posts`: values may wait in its tiles for their places.
  Phase& add_main(soac::Stm computes, Expr guard);
  Phase& add_walk(std::string name, soac::Stm computes, bool posts);
  /// One in which one block walks a space.
  Phase& add_walk_by_one(std::string name, soac::Stm computes);
  /// One in which blocks walk a space of its own, a part each; and how many points such a part has.
  Phase& add_parts(std::string name, soac::Stm computes, Expr per_part, Expr guard = {});
  Expr part_of(const soac::Soac&);
  /// One that computes arrays of elements of their places.
  Phase& add_map(std::string name, soac::Stm computes, Expr guard = {});
  Phase& add_filling(Var array, Expr n, Expr value, Expr guard = {});

 private:
  Phase& walk(std::string name, soac::Stm computes, const Points&, Unit, Expr guard);
  bool may_look_back() const;
  std::int64_t posted_bytes() const;
  Points choose_points() const;
  Expr own_elements() const;
  Expr resident(const Points&);

  const Surroundings& around_;
  const soac::Stm& original_;
  Launch launch_;
  const Ranks ranks_;
  const soac::OutputView outputs_;
  const bool looks_back_;
  const Points points_;
  Expr per_block_, blocks_;
  std::vector<Var> kept_;
};

}  // namespace fulgurite::schedule::blocks
