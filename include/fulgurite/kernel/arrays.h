// Pull and push arrays (Obsidian; Claessen, Sheeran, Svensson, "Expressive array constructs in an embedded
// GPU kernel programming language", DAMP 2012, sections 1.2 and 2): arrays as functions, of sizes known while
// a kernel is made. A pull array says what an element is; a push array says where elements go, and with that
// which instances compute them. Neither is in memory before sync() puts it there.
#pragma once

#include <fulgurite/exp.h>
#include <fulgurite/kernel/staged.h>
#include <fulgurite/results.h>

#include <utility>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// A staged index of an array, a number of a thread or a block.
using Index = Exp<std::int64_t>;
using fulgurite::detail::Here;

/// An index of an array, and where it is written.
struct IndexAt {
  Index index;
  Here where;
  template <class I>
    requires std::is_convertible_v<const I&, Index>
  IndexAt(const I& i, Here at = Here::current()) : index(i), where(at) {}
};

/// An array as a function from index to element: nothing is computed before it is asked for, and what
/// consumes it decides who computes what. Its size is a C++ number.
template <class T>
class Pull {
 public:
  using Element = T;
  using At = std::function<Exp<T>(Index)>;

  /// `size` elements, of which `at` computes number i, 0 <= i < size. Throws ShapeError if size < 0.
  Pull(std::int64_t size, At at, Here where = Here::current()) : size_(size), at_(std::move(at)) {
    if (size < 0) fulgurite::detail::block::refuse_size(size, where);
  }
  std::int64_t size() const { return size_; }
  /// The emulator finds an index that is out of range, whatever the array is a part of. Throws IndexError for
  /// a number that is.
  Exp<T> operator[](const IndexAt& i) const {
    fulgurite::detail::block::within(i.index.value(), size_, i.where);
    return at_(i.index);
  }

 private:
  std::int64_t size_;
  At at_;
};

/// `size` elements written by instances of level L: block, warp, thread (one after the other), or grid.
template <class T, Level L = Level::block>
class Push {
 public:
  using Element = T;
  static constexpr Level level = L;
  using Write = std::function<void(Index, Exp<T>)>;
  using Program = std::function<void(const Write&)>;

  /// `program` calls what it is given for each element, in par() or loop(), each index once.
  Push(std::int64_t size, Program program) : size_(size), program_(std::move(program)) {}
  std::int64_t size() const { return size_; }
  void operator()(const Write& write) const { program_(write); }

 private:
  std::int64_t size_;
  Program program_;
};

/// n instances of the body, at once or in any order, that do not wait for each other: threads of the block,
/// or of each group that the code acts on.
inline void par(std::int64_t n, const std::function<void(Index)>& body, Here where = Here::current()) {
  fulgurite::detail::block::par(
      n, [&](fulgurite::detail::Value i) { body(Index(fulgurite::detail::Parts<std::int64_t>{i})); }, where);
}
/// The body for begin, begin + 1 ... end - 1, one after the other, in the instance at hand.
inline void loop(const Index& begin, const Index& end, const std::function<void(Index)>& body,
                 Here where = Here::current()) {
  fulgurite::detail::block::loop(
      begin.value(), end.value(),
      [&](fulgurite::detail::Value i) { body(Index(fulgurite::detail::Parts<std::int64_t>{i})); }, where);
}

/// What the body does (it writes, changes elements, has branches and loops of its own) happens where the
/// condition holds; so it does in the branches of fg::cond and the bodies of fg::iterate and fg::while_loop.
/// In par() each instance has a condition of its own. Outside of it all threads of the block have the same
/// one, and the body may use par() and sync.
inline void when(const Exp<bool>& condition, const std::function<void()>& body,
                 Here where = Here::current()) {
  fulgurite::detail::block::when(condition.value(), body, where);
}

/// One instance for each element; at level thread a loop.
template <Level L = Level::block, class T>
Push<T, L> push(Pull<T> a, Here where = Here::current()) {
  static_assert(L == Level::block || L == Level::warp || L == Level::thread,
                "a pull array is pushed by a thread, a warp or a block");
  return Push<T, L>(a.size(), [a, where](const typename Push<T, L>::Write& write) {
    if constexpr (L == Level::thread)
      loop(0, a.size(), [&](Index i) { write(i, a[i]); }, where);
    else
      par(a.size(), [&](Index i) { write(i, a[i]); }, where);
  });
}
template <Level L = Level::block, class T>
Push<T, L> push(Push<T, L> a, Here = Here::current()) {
  return a;
}

namespace elements {

/// f(a[i], b[j]). C++ may read them in any order, and kernels' texts shall not depend on who compiled them.
template <class F, class S, class T>
auto join(const F& f, const Pull<S>& a, const Index& i, const Pull<T>& b, const Index& j) {
  const Exp<S> first = a[i];
  const Exp<T> second = b[j];
  return f(first, second);
}

}  // namespace elements

