#include "lower/radix.h"

#include <algorithm>

#include "base/match.h"
#include "lower/carry.h"
#include "scalar/value.h"
#include "soac/walk.h"

namespace fulgurite::lower {

using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;
using soac::Lambda, soac::Stm;

namespace {

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
    const Expr digit = arena_.fresh({Kind::i64}, "digit");
    if (bytes_ == 1) {
      const Expr classes = i64(is_one_bit(op_.key.results[0]) ? 2 : digits);
      return partition(op_.arrays, classes, s_.names, fresh_offsets(classes),
                       [&](Expr key) { return byte(key, i64(0), static_cast<std::int64_t>(classes.bits()) - 1); });
    }
    const std::vector<Var> state = fresh_names(), next = fresh_names();
    Lambda body{{digit.var()}, {}, names_of(next)};
    body.params.insert(body.params.end(), state.begin(), state.end());
    body.body.push_back(partition(names_of(state), i64(digits), next, fresh_offsets(i64(digits)),
                                  [&](Expr key) { return byte(key, digit, digits - 1); }));
    return statement(s_.names, soac::Loop{op_.arrays, i64(bytes_), {}, std::move(body)});
  }

  Rows rows(const SortPolicy& policy) {
    Rows rows;
    if (bytes_ == 1) {
      rows.body.push_back(digits_of_all());
      rows.are_sorted = arena_.boolean(true);
      rows.arrays = names_of(s_.names);
      return rows;
    }
    const Expr many = arena_.lt(i64(policy.whole), n_);
    const Expr count = clamp(arena_.div(n_, i64(policy.row)),
                             arena_.min(i64(digits), arena_.div(n_, i64(policy.least_row))), policy.most_rows);
    rows.count = arena_.apply(Op::select, {many, count, i64(1)});
    const Expr whole = fresh_offsets(rows.count);
    rows.body.push_back(map({arena_.add(rows.count, i64(1))}, {whole.var()}, [&](Expr r) {
      return std::vector{arena_.apply(Op::select, {arena_.lt(i64(0), r), n_, i64(0)})};
    }));
    Lambda yes = divided(rows.count, whole, policy);
    Lambda no{{}, {}, op_.arrays};
    no.results.insert(no.results.end(), {whole, n_, arena_.boolean(false)});
    std::vector<Var> names = fresh_names();
    rows.arrays = names_of(names);
    rows.offsets = fresh_offsets(rows.count);
    rows.longest = arena_.fresh({Kind::i64}, "longest");
    rows.are_sorted = arena_.fresh({Kind::boolean}, "sorted");
    names.insert(names.end(), {rows.offsets.var(), rows.longest.var(), rows.are_sorted.var()});
    rows.body.push_back(statement(std::move(names), soac::If{many, std::move(yes), std::move(no)}));
    return rows;
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Expr clamp(Expr x, Expr least, std::int64_t most) {
    return arena_.min(arena_.max(x, arena_.max(least, i64(1))), i64(most));
  }
  Expr bits(std::int64_t value) { return arena_.constant(kind_, static_cast<std::uint64_t>(value)); }
  Expr log2(Expr positive) {
    return arena_.sub(i64(63), arena_.apply(Op::clz, {positive}));
  }
  Expr at(Expr array, Expr i) { return arena_.index(array, std::span(&i, 1)); }
  Expr key(const std::vector<Expr>& arrays, Expr i) {
    std::vector<Expr> elements;
    for (Expr array : arrays) elements.push_back(at(array, i));
    return key_of(arena_, op_, elements);
  }
  Expr byte(Expr key, Expr digit, std::int64_t mask) {
    const Expr shift = arena_.cast(arena_.mul(digit, i64(digit_bits)), kind_);
    return arena_.cast(arena_.apply(Op::bit_and, {arena_.apply(Op::shr, {key, shift}), bits(mask)}), Kind::i64);
  }

  Stm statement(std::vector<Var> names, soac::Operation op) {
    return {std::move(names), std::move(op), s_.where, s_.origin};
  }
  Expr fresh_offsets(Expr classes) {
    return arena_.fresh_array(Kind::i64, {arena_.add(classes, i64(1))}, "offsets");
  }
  std::vector<Var> fresh_names() {
    std::vector<Var> names;
    for (Var name : s_.names)
      names.push_back(arena_.fresh_array(arena_.info(name).type.kind, {n_}, arena_.info(name).name).var());
    return names;
  }
  std::vector<Expr> names_of(const std::vector<Var>& arrays) {
    std::vector<Expr> names;
    for (Var array : arrays) names.push_back(arena_.name(array));
    return names;
  }

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
    std::get<soac::Soac>(stm.op).partitions.push_back({classes, arrays.size()});
    return stm;
  }

