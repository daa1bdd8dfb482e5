// Arrays of lines that lie across others. A scan along an axis that is not the innermost is a map of lines
// and a map that transposes them, and so is a loop that changes lines. If lines are read and needed across,
// they are stored so (Soac::axes_behind): the array is transposed where it is made, and neighbouring points
// of the map are neighbours in memory. A map that only reads such an array at its own point becomes part of
// the lines of a scan then; where it reads nothing else, it goes.
#include <algorithm>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/match.h"
#include "fuse/decide.h"
#include "fuse/fuse.h"
#include "soac/count.h"
#include "soac/kept_arrays.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::mentions;
using scalar::Op;
using scalar::Var;
using soac::Lambda;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

using Leaf = std::function<Expr(Expr)>;

/// A map whose function is one Soac along one axis with a Scan, each of whose results that is an array is one
/// that this Soac maps.
struct Lines {
  const Soac& map;
  const Stm& line;
  const Soac& op;

  Var index() const { return op.body.params[0]; }
};
std::optional<Lines> lines_of(const Stm& stm) {
  const auto* map = as<Soac>(stm.op);
  if (!map || !soac::is_map(*map) || map->body.body.size() != 1) return {};
  const Stm& line = map->body.body[0];
  const auto* op = as<Soac>(line.op);
  if (!op || op->dims.size() != 1 || !soac::is_scan(*op)) return {};
  if (soac::is_scatter(*op) || soac::is_partition(*op)) return {};
  for (Var param : map->body.params)
    if (mentions(op->dims[0], param)) return {};
  for (const soac::Mapped& m : soac::view_of(line).mapped)
    if (m.result.type().rank > 0) return {};
  for (Expr result : map->body.results)
    if (result.type().rank > 0 && (!result.is_name() || !soac::mapped_result(line, result.var()))) return {};
  return Lines{*map, line, *op};
}

/// Whether it is a map along one axis whose points change lines of a length that all have in loops, and give
/// nothing larger than a line.
bool changes_lines(Arena& arena, const Stm& stm) {
  const auto* map = as<Soac>(stm.op);
  if (!map || !soac::is_map(*map) || map->dims.size() != 1) return false;
  if (std::ranges::any_of(map->body.results, [](Expr result) { return result.type().rank > 1; }))
    return false;
  const auto kept = soac::kept_arrays(arena, *map, soac::same_for_all_points(*map));
  return kept && kept->change_in_loops;
}

/// Reads of the map's arrays that go on along their last index in a point, and from point to point.
struct Directions {
  int along = 0, across = 0;
  /// How many parameters of the map have indices after the line's in a read across.
  std::size_t n_behind = 1;
};
Directions directions_of(const Soac& map) {
  Directions found;
  const auto& params = map.body.params;
  Vars inside;
  soac::add_bound(map.body, inside);
  for (Var param : params) inside.erase(param);
  const auto is_of_line = [&](Expr index) {
    Vars mentioned;
    soac::add_mentioned({&index, 1}, mentioned);
    return std::ranges::any_of(mentioned, [&](Var v) { return inside.contains(v); });
  };
  // What a scan takes several operands of is read once.
  std::vector<Expr> roots;
  soac::for_each_root(map.body, [&](Expr root) { roots.push_back(root); });
  scalar::for_each_node(roots, [&](Expr e) {
    if (e.op() != Op::index || inside.contains(e.arg(0).var())) return;
    const auto args = e.args().subspan(1);
    // What all points read has no direction.
    if (is_of_line(args.back())) return void(found.along += mentions(e, params.back()));
    if (!mentions(args.back(), params.back())) return;
    const auto of_line = std::ranges::find_if(args, is_of_line);
    if (of_line == args.end() || found.across++ > 0) return;
    const auto is_behind = [&](Var param) {
      return std::any_of(of_line, args.end(), [&](Expr arg) { return mentions(arg, param); });
    };
    found.n_behind = 0;
    for (auto param = params.rbegin(); param != params.rend() && is_behind(*param); ++param) ++found.n_behind;
  });
  return found;
}