/// What can be pushed: Pull<T> and Push<T, L>.
template <class A>
struct PushableOf {
  static constexpr bool is = false;
};
template <class T>
struct PushableOf<Pull<T>> {
  static constexpr bool is = true;
  static constexpr bool is_push = false;
  static constexpr Level level = Level::block;
  using Element = T;
};
template <class T, Level L>
struct PushableOf<Push<T, L>> {
  static constexpr bool is = true;
  static constexpr bool is_push = true;
  static constexpr Level level = L;
  using Element = T;
};
template <class A>
concept Pushable = PushableOf<A>::is;

/// Where the elements of a synced array are: in memory that the threads of a block share, or in a part of
/// global memory that each block has to itself (SArr and GArr of the 2008 paper, section 4).
enum class Place : std::uint8_t { shared, global };

namespace memory {

inline fulgurite::detail::block::Space space_of(Place place) {
  using fulgurite::detail::block::Space;
  return place == Place::global ? Space::global : Space::shared;
}

/// Elements of one array in memory, in one place for each group.
template <class T>
class Stored {
 public:
  Stored(fulgurite::detail::block::Space space, std::int64_t n, Here where)
      : nest_(fulgurite::detail::block::nest(where)),
        n_(n),
        buffers_(fulgurite::detail::block::allocate(space, fulgurite::detail::leaf_kinds<T>, n, where)) {}
  Index at(const Index& i, Here where) const {
    using namespace fulgurite::detail;
    return Index(Parts<std::int64_t>{block::place(nest_, i.value(), n_, where)});
  }
  void store(const Index& i, const Exp<T>& value, Here where) const {
    fulgurite::detail::block::store(buffers_, at(i, where).value(), value.parts(), where);
  }
  Pull<T> read(Here where) const {
    return Pull<T>(n_, [self = *this, where](Index i) {
      using namespace fulgurite::detail;
      return unflattened<Exp<T>>(block::load(self.buffers_, self.at(i, where).value(), where));
    });
  }
  const fulgurite::detail::block::Buffers& buffers() const { return buffers_; }

 private:
  const fulgurite::detail::block::Nest* nest_;
  std::int64_t n_;
  fulgurite::detail::block::Buffers buffers_;
};

}  // namespace memory

/// Writes the array to memory that the threads of a block share (level thread: to the thread's own) and gives
/// it back as a pull array that reads it; nobody waits (2008 paper, section 4.1).
template <class A>
  requires Pushable<A>
auto commit(const A& a, Here where = Here::current()) {
  using Of = PushableOf<A>;
  using T = typename Of::Element;
  static_assert(Of::level != Level::grid, "the blocks of a grid do not share memory: return the array");
  constexpr bool is_thread = Of::level == Level::thread;
  using fulgurite::detail::block::Space;
  const memory::Stored<T> stored(is_thread ? Space::thread : Space::shared, a.size(), where);
  push<Of::level>(a, where)([&](Index i, Exp<T> value) { stored.store(i, value, where); });
  return stored.read(where);
}

/// sync() in global memory of which each block has its own: for arrays that are larger than what threads
/// share, between the phases of a block (GArr of the 2008 paper, section 4).
template <class A>
  requires Pushable<A>
auto to_global(const A& a, Here where = Here::current()) {
  using Of = PushableOf<A>;
  static_assert(Of::level == Level::block || Of::level == Level::warp,
                "a block or a warp writes to global memory");
  const memory::Stored<typename Of::Element> stored(fulgurite::detail::block::Space::global, a.size(), where);
  push<Of::level>(a, where)([&](Index i, auto value) { stored.store(i, value, where); });
  fulgurite::detail::block::barrier(Of::level, where);
  return stored.read(where);
}

/// commit(), and then all instances of the level wait for each other: what is read afterwards is what was
/// written (DAMP 2012, section 1.2). A push array of a grid cannot be waited for.
template <class A>
  requires Pushable<A>
auto sync(const A& a, Here where = Here::current()) {
  static_assert(PushableOf<A>::level != Level::grid, "the blocks of a grid do not wait for each other");
  auto result = commit(a, where);
  if constexpr (PushableOf<A>::level != Level::thread)
    fulgurite::detail::block::barrier(PushableOf<A>::level, where);
  return result;
}

/// sync() to this place: to shared memory, or as to_global() does.
template <class A>
  requires Pushable<A>
auto sync(const A& a, Place place, Here where = Here::current()) {
  static_assert(PushableOf<A>::level == Level::block || PushableOf<A>::level == Level::warp,
                "a block or a warp has its arrays at a place");
  return place == Place::global ? to_global(a, where) : sync(a, where);
}

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
