#include "schedule/rewrites/radix.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/sort_keys.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;
using soac::Lambda, soac::Stm;

namespace {

// A digit is a byte, so that keys of one byte are sorted by one partition.
constexpr std::int64_t digit_bits = 8;
constexpr std::int64_t digits = 1 << digit_bits;

// A boolean as a byte, or its complement: its lowest bit says all.
bool is_one_bit(Expr key) {
  while (key.op() == Op::bit_not) key = key.arg(0);
  return key.op() == Op::cast && key.arg(0).kind() == Kind::boolean;
}

class Builder {
 public:
  Builder(Arena& arena, const Stm& stm)
      : arena_(arena),
        s_(stm),
        op_(std::get<soac::Sort>(stm.op)),
        n_(arena.info(stm.names[0]).shape[0]),
        kind_(op_.key.results[0].kind()),
        bytes_(static_cast<std::int64_t>(size_of(kind_))) {}

  Stm digits_of_all() {
    if (bytes_ > 1) return digits_of(i64(bytes_), bits(0));
    const Expr classes = i64(is_one_bit(op_.key.results[0]) ? 2 : digits);
    return partition(op_.arrays, classes, s_.names, fresh_offsets(classes), [&](Expr key) {
      return byte(key, i64(0), static_cast<std::int64_t>(classes.bits()) - 1);
    });
  }

  Rows segments(const LanesPolicy& by) {
    Rows rows;
    rows.are_many = arena_.boolean(true);
    rows.are_segments = true;
    rows.offsets = op_.segments;
    rows.arrays = op_.arrays;
    rows.count = arena_.info(rows.offsets.var()).shape[0] - 1;
    rows.longest = arena_.fresh({Kind::i64}, "longest");
    rows.most = max(min(n_ / by.sort_shares, by.sort_fits), by.sort_whole);
    rows.survey.push_back(longest_of(rows));
    const Expr n_long = arena_.fresh({Kind::i64}, "n_long");
    rows.n_long = n_long;
    rows.begins = arena_.fresh_array(Kind::i64, {n_long}, "begins");
    rows.lengths = arena_.fresh_array(Kind::i64, {n_long}, "lengths");
    Stm are_long =
        map({rows.count}, {n_long.var(), fresh_offsets(i64(1)).var(), rows.begins.var(), rows.lengths.var()},
            [&](Expr r) {
              const Expr size = length(rows.offsets, r);
              return std::vector<Expr>{select(rows.most < size, i64(0), i64(-1)), at(rows.offsets, r), size};
            });
    op_of(are_long).partitions.push_back({i64(1), 2});
    rows.survey.push_back(step(std::move(are_long), i64(0), i64(0), "long segments"));
    return rows;
  }

  // for (k < n_long) others[begins[k] + i] = sorted[i] with sorted = sort(array[begins[k] + i], ..)
  Stm long_segments(const Rows& rows, std::span<const Expr> others) {
    const Expr k = arena_.fresh({Kind::i64}, "k"), begin = arena_.fresh({Kind::i64}, "begin"),
               size = arena_.fresh({Kind::i64}, "size");
    const std::vector<Var> state = fresh_names(), next = fresh_names(), taken = fresh_names(size),
                           sorted = fresh_names(size);
    Lambda body{{k.var()}, {}, arena_.names(next)};
    body.params.insert(body.params.end(), state.begin(), state.end());
    body.body.push_back(statement({begin.var()}, soac::Let{at(rows.begins, k)}));
    body.body.push_back(statement({size.var()}, soac::Let{at(rows.lengths, k)}));
    body.body.push_back(map({size}, taken, [&](Expr i) { return all_at(op_.arrays, begin + i); }));
    body.body.push_back(statement(sorted, soac::Sort{arena_.names(taken), op_.key}));
    Stm put = map({size}, next, [&](Expr i) {
      std::vector<Expr> results{begin + i};
      std::ranges::copy(all_at(arena_.names(sorted), i), std::back_inserter(results));
      return results;
    });
    const Expr j = arena_.fresh({Kind::i64}, "j");
    soac::Scatter scatter{{n_}, {{j.var()}, {}, all_at(arena_.names(state), j)}};
    scatter.of_equal = soac::OfEqual::unordered;
    op_of(put).scatters.push_back(std::move(scatter));
    body.body.push_back(std::move(put));
    return statement(s_.names, soac::Loop{{others.begin(), others.end()}, rows.n_long, {}, std::move(body)});
  }