class Across {
 public:
  Across(Arena& arena, soac::PassContext& context) : arena_(arena), context_(context) {}

  void scope(std::vector<Stm>& stms, std::vector<Expr>& results, bool in_points) {
    for (std::size_t k = 0; k < stms.size(); ++k) {
      lay_across(stms, k, results, in_points);
      const bool are_points = in_points || as<Soac>(stms[k].op);
      for (auto& inner : soac::nested_in(stms[k]))
        scope(inner.lambda->body, inner.lambda->results, are_points);
    }
    if (in_points) return;
    for (std::size_t k = 0; k < stms.size(); ++k) take_in(stms, k, results);
  }

 private:
  bool is_of(const Stm& stm, Expr array) const {
    return array.is_name() && array.type().rank > 1 &&
           std::ranges::find(stm.names, array.var()) != stm.names.end() &&
           soac::mapped_result(stm, array.var()).type().rank == 1;
  }

  // ---- the order of axes

  struct Use {
    bool is_whole = false;
    int along = 0, across = 0;
  };
  // How the lines are read in expressions of a Soac whose innermost parameter this is.
  void add_use(const Stm& made, std::span<const Expr> roots, std::optional<Var> innermost, Use& use) const {
    for (Expr root : roots) use.is_whole |= is_of(made, root);
    scalar::for_each_node(roots, [&](Expr e) {
      for (std::size_t k = 0; k < e.args().size(); ++k) {
        if (!is_of(made, e.arg(k))) continue;
        if (e.op() != Op::index || k > 0) return void(use.is_whole = true);
        if (!innermost) continue;
        const bool is_along = mentions(e.args().back(), *innermost);
        use.along += is_along;
        use.across += !is_along && mentions(e, *innermost);
      }
    });
  }
  void add_use(const Stm& made, const Stm& user, std::optional<Var> innermost, Use& use) const {
    add_use(made, soac::roots_of(user), innermost, use);
    for (const auto& inner : soac::nested_in(user)) {
      const bool is_of_points = inner.role == soac::Role::points && !inner.lambda->params.empty();
      const auto here = is_of_points ? inner.lambda->params.back() : innermost;
      for (const Stm& stm : inner.lambda->body) add_use(made, stm, here, use);
      add_use(made, inner.lambda->results, here, use);
    }
  }

  // A place among the axes of the map's own: how many of these stand after the lines.
  std::optional<std::size_t> place_of(const std::vector<Stm>& stms, std::size_t k,
                                      const std::vector<Expr>& results) const {
    const Directions reads = directions_of(std::get<Soac>(stms[k].op));
    if (reads.along > reads.across) return {};
    Use use;
    for (std::size_t user = k + 1; user < stms.size(); ++user) add_use(stms[k], stms[user], {}, use);
    add_use(stms[k], results, {}, use);
    if (use.is_whole || use.across <= use.along) return {};
    return std::max(reads.n_behind, std::size_t{1});
  }

  std::vector<Expr> laid_across(std::span<const Expr> axes, std::size_t n_behind) const {
    std::vector<Expr> all(axes.begin(), axes.end() - 1);
    all.insert(all.end() - static_cast<std::ptrdiff_t>(n_behind), axes.back());
    return all;
  }

