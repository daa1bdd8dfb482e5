#include "lower/sorted_rows.h"

#include "lower/carry.h"
#include "scalar/value.h"

namespace fulgurite::lower {

namespace {

class SortedRows {
 public:
  SortedRows(Launches& launches, const soac::Stm& s, const Rows& rows, const SortPolicy& policy)
      : launches_(launches),
        arena_(launches.arena()),
        e_(launches.emitter()),
        s_(s),
        op_(std::get<soac::Sort>(s.op)),
        rows_(rows),
        policy_(policy),
        kind_(op_.key.results[0].kind()),
        all_(arena_.info(s.names[0]).shape[0]),
        width_(static_cast<std::int64_t>(8 * size_of(kind_))) {}

  void run() {
    const Expr one = i64(1);
    for (soac::Var name : s_.names) launches_.allocate(name);
    // Tasks have memory for two of the longest rows each: all together for no more than two arrays.
    const Expr most = arena_.min(rows_.count, arena_.div(all_, arena_.max(rows_.longest, one)));
    const Expr n_tasks = arena_.min(arena_.max(most, one), i64(policy_.tasks));
    const Expr per_task = launches_.ceil_div(rows_.count, n_tasks);
    kernel::Block phases = e_.block([&] {
      e_.par(kernel::Level::grid, n_tasks, "task", [&](Expr task) {
        e_.set_task(task, n_tasks);
        counts_ = e_.allocate_shared(Kind::i64, std::int64_t{1} << policy_.digit_bits);
        const Expr size = arena_.mul(rows_.longest, i64(2));
        for (Expr array : op_.arrays) moved_.push_back(e_.scratch(array.kind(), size, s_.where));
        const Expr first = e_.lower(arena_.mul(task, per_task));
        const Expr last = e_.lower(arena_.min(arena_.add(first, per_task), rows_.count));
        e_.for_loop(first, last, one, "r", [&](Expr r) { row(r); });
      });
    });
    Expr bytes = i64(0);
    for (soac::Var name : s_.names) bytes = arena_.add(bytes, launches_.bytes(name));
    LaunchNote note{0, s_.origin + ", row by row", s_.where, Policy{}, {}, s_.names};
    note.sort = policy_;
    note.bytes_read = note.bytes_written = bytes;
    const std::vector<Expr> tasks{n_tasks};
    launches_.launch("sort_rows", e_, std::move(phases), tasks, bytes, bytes, std::move(note));
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Expr bits(std::int64_t value) { return arena_.constant(kind_, static_cast<std::uint64_t>(value)); }
  Expr bound(Expr e, std::string_view name) { return e_.bind(e_.lower(e), name); }

  // Elements of the row, `number` of them from its begin or from that of one half of what was moved.
  using Elements = std::vector<Expr>;
  Elements given(Expr number) {
    Elements elements;
    const Expr at = bound(arena_.add(begin_, number), "at");
    for (Expr array : rows_.arrays) elements.push_back(e_.load_plain(array.var(), at, "x"));
    return elements;
  }
  Elements moved(Expr from, Expr number) {
    Elements elements;
    for (const Destination& to : moved_)
      elements.push_back(
          e_.load_plain(to.buffer, e_.lower(e_.element_of(to, arena_.add(from, number))), "x"));
    return elements;
  }
  void move(Expr to, const Elements& elements) {
    for (std::size_t k = 0; k < elements.size(); ++k)
      e_.store_plain(moved_[k].buffer, e_.lower(e_.element_of(moved_[k], to)), elements[k]);
  }
  Elements sorted(Expr number) {
    Elements elements;
    const Expr at = bound(arena_.add(begin_, number), "at");
    for (soac::Var name : s_.names) elements.push_back(e_.load_plain(name, at, "y"));
    return elements;
  }
  void finish(Expr number, const Elements& elements) {
    const Expr at = bound(arena_.add(begin_, number), "at");
    for (std::size_t k = 0; k < elements.size(); ++k) e_.store_plain(s_.names[k], at, elements[k]);
  }
  Expr key(const Elements& elements) { return bound(key_of(arena_, op_, elements), "key"); }

  void row(Expr r) {
    const Expr begin = e_.declare(i64(0), "begin"), end = e_.declare(e_.lower(all_), "end");
    e_.if_then(e_.lower(rows_.are_many), [&] {
      const soac::Var offsets = rows_.offsets.var();
      e_.assign(begin, e_.load_plain(offsets, r, "begin"));
      e_.assign(end, e_.load_plain(offsets, e_.lower(arena_.add(r, i64(1))), "end"));
    });
    begin_ = e_.snapshot(begin, "begin");
    n_ = bound(arena_.sub(e_.snapshot(end, "end"), begin_), "n");
    e_.if_then(e_.lower(arena_.lt(i64(0), n_)), [&] {
      range();
      const Expr beyond = arena_.sub(i64(64 + policy_.beyond_bits), arena_.apply(Op::clz, {n_}));
      need_ = e_.declare(e_.lower(arena_.min(bits_, beyond)), "need");
      const Expr goes_on = e_.declare(arena_.boolean(true), "goes_on");
      e_.while_loop([&] { return e_.snapshot(goes_on, "goes_on"); },
                    [&] {
                      const Expr from = by_highest_bits();
                      const Expr work = insert(from);
                      e_.assign(need_, bits_);
                      e_.assign(goes_on, e_.lower(arena_.lt(arena_.mul(n_, i64(policy_.most_work)), work)));
                    });
    });
  }

  // The least key, and how many bits the others differ from it in.
  void range() {
    const Expr i = arena_.fresh({Kind::i64}, "i"), least = arena_.fresh({kind_}, "least"),
               most = arena_.fresh({kind_}, "most");
    std::vector<Expr> elements;
    const Expr at = arena_.add(begin_, i);
    for (Expr array : rows_.arrays) elements.push_back(arena_.index(array, std::span(&at, 1)));
    const Expr key = key_of(arena_, op_, elements);
    soac::Soac reduce{{n_}, {{i.var()}, {}, {key, key}}};
    for (const Op op : {Op::min, Op::max}) {
      const Expr a = arena_.fresh({kind_}, "a"), b = arena_.fresh({kind_}, "b");
      const Expr neutral = op == Op::min ? arena_.constant(kind_, scalar::highest(kind_)) : bits(0);
      reduce.reductions.push_back(
          {{{a.var(), b.var()}, {}, {arena_.apply(op, {a, b})}}, {neutral}, {}, true});
    }
    e_.statements({{{least.var(), most.var()}, std::move(reduce), s_.where, s_.origin}});
    least_ = e_.lower(least);
    const Expr zeros = arena_.apply(Op::clz, {arena_.sub(e_.lower(most), least_)});
    bits_ = bound(arena_.sub(i64(width_), arena_.cast(zeros, Kind::i64)), "bits");
  }

  // Moves the elements, from their row first, and gives where they are then.
  Expr by_highest_bits() {
    const Expr need = e_.snapshot(need_, "need"), one = i64(1);
    const Expr passes = bound(arena_.max(launches_.ceil_div(need, i64(policy_.digit_bits)), one), "passes");
    digit_ = bound(arena_.max(launches_.ceil_div(need, passes), one), "digit");
    low_ = bound(arena_.max(arena_.sub(bits_, arena_.mul(passes, digit_)), i64(0)), "low");
    classes_ = bound(arena_.apply(Op::shl, {one, digit_}), "classes");
    pass(low_, i64(0), [&](Expr i) { return given(i); });
    const Expr where = e_.declare(i64(0), "half");
    e_.for_loop(one, passes, one, "p", [&](Expr p) {
      const Expr from = e_.snapshot(where, "from");
      const Expr to = bound(arena_.sub(rows_.longest, from), "to");
      pass(bound(arena_.add(low_, arena_.mul(p, digit_)), "shift"), to,
           [&](Expr i) { return moved(from, i); });
      e_.assign(where, to);
    });
    return e_.snapshot(where, "from");
  }

  template <class F>
  void pass(Expr shift, Expr to, F&& element) {
    const Expr one = i64(1), zero = i64(0);
    clear(e_, classes_, {counts_, {}});
    auto digit_of = [&](const Elements& x) {
      const Expr mask = arena_.sub(arena_.cast(classes_, kind_), bits(1));
      const Expr shifted = arena_.apply(Op::shr, {arena_.sub(key(x), least_), arena_.cast(shift, kind_)});
      return bound(arena_.cast(arena_.apply(Op::bit_and, {shifted, mask}), Kind::i64), "d");
    };
    e_.for_loop(zero, n_, one, "i", [&](Expr i) {
      const Expr d = digit_of(element(i));
      const Expr count = e_.load_plain(counts_, d, "count");
      e_.store_plain(counts_, d, e_.lower(arena_.add(count, one)));
    });
    const Expr so_far = e_.declare(to, "so_far");
    e_.for_loop(zero, classes_, one, "c", [&](Expr c) {
      const Expr count = e_.load_plain(counts_, c, "count");
      const Expr before = e_.snapshot(so_far, "before");
      e_.store_plain(counts_, c, before);
      e_.assign(so_far, e_.lower(arena_.add(before, count)));
    });
    e_.for_loop(zero, n_, one, "i", [&](Expr i) {
      const Elements x = element(i);
      const Expr d = digit_of(x);
      const Expr place = e_.load_plain(counts_, d, "place");
      e_.store_plain(counts_, d, e_.lower(arena_.add(place, one)));
      move(place, x);
    });
  }

  // Into the result; gives how many steps elements went back, or more than are allowed.
  Expr insert(Expr from) {
    const Expr one = i64(1), zero = i64(0);
    const Expr number = e_.declare(zero, "i"), work = e_.declare(zero, "work");
    const Expr greatest = e_.declare(bits(0), "greatest");
    const Expr most_work = bound(arena_.mul(n_, i64(policy_.most_work)), "most_work");
    Expr i;
    e_.while_loop(
        [&] {
          i = e_.snapshot(number, "i");
          const Expr done = e_.snapshot(work, "work");
          return bound(arena_.logical_and(arena_.lt(i, n_), arena_.apply(Op::le, {done, most_work})),
                       "goes_on");
        },
        [&] {
          const Elements x = moved(from, i);
          const Expr k = key(x), before = e_.snapshot(greatest, "before");
          e_.if_then_else(
              bound(arena_.apply(Op::le, {before, k}), "in_order"),
              [&] {
                finish(i, x);
                e_.assign(greatest, k);
              },
              [&] {
                const Expr place = e_.declare(i, "place");
                Expr j;
                Elements y;
                e_.while_loop(
                    [&] {
                      j = e_.snapshot(place, "j");
                      y = sorted(arena_.max(arena_.sub(j, one), zero));
                      return bound(arena_.logical_and(arena_.lt(zero, j), arena_.lt(k, key(y))), "goes_back");
                    },
                    [&] {
                      finish(j, y);
                      e_.assign(place, e_.lower(arena_.sub(j, one)));
                    });
                const Expr at = e_.snapshot(place, "at");
                finish(at, x);
                const Expr done = e_.snapshot(work, "work");
                e_.assign(work, e_.lower(arena_.add(done, arena_.sub(i, at))));
              });
          e_.assign(number, e_.lower(arena_.add(i, one)));
        });
    return e_.snapshot(work, "work");
  }

  Launches& launches_;
  scalar::Arena& arena_;
  Emitter e_;
  const soac::Stm& s_;
  const soac::Sort& op_;
  const Rows& rows_;
  const SortPolicy& policy_;
  const Kind kind_;
  const Expr all_;  // how many elements there are
  const std::int64_t width_;
  soac::Var counts_;
  std::vector<Destination> moved_;  // two halves for the longest row
  Expr begin_, n_;                  // of the row
  Expr least_, bits_, need_;
  Expr digit_, low_, classes_;  // of the passes
};

}  // namespace

void sorted_rows(Launches& launches, const soac::Stm& sort, const Rows& rows, const SortPolicy& policy) {
  SortedRows(launches, sort, rows, policy).run();
}

}  // namespace fulgurite::lower