  soac::Reduction reduction(Op op, Expr neutral) {
    const Expr a = arena_.fresh({neutral.kind()}, "a"), b = arena_.fresh({neutral.kind()}, "b");
    return {{{a.var(), b.var()}, {}, {arena_.apply(op, {a, b})}}, {neutral}, {}, true};
  }

  // The branch for many elements: into rows, or by digits.
  Lambda divided(Expr count, Expr whole, const SortPolicy& policy) {
    Lambda branch;
    auto add = [&](Stm stm) { branch.body.push_back(std::move(stm)); };
    // Samples, as many as a power of two, at irregular distances.
    const Expr log_samples =
        log2(clamp(arena_.div(n_, i64(policy.points_a_sample)), i64(policy.least_samples), policy.most_samples));
    const Expr samples = arena_.apply(Op::shl, {i64(1), log_samples});
    const Expr distance = arena_.apply(Op::shr, {n_, log_samples});
    auto sample = [&](Expr i) {
      constexpr std::uint64_t golden = 2654435769u;  // 2^32 divided by the golden ratio
      const Expr hash = arena_.mul(arena_.cast(i, Kind::u32), arena_.constant(Kind::u32, golden));
      const Expr within = arena_.apply(Op::shr, {arena_.mul(arena_.cast(hash, Kind::i64), distance), i64(32)});
      return key(op_.arrays, arena_.add(arena_.mul(i, distance), within));
    };
    const Expr least = arena_.fresh({kind_}, "least"), most = arena_.fresh({kind_}, "most");
    Stm range = map({samples}, {least.var(), most.var()}, [&](Expr i) {
      return std::vector<Expr>(2, sample(i));
    });
    std::get<soac::Soac>(range.op).reductions = {
        reduction(Op::min, arena_.constant(kind_, scalar::highest(kind_))), reduction(Op::max, bits(0))};
    add(std::move(range));

    // How many samples have the same highest bits, of those in which keys differ.
    const Expr log_bins = arena_.min(log_samples, i64(std::min(policy.most_bits, 8 * bytes_)));
    const Expr bins = arena_.apply(Op::shl, {i64(1), log_bins});
    const Expr width = arena_.sub(i64(8 * bytes_), arena_.cast(arena_.apply(Op::clz, {arena_.sub(most, least)}), Kind::i64));
    const Expr shift = arena_.cast(arena_.max(arena_.sub(width, log_bins), i64(0)), kind_);
    auto bin_of = [&](Expr key) {
      const Expr inside = arena_.min(arena_.max(key, least), most);
      return arena_.cast(arena_.apply(Op::shr, {arena_.sub(inside, least), shift}), Kind::i64);
    };
    const Expr counts = arena_.fresh_array(Kind::i32, {bins}, "counts");
    const Expr one = arena_.constant(Kind::i32, 1), zero = arena_.constant(Kind::i32, 0);
    Stm histogram = map({samples}, {counts.var()}, [&](Expr i) { return std::vector{bin_of(sample(i)), one}; });
    std::get<soac::Soac>(histogram.op)
        .scatters.push_back({{bins}, {{arena_.fresh({Kind::i64}, "b").var()}, {}, {zero}}, {reduction(Op::add, zero)}});
    add(std::move(histogram));

    // The row of a bin: by how many samples come before it.
    const Expr row_of = arena_.fresh_array(Kind::u16, {bins}, "row_of");
    const Expr largest = arena_.fresh({Kind::i32}, "largest"), before = arena_.fresh({Kind::i32}, "before");
    Stm table = map({bins}, {largest.var(), row_of.var()}, [&](Expr b) {
      const Expr row = arena_.apply(Op::shr, {arena_.mul(arena_.cast(before, Kind::i64), count), log_samples});
      return std::vector{at(counts, b), arena_.cast(row, Kind::u16)};
    });
    auto& over = std::get<soac::Soac>(table.op);
    over.reductions.push_back(reduction(Op::max, zero));
    over.body.body.push_back(statement(
        {before.var()},
        soac::Scan{reduction(Op::add, zero), {over.body.results[0]}, false}));
    add(std::move(table));

    const Expr fits = arena_.apply(
        Op::le, {arena_.mul(arena_.cast(largest, Kind::i64), distance),
                 arena_.max(i64(policy.fits), arena_.div(n_, i64(policy.shares)))});
    const Expr digit = arena_.fresh({Kind::i64}, "digit"), offsets = fresh_offsets(count);
    const std::vector<Var> state = fresh_names(), next = fresh_names();
    const Expr next_offsets = fresh_offsets(count);
    Lambda pass{{digit.var()}, {}, names_of(next)};
    pass.params.insert(pass.params.end(), state.begin(), state.end());
    pass.params.push_back(offsets.var());
    pass.results.push_back(next_offsets);
    pass.body.push_back(partition(names_of(state), count, next, next_offsets, [&](Expr key) {
      return arena_.apply(Op::select, {fits, arena_.cast(at(row_of, bin_of(key)), Kind::i64),
                                       byte(key, digit, digits - 1)});
    }));
    std::vector<Expr> initial = op_.arrays;
    initial.push_back(whole);
    std::vector<Var> names = fresh_names();
    branch.results = names_of(names);
    const Expr rows = fresh_offsets(count);
    names.push_back(rows.var());
    add(statement(std::move(names), soac::Loop{std::move(initial), arena_.apply(Op::select, {fits, i64(1), i64(bytes_)}), {}, std::move(pass)}));

    const Expr longest = arena_.fresh({Kind::i64}, "longest");
    Stm lengths = map({count}, {longest.var()}, [&](Expr r) {
      return std::vector{arena_.sub(at(rows, arena_.add(r, i64(1))), at(rows, r))};
    });
    std::get<soac::Soac>(lengths.op).reductions.push_back(reduction(Op::max, i64(0)));
    add(std::move(lengths));
    branch.results.insert(branch.results.end(), {rows, longest, arena_.logical_not(fits)});
    return branch;
  }

