// Array<T, N>: a real array of rank N, as compiled programs take and return it: an immutable, shared value
// (copies cost a reference count), dense and row-major. Arrays of composite elements are stored as one array
// for each leaf of T (element.h). Also what else a program takes for an array argument: std::vector,
// std::span, std::array, C arrays, and fg::view of a pointer.
#pragma once

#include <fulgurite/element.h>
#include <fulgurite/error.h>
#include <fulgurite/executable.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
// The number of dimensions is an int. As the length of a std::array, g++ takes it for one that may be
// negative.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace fulgurite {
namespace detail {

/// The number of elements. Throws ShapeError for a negative extent or more elements than memory could have.
std::int64_t element_count(std::span<const std::int64_t> extents);
[[noreturn, gnu::cold]] void refuse_element_count(std::size_t given, std::span<const std::int64_t> extents);
[[noreturn, gnu::cold]] void refuse_index(std::int64_t index, std::int64_t size,
                                          const std::source_location& where);
[[noreturn, gnu::cold]] void refuse_axis(int axis, int rank);
/// Counts bytes copied between the user's memory and arrays, for fg::stats().
void count_copied(std::size_t bytes) noexcept;

/// Memory for n elements of `size` bytes. Throws OutOfMemory.
std::shared_ptr<void> allocate_elements(std::size_t n, std::size_t size);

/// The user's line that reads elements, which messages name where they have to be waited for.
using Reads = std::source_location;

/// An index of an element, and the line that reads it.
struct ReadIndex {
  std::int64_t value;
  Reads reads;
  template <std::convertible_to<std::int64_t> I>
  ReadIndex(const I& index, Reads line = Reads::current())
      : value(static_cast<std::int64_t>(index)), reads(line) {}
};

/// An array of composites, or a std::vector<bool>, as one array for each leaf.
template <class T, class Elements>
std::array<std::shared_ptr<const void>, n_leaves<T>> split(const Elements& elements, std::size_t n) {
  std::array<std::shared_ptr<void>, n_leaves<T>> memory;
  for_each_leaf(T{}, [&](std::size_t leaf, auto zero) {
    memory[leaf] = allocate_elements(n, sizeof(zero));
    count_copied(n * sizeof(zero));
  });
  for (std::size_t i = 0; i < n; ++i)
    for_each_leaf(static_cast<T>(elements[i]), [&](std::size_t leaf, auto value) {
      static_cast<decltype(value)*>(memory[leaf].get())[i] = value;
    });
  std::array<std::shared_ptr<const void>, n_leaves<T>> parts;
  for (std::size_t leaf = 0; leaf < parts.size(); ++leaf) parts[leaf] = std::move(memory[leaf]);
  return parts;
}

}  // namespace detail

/// The caller's memory as an array argument: fg::view(pointer, {rows, columns}). Owns nothing.
template <class T, int N>
struct View {
  const T* data;
  std::array<std::int64_t, N> extents;
};
/// Throws ShapeError for a negative extent.
template <class T, std::size_t N>
View<T, static_cast<int>(N)> view(const T* data, const std::int64_t (&extents)[N]) {
  detail::element_count(extents);
  View<T, static_cast<int>(N)> result{data, {}};
  for (std::size_t k = 0; k < N; ++k) result.extents[k] = extents[k];
  return result;
}

/// A real array of rank N, immutable and shared, dense and row-major. To copy it costs a reference count.
template <class T, int N = 1>
class Array {
  static_assert(detail::check_element<T>());
  static_assert(1 <= N && N <= detail::max_rank, "arrays have 1 to 8 axes");
  static constexpr bool is_scalar = detail::Scalar<T>;

 public:
  using Parts = std::array<detail::Elements, detail::n_leaves<T>>;
  using Shape = std::array<std::int64_t, N>;
  using value_type = T;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;
    Iterator(const Array& array, std::int64_t i) : array_(&array), i_(i) {}
    T operator*() const { return array_->element(i_, {}); }
    Iterator& operator++() { return ++i_, *this; }
    Iterator operator++(int) { return {*array_, i_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }

   private:
    const Array* array_;
    std::int64_t i_;
  };

  /// No elements.
  Array() = default;
  /// Takes the vector's memory (copies it for composite elements and bool).
  Array(std::vector<T> elements)
    requires(N == 1)
  {
    shape_[0] = static_cast<std::int64_t>(elements.size());
    adopt(std::move(elements));
  }
  Array(std::initializer_list<T> elements)
    requires(N == 1)
      : Array(std::vector<T>(elements)) {}
  /// Throws ShapeError unless the shape holds as many elements as there are.
  Array(std::vector<T> elements, const Shape& shape) : shape_(shape) {
    if (static_cast<std::size_t>(detail::element_count(shape_)) != elements.size())
      detail::refuse_element_count(elements.size(), shape_);
    adopt(std::move(elements));
  }
  Array(const Parts& parts, const Shape& shape) : parts_(parts), shape_(shape) {}

