// The boundary (see staged.h) of arrays joined, rotated, seen through stencils, and sorted. An array is the
// list of its components everywhere. Nothing here is for users.
#pragma once

#include <fulgurite/staged.h>

#pragma GCC visibility push(default)

namespace fulgurite::detail {

/// The arrays one after the other along an axis; they agree in the other extents.
Values concat(std::span<const Operand> arrays, int axis, Here where);
/// Index i of the result is i + by, modulo the extent, of the array.
Values rotate(std::span<const Value> parts, Value by, int axis, Here where);

/// That a vector is as long as an axis of an array.
void require_fits_axis(const char* what, Value vector, Value array, int axis, Here where);
/// Index i along the axis of the result is places[i] of the array; all are places of that axis.
Values at_places(std::span<const Value> parts, Value places, int axis, const char* origin, Here where);
/// f of the vectors that lie along an axis, for each index of the other axes; it gives vectors as long.
Values on_lines(std::span<const Value> parts, int axis, Body f, const char* origin, Here where);

/// What a stencil function reads: array number `array`, at a distance along each axis from its own point.
class Neighbours {
 public:
  virtual Values read(std::size_t array, std::span<const int> offsets) = 0;

 protected:
  ~Neighbours() = default;
};
/// The user's function of the neighbourhoods; called several times, so it has no other effect.
class StencilBody {
 public:
  template <class F>
  explicit StencilBody(const F& f)
      : object_(&f), call_([](const void* object, Neighbours& neighbours) -> Values {
          return (*static_cast<const F*>(object))(neighbours);
        }) {}
  Values operator()(Neighbours& neighbours) const { return call_(object_, neighbours); }

 private:
  const void* object_;
  Values (*call_)(const void*, Neighbours&);
};
/// What lies around an array; `outside`: a function of the indices gives it, one for each array.
enum class Edge : std::uint8_t { clamp, wrap, mirror, outside };
Values stencil(StencilBody f, Edge edge, std::span<const Body> outside, std::span<const Operand> arrays,
               Here where);

/// Vectors sorted stably by the first `n_keys` of them: in lexicographic order of these, or so that
/// `less`, a function of two times as many elements, holds of no element and one before it.
Values sort(std::span<const Value> vectors, std::size_t n_keys, const char* origin, Here where);
Values sort(Body less, std::span<const Value> vectors, std::size_t n_keys, const char* origin, Here where);
/// Sorts within each row: row i has the elements from offsets[i] to offsets[i + 1].
Values sort_rows(std::span<const Value> vectors, std::size_t n_keys, Value offsets, const char* origin,
                 Here where);
Values sort_rows(Body less, std::span<const Value> vectors, std::size_t n_keys, Value offsets,
                 const char* origin, Here where);

}  // namespace fulgurite::detail

#pragma GCC visibility pop