  void lay_across(std::vector<Stm>& stms, std::size_t k, std::vector<Expr>& results, bool in_points) {
    const auto* map = as<Soac>(stms[k].op);
    if (!map || map->axes_behind > 0) return;
    const bool changes = changes_lines(arena_, stms[k]);
    if (!changes && (in_points || !lines_of(stms[k]))) return;
    const auto n_behind = place_of(stms, k, results);
    if (!n_behind || !context_.spend()) return;
    std::get<Soac>(stms[k].op).axes_behind = *n_behind;
    std::unordered_map<Var, Expr> arrays;
    for (Var& name : stms[k].names) {
      if (!is_of(stms[k], arena_.name(name))) continue;
      const scalar::VarInfo info = arena_.info(name);
      const Expr across = arena_.fresh_array(info.type.kind, laid_across(info.shape, *n_behind), info.name);
      arrays.emplace(name, across);
    }
    std::optional<scalar::Substitution> by;
    by.emplace(arena_, [&](Expr e) -> Expr {
      if (e.op() != Op::index || !arrays.contains(e.arg(0).var())) return {};
      std::vector<Expr> indices;
      for (Expr index : e.args().subspan(1)) indices.push_back((*by)(index));
      std::vector<Expr> args = laid_across(indices, *n_behind);
      args.insert(args.begin(), arrays.at(e.arg(0).var()));
      return scalar::rebuild(arena_, e, args);
    });
    for (std::size_t user = k + 1; user < stms.size(); ++user) soac::substitute_in(stms[user], *by);
    for (Expr& result : results) result = (*by)(result);
    for (Var& name : stms[k].names)
      if (const auto found = arrays.find(name); found != arrays.end()) name = found->second.var();
    if (changes) remove_copies(stms, k, results);
  }

  // Maps that only read such arrays, each at its own point, are these arrays.
  void remove_copies(std::vector<Stm>& stms, std::size_t k, std::vector<Expr>& results) const {
    for (std::size_t user = k + 1; user < stms.size(); ++user) {
      const auto* op = as<Soac>(stms[user].op);
      if (!op || !soac::is_map(*op) || !op->body.body.empty()) continue;
      const auto mapped = soac::view_of(stms[user]).mapped;
      const bool copies = std::ranges::all_of(mapped, [&](const soac::Mapped& m) {
        return soac::reads_at(m.result, op->body.params) && is_of(stms[k], m.result.arg(0)) &&
               arena_.info(m.result.arg(0).var()).shape == op->dims;
      });
      if (!copies) continue;
      std::unordered_map<Var, Expr> copied;
      for (const soac::Mapped& m : mapped) copied.emplace(m.array, m.result.arg(0));
      scalar::Substitution by(arena_, [&](Expr e) -> Expr {
        const auto found = e.is_name() ? copied.find(e.var()) : copied.end();
        return found == copied.end() ? Expr() : found->second;
      });
      stms.erase(stms.begin() + static_cast<std::ptrdiff_t>(user--));
      for (std::size_t later = user + 1; later < stms.size(); ++later) soac::substitute_in(stms[later], by);
      for (Expr& result : results) result = by(result);
    }
  }

  // ---- maps of lines