  /// The number of elements, of all axes together.
  std::int64_t size() const {
    std::int64_t n = 1;
    for (std::int64_t extent : shape_) n *= extent;
    return n;
  }
  /// The extent of an axis: 0 is the outermost, -1 the innermost. Throws ShapeError for others. The extents
  /// of all axes; whether there are no elements.
  std::int64_t size(int axis) const {
    if (axis < -N || axis >= N) detail::refuse_axis(axis, N);
    return shape_[static_cast<std::size_t>(axis < 0 ? axis + N : axis)];
  }
  const Shape& shape() const { return shape_; }
  bool empty() const { return size() == 0; }
  const Parts& parts() const { return parts_; }

  /// The elements, row-major, for as long as the array or a copy of it lives. Waits until they are computed,
  /// and copies them from a device that computed them, once. T is no composite.
  const T* data(detail::Reads reads = detail::Reads::current()) const
    requires(is_scalar)
  {
    return static_cast<const T*>(parts_[0].get(reads));
  }
  operator std::span<const T>() const
    requires(is_scalar)
  {
    return {data({}), static_cast<std::size_t>(size())};
  }

  /// Elements of a vector, a[i], and of a matrix, m(i, j); there is no assigning to them. The indices are
  /// believed; at() checks.
  decltype(auto) operator[](const detail::ReadIndex& i) const
    requires(N == 1)
  {
    return element(i.value, i.reads);
  }
  template <class I>
    requires requires { typename I::Element; }
  FULGURITE_REFUSED(
      "an fg::Array has no staged index: fg::constant(array)[i] reads it in a program that is traced")
  void
  operator[](const I&) const;
  template <class... Indices>
    requires(N != 2 && sizeof...(Indices) == N && (std::is_convertible_v<Indices, std::int64_t> && ...))
  decltype(auto) operator()(Indices... indices) const {
    std::int64_t offset = 0;
    std::size_t axis = 0;
    ((offset = offset * shape_[axis++] + static_cast<std::int64_t>(indices)), ...);
    return element(offset, {});
  }
  decltype(auto) operator()(const detail::ReadIndex& i, const detail::ReadIndex& j) const
    requires(N == 2)
  {
    return element(i.value * shape_[1] + j.value, i.reads);
  }
  /// The i-th element in row-major order. Throws IndexError.
  decltype(auto) at(std::int64_t i, detail::Reads reads = detail::Reads::current()) const {
    if (i < 0 || i >= size()) detail::refuse_index(i, size(), reads);
    return element(i, reads);
  }

  /// Through all elements, row-major: `for (float x : a)`.
  auto begin(detail::Reads reads = detail::Reads::current()) const {
    if constexpr (is_scalar) {
      return data(reads);
    } else {
      return Iterator(*this, 0);
    }
  }
  auto end(detail::Reads reads = detail::Reads::current()) const {
    if constexpr (is_scalar) {
      return data(reads) + size();
    } else {
      return Iterator(*this, size());
    }
  }
  /// A copy of all elements, in row-major order.
  std::vector<T> to_vector(detail::Reads reads = detail::Reads::current()) const {
    detail::count_copied(static_cast<std::size_t>(size()) * sizeof(T));
    return std::vector<T>(begin(reads), end(reads));
  }
  explicit operator std::vector<T>() const { return to_vector({}); }

  /// A field of an array of composites, as an array that shares its memory.
  template <std::size_t i>
  auto get() const
    requires(!is_scalar)
  {
    using F = detail::Field<T, i>;
    typename Array<F, N>::Parts parts;
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k] = parts_[detail::first_leaf<T, i> + k];
    return Array<F, N>(parts, shape_);
  }

 private:
  void adopt(std::vector<T> elements) {
    if constexpr (is_scalar && !std::is_same_v<T, bool>) {
      const auto owner = std::make_shared<const std::vector<T>>(std::move(elements));
      parts_[0] = std::shared_ptr<const void>(owner, owner->data());
    } else {
      auto parts = detail::split<T>(elements, elements.size());
      for (std::size_t leaf = 0; leaf < parts.size(); ++leaf) parts_[leaf] = std::move(parts[leaf]);
    }
  }
  std::conditional_t<is_scalar, const T&, const T> element(std::int64_t i, detail::Reads reads) const {
    if constexpr (is_scalar) {
      return data(reads)[i];
    } else {
      return detail::from_leaves<T>(
          [&]<class S>(std::size_t leaf) { return static_cast<const S*>(parts_[leaf].get(reads))[i]; });
    }
  }

  Parts parts_{};
  Shape shape_{};
};