  Arena& arena_;
  const Stm& s_;
  const soac::Sort& op_;
  const Expr n_;
  const Kind kind_;
  const std::int64_t bytes_;
};

void expand(Arena& arena, std::vector<Stm>& body, bool is_inside) {
  for (Stm& stm : body) {
    const bool enters = is_inside || base::as<soac::Soac>(stm.op) != nullptr;
    for (auto& inner : soac::nested_in(stm)) expand(arena, inner.lambda->body, enters);
    if (is_inside && base::as<soac::Sort>(stm.op)) stm = by_digits(arena, stm);
  }
}

}  // namespace

Expr key_of(Arena& arena, const soac::Sort& sort, std::span<const Expr> elements) {
  std::unordered_map<Var, Expr> given;
  for (std::size_t k = 0; k < elements.size(); ++k) given.emplace(sort.key.params[k], elements[k]);
  return scalar::substitute(arena, sort.key.results[0], given);
}

Stm by_digits(Arena& arena, const Stm& sort) {
  return Builder(arena, sort).digits_of_all();
}

soac::Program sort_inside_by_digits(soac::Program program) {
  expand(*program.arena, program.body, false);
  return program;
}

Rows into_rows(Arena& arena, const Stm& sort, const SortPolicy& policy) {
  return Builder(arena, sort).rows(policy);
}

}  // namespace fulgurite::lower
