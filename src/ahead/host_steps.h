// The steps of a plan as statements of a function in a language of the C family: its scalars, checks,
// branches and loops as they are in each; its arrays by functions that each language's run time has under the
// same names (emit/prelude/host); launches as a language says.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ahead/program.h"
#include "ahead/slots.h"
#include "emit/names.h"

namespace fulgurite::ahead {

class HostSteps {
 public:
  HostSteps(const Program&, const emit::Dialect&, emit::Names&);
  virtual ~HostSteps() = default;

  /// Names under which the function has its arguments: of each component of a parameter, and of each axis.
  void set_scalar(std::size_t param, const std::string& name);
  void set_array(std::size_t param, const std::string& pointer, const std::vector<std::string>& extents);
  /// Where the caller wants result r: a pointer, how many elements there is room for, and a pointer to the
  /// extents.
  void set_result(std::size_t result, const std::string& pointer, const std::string& capacity = {},
                  const std::string& size = {});

  /// The function's statements, a line each, indented once.
  std::string body();
  std::size_t n_arrays() const { return number_.size(); }
  /// The most axes that an array has.
  int most_axes() const { return most_axes_; }
  /// Whether the function or one of its kernels may fail at a site.
  bool can_fail() const { return can_fail_; }

 protected:
  struct Wanted {
    std::string pointer, capacity, size;
  };
  virtual void launch(const plan::Launch&) = 0;
  /// The statements by which element 0 of an array comes to the host; ends with fetched().
  virtual void fetch(const plan::Fetch&) = 0;
  /// An expression with a status: as many bytes as the variable `to` has come from an array's beginning.
  virtual std::string fetch_call(const std::string& from, const std::string& to) const = 0;
  /// The statement that copies bytes between arrays.
  virtual std::string copied(const std::string& to, const std::string& from, const std::string& bytes) = 0;
  /// Between the array `size` of a result's extents and its allocation.
  virtual void make_room(std::size_t /*result*/) {}
  /// After all steps, before the results.
  virtual void end() {}
  /// An expression: how many blocks run at once, where the target can ask.
  virtual std::string resident(const plan::Resident&);
  /// A result that is an array, to the caller.
  virtual void deliver(const plan::Result&, const Wanted&) = 0;
  void fetched(const plan::Fetch&, const std::string& value);

  void line(const std::string& text);
  void steps(const plan::Steps&);
  /// The array of a place: a pointer to an fg_array, and to its elements.
  std::string array(plan::Place) const;
  std::string data(plan::Place) const;
  /// data() where pointers need no cast.
  std::string pointer(plan::Place) const;
  std::string_view type(Kind kind) const { return dialect_.types[static_cast<std::size_t>(kind)]; }

  const Program& program_;
  const emit::Dialect& dialect_;
  emit::Names& names_;
  Slots slots_;
  std::map<std::size_t, Wanted> wanted_;  // results
  int depth_ = 1;

 private:
  struct Given {
    std::string pointer;
    std::vector<std::string> extents;
  };
  void want_names(const plan::Steps&);
  void name_places(const plan::Steps&);
  void step(const plan::Compute&);
  void step(const plan::Constant&);
  void step(const plan::Check&);
  void step(const plan::Allocate&);
  void step(const plan::Share&);
  void step(const plan::Reuse&);
  void step(const plan::CopyArray&);
  void step(const plan::Shrink&);
  void step(const plan::Release&);
  void step(const plan::Launch& s) { launch(s); }
  void step(const plan::Fetch& s) { fetch(s); }
  void step(const plan::Resident& s) { line(slots_.assign(s.to, resident(s))); }
  void step(const plan::Copy&);
  void step(const plan::If&);
  void step(const plan::While&);
  void step(const plan::Converge&);
  void allocate(plan::Place, Kind, const std::vector<Slot>& shape, scalar::Site, bool may_be_result);
  std::string shape_text(const std::vector<Slot>& shape);

  std::map<plan::Place, Given> given_;         // parameters
  std::map<plan::Place, std::string> number_;  // names of places that are arrays of their own
  std::map<plan::Place, std::string> wanted_names_;
  std::map<plan::Place, int> n_results_, n_allocations_;
  std::string text_;
  int n_loops_ = 0, most_axes_ = 1;
  bool can_fail_ = false;
};

}  // namespace fulgurite::ahead
