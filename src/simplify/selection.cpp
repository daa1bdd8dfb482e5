// Sorts of which only the first few elements are read ("partial sorting"): a reduction finds where these
// stand. Its operand is a list of as many keys with their places, of which a point knows the first. Its
// operator inserts one list into the other: the element k of the right one has k before it that stay, so that
// it is compared with what stands from there on. Of a point's list only the first is compared. Places tell
// equal keys apart, so that the operator commutes and their order stays. All elements are read once, the
// least so far stay in registers, and a reduction has versions for lanes, tasks, blocks and ranks. Before
// fusion: the reduction takes in what makes the elements. Where segments are sorted, slices of them
// (slices.h) become reductions of what was given.
#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "base/match.h"
#include "scalar/value.h"
#include "simplify/simplify.h"
#include "simplify/slices.h"
#include "soac/bounds.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using scalar::Var;
using soac::Lambda;
using soac::Soac;
using soac::Sort;
using soac::Stm;

namespace {

/// More keys would not stay in registers, and to insert a list into another one takes half their square.
constexpr std::int64_t most_kept = 8;
/// If there are fewer elements than this for each that is read, a network sorts all of them.
constexpr std::int64_t least_share = 4;

/// The greatest index at which any array that a Sort binds is read: `most_kept` or more if it is not known,
/// or the array is used as a whole. Of sorted segments, at which any of their slices is read.
class Reads {
 public:
  Reads(const soac::Program& program, const Slices& slices)
      : bounds_(program, [](Expr) { return false; }), slices_(slices) {
    find(program.body);
    if (greatest_.empty()) return;
    look(program.body);
    for (Expr result : program.results) look(result);
  }
  bool empty() const { return greatest_.empty(); }

  /// The most elements that are read of any array that the statement binds; 0: too many.
  std::int64_t of(const Stm& sort) const {
    std::int64_t greatest = -1;
    for (Var name : sort.names) greatest = std::max(greatest, greatest_.at(name));
    const auto slices = names_of_slices_.find(sort.names[0]);
    if (slices != names_of_slices_.end())
      for (Var name : slices->second) greatest = std::max(greatest, greatest_.at(name));
    return greatest < most_kept ? greatest + 1 : 0;
  }

 private:
  void find(const std::vector<Stm>& stms) {
    for (const Stm& s : stms) {
      const auto* sort = as<Sort>(s.op);
      const Slice* slice = slices_.of(s);
      if (sort || slice)
        for (Var name : s.names) greatest_.emplace(name, -1);
      if (sort && sort->segments) of_segments_.insert(s.names.begin(), s.names.end());
      if (slice) {
        std::vector<Var>& names = names_of_slices_[slice->sort.names[0]];
        names.insert(names.end(), s.names.begin(), s.names.end());
      }
      for (const auto& inner : soac::nested_in(s)) find(inner.lambda->body);
    }
  }

  void look(const std::vector<Stm>& stms) {
    for (const Stm& s : stms) {
      if (slices_.of(s)) continue;
      for (Expr root : soac::roots_of(s)) look(root);
      for (const auto& inner : soac::nested_in(s)) {
        for (std::size_t axis = 0; axis < inner.extents.size(); ++axis)
          bounds_.set_below(inner.lambda->params[axis], inner.extents[axis]);
        look(inner.lambda->body);
        for (Expr result : inner.lambda->results) look(result);
      }
    }
  }

  void look(Expr root) {
    if (root.type().rank > 0) {
      if (root.is_name()) add(root.var(), most_kept);
      return;
    }
    scalar::for_each_new_node(root, seen_, [&](Expr e) {
      if (e.op() != Op::index || !greatest_.contains(e.arg(0).var())) return;
      const Var array = e.arg(0).var();
      const soac::Wide most = of_segments_.contains(array) ? most_kept : bounds_.of(e.arg(1)).most;
      add(array, static_cast<std::int64_t>(std::min<soac::Wide>(most, most_kept)));
    });
  }

  void add(Var array, std::int64_t index) {
    const auto found = greatest_.find(array);
    if (found != greatest_.end()) found->second = std::max(found->second, index);
  }

  soac::Bounds bounds_;
  const Slices& slices_;
  std::unordered_set<Expr> seen_;
  std::unordered_map<Var, std::int64_t> greatest_;
  soac::Vars of_segments_;                                     // read at any place but by slices
  std::unordered_map<Var, std::vector<Var>> names_of_slices_;  // by the first name that the sort binds
};

class Selection {
 public:
  Selection(const soac::Program& program, soac::PassContext& context)
      : arena_(*program.arena), context_(context), slices_(program), reads_(program, slices_) {}