  Rows rows(const LanesPolicy& by) {
    Rows rows;
    rows.are_many = by.sort_whole < n_;
    const Expr few = min(by.sort_few_rows, n_ / by.sort_least_row);
    rows.count = select(rows.are_many, clamp(n_ / by.sort_row, few, by.sort_most_rows), 1);
    rows.offsets = fresh_offsets(rows.count);
    rows.longest = arena_.fresh({Kind::i64}, "longest");
    find_range(rows);
    choose_rows(rows, by);
    divide(rows);
    return rows;
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Expr clamp(Expr x, Expr least, std::int64_t most) { return min(max(x, max(least, 1)), most); }
  Expr bits(std::int64_t value) { return arena_.constant(kind_, static_cast<std::uint64_t>(value)); }
  Expr log2(Expr positive) { return 63 - arena_.apply(Op::clz, {positive}); }
  Expr power_of_two(Expr log) { return 1 << log; }
  Expr at(Expr array, Expr i) { return arena_.index(array, std::span(&i, 1)); }
  std::vector<Expr> all_at(const std::vector<Expr>& arrays, Expr i) {
    std::vector<Expr> elements;
    for (Expr array : arrays) elements.push_back(at(array, i));
    return elements;
  }
  Expr key(const std::vector<Expr>& arrays, Expr i) { return soac::key_of(arena_, op_, all_at(arrays, i)); }
  Expr byte(Expr key, Expr digit, std::int64_t mask) {
    const Expr shift = cast(digit * digit_bits, kind_);
    return cast((key >> shift) & bits(mask), Kind::i64);
  }

  Stm statement(std::vector<Var> names, soac::Operation op) {
    return {std::move(names), std::move(op), s_.where, s_.origin};
  }
  Expr fresh_offsets(Expr classes) { return arena_.fresh_array(Kind::i64, {classes + 1}, "offsets"); }
  std::vector<Var> fresh_names() { return fresh_names(n_); }
  std::vector<Var> fresh_names(Expr n) {
    std::vector<Var> names;
    for (Var name : s_.names)
      names.push_back(arena_.fresh_array(arena_.info(name).type.kind, {n}, arena_.info(name).name).var());
    return names;
  }

  static soac::Soac& op_of(Stm& stm) { return std::get<soac::Soac>(stm.op); }
  template <class F>
  Stm map(std::vector<Expr> dims, std::vector<Var> names, F&& elements) {
    const Expr i = arena_.fresh({Kind::i64}, "i");
    return statement(std::move(names), soac::Soac{std::move(dims), {{i.var()}, {}, elements(i)}});
  }

  // The elements by class. Every one has a class, so that as many come out as go in.
  template <class F>
  Stm partition(const std::vector<Expr>& arrays, Expr classes, const std::vector<Var>& names, Expr offsets,
                F&& class_of) {
    std::vector<Var> bound{arena_.fresh({Kind::i64}, "kept").var(), offsets.var()};
    bound.insert(bound.end(), names.begin(), names.end());
    Stm stm = map({n_}, std::move(bound), [&](Expr i) {
      std::vector<Expr> results{class_of(key(arrays, i))};
      for (Expr array : arrays) results.push_back(at(array, i));
      return results;
    });
    op_of(stm).partitions.push_back({classes, arrays.size()});
    return stm;
  }

  // The lowest bytes of what keys are more than the least.
  Stm digits_of(Expr n_bytes, Expr least) {
    const Expr digit = arena_.fresh({Kind::i64}, "digit");
    const std::vector<Var> state = fresh_names(), next = fresh_names();
    Lambda body{{digit.var()}, {}, arena_.names(next)};
    body.params.insert(body.params.end(), state.begin(), state.end());
    body.body.push_back(partition(arena_.names(state), i64(digits), next, fresh_offsets(i64(digits)),
                                  [&](Expr key) { return byte(key - least, digit, digits - 1); }));
    return statement(s_.names, soac::Loop{op_.arrays, n_bytes, {}, std::move(body)});
  }

  // Looks at all keys ...
  void find_range(Rows& rows) {
    const Expr most = arena_.fresh({kind_}, "most");
    least_ = arena_.fresh({kind_}, "least");
    Stm range = soac::range_of_keys(arena_, s_, op_.arrays, i64(0), n_, least_.var(), most.var());
    rows.survey.push_back(step(std::move(range), bytes(n_), i64(0), "range of the keys"));
    const Expr zeros = cast(arena_.apply(Op::clz, {most - least_}), Kind::i64);
    width_ = 8 * bytes_ - zeros;
  }
  // ... at a sample of them, by the highest bits in which keys differ ...
  Expr bin_of(Expr key) {
    const Expr shift = cast(max(width_ - log_bins_, 0), kind_);
    return cast((key - least_) >> shift, Kind::i64);
  }
  void choose_rows(Rows& rows, const LanesPolicy& by) {
    // As many as a power of two, at irregular distances.
    const Expr log_samples =
        log2(clamp(n_ / by.sort_sample_points, i64(by.sort_least_samples), by.sort_most_samples));
    const Expr samples = power_of_two(log_samples), distance = n_ >> log_samples;
    log_bins_ = min(log_samples, std::min(by.sort_sample_bits, 8 * bytes_));
    const Expr bins = power_of_two(log_bins_), before = fresh_offsets(bins);
    Stm count = map({samples}, {arena_.fresh({Kind::i64}, "n").var(), before.var()}, [&](Expr i) {
      constexpr std::uint64_t golden = 2654435769u;  // 2^32 divided by the golden ratio
      const Expr hash = cast(i, Kind::u32) * golden;
      const Expr apart = cast(hash, Kind::i64) * distance >> 32;
      const Expr at = i * distance + apart;
      return std::vector{bin_of(key(op_.arrays, at))};
    });
    op_of(count).partitions.push_back({bins, 0});
    const Expr read = bytes(n_ / by.sort_sample_points);
    rows.survey.push_back(step(std::move(count), read, i64(0), "sample"));

    // The row of a bin: by how many samples come before it.
    const Expr largest = arena_.fresh({Kind::i64}, "largest"), last = rows.count - 1;
    row_of_ = arena_.fresh_array(Kind::u16, {bins}, "row_of");
    Stm table = map({bins}, {largest.var(), row_of_.var()}, [&](Expr b) {
      const Expr row = (at(before, b) * rows.count) >> log_samples;
      return std::vector<Expr>{length(before, b), cast(min(row, last), Kind::u16)};
    });
    op_of(table).reductions.push_back(reduction_by(arena_, Op::max, i64(0)));
    rows.survey.push_back(step(std::move(table), i64(0), i64(0), "rows of samples"));
    const Expr most_in_row = max(by.sort_fits, n_ / by.sort_shares);
    rows.fit = largest * distance <= most_in_row;
  }
  // ... and moves the elements.
  void divide(Rows& rows) {
    const std::vector<Var> names = fresh_names();
    rows.arrays = arena_.names(names);
    Stm divide = partition(op_.arrays, rows.count, names, rows.offsets,
                           [&](Expr key) { return cast(at(row_of_, bin_of(key)), Kind::i64); });
    const Expr moved = bytes(n_);
    rows.by_rows.push_back(step(std::move(divide), moved, moved, "into rows"));
    rows.by_rows.push_back(longest_of(rows));
    const Expr n_bytes = ceil_div(width_, i64(digit_bits));
    rows.by_digits.push_back(step(digits_of(n_bytes, least_), moved, moved, "by digits"));
  }

  Rows::Step longest_of(const Rows& rows) {
    Stm lengths =
        map({rows.count}, {rows.longest.var()}, [&](Expr r) { return std::vector{length(rows.offsets, r)}; });
    op_of(lengths).reductions.push_back(reduction_by(arena_, Op::max, i64(0)));
    return step(std::move(lengths), i64(0), i64(0), "longest row");
  }
  Rows::Step step(Stm stm, Expr read, Expr written, std::string_view what) {
    return {std::move(stm), read, written, fmt::format("{}, {}", s_.origin, what)};
  }
  // The bytes of n elements of all the arrays.
  Expr bytes(Expr n) {
    std::size_t size = 0;
    for (Expr array : op_.arrays) size += size_of(array.kind());
    return n * static_cast<std::int64_t>(size);
  }
  Expr length(Expr offsets, Expr r) {
    const Expr begin = at(offsets, r);
    return at(offsets, r + 1) - begin;
  }

  Arena& arena_;
  const Stm& s_;
  const soac::Sort& op_;
  const Expr n_;
  const Kind kind_;
  const std::int64_t bytes_;
  Expr least_, width_;      // of the keys; bits in which they differ from it
  Expr log_bins_, row_of_;  // bins that samples are counted in; their rows
};

void expand(Arena& arena, std::vector<Stm>& body, bool is_inside) {
  for (Stm& stm : body) {
    const bool enters = is_inside || base::as<soac::Soac>(stm.op) != nullptr;
    for (auto& inner : soac::nested_in(stm)) expand(arena, inner.lambda->body, enters);
    if (is_inside && base::as<soac::Sort>(stm.op)) stm = by_digits(arena, stm);
  }
}

}  // namespace

Stm by_digits(Arena& arena, const Stm& sort) {
  return made_by(rewrite::digits, arena, Builder(arena, sort).digits_of_all());
}

bool is_one_digit(const soac::Sort& sort) {
  return size_of(sort.key.results[0].kind()) == 1;
}

soac::Program sort_inside_by_digits(soac::Program program) {
  expand(*program.arena, program.body, false);
  return program;
}

Rows into_rows(Arena& arena, const Stm& sort, const LanesPolicy& by) {
  Rows made = Builder(arena, sort).rows(by);
  for (std::vector<Rows::Step>* steps : {&made.survey, &made.by_rows, &made.by_digits})
    for (Rows::Step& step : *steps) step.stm = made_by(rewrite::rows, arena, std::move(step.stm));
  return made;
}

Rows segments_as_rows(Arena& arena, const Stm& sort, const LanesPolicy& by) {
  Rows made = Builder(arena, sort).segments(by);
  for (Rows::Step& step : made.survey) step.stm = made_by(rewrite::rows, arena, std::move(step.stm));
  return made;
}

Stm sort_long_segments(Arena& arena, const Stm& sort, const Rows& rows, std::span<const Expr> others) {
  return made_by(rewrite::rows, arena, Builder(arena, sort).long_segments(rows, others));
}

Stm with_digits(Arena& arena, Stm sort) {
  auto& op = std::get<soac::Sort>(sort.op);
  Expr& key = op.key.results[0];
  // One more than the byte: C compilers warn of comparisons with a complement that is only widened.
  if (is_one_digit(op)) key = cast(key, Kind::u16) + arena.constant(Kind::u16, 1);
  return made_by(rewrite::rows, arena, std::move(sort));
}

namespace {

std::vector<std::string> reasons_of_sort(const LanesPolicy& p, bool are_segments) {
  std::vector<std::string> reasons{fmt::format(
      "tasks: at most {}, each with memory for two of the longest rows (sort_tasks)", p.sort_tasks)};
  if (are_segments)
    reasons.push_back(fmt::format(
        "rows: the segments of at most {} elements, or one in {} of all, which are at most {}; longer ones "
        "follow, each by all tasks (sort_whole, sort_shares, sort_fits)",
        p.sort_whole, p.sort_shares, p.sort_fits));
  else
    reasons.insert(
        reasons.end(),
        {fmt::format("rows: of about {} elements, which fit into a core's cache, if there are more than {} "
                     "(sort_row, sort_whole, sort_least_row, sort_few_rows, sort_most_rows)",
                     p.sort_row, p.sort_whole),
         "rows: they begin as a sample says, if none is too long (sort_sample_points, sort_least_samples, "
         "sort_most_samples, sort_sample_bits, sort_fits, sort_shares)"});
  reasons.push_back(
      "order: digits of the keys, then insertion (sort_least_digit_bits, sort_digit_bits, sort_beyond_bits, "
      "sort_insertion_steps), or the ranks of few elements (sort_ranked)");
  return reasons;
}

}  // namespace

Skeleton row_sort(const LanesPolicy& by, Expr tasks) {
  return {"sort rows",
          {{"ranked", by.sort_ranked},
           {"least digit bits", by.sort_least_digit_bits},
           {"digit bits", by.sort_digit_bits},
           {"beyond bits", by.sort_beyond_bits},
           {"insertion steps", by.sort_insertion_steps}},
          tasks};
}

Expr longest_sorted(const Rows& rows) {
  return rows.are_segments ? min(rows.longest, rows.most) : rows.longest;
}

Launch sort_each_row(const Stm& sort, const Rows& rows, const LanesPolicy& by) {
  Arena& arena = rows.count.arena();
  const Expr one = arena.i64(1), n = arena.info(sort.names[0]).shape[0];
  // Tasks have memory for two of the longest rows each: all together for no more than two arrays.
  const Expr most = min(rows.count, n / max(longest_sorted(rows), one));
  Launch launch;
  launch.name = "sort_rows";
  launch.statement = sort;
  launch.vector_lanes = 16;
  launch.phases.push_back({"rows", sort, row_sort(by, min(max(most, one), by.sort_tasks)), {}});
  launch.phases[0].why = reasons_of_sort(by, rows.are_segments);
  return launch;
}

}  // namespace fulgurite::schedule
