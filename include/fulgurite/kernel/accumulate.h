// Elements that many instances change, each change in one step: atomics, on memory of a block or, where it is
// a result, on one array that all blocks of the launch share.
#pragma once

#include <fulgurite/functions.h>
#include <fulgurite/kernel/arrays.h>
#include <fulgurite/kernel/tiles.h>

#include <concepts>
#include <string_view>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// The new value instead of the old one.
inline constexpr struct Exchange {
  template <class T>
  Exp<T> operator()(const Exp<T>&, const Exp<T>& x) const {
    return x;
  }
} exchange{};

namespace atomics {

// plus, min, max, bit_and, bit_or, bit_xor, exchange: the names of the atomic operations.
template <class Op>
struct NameOf {
  static constexpr const char* name = nullptr;
};
template <auto name_, class Domain>
struct NameOf<fulgurite::detail::Binary<name_, Domain>> {
  static constexpr const char* name = name_.text;
};
template <auto name_>
struct NameOf<fulgurite::detail::Extreme<name_>> {
  static constexpr const char* name = name_.text;
};
template <>
struct NameOf<Exchange> {
  static constexpr const char* name = "exchange";
};

template <class Op, class T>
constexpr const char* name_of() {
  constexpr const char* name = NameOf<std::remove_cvref_t<Op>>::name;
  static_assert(name != nullptr,
                "elements change in one step by plus, min, max, bit_and, bit_or, bit_xor or exchange");
  constexpr std::string_view known = name == nullptr ? "" : name;
  static_assert(known == "add" || known == "min" || known == "max" || known == "bit_and" ||
                    known == "bit_or" || known == "bit_xor" || known == "exchange",
                "elements change in one step by plus, min, max, bit_and, bit_or, bit_xor or exchange");
  static_assert(std::is_invocable_v<const Op&, Exp<T>, Exp<T>>,
                "the operation is not one of this element type");
  return name;
}

}  // namespace atomics

/// `size` elements, all `initial` at first, that instances change by one operation, in any order. sync() puts
/// them into shared memory, changed by the block's own threads, and gives a pull array. A kernel that returns
/// them has a result of this size, one for all blocks, changed by the threads of all of them. T is a number.
template <class T>
class Accumulated {
  static_assert(fulgurite::detail::Number<T>, "numbers are changed in one step, nothing larger");

 public:
  using Element = T;
  /// Makes element i what the operation makes of it and x, and gives what it was; nothing, and 0, where there
  /// is no element i.
  using Change = std::function<Exp<T>(Index i, Exp<T> x)>;
  /// `program` calls what it is given, in par(), as often as it likes for an element.
  using Program = std::function<void(const Change&)>;

  template <class Op>
  Accumulated(const Op&, const Index& size, T initial, Program program)
      : operation_(atomics::name_of<Op, T>()), size_(size), initial_(initial), program_(std::move(program)) {}
  /// The name of the operation, how many elements there are, and what each is at first.
  const char* operation() const { return operation_; }
  const Index& size() const { return size_; }
  T initial() const { return initial_; }
  void operator()(const Change& change) const { program_(change); }

 private:
  const char* operation_;
  Index size_;
  T initial_;
  Program program_;
};

/// Element at[k] changed by values[k], for each k; what is at no element changes nothing. `size` is a number
/// if it is to be synced.
inline constexpr struct Accumulate {
  template <class Op, class T, class I>
    requires std::integral<I>
  Accumulated<T> operator()(const Op& op, const Index& size, T initial, const Pull<I>& at,
                            const Pull<T>& values, Here where = Here::current()) const {
    if (at.size() != values.size())
      fulgurite::detail::block::refuse("accumulate needs as many places as values: they are " +
                                           std::to_string(at.size()) + " and " +
                                           std::to_string(values.size()),
                                       where);
    return Accumulated<T>(op, size, initial, [=](const typename Accumulated<T>::Change& change) {
      par(at.size(), [&](Index k) { change(cast<std::int64_t>(at[k]), values[k]); }, where);
    });
  }
} accumulate{};

/// In memory of the block; all threads have waited for all changes. Throws TraceError if the size is not a
/// number.
template <class T>
Pull<T> sync(const Accumulated<T>& a, Place place, Here where = Here::current()) {
  using namespace fulgurite::detail;
  const std::int64_t n = block::number_of(a.size().value(), where);
  const memory::Stored<T> cells(memory::space_of(place), n, where);
  par(n, [&](Index i) { cells.store(i, a.initial(), where); }, where);
  block::barrier(Level::block, where);
  a([&](const Index& i, const Exp<T>& x) {
    const Exp<bool> exists = 0 <= i && i < n;
    return Exp<T>(Parts<T>{block::atomic(a.operation(), cells.buffers()[0], cells.at(i, where).value(),
                                         x.value(), exists.value(), where)});
  });
  block::barrier(Level::block, where);
  return cells.read(where);
}
template <class T>
Pull<T> sync(const Accumulated<T>& a, Here where = Here::current()) {
  return sync(a, Place::shared, where);
}

/// A result: what all blocks make of an array that the launch is given, element by element as accumulate()
/// does.
template <class T>
struct AccumulatedInto {
  Accumulated<T> changes;
  int updates;
};
template <class Op, class T, class I>
AccumulatedInto<T> accumulate_into(const Updated<T>& to, const Op& op, const Pull<I>& at,
                                   const Pull<T>& values, Here where = Here::current()) {
  return {accumulate(op, to.size(), T{}, at, values, where), to.argument()};
}

/// In par(): element i of the array becomes what the operation (as of Accumulated) makes of it and x, in one
/// step, whoever else changes it; gives what it was. Nothing, and 0, where there is no element i.
template <class T, class Op>
Exp<T> atomic(const Op&, const Updated<T>& to, const Index& i, const std::type_identity_t<Exp<T>>& x) {
  static_assert(fulgurite::detail::Number<T>, "numbers are changed in one step, nothing larger");
  return to.change(atomics::name_of<Op, T>(), i, x);
}
/// x added to element 0: out.write(atomic_add(counter, 1), x) gives each instance a place of its own.
template <class T>
Exp<T> atomic_add(const Updated<T>& counter, const std::type_identity_t<Exp<T>>& x) {
  return atomic(plus, counter, 0, x);
}

/// How many elements have each bin, in memory of the block; what is in none of the bins counts nowhere.
inline constexpr struct BlockHistogram {
  template <class T>
  Pull<std::int32_t> operator()(std::int64_t bins, const Pull<T>& bin_of, Place place = Place::shared,
                                Here where = Here::current()) const {
    const Pull<std::int32_t> ones(bin_of.size(), [](Index) { return Exp<std::int32_t>(1); });
    return sync(accumulate(plus, bins, 0, bin_of, ones, where), place, where);
  }
} block_histogram{};

/// Counts over all blocks of the launch, each of which counts by itself first: a result of `bins` elements.
inline constexpr struct Histogram {
  template <class T>
  Accumulated<std::int32_t> operator()(std::int64_t bins, const Pull<T>& bin_of, Place place = Place::shared,
                                       Here where = Here::current()) const {
    const Pull<std::int32_t> counts = block_histogram(bins, bin_of, place, where);
    const Pull<std::int64_t> at(bins, [](Index i) { return i; });
    return accumulate(plus, bins, 0, at, counts, where);
  }
} histogram{};

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