namespace detail {

/// What a program with a parameter Acc<T, N> is called with; refers to the caller's elements for the time of
/// the call. Arrays of structures become structures of arrays here, which copies them.
template <class T, int N>
class ArrayArgument {
 public:
  ArrayArgument(const Array<T, N>& array) : extents_(array.shape()) {
    for (std::size_t leaf = 0; leaf < n_leaves<T>; ++leaf) {
      data_[leaf] = array.parts()[leaf].at_hand();
      storages_[leaf] = array.parts()[leaf].storage();
    }
  }
  ArrayArgument(const View<T, N>& view) : extents_(view.extents) {
    refer_or_split(view.data, static_cast<std::size_t>(element_count(extents_)));
  }
  template <class R>
    requires(N == 1 && std::is_convertible_v<const R&, std::span<const T>> && !std::is_same_v<R, Array<T, N>>)
  ArrayArgument(const R& elements) {
    const std::span<const T> span = elements;
    extents_[0] = static_cast<std::int64_t>(span.size());
    refer_or_split(span.data(), span.size());
  }
  ArrayArgument(const std::vector<bool>& elements)
    requires(N == 1 && std::is_same_v<T, bool>)
      : extents_{static_cast<std::int64_t>(elements.size())}, owned_(split<bool>(elements, elements.size())) {
    refer(owned_);
  }
  template <std::size_t rows, std::size_t columns>
    requires(N == 2)
  ArrayArgument(const T (&matrix)[rows][columns]) : extents_{rows, columns} {
    refer_or_split(&matrix[0][0], rows * columns);
  }
  ArrayArgument(const ArrayArgument&) = delete;

  // What cannot be an argument.
  template <class R>
  static constexpr bool is_accepted =
      std::is_convertible_v<const R&, Array<T, N>> || std::is_convertible_v<const R&, View<T, N>> ||
      (N == 1 && std::is_convertible_v<const R&, std::span<const T>>) || (N == 2 && std::rank_v<R> == 2);
  template <class P>
    requires(std::is_pointer_v<P>)
  FULGURITE_REFUSED(
      "a pointer does not say how many elements there are: give the program fg::view(pointer, {n})")
  ArrayArgument(const P&);
  template <class X>
    requires requires { typename X::Element; }
  FULGURITE_REFUSED(
      "a compiled program takes real arrays, and this one is staged: call the C++ function that was compiled "
      "instead, it becomes part of the program")
  ArrayArgument(const X&);
  template <class R>
    requires(!is_accepted<R> && !std::is_pointer_v<R> && !requires { typename R::Element; })
  FULGURITE_REFUSED(
      "the argument is no array of this parameter's element type and rank: give a Vec<float> a "
      "std::vector<float>, a Mat<float> an fg::Array<float, 2> or fg::view(pointer, {rows, columns})")
  ArrayArgument(const R&);

  void view_as(ArgumentView* views) const {
    for (std::size_t leaf = 0; leaf < n_leaves<T>; ++leaf)
      views[leaf] = {static_cast<std::uint8_t>(leaf_kinds<T>[leaf]),
                     N,
                     data_[leaf],
                     extents_.data(),
                     0,
                     storages_[leaf]};
  }

 private:
  using Owned = std::array<std::shared_ptr<const void>, n_leaves<T>>;

  void refer(const Owned& parts) {
    for (std::size_t leaf = 0; leaf < n_leaves<T>; ++leaf) data_[leaf] = parts[leaf].get();
  }
  void refer_or_split(const T* elements, std::size_t n) {
    if constexpr (Scalar<T>) {
      data_[0] = elements;
    } else {
      owned_ = split<T>(elements, n);
      refer(owned_);
    }
  }

  std::array<const void*, n_leaves<T>> data_{};
  std::array<const Storage*, n_leaves<T>> storages_{};  // null: the caller's memory, which may change
  std::array<std::int64_t, N> extents_{};
  [[no_unique_address]] std::conditional_t<Scalar<T> && !std::is_same_v<T, bool>, std::tuple<>, Owned> owned_;
};

}  // namespace detail
}  // namespace fulgurite

#pragma GCC diagnostic pop
#pragma GCC visibility pop

template <class T, int N>
  requires(!fulgurite::detail::Scalar<T>)
struct std::tuple_size<fulgurite::Array<T, N>>
    : std::integral_constant<std::size_t, fulgurite::detail::n_fields<T>> {};
template <std::size_t i, class T, int N>
  requires(!fulgurite::detail::Scalar<T>)
struct std::tuple_element<i, fulgurite::Array<T, N>> {
  using type = fulgurite::Array<fulgurite::detail::Field<T, i>, N>;
};