  // Whether the statement maps arrays of the lines' shape and reads of the lines nothing but the element at
  // its own point.
  bool maps_elements(const Stm& made, const Stm& user) const {
    const auto* op = as<Soac>(user.op);
    if (!op || !soac::is_map(*op) || soac::may_fail(user)) return false;
    for (const Stm& stm : op->body.body)
      if (!as<soac::Let>(stm.op)) return false;
    bool reads = false, is_fine = op->axes_behind == 0;
    soac::for_each_root(user, [&](Expr root) {
      is_fine = is_fine && !is_of(made, root) && root.type().rank == 0;
      scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
        for (std::size_t k = 0; k < e.args().size(); ++k) {
          if (!is_of(made, e.arg(k))) continue;
          reads = true;
          is_fine = is_fine && k == 0 && soac::reads_at(e, op->body.params) &&
                    arena_.info(e.arg(0).var()).shape == op->dims;
        }
      });
    });
    return reads && is_fine;
  }

  // The only statement that mentions what this one makes across lines, if it can take the lines in: nothing
  // in between needs what the statement makes, nor changes what it reads.
  std::optional<std::size_t> reader_of(const std::vector<Stm>& stms, std::size_t k,
                                       const std::vector<Expr>& results) const {
    Vars made, read;
    soac::add_mentioned(stms[k], read);
    std::optional<std::size_t> reader;
    const auto mentions_lines = [&](const Vars& mentioned) {
      return std::ranges::any_of(stms[k].names, [&](Var name) {
        return is_of(stms[k], arena_.name(name)) && mentioned.contains(name);
      });
    };
    for (std::size_t user = k + 1; user < stms.size(); ++user) {
      Vars mentioned;
      soac::add_mentioned(stms[user], mentioned);
      if (mentions_lines(mentioned)) {
        if (reader) return {};
        reader = user;
      }
      if (reader && user > *reader) continue;
      if (!reader && may_update(stms[user], read)) return {};
      for (Var name : stms[k].names)
        if (!is_of(stms[k], arena_.name(name)) && mentioned.contains(name)) return {};
    }
    Vars mentioned;
    soac::add_mentioned(results, mentioned);
    if (!reader || mentions_lines(mentioned) || !maps_elements(stms[k], stms[*reader])) return {};
    return reader;
  }

  void take_in(std::vector<Stm>& stms, std::size_t k, const std::vector<Expr>& results) {
    const auto lines = lines_of(stms[k]);
    if (!lines || lines->map.axes_behind == 0) return;
    const auto reader = reader_of(stms, k, results);
    if (!reader || !context_.spend()) return;
    context_.log.push_back(soac::event_of(soac::Event::Kind::fused, stms[k], stms[*reader],
                                          "it reads the element at its own point only"));
    stms[*reader] = with_map(stms[k], *lines, stms[*reader]);
    stms.erase(stms.begin() + static_cast<std::ptrdiff_t>(k));
  }

  // The lines with what the map makes of their elements.
  Stm with_map(const Stm& made, const Lines& lines, const Stm& map) const {
    const auto& reader = std::get<Soac>(map.op);
    std::vector<Expr> point = arena_.names(lines.map.body.params);
    point.push_back(arena_.name(lines.index()));
    point = laid_across(point, lines.map.axes_behind);
    scalar::Substitution by(arena_, [&](Expr e) -> Expr {
      if (e.is_name()) {
        const auto param = std::ranges::find(reader.body.params, e.var());
        if (param == reader.body.params.end()) return {};
        return point[static_cast<std::size_t>(param - reader.body.params.begin())];
      }
      if (e.op() != Op::index || !is_of(made, e.arg(0))) return {};
      return soac::mapped_result(lines.line, soac::mapped_result(made, e.arg(0).var()).var());
    });
    Stm line = lines.line;
    soac::Outputs of_line = soac::take_outputs(line), outputs;
    of_line.mapped.clear();
    auto& body = std::get<Soac>(line.op).body.body;
    for (Stm stm : reader.body.body) {
      soac::substitute_in(stm, by);
      body.push_back(std::move(stm));
    }
    for (const soac::Mapped& m : soac::view_of(map).mapped) {
      const scalar::VarInfo info = arena_.info(m.array);
      const Expr array = arena_.fresh_array(info.type.kind, lines.op.dims, info.name);
      of_line.mapped.push_back({by(m.result), array.var()});
      outputs.mapped.push_back({array, m.array});
    }
    for (const soac::Mapped& m : soac::view_of(made).mapped)
      if (m.result.type().rank == 0) outputs.mapped.push_back(m);
    Stm whole = made;
    whole.where = map.where;
    whole.origin = map.origin;
    std::get<Soac>(whole.op).body.body[0] = soac::with_outputs(std::move(line), std::move(of_line));
    return soac::with_outputs(std::move(whole), std::move(outputs));
  }

  Arena& arena_;
  soac::PassContext& context_;
};

soac::Program run_across(soac::Program program, soac::PassContext& context) {
  Across(*program.arena, context).scope(program.body, program.results, false);
  return program;
}

}  // namespace

const soac::Pass across{
    "across", "lines that are read across are stored across, with the map that reads them", run_across};

}  // namespace fulgurite::fuse
