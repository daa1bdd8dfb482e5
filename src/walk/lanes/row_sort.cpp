#include "walk/lanes/row_sort.h"

#include "scalar/value.h"
#include "schedule/nest.h"
#include "schedule/rewrites/radix.h"
#include "soac/sort_keys.h"
#include "walk/arrays.h"
#include "walk/control.h"
#include "walk/lanes/counts.h"
#include "walk/phase.h"

namespace fulgurite::walk::lanes {

RowSort::RowSort(const Emitter& e, const soac::Stm& sort, Expr longest, const schedule::Skeleton& by)
    : e_(e),
      arena_(e.arena()),
      s_(sort),
      op_(std::get<soac::Sort>(sort.op)),
      ranked_(number_of(by, "ranked")),
      least_digit_bits_(number_of(by, "least digit bits")),
      digit_bits_(number_of(by, "digit bits")),
      beyond_bits_(number_of(by, "beyond bits")),
      insertion_steps_(number_of(by, "insertion steps")),
      kind_(op_.key.results[0].kind()),
      width_(static_cast<std::int64_t>(8 * size_of(kind_))),
      longest_(longest),
      counts_(e.allocate_shared(Kind::i64, std::int64_t{1} << digit_bits_)),
      keys_(e.allocate_shared(kind_, ranked_)) {
  for (Expr array : op_.arrays) {
    moved_.push_back(scratch(e_, array.kind(), longest_, s_.where, {.copies = 2}));
    fit(e_, longest_, moved_.back(), s_.where);
  }
}

void RowSort::sort(Expr n, std::span<const Expr> arrays, Expr begin,
                   const std::vector<Destination>& results) {
  n_ = n, arrays_ = arrays, begin_ = begin, results_ = results;
  e_.if_then_else(e_.lower(n_ <= ranked_), [&] { by_ranks(); }, [&] { by_digits(); });
}

void RowSort::by_ranks() {
  std::vector<Var> names;
  const auto make_at = [&](Kind kind, Expr n, const Destination& to) {
    names.push_back(arena_.fresh_array(kind, {n}, "ranked").var());
    e_.set_destination(names.back(), to);
  };
  make_at(kind_, i64(ranked_), {keys_, {}});
  const Expr keys = arena_.name(names[0]), j = arena_.fresh({Kind::i64}, "j");
  const Expr greatest = arena_.constant(kind_, scalar::highest(kind_));
  statements(e_, {{names, soac::Soac{{i64(ranked_)}, {{j.var()}, {}, {greatest}}}, s_.where, ""}});
  for (std::size_t k = 0; k < arrays_.size(); ++k) make_at(arrays_[k].kind(), n_, moved_[k]);
  make_at(kind_, n_, {keys_, {}});
  names.erase(names.begin());
  statements(e_, {soac::with_keys(arena_, s_, arrays_, begin_, n_, names)});
  e_.for_loop(i64(0), n_, i64(1), "i", [&](Expr i) {
    const Expr own = e_.load_plain(keys_, i, "key"), rank = arena_.fresh({Kind::i64}, "rank");
    statements(e_, {soac::rank_of(arena_, keys, i, own, rank.var())});
    const Expr place = e_.lower(rank);
    put(e_, results_, place, at(e_, moved_, i));
  });
}

void RowSort::by_digits() {
  range();
  const Expr beyond = 64 + beyond_bits_ - arena_.apply(Op::clz, {n_});
  need_ = e_.declare(e_.lower(min(bits_, beyond)), "need");
  const Expr goes_on = e_.declare(arena_.boolean(true), "goes_on");
  e_.while_loop([&] { return e_.snapshot(goes_on, "goes_on"); },
                [&] {
                  const Expr work = insert(by_highest_bits());
                  e_.assign(need_, bits_);
                  e_.assign(goes_on, e_.lower(n_ * insertion_steps_ < work));
                });
}

Expr RowSort::key(const Elements& elements) {
  return bound(soac::key_of(arena_, op_, elements), "key");
}

RowSort::Elements RowSort::given(Expr number) {
  const Expr at = begin_ + number;
  Elements elements;
  for (Expr array : arrays_) elements.push_back(e_.lower(arena_.index(array, std::span(&at, 1))));
  return elements;
}

RowSort::Elements RowSort::at(const Emitter& e, const std::vector<Destination>& arrays, Expr number) {
  Elements elements;
  for (const Destination& array : arrays)
    elements.push_back(e.load_plain(array.buffer, e.lower(element_of(array, number)), "x"));
  return elements;
}

void RowSort::put(const Emitter& e, const std::vector<Destination>& arrays, Expr number,
                  const Elements& elements) {
  for (std::size_t k = 0; k < arrays.size(); ++k)
    e.store_plain(arrays[k].buffer, e.lower(element_of(arrays[k], number)), elements[k]);
}

// The least key, and how many bits the others differ from it in.
void RowSort::range() {
  const Expr least = arena_.fresh({kind_}, "least"), most = arena_.fresh({kind_}, "most");
  statements(e_, {soac::range_of_keys(arena_, s_, arrays_, begin_, n_, least.var(), most.var())});
  least_ = e_.lower(least);
  const Expr zeros = arena_.apply(Op::clz, {e_.lower(most) - least_});
  bits_ = bound(width_ - cast(zeros, Kind::i64), "bits");
}

// Moves the elements, from their row first, and gives where they are then.
Expr RowSort::by_highest_bits() {
  const Expr need = e_.snapshot(need_, "need"), one = i64(1);
  // Classes are counted and added up in each pass: not many more than there are elements.
  const Expr log = 64 - arena_.apply(Op::clz, {n_});
  const Expr most = bound(min(max(log, least_digit_bits_), digit_bits_), "most");
  const Expr passes = bound(max(schedule::ceil_div(need, most), one), "passes");
  digit_ = bound(max(schedule::ceil_div(need, passes), one), "digit");
  low_ = bound(max(bits_ - passes * digit_, 0), "low");
  classes_ = bound(one << digit_, "classes");
  pass(low_, i64(0), [&](Expr i) { return given(i); });
  const Expr where = e_.declare(i64(0), "half");
  e_.for_loop(one, passes, one, "p", [&](Expr p) {
    const Expr from = e_.snapshot(where, "from");
    const Expr to = bound(longest_ - from, "to");
    pass(bound(low_ + p * digit_, "shift"), to, [&](Expr i) { return at(e_, moved_, from + i); });
    e_.assign(where, to);
  });
  return e_.snapshot(where, "from");
}

template <class F>
void RowSort::pass(Expr shift, Expr to, F&& element) {
  const Expr one = i64(1), zero = i64(0);
  clear(e_, classes_, {counts_, {}});
  auto digit_of = [&](const Elements& x) {
    const Expr mask = cast(classes_, kind_) - bits(1);
    const Expr shifted = (key(x) - least_) >> cast(shift, kind_);
    return bound(cast(shifted & mask, Kind::i64), "d");
  };
  e_.for_loop(zero, n_, one, "i", [&](Expr i) {
    const Expr d = digit_of(element(i));
    const Expr count = e_.load_plain(counts_, d, "count");
    e_.store_plain(counts_, d, e_.lower(count + one));
  });
  const Expr so_far = e_.declare(to, "so_far");
  e_.for_loop(zero, classes_, one, "c", [&](Expr c) {
    const Expr count = e_.load_plain(counts_, c, "count");
    const Expr before = e_.snapshot(so_far, "before");
    e_.store_plain(counts_, c, before);
    e_.assign(so_far, e_.lower(before + count));
  });
  e_.for_loop(zero, n_, one, "i", [&](Expr i) {
    const Elements x = element(i);
    const Expr d = digit_of(x);
    const Expr place = e_.load_plain(counts_, d, "place");
    e_.store_plain(counts_, d, e_.lower(place + one));
    put(e_, moved_, place, x);
  });
}

// Into the result; gives how many steps elements went back, or more than are allowed.
Expr RowSort::insert(Expr from) {
  const Expr one = i64(1), zero = i64(0);
  const Expr number = e_.declare(zero, "i"), work = e_.declare(zero, "work");
  const Expr greatest = e_.declare(bits(0), "greatest");
  const Expr most_work = bound(n_ * insertion_steps_, "most_work");
  Expr i;
  e_.while_loop(
      [&] {
        i = e_.snapshot(number, "i");
        const Expr done = e_.snapshot(work, "work");
        const Expr is_worth_it = done <= most_work;
        return bound((i < n_) & is_worth_it, "goes_on");
      },
      [&] {
        insert_one(i, at(e_, moved_, from + i), greatest,
                   [&](Expr steps) { e_.assign(work, e_.lower(e_.snapshot(work, "work") + steps)); });
        e_.assign(number, e_.lower(i + one));
      });
  return e_.snapshot(work, "work");
}

// Puts element i after the elements of the result that are no greater. `greatest`: the greatest key so far.
template <class F>
void RowSort::insert_one(Expr i, const Elements& x, Expr greatest, F&& went_back) {
  const Expr one = i64(1), zero = i64(0);
  const Expr k = key(x), before = e_.snapshot(greatest, "before");
  e_.if_then_else(
      bound(before <= k, "in_order"),
      [&] {
        put(e_, results_, i, x);
        e_.assign(greatest, k);
      },
      [&] {
        const Expr place = e_.declare(i, "place");
        Expr j;
        Elements y;
        e_.while_loop(
            [&] {
              j = e_.snapshot(place, "j");
              y = at(e_, results_, max(j - one, zero));
              const Expr is_greater = k < key(y);
              return bound((zero < j) & is_greater, "goes_back");
            },
            [&] {
              put(e_, results_, j, y);
              e_.assign(place, e_.lower(j - one));
            });
        const Expr to = e_.snapshot(place, "to");
        put(e_, results_, to, x);
        went_back(i - to);
      });
}

void inner_sort(const Emitter& e, const soac::Stm& s, const schedule::Skeleton& by) {
  const auto& op = std::get<soac::Sort>(s.op);
  if (schedule::is_one_digit(op)) return statements(e, {schedule::by_digits(e.arena(), s)});
  std::vector<Destination> results;
  const Expr n = e.arena().info(s.names[0]).shape[0];
  for (Var name : s.names) {
    results.push_back(place(e, name, n, s.where));
    fit(e, n, results.back(), s.where);
  }
  RowSort(e, s, n, by).sort(extent(e, n), op.arrays, e.arena().i64(0), results);
  for (Var name : s.names) e.made(name);
}

}  // namespace fulgurite::walk::lanes
