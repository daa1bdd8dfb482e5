// Random irregular nests: points whose arrays are as long as elements of an argument say, what statements of
// random programs do with such arrays, rows of unequal sizes as results, and maps over these rows.
#pragma once

#include "outcome.h"

namespace fulgurite::programs::irregular {

/// fg::Ragged<i64>: the offsets and the values.
struct Rows {
  std::string name;
  Values parts;
  Extent n;
};

/// A size from a number of an argument or of a row. Some ways bound it, and one hides its bound.
inline Scalar size_from(Draw& d, const Scalar& number) {
  const Scalar size = applied("abs", {number});
  const auto few = [&](std::int64_t n) { return applied("rem", {size, constant(Kind::i64, n)}); };
  const std::size_t way = d.below(6);
  // Points in points are many.
  if (way == 0 || d.depth > 1) return d.depth > 1 ? few(5) : size;
  switch (way) {
    case 1: return applied("min", {size, constant(Kind::i64, 6)});
    case 2: return few(2);
    case 3: return applied("add", {few(4), constant(Kind::i64, 1)});
    case 4: return converted(converted(few(7), Kind::f32), Kind::i64);
    default: return applied("sub", {size, applied("min", {size, constant(Kind::i64, 1)})});
  }
}

/// map over numbers or rows. Its function makes arrays of its own, has statements, and gives elements and,
/// at the top, a row.
class Points {
 public:
  Points(Draw& d, detail::Operand from, Extent n, std::string text)
      : d_(d),
        from_(from),
        n_(std::move(n)),
        text_(std::move(text)),
        gives_row_(d.depth == 0 && d.one_in(2)),
        name_(d.fresh("m")),
        kinds_(draw_kinds(d)) {}

  std::optional<Rows> drawn() {
    const Here here = Here::current();
    const auto body = d_.repeatable([&](std::span<const Value> x) { return of_point(x); });
    if (!gives_row_) {
      d_.add(name_, kinds_, {n_}, finished(detail::map({&from_, 1}, Body(body), here)));
      return {};
    }
    const detail::RowOf row{0, 1};
    Values all = finished(detail::map_to_rows({&from_, 1}, Body(body), {&row, 1}, here));
    const Rows rows{"std::get<0>(" + name_ + ")", Values(all.begin(), all.begin() + 2), n_};
    d_.add("std::get<1>(" + name_ + ")", kinds_, {n_}, Values(all.begin() + 2, all.end()));
    d_.add_fresh(rows.name + ".values()", {Kind::i64}, {rows.parts[1]});
    return rows;
  }

 private:
  Values finished(Values all) {
    d_.line("}, " + text_ + ");");
    return all;
  }

  Values of_point(std::span<const Value> x) {
    ++d_.level;
    const bool is_row = from_.pass == detail::Pass::ragged;
    const std::string param = d_.fresh(is_row ? "row" : "x");
    d_.outdent();
    d_.line("auto " + name_ + " = fg::map([&](auto " + param + ") {");
    d_.indent();
    if (is_row)
      d_.add_fresh(param, {Kind::i64}, Values(x.begin(), x.end()));
    else
      make_own({param, x[0]});
    if (d_.depth == 1 && d_.one_in(3)) {
      const Array numbers = *d_.pick(is_integers);
      Points(d_, {numbers.parts}, numbers.shape[0], numbers.name).drawn();
    }
    statements(d_, 3);
    const std::vector<Scalar> results = draw_results(d_, kinds_);
    std::string text = texts_of(results);
    Values values = values_of(results);
    if (gives_row_) {
      const Array& row = *d_.pick(is_integers);
      values.insert(values.begin(), row.parts[0]);
      text = "fg::Row(" + row.name + "), " + text;
    }
    d_.line("return std::tuple{" + text + "};");
    --d_.level;
    return values;
  }

  /// One or two arrays as long as a number says.
  void make_own(const Scalar& number) {
    const Scalar size = size_from(d_, number);
    const Extent length = d_.extent(size.value, size.text);
    for (std::size_t k = 1 + d_.below(2); k > 0; --k) {
      const std::string name = d_.fresh("own");
      std::string text;
      Values made = drawn_elements(d_, size, text);
      d_.line("auto " + name + " = " + text + ";");
      d_.add(name, {Kind::i64}, {length}, std::move(made));
    }
  }

  static bool is_integers(const Array& a) { return a.rank() == 1 && a.kinds == Kinds{Kind::i64}; }

  Draw& d_;
  detail::Operand from_;
  Extent n_;
  std::string text_;
  bool gives_row_;
  std::string name_;
  Kinds kinds_;
};

/// Parameters: sizes of rows, and values of two kinds. A run has few rows or some, most of them of no element
/// or one; others have one long row, or rows of one size.
class Program {
 public:
  explicit Program(const Numbers& numbers) : draw_(numbers) {
    draw_.enter(0);
    precision_ = draw_.one_in(3) ? Precision::strict : Precision::fast;
    seed_ = static_cast<std::uint32_t>(1 + draw_.below(256) + 256 * draw_.below(256));
    n_runs_ = 1 + draw_.below(std::min<std::size_t>(parameter("runs", 6), 256));
  }

