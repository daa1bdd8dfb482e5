// Array IR bodies to kernel statements. An Emitter is a kernel::Builder that also knows where arrays are: a
// handle as well, whose copies share the kernel and differ in the context of what they append
// (kernel::Context). What it lowers are expressions that read arrays (here), arrays and their memory
// (arrays.h), statements (control.h), and the points of a Soac (points.h).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/build.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/reuse.h"
#include "walk/sizes.h"

namespace fulgurite::walk {

using kernel::Identity;
using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using scalar::Var;

/// Where an array that a kernel makes is: element i... of it is buffer[base + step * linear(i...) + lane].
struct Destination {
  Var buffer;
  Expr base;           // absent: 0
  Expr step = {};      // absent: 1
  Expr capacity = {};  // elements that there is room for, known outside; absent: enough for the array
  Expr room = {};      // `capacity` as a constant or a parameter of the kernel
  Expr lane = {};      // whose array it is, apart from the base, which is the same for all lanes; absent: 0
  std::int64_t n_after = 0;  // elements after the array that whole vectors may overwrite
};

class Emitter : public kernel::Builder {
 public:
  /// What a kernel's code may ask of the program around it.
  struct Outside {
    std::function<bool(Expr)> knows;  // the host can compute it before the launch
    /// Lowers a Soac or Sort statement that the code meets.
    std::function<void(const Emitter&, const soac::Stm&)> on_soac;
    /// The array whose element 0 is the scalar; none: it is a parameter.
    std::function<std::optional<Var>(Var)> on_device = {};
    bool reads_early = true;  // kernel::Outside
    /// A parameter, or constant, that has the value of an expression that the host can compute.
    std::function<Expr(Expr)> computes = {};
    /// The site of the failure when an array does not fit into its memory.
    std::function<scalar::Site(const soac::Location&)> no_room = {};
    schedule::KeepsRewrite keeps = {};
  };
  /// `bounds`: none if no point makes arrays.
  Emitter(scalar::Arena& arena, bool checks, Outside outside, std::optional<soac::Bounds> bounds = {});

  // The same code in another context.
  Emitter in_lanes() const;
  Emitter of_task(Expr task, Expr tasks, bool interleaved = false) const;
  Emitter of_groups(Expr size) const;
  /// For code of the element with this number, unless that is part of an element of an outer space.
  Emitter at_element(Expr number) const;
  /// Code whose failures run `instead`.
  Emitter on_failure(std::function<void()> instead) const;
  Emitter streaming_if(Expr condition) const;
  Emitter touching_if(Expr condition) const;
  Emitter with_identity(Identity) const;
  /// Code whose statements, but not statements in their functions, scatter only to places inside of arrays.
  Emitter scattering_inside(bool holds) const;
  Emitter rarely() const;
  Emitter in_context_of(const kernel::Builder&) const;

  const Outside& outside() const;
  /// None if no point makes arrays.
  Sizes* sizes() const;

  /// Lowers a Soac or Sort by Outside::on_soac.
  void lower_soac(const soac::Stm&) const;

  void set_destination(Var array, Destination) const;
  bool has_destination(Var array) const;
  const Destination& destination(Var array) const;
  /// The array is complete and may be read from here on.
  void made(Var array) const;
  /// The array on the left takes the memory of the one on the right, as the statements that make it change it
  /// there (soac/reuse.h).
  void reuse(const soac::Reuse&) const;
  std::optional<Var> reused(Var array) const;
  /// Whether the array has the memory of `owner`.
  bool lies_in(Var array, Var owner) const;
  /// Elements of the array are read of this one from here on, in memory that both have.
  void read_in(Var array, Var other) const;
  /// Whether some array is read in another one's memory.
  bool updates_in_place() const;
  /// To element `offset` of what is at the destination.
  void store(const Destination&, Expr offset, Expr value) const;

  /// Arrays that do not leave the kernel: memory that each task has for itself.
  void add_scratch(Var array) const;
  const std::vector<Var>& scratch_arrays() const;

  /// Whether an optional rewrite of a statement is kept.
  bool keeps(const schedule::Rewrite&, const soac::Stm& before, const soac::Stm& after) const;

  /// Says that a combinator became a sequential loop, and why.
  void note_sequential(const soac::Stm&, std::string_view why) const;
  const std::vector<std::string>& sequential() const;

 private:
  struct State;
  Emitter(scalar::Arena&, bool checks, std::shared_ptr<State>);
  Emitter(const kernel::Builder&, std::shared_ptr<State>);
  template <class Change>
  Emitter changed(Change&&) const;
  static kernel::Outside around(bool checks, const std::shared_ptr<State>&);
  Expr read(Expr element) const;
  Expr is_inside(Expr element, std::size_t axis, Expr index, Expr extent) const;

  std::shared_ptr<State> state_;
};

/// The buffers that the arrays' elements go to.
std::vector<Var> buffers_of(const Emitter&, std::span<const Var> arrays);
/// The index in the buffer of element `number` of the array at the destination, and of the first lane's.
Expr element_of(const Destination&, Expr number);
Expr first_of_lanes(const Destination&, Expr number);

}  // namespace fulgurite::walk
