#include "soac/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/match.h"
#include "kernel/print.h"
#include "scalar/lex.h"
#include "scalar/print.h"
#include "soac/sharing.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using base::match;

namespace {

constexpr std::size_t line_width = 110;

std::string_view word_of(SiteInfo::Error error) {
  switch (error) {
    case SiteInfo::Error::shape: return "shape";
    case SiteInfo::Error::index: return "index";
    case SiteInfo::Error::arithmetic: return "arithmetic";
    case SiteInfo::Error::argument: return "argument";
    case SiteInfo::Error::memory: return "memory";
  }
  return "";
}

class Printer {
 public:
  Printer(const Program& program, scalar::Names& names, bool locations)
      : program_(program), arena_(*program.arena), locations_(locations), sharing_(program), names_(names) {
    name_of_ = [this](Expr e) -> std::string_view {
      if (e.is_name()) return names_(e.var());
      if (parts_.empty()) return {};
      auto part = parts_.find(e.node());
      return part == parts_.end() ? std::string_view() : part->second;
    };
  }

  std::string run() {
    text_ += "program ";
    if (locations_) text_ += scalar::quoted(program_.name) + ' ';
    text_ += '(';
    binders(program_.params);
    text_ += ") {";
    block(program_.body, program_.results, true);
    text_ += "}\n";
    if (!kernels_.empty()) kernels();
    if (locations_ && !program_.sites.empty()) sites();
    return std::move(text_);
  }

  /// The program's statements alone, without the line break before them.
  std::string statements() {
    block(program_.body, program_.results, true);
    const std::size_t end = text_.rfind("\n  return");
    return text_.substr(3, end - 3);
  }