  Drawn drawn() {
    const auto call = [](void* program, std::span<const Value> staged, const void*) {
      return (*static_cast<Program**>(program))->trace(staged);
    };
    std::vector<detail::ParameterInfo> infos;
    for (const auto& [name, kind] : parameters)
      infos.push_back({kind, 1, true, static_cast<unsigned>(infos.size() + 1)});
    Drawn drawn;
    const detail::Traceable traceable(this, call, infos, nullptr);
    drawn.traced = detail::trace("irregular", traceable, nullptr, false, Here::current());
    drawn.text = draw_.text();
    drawn.precision = precision_;
    std::mt19937 random(seed_);
    for (std::size_t k = 0; k < n_runs_; ++k) drawn.arguments.push_back(arguments(random));
    return drawn;
  }

 private:
  static constexpr std::pair<const char*, Kind> parameters[] = {
      {"sizes", Kind::i64}, {"numbers", Kind::i64}, {"weights", Kind::f32}};

  Values trace(std::span<const Value> staged) {
    draw_.line("auto irregular = [](Vec<i64> sizes, Vec<i64> numbers, Vec<f32> weights) {");
    draw_.indent();
    for (std::size_t k = 0; k < staged.size(); ++k) {
      const auto& [name, kind] = parameters[k];
      draw_.add(name, {kind}, draw_.fresh_shape(name, staged[k]), {staged[k]});
    }
    const Array sizes = draw_.arrays.front();
    std::vector<Rows> rows;
    for (std::size_t k = 1; k <= draw_.n_statements(); ++k) {
      draw_.enter(k);
      if (k > 1 && draw_.one_in(4)) {
        statement(draw_);
        continue;
      }
      const bool takes_rows = !rows.empty() && !draw_.one_in(3);
      const Rows* from = takes_rows ? &rows[draw_.below(rows.size())] : nullptr;
      Points points = from == nullptr ? Points(draw_, {sizes.parts}, sizes.shape[0], sizes.name)
                                      : Points(draw_, {from->parts, detail::Pass::ragged}, from->n,
                                               "fg::rows(" + from->name + ")");
      if (std::optional<Rows> made = points.drawn()) rows.push_back(*std::move(made));
    }
    return results(rows);
  }

  Values results(const std::vector<Rows>& rows) {
    Values all;
    std::string texts;
    for (const Array& a : draw_.arrays | std::views::drop(std::size(parameters))) {
      all.insert(all.end(), a.parts.begin(), a.parts.end());
      texts += (texts.empty() ? "" : ", ") + a.name;
    }
    for (const Rows& r : rows) {
      all.push_back(r.parts[0]);
      texts += ", " + r.name + ".offsets()";
    }
    draw_.line("return std::tuple{" + texts + "};");
    draw_.outdent();
    draw_.line("};");
    return all;
  }

  static std::vector<soac::Value> arguments(std::mt19937& random) {
    const auto below = [&](std::int64_t m) { return static_cast<std::int64_t>(random() % 0x40000000) % m; };
    static constexpr std::int64_t n_rows[] = {0, 1, 2, 3, 5, 8, 15, 16, 17, 33, 64, 65, 130};
    const std::int64_t n = n_rows[below(std::size(n_rows))], way = below(5);
    const std::int64_t longest = below(std::max<std::int64_t>(n, 1)), common = below(20);
    const auto size = [&](std::int64_t k) {
      switch (way) {
        case 0: return below(2);
        case 1: return k == longest ? 30 + below(60) : below(2);
        case 2: return common;
        case 3: return below(18);
        default: return below(4) == 0 ? below(6) : below(2);
      }
    };
    const auto made = [](Kind kind, std::int64_t count, const auto& element) {
      soac::Value value{static_cast<scalar::Kind>(kind), {count}, {}};
      value.bytes.resize(static_cast<std::size_t>(count) * scalar::size_of(value.kind));
      for (std::int64_t k = 0; k < count; ++k)
        value.set(static_cast<std::size_t>(k), literal(kind, element(k)).bits_or_trace);
      return value;
    };
    const auto small = [&](std::int64_t) { return below(12) - 3; };
    const std::int64_t other = below(3) == 0 ? below(2) : below(30);
    return {made(Kind::i64, n, size), made(Kind::i64, below(2) == 0 ? n : other, small),
            made(Kind::f32, other, small)};
  }

  Draw draw_;
  Precision precision_ = Precision::fast;
  std::uint32_t seed_ = 1;
  std::size_t n_runs_ = 1;
};

/// Nothing if shapes that are known while tracing do not fit.
inline std::optional<Drawn> draw_nests(const Numbers& numbers) {
  try {
    return Program(numbers).drawn();
  } catch (const ShapeError&) {
    return {};
  } catch (const IndexError&) {
    return {};
  }
}

inline const Generator any_nests{[](std::mt19937_64& random) { return draw_numbers(random, 3); }, draw_nests,
                                 "irregular_"};

}  // namespace fulgurite::programs::irregular
