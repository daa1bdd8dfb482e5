// Filters: push arrays whose number of elements is unknown before the kernel runs (DAMP 2012,
// section 4: "discarding elements"). What is known before is how many there are at most, which is what memory
// is made for.
#pragma once

#include <fulgurite/kernel/accumulate.h>
#include <fulgurite/kernel/reduce_scan.h>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// The first size() elements of a pull array, a number that the kernel computes. A read after them finds
/// memory that nothing has written.
template <class T>
class Prefix {
 public:
  Prefix(Pull<T> elements, std::function<Index()> size)
      : elements_(std::move(elements)), size_(std::move(size)) {}
  std::int64_t most() const { return elements_.size(); }
  Index size() const { return size_(); }
  Exp<T> operator[](const IndexAt& i) const { return elements_[i]; }
  const Pull<T>& elements() const { return elements_; }

 private:
  Pull<T> elements_;
  std::function<Index()> size_;
};

/// A push array of size() elements, a number that the kernel computes and that is at most most(). Each is
/// written under a condition: an instance that has no element writes none.
template <class T>
class Kept {
 public:
  using Element = T;
  using Write = std::function<void(Index, Exp<T>)>;
  using Program = std::function<void(const Write&)>;

  /// `program` calls what it is given in par(), once for each index below size(), perhaps in when().
  Kept(std::int64_t most, std::function<Index()> size, Program program)
      : most_(most), size_(std::move(size)), program_(std::move(program)) {}
  std::int64_t most() const { return most_; }
  Index size() const { return size_(); }
  void operator()(const Write& write) const { program_(write); }

 private:
  std::int64_t most_;
  std::function<Index()> size_;
  Program program_;
};

namespace filters {

/// The elements of `a` for which `flag` is 1, where a running sum of the flags says; it is in memory.
template <class T>
Kept<T> kept(const Pull<T>& a, const Pull<std::int32_t>& flags, Place place, Here where) {
  const Pull<std::int32_t> counts = block_scan(plus, flags, place, where);
  const std::int64_t n = a.size();
  const auto size = [=] { return n == 0 ? Index(0) : cast<std::int64_t>(counts[n - 1]); };
  return {n, size, [=](const typename Kept<T>::Write& write) {
            par(
                n,
                [&](Index i) {
                  when(flags[i] == 1, [&] { write(cast<std::int64_t>(counts[i]) - 1, a[i]); }, where);
                },
                where);
          }};
}

}  // namespace filters

/// The elements for which `keep` holds, in their order. A push array is synced first. `keep` is applied twice
/// to each element, and what computes it, too: sync what is expensive.
inline constexpr struct Filter {
  template <class T, class Keep>
  Kept<T> operator()(const Keep& keep, const Pull<T>& a, Place place = Place::shared,
                     Here where = Here::current()) const {
    const Pull<std::int32_t> flags(a.size(),
                                   [=](Index i) { return cast<std::int32_t>(Exp<bool>(keep(a[i]))); });
    return filters::kept(a, flags, place, where);
  }
  template <class T, class Keep>
  Kept<T> operator()(const Keep& keep, const Push<T>& a, Place place = Place::shared,
                     Here where = Here::current()) const {
    return (*this)(keep, sync(a, place, where), place, where);
  }
  template <class T, class Keep>
  Kept<T> operator()(const Keep& keep, const Prefix<T>& a, Place place = Place::shared,
                     Here where = Here::current()) const {
    const auto flag = [=](Index i) {
      return cond(
          i < a.size(), [&] { return cast<std::int32_t>(Exp<bool>(keep(a[i]))); },
          [] { return Exp<std::int32_t>(0); });
    };
    return filters::kept(a.elements(), Pull<std::int32_t>(a.most(), flag), place, where);
  }
} filter{};

/// f of each element.
template <class F, class T>
auto map(const F& f, const Kept<T>& a) {
  using R = ElementFrom<F, Exp<T>>;
  return Kept<R>(
      a.most(), [a] { return a.size(); },
      [f, a](const typename Kept<R>::Write& write) {
        a([&](Index i, Exp<T> x) { write(i, Exp<R>(f(x))); });
      });
}

/// In memory of the block; all of its threads have waited.
template <class T>
Prefix<T> sync(const Kept<T>& a, Place place, Here where = Here::current()) {
  const memory::Stored<T> stored(memory::space_of(place), a.most(), where);
  a([&](Index i, Exp<T> x) { stored.store(i, x, where); });
  fulgurite::detail::block::barrier(Level::block, where);
  return {stored.read(where), [a] { return a.size(); }};
}
template <class T>
Prefix<T> sync(const Kept<T>& a, Here where = Here::current()) {
  return sync(a, Place::shared, where);
}

/// An array of one element: how many there are.
template <class T>
Pull<std::int64_t> size_of(const Kept<T>& a) {
  return {1, [a](Index) { return a.size(); }};
}

/// The elements, and after them `fill`: a push array of most() elements, which a kernel may return.
template <class T>
Push<T> filled(const std::type_identity_t<Exp<T>>& fill, const Kept<T>& a, Here where = Here::current()) {
  return {a.most(), [=](const typename Push<T>::Write& write) {
            a(write);
            par(a.most(), [&](Index i) { when(a.size() <= i, [&] { write(i, fill); }, where); }, where);
          }};
}

/// Elements `at`, `at` + 1 ... of an array that the launch is given become the elements of `a`. Blocks write
/// to different places; nothing is written after the array's end.
template <class T>
void write_at(const Index& at, const Updated<T>& to, const Kept<T>& a) {
  a([&](Index i, Exp<T> x) { to.write(at + i, x); });
}

/// As above, at a place that the block takes for itself, after the places of other blocks: element 0 of
/// `taken` is how many places have been. Blocks come in any order; a block's elements stay together and in
/// theirs.
template <class T, class I>
void append(const Updated<T>& to, const Updated<I>& taken, const Kept<T>& a, Here where = Here::current()) {
  const memory::Stored<I> place(fulgurite::detail::block::Space::shared, 1, where);
  par(1, [&](Index) { place.store(0, atomic_add(taken, cast<I>(a.size())), where); }, where);
  fulgurite::detail::block::barrier(Level::block, where);
  const Pull<I> first = place.read(where);
  a([&](Index i, Exp<T> x) { to.write(cast<std::int64_t>(first[0]) + i, x); });
}

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