 private:
  void line() {
    text_ += '\n';
    text_.append(2 * static_cast<std::size_t>(depth_), ' ');
  }
  void expr(Expr e) { scalar::print(text_, e, name_of_); }
  void exprs(const std::vector<Expr>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) text_ += ", ";
      expr(list[i]);
    }
  }

  void binder(Var var) {
    const scalar::VarInfo& info = arena_.info(var);
    text_ += names_(var);
    text_ += ": ";
    text_ += scalar::name_of(info.type.kind);
    if (info.shape.empty()) return;
    text_ += '[';
    exprs(info.shape);
    text_ += ']';
  }
  void binders(const std::vector<Var>& vars) {
    for (std::size_t i = 0; i < vars.size(); ++i) {
      if (i > 0) text_ += ", ";
      binder(vars[i]);
    }
  }

  void parts(Place place) {
    for (Expr e : sharing_.at(place)) {
      line();
      const std::size_t start = text_.size();
      expr(e);
      const std::string value = text_.substr(start);
      text_.resize(start);
      const std::string& name = parts_.emplace(e.node(), names_.unique("t")).first->second;
      visible_parts_.push_back(e);
      text_ += "let " + name + " = " + value;
    }
  }

  /// The inside of braces, up to the closing one. `tall`: a line for each thing even if there is only the
  /// result.
  void block(const std::vector<Stm>& body, const std::vector<Expr>& results, bool tall) {
    const int number = n_blocks_++;
    const Place end{number, static_cast<int>(body.size())};
    if (body.empty() && sharing_.at(end).empty() && !tall) {
      const std::size_t start = text_.size(), line_start = text_.rfind('\n') + 1;
      text_ += ' ';
      exprs(results);
      text_ += ' ';
      if (text_.size() - line_start < line_width) return;
      text_.resize(start);
    }
    ++depth_;
    const std::size_t n_outer_parts = visible_parts_.size();
    for (std::size_t i = 0; i < body.size(); ++i) {
      parts({number, static_cast<int>(i)});
      line();
      statement(body[i]);
    }
    parts(end);
    line();
    text_ += "return";
    if (!results.empty()) text_ += ' ';
    exprs(results);
    for (; visible_parts_.size() > n_outer_parts; visible_parts_.pop_back())
      parts_.erase(visible_parts_.back().node());
    --depth_;
    line();
  }
  void block(const Lambda& lambda) {
    text_ += '{';
    block(lambda.body, lambda.results, false);
    text_ += '}';
  }
  void function(const Lambda& lambda) {
    text_ += '(';
    binders(lambda.params);
    text_ += ") ";
    block(lambda);
  }

  void statement(const Stm& stm) {
    binders(stm.names);
    if (!stm.names.empty()) text_ += " = ";
    match(
        stm.op, [&](const Soac& s) { soac(s); }, [&](const Scan& s) { scan(s); },
        [&](const Sort& s) { sort(s); }, [&](const If& i) { branch(i); }, [&](const Loop& l) { loop(l); },
        [&](const Check& c) {
          text_ += "check ";
          expr(c.condition);
          text_ += fmt::format(" site {} (", c.site);
          exprs(c.operands);
          text_ += ')';
        },
        [&](const Call& c) { call(c); },
        [&](const Let& l) {
          text_ += "let ";
          expr(l.value);
        });
    if (stm.nest != 0) text_ += fmt::format(" @{}", stm.nest);
    if (!locations_) return;
    location(stm.where);
    if (!stm.origin.empty()) text_ += ' ' + scalar::quoted(stm.origin);
  }

  void location(const Location& where) {
    if (where != Location()) text_ += fmt::format(" @{}:{}", scalar::quoted(where.file), where.line);
  }

  void soac(const Soac& s) {
    const bool only_maps = s.reductions.empty() && s.scatters.empty() && s.partitions.empty();
    text_ += only_maps ? "map (" : "redomap (";
    for (std::size_t d = 0; d < s.dims.size(); ++d) {
      if (d > 0) text_ += ", ";
      text_ += names_(s.body.params[d]);
      text_ += " < ";
      expr(s.dims[d]);
    }
    text_ += ") ";
    block(s.body);
    for (const Reduction& r : s.reductions) {
      text_ += " reduce ";
      reduction(r);
    }
    for (const Scatter& scatter : s.scatters) {
      text_ += scatter.goes_on ? " scatter on " : " scatter ";
      text_ += scatter.of_equal == OfEqual::any         ? "any ("
               : scatter.of_equal == OfEqual::unordered ? "unordered ("
                                                        : "(";
      exprs(scatter.shape);
      text_ += ") ";
      function(scatter.initial);
      for (const Reduction& r : scatter.combine) {
        text_ += " combine ";
        reduction(r);
      }
    }
    for (const Partition& p : s.partitions) {
      text_ += " partition ";
      expr(p.classes);
      text_ += fmt::format(" of {}", p.n_values);
    }
    if (s.outer_axes > 0) text_ += fmt::format(" outer {}", s.outer_axes);
    if (s.axes_behind > 0) text_ += fmt::format(" behind {}", s.axes_behind);
  }

  void scan(const Scan& s) {
    text_ += s.inclusive ? "scan (" : "scan exclusive (";
    exprs(s.operands);
    text_ += ") ";
    reduction(s.reduction);
    if (s.segments) {
      text_ += " segments ";
      expr(s.segments);
    }
  }

  void reduction(const Reduction& r) {
    if (const auto op = named_operator(r.op)) {
      ++n_blocks_;
      text_ += scalar::info(*op).name;
    } else {
      function(r.op);
    }
    if (r.commutative) text_ += " comm";
    if (!r.neutral.empty()) {
      text_ += " neutral ";
      exprs(r.neutral);
    }
    if (!r.initial.empty()) {
      text_ += " initial ";
      exprs(r.initial);
    }
  }

  /// A function that is one operation of its two parameters, in their order.
  static std::optional<scalar::Op> named_operator(const Lambda& op) {
    if (op.params.size() != 2 || op.results.size() != 1 || !op.body.empty()) return {};
    const Expr e = op.results[0];
    const bool plain =
        scalar::info(e.op()).rule == scalar::Rule::same && e.args().size() == 2 && e.site() == 0;
    if (!plain || !e.arg(0).is_name() || !e.arg(1).is_name()) return {};
    if (e.arg(0).var() != op.params[0] || e.arg(1).var() != op.params[1]) return {};
    return e.op();
  }

  void sort(const Sort& s) {
    text_ += "sort (";
    exprs(s.arrays);
    text_ += ") ";
    if (s.segments) {
      text_ += "segments ";
      expr(s.segments);
      text_ += ' ';
    }
    text_ += "by ";
    function(s.key);
  }

  void branch(const If& i) {
    text_ += "if ";
    expr(i.condition);
    text_ += ' ';
    block(i.then_branch);
    text_ += " else ";
    block(i.else_branch);
  }

  void loop(const Loop& l) {
    text_ += "loop (";
    exprs(l.initial);
    text_ += ") ";
    if (l.trips) {
      text_ += "times ";
      expr(l.trips);
    } else {
      text_ += "while ";
      function(l.condition);
    }
    text_ += " do ";
    function(l.body);
  }

  void call(const Call& c) {
    text_ += fmt::format("call {} (", number_of(*c.kernel));
    exprs(c.arrays);
    text_ += ") former (";
    for (std::size_t r = 0; r < c.former.size(); ++r) {
      if (r > 0) text_ += ", ";
      if (c.former[r])
        expr(c.former[r]);
      else
        text_ += "[]";
    }
    text_ += ") scalars (";
    exprs(c.scalars);
    text_ += fmt::format(") sites ({})", fmt::join(c.sites, ", "));
  }
  std::size_t number_of(const kernel::Kernel& kernel) {
    const auto found = std::ranges::find(kernels_, &kernel);
    if (found != kernels_.end()) return static_cast<std::size_t>(found - kernels_.begin()) + 1;
    kernels_.push_back(&kernel);
    return kernels_.size();
  }
  void kernels() {
    text_ += "kernels {\n";
    for (std::size_t k = 0; k < kernels_.size(); ++k)
      text_ += fmt::format(
          "  {} {}\n", k + 1,
          scalar::quoted(locations_ ? kernel::print(*kernels_[k]) : kernel::canonical(*kernels_[k])));
    text_ += "}\n";
  }

  void sites() {
    text_ += "sites {\n";
    for (std::size_t s = 0; s < program_.sites.size(); ++s) {
      const SiteInfo& site = program_.sites[s];
      text_ += fmt::format("  {} {}", s + 1, word_of(site.error));
      location(site.where);
      text_ += ' ' + scalar::quoted(site.message) + '\n';
    }
    text_ += "}\n";
  }

  const Program& program_;
  const Arena& arena_;
  const bool locations_;
  const Sharing sharing_;
  scalar::Names& names_;
  scalar::NameOf name_of_;
  // Names of shared parts of expressions, as far as the blocks that define them are open.
  std::unordered_map<const scalar::Node*, std::string> parts_;
  std::vector<Expr> visible_parts_;
  std::vector<const kernel::Kernel*> kernels_;  // that are called, in the order of their calls
  std::string text_;
  int depth_ = 0;
  int n_blocks_ = 0;
};

}  // namespace

std::string print(const Program& program, PrintOptions options) {
  scalar::Names names(*program.arena);
  return Printer(program, names, options.locations).run();
}

std::string print(Arena& arena, const Stm& stm, scalar::Names& names, PrintOptions options) {
  Program program;
  program.arena = std::shared_ptr<Arena>(std::shared_ptr<Arena>(), &arena);  // owned by the caller
  program.body.push_back(stm);
  return Printer(program, names, options.locations).statements();
}

std::string canonical(const Program& program) {
  scalar::Names names(*program.arena, true);
  return Printer(program, names, false).run();
}

}  // namespace fulgurite::soac