  void operator()(soac::Program& program) {
    if (reads_.empty()) return;
    scope(program.body);
    if (places_.empty()) return;
    scalar::Substitution* again = nullptr;
    scalar::Substitution substitute(arena_, [&](Expr e) {
      const auto found = e.op() == Op::index ? places_.find(e.arg(0).var()) : places_.end();
      if (found == places_.end()) return Expr();
      const Expr array = found->second.array, number = (*again)(e.arg(1));
      Expr place = chosen(found->second.of, number);
      // An element that does not exist keeps its number, so that the read fails and names it.
      if (e.site() != 0)
        place = select((0 <= number) & (number < arena_.info(array.var()).shape[0]), place, number);
      return arena_.index(array, std::span(&place, 1), e.site());
    });
    again = &substitute;
    for (Stm& s : program.body) soac::substitute_in(s, substitute);
    for (Expr& result : program.results)
      if (result.type().rank == 0) result = substitute(result);
  }

 private:
  // Where the first elements of a sorted array stand in the array that was sorted.
  struct Places {
    Expr array;
    std::vector<Expr> of;
  };

  void scope(std::vector<Stm>& stms) {
    std::vector<Stm> selected;
    for (Stm& s : stms) {
      if (const auto* sort = as<Sort>(s.op)) {
        if (const std::size_t n = first_of(s, *sort); n == 0)
          selected.push_back(std::move(s));
        else if (sort->segments)
          first_of_segments_.emplace(s.names[0], n);
        else
          selected.push_back(selected_from(s, *sort, n, s.names, sort->arrays));
      } else if (const Slice* slice = slices_.of(s);
                 slice && first_of_segments_.contains(slice->sort.names[0])) {
        of_slice(*slice, s, selected);
      } else {
        for (auto& inner : soac::nested_in(s)) scope(inner.lambda->body);
        selected.push_back(std::move(s));
      }
    }
    stms = std::move(selected);
  }

  // As many elements of each segment are read at most, and a reduction is to find them; 0: the sort stays.
  std::size_t first_of(const Stm& s, const Sort& sort) {
    const std::int64_t n = reads_.of(s);
    const Expr extent = arena_.info(sort.arrays[0].var()).shape[0];
    const bool is_short = extent.is_constant() && static_cast<std::int64_t>(extent.bits()) < n * least_share;
    if (n == 0 || (is_short && !sort.segments)) return 0;
    const std::string of = sort.segments ? " of each segment" : "";
    context_.log.push_back(event_of(soac::Event::Kind::removed, s,
                                    n == 1 ? "only its first element" + of + " is read: a reduction finds it"
                                           : "only its first " + std::to_string(n) + " elements" + of +
                                                 " are read: a reduction finds them"));
    return static_cast<std::size_t>(n);
  }

  // The segment as it was given, and a reduction that finds its first elements.
  void of_slice(const Slice& slice, const Stm& s, std::vector<Stm>& selected) {
    Sort sort = std::get<Sort>(slice.sort.op);
    const Expr j = arena_.fresh({Kind::i64}, "j"), at = slice.begin + j;
    Stm given{{}, Soac{{slice.extent}, {{j.var()}, {}, {}}}, s.where, s.origin};
    for (Expr& array : sort.arrays) {
      std::get<Soac>(given.op).body.results.push_back(arena_.index(array, std::span(&at, 1)));
      array = arena_.fresh_array(array.kind(), {slice.extent}, "given");
      given.names.push_back(array.var());
    }
    selected.push_back(std::move(given));
    const std::size_t n = first_of_segments_.at(slice.sort.names[0]);
    std::vector<Expr> read;
    for (std::size_t component : slice.components) read.push_back(sort.arrays[component]);
    selected.push_back(selected_from(slice.sort, sort, n, s.names, read));
  }

  // The reduction in place of a sort whose first n elements are read by these names: of the arrays `read`,
  // in their order.
  Stm selected_from(const Stm& s, const Sort& sort, std::size_t n, const std::vector<Var>& names,
                    const std::vector<Expr>& read) {
    const Expr extent = arena_.info(sort.arrays[0].var()).shape[0];
    const bool is_narrow = scalar::size_of(sort.key.results[0].kind()) <= 2;
    Found found = is_narrow ? by_words(s, sort, n, extent) : by_pairs(s, sort, n, extent);
    for (std::size_t k = 0; k < names.size(); ++k) places_.emplace(names[k], Places{read[k], found.places});
    return std::move(found.stm);
  }

  // A statement, and where the first elements stand.
  struct Found {
    Stm stm;
    std::vector<Expr> places;
  };

  // A key of 16 bits and its place in one word: the operator takes a minimum and a maximum for each.
  Found by_words(const Stm& s, const Sort& sort, std::size_t n, Expr extent) {
    constexpr std::int64_t places = std::int64_t{1} << 47;  // no array has more elements
    const auto [point, key] = keyed(sort);
    const std::vector<Expr> none(n, arena_.i64(std::numeric_limits<std::int64_t>::max()));
    std::vector<Expr> operand = none;
    operand[0] = cast(key, Kind::i64) * places + point;
    const std::vector<Expr> left = names_of_words(n), right = names_of_words(n), words = names_of_words(n);
    std::vector<Expr> kept = left;
    for (std::size_t k = 0; k < n; ++k) {
      const std::vector<Expr> before = kept;
      for (std::size_t i = k; i < n; ++i)
        kept[i] = min(i > k ? max(right[k], before[i - 1]) : right[k], before[i]);
    }
    Found found{reduction(s, extent, point, operand, {lambda(left, right, kept), none, {}, true}, words), {}};
    for (Expr word : words) found.places.push_back(word & (places - 1));
    return found;
  }

