// RaggedArray<T>: a real ragged array, rows of unequal lengths, as compiled programs take and return it.
#pragma once

#include <fulgurite/array.h>

#include <iterator>
#include <span>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite {

template <class T>
class Ragged;

/// A real ragged array, as compiled programs take and return it: an immutable, shared value, as fg::Array is.
/// for (std::span<const float> row : rows) ... reads it without a copy; rows of composite elements come as a
/// std::vector.
template <class T>
class RaggedArray {
  static constexpr bool has_spans = detail::Scalar<T>;

 public:
  using Staged = Ragged<T>;
  using Row = std::conditional_t<has_spans, std::span<const T>, std::vector<T>>;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    using pointer = const Row*;
    using reference = Row;
    Iterator(const RaggedArray& array, std::int64_t i) : array_(&array), i_(i) {}
    Row operator*() const { return array_->row(i_); }
    Iterator& operator++() { return ++i_, *this; }
    Iterator operator++(int) { return {*array_, i_++}; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.i_ == b.i_; }

   private:
    const RaggedArray* array_;
    std::int64_t i_;
  };

  /// No rows.
  RaggedArray() : offsets_{0} {}
  /// Believes the offsets, which a program checks when it is called.
  RaggedArray(Array<i64> offsets, Array<T> values)
      : offsets_(std::move(offsets)), values_(std::move(values)) {}
  explicit RaggedArray(const std::vector<std::vector<T>>& rows) {
    std::vector<i64> offsets{0};
    std::vector<T> values;
    for (const std::vector<T>& row : rows) {
      values.insert(values.end(), row.begin(), row.end());
      offsets.push_back(static_cast<i64>(values.size()));
    }
    offsets_ = std::move(offsets);
    values_ = std::move(values);
  }

  /// The number of rows.
  std::int64_t size() const { return offsets_.size() - 1; }
  const Array<i64>& offsets() const { return offsets_; }
  const Array<T>& values() const { return values_; }
  /// The index is believed.
  Row row(std::int64_t i) const {
    if constexpr (has_spans) {
      return Row(values_.data() + offsets_[i], static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]));
    } else {
      Row elements;
      for (std::int64_t k = offsets_[i]; k < offsets_[i + 1]; ++k) elements.push_back(values_[k]);
      return elements;
    }
  }
  Row operator[](std::int64_t i) const { return row(i); }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  std::vector<std::vector<T>> to_vectors() const {
    std::vector<std::vector<T>> rows;
    for (const Row& row : *this) rows.emplace_back(row.begin(), row.end());
    return rows;
  }

 private:
  Array<i64> offsets_;
  Array<T> values_;
};

}  // namespace fulgurite

#pragma GCC visibility pop