  // Pairs of a key and its place. Keys of 32 bits are compared as wider numbers, none of which equals the key
  // that stands for no element: a loop in ascending order then knows that the pairs it holds come first.
  Found by_pairs(const Stm& s, const Sort& sort, std::size_t n, Expr extent) {
    auto [point, key] = keyed(sort);
    std::array<Expr, 2> no_element{last(key.kind()), last(Kind::i64)};
    if (key.kind() == Kind::u32) {
      key = cast(key, Kind::i64);
      no_element = {arena_.i64(std::int64_t{1} << 32), arena_.i64(-1)};
    }
    std::vector<Expr> none;
    for (std::size_t k = 0; k < n; ++k) none.insert(none.end(), no_element.begin(), no_element.end());
    std::vector<Expr> operand = none;
    operand[0] = key, operand[1] = point;
    const std::vector<Expr> left = names_of_pairs(n, key.kind()), right = names_of_pairs(n, key.kind());
    const std::vector<Expr> pairs = names_of_pairs(n, key.kind());
    std::vector<Expr> kept = left;
    for (std::size_t k = 0; k < n; ++k) {
      const std::vector<Expr> before = kept;
      Expr was_behind;
      for (std::size_t i = k; i < n; ++i) {
        const Expr is_behind = is_less(&right[2 * k], &before[2 * i]);
        for (std::size_t c = 0; c < 2; ++c) {
          const Expr own = right[2 * k + c];
          kept[2 * i + c] = select(is_behind, i > k ? select(was_behind, before[2 * i - 2 + c], own) : own,
                                   before[2 * i + c]);
        }
        was_behind = is_behind;
      }
    }
    Found found{reduction(s, extent, point, operand, {lambda(left, right, kept), none, {}, true}, pairs), {}};
    for (std::size_t k = 0; k < n; ++k) found.places.push_back(pairs[2 * k + 1]);
    return found;
  }
  // False if the place is that of no element, so that nothing is computed where that is known.
  static Expr is_less(const Expr* a, const Expr* b) {
    return (0 <= a[1]) & ((a[0] < b[0]) | (equal(a[0], b[0]) & (a[1] < b[1])));
  }

  // A point and its key.
  std::pair<Expr, Expr> keyed(const Sort& sort) {
    const Expr point = arena_.fresh({Kind::i64}, "i");
    std::unordered_map<Var, Expr> element;
    for (std::size_t k = 0; k < sort.arrays.size(); ++k)
      element.emplace(sort.key.params[k], arena_.index(sort.arrays[k], std::span(&point, 1)));
    return {point, scalar::substitute(arena_, sort.key.results[0], element)};
  }

  static Stm reduction(const Stm& s, Expr extent, Expr point, std::vector<Expr> operand, soac::Reduction by,
                       std::span<const Expr> names) {
    Soac soac{{extent}, {{point.var()}, {}, std::move(operand)}, {std::move(by)}};
    Stm stm{{}, std::move(soac), s.where, s.origin};
    for (Expr name : names) stm.names.push_back(name.var());
    return stm;
  }
  static Lambda lambda(std::span<const Expr> left, std::span<const Expr> right, std::vector<Expr> results) {
    Lambda op{{}, {}, std::move(results)};
    for (Expr name : left) op.params.push_back(name.var());
    for (Expr name : right) op.params.push_back(name.var());
    return op;
  }

  Expr last(Kind kind) { return arena_.constant(kind, scalar::highest(kind)); }
  std::vector<Expr> names_of_words(std::size_t n) {
    std::vector<Expr> names;
    for (std::size_t k = 0; k < n; ++k) names.push_back(arena_.fresh({Kind::i64}, "word"));
    return names;
  }
  std::vector<Expr> names_of_pairs(std::size_t n, Kind key) {
    std::vector<Expr> names;
    for (std::size_t k = 0; k < n; ++k) {
      names.push_back(arena_.fresh({key}, "key"));
      names.push_back(arena_.fresh({Kind::i64}, "place"));
    }
    return names;
  }

  /// The place with that number.
  Expr chosen(const std::vector<Expr>& places, Expr number) {
    Expr place = places.back();
    for (std::size_t k = places.size() - 1; k-- > 0;)
      place = select(equal(number, arena_.i64(static_cast<std::int64_t>(k))), places[k], place);
    return place;
  }

  Arena& arena_;
  soac::PassContext& context_;
  const Slices slices_;
  const Reads reads_;
  std::unordered_map<Var, std::size_t> first_of_segments_;  // by the first name that the sort bound
  std::unordered_map<Var, Places> places_;
};

soac::Program run_selection(soac::Program program, soac::PassContext& context) {
  Selection(program, context)(program);
  return program;
}

}  // namespace

const soac::Pass selection{"selection", "sorts of which only the first elements are read are reductions",
                           run_selection};

}  // namespace fulgurite::simplify
