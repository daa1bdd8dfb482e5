#include "soac/parse.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include "kernel/parse.h"
#include "scalar/intern.h"
#include "scalar/parse.h"
#include "soac/check.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::soac {
namespace {

using scalar::Lexer;
using scalar::Token;

/// What the names of the text mean at the place that is read.
class Scope {
 public:
  void bind(const std::string& name, Expr e) { entries_.emplace_back(name, e); }
  Expr operator()(std::string_view name) const {
    for (std::size_t i = entries_.size(); i-- > 0;)
      if (entries_[i].first == name) return entries_[i].second;
    return {};
  }
  std::size_t size() const { return entries_.size(); }
  void close(std::size_t size) { entries_.resize(size); }

 private:
  std::vector<std::pair<std::string, Expr>> entries_;
};

class Parser {
 public:
  Parser(std::string_view text, std::string file)
      : lexer_(text, std::move(file)), arena_(std::make_shared<Arena>()) {}

  Program program() {
    Program program;
    program.arena = arena_;
    lexer_.expect("program");
    if (lexer_.peek().kind == Token::Kind::text)
      program.name = lexer_.text();
    else if (!lexer_.is("("))
      program.name = lexer_.name();
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      program.params.push_back(parameter());
      if (!lexer_.is(")")) lexer_.expect(",");
    }
    Lambda body = block();
    program.body = std::move(body.body);
    program.results = std::move(body.results);
    if (lexer_.accept("kernels")) kernels(program.body);
    if (lexer_.accept("sites")) program.sites = sites();
    if (lexer_.peek().kind != Token::Kind::end) lexer_.fail("expected the end of the text");
    return program;
  }

 private:
  Expr expr() { return scalar::parse(lexer_, *arena_, lookup_); }
  std::vector<Expr> exprs() {
    std::vector<Expr> list{expr()};
    while (lexer_.accept(",")) list.push_back(expr());
    return list;
  }
  std::vector<Expr> parenthesised() {
    lexer_.expect("(");
    std::vector<Expr> list;
    if (!lexer_.is(")")) list = exprs();
    lexer_.expect(")");
    return list;
  }

  /// A parameter of the program: the names in its shape are bound by it.
  Var parameter() {
    const std::string name = new_name();
    lexer_.expect(":");
    const Kind kind = scalar::parse_kind(lexer_);
    if (!lexer_.accept("[")) return scalar(kind, name);
    std::vector<Expr> shape;
    do {
      if (lexer_.peek().kind == scalar::Token::Kind::number)
        shape.push_back(arena_->i64(static_cast<std::int64_t>(lexer_.natural())));
      else
        shape.push_back(arena_->name(scalar(Kind::i64, new_name())));
    } while (lexer_.accept(","));
    lexer_.expect("]");
    return array(kind, std::move(shape), name);
  }

  std::string new_name() {
    if (scope_(lexer_.peek().spelling)) lexer_.fail("arguments and their extents need names of their own");
    return fresh_name();
  }

  std::string fresh_name() {
    const std::string_view word = lexer_.peek().spelling;
    if (scalar::kind_named(word) || scalar::op_named(word)) lexer_.fail("this word cannot be a name");
    return lexer_.name();
  }

  /// name: kind, or name: kind[shape]
  Var binder() {
    const std::string name = fresh_name();
    lexer_.expect(":");
    const Kind kind = scalar::parse_kind(lexer_);
    if (!lexer_.accept("[")) return scalar(kind, name);
    std::vector<Expr> shape = exprs();
    for (Expr extent : shape)
      if (extent.type() != Type{}) lexer_.fail("an extent is not i64");
    lexer_.expect("]");
    return array(kind, std::move(shape), name);
  }
  Var scalar(Kind kind, const std::string& name) {
    const Expr e = arena_->fresh({kind, 0, 1}, name);
    scope_.bind(name, e);
    return e.var();
  }
  Var array(Kind kind, std::vector<Expr> shape, const std::string& name) {
    if (shape.size() > 255) lexer_.fail("an array of more than 255 axes");
    const Expr e = arena_->fresh_array(kind, std::move(shape), name);
    scope_.bind(name, e);
    return e.var();
  }

  bool at_statement() const {
    if (lexer_.is("let") || lexer_.is("check") || lexer_.is("return")) return true;
    const Token& token = lexer_.peek();
    return token.kind == Token::Kind::name && lexer_.is(":", 1) && !scalar::kind_named(token.spelling);
  }

  /// Braces; parameters are the caller's to add.
  Lambda block() {
    if (++depth_ > 200) lexer_.fail("the program is nested too deeply");
    const std::size_t outer = scope_.size();
    Lambda lambda;
    lexer_.expect("{");
    if (at_statement()) {
      while (!lexer_.accept("return")) {
        if (lexer_.accept("let")) {
          const std::string name = fresh_name();
          lexer_.expect("=");
          scope_.bind(name, expr());
        } else if (at_statement()) {
          lambda.body.push_back(statement());
        } else {
          lexer_.fail("expected a statement or 'return'");
        }
      }
    }
    if (!lexer_.is("}")) lambda.results = exprs();
    lexer_.expect("}");
    scope_.close(outer);
    --depth_;
    return lambda;
  }

  /// (a: f32, b: f32[n]) BLOCK
  Lambda function() {
    const std::size_t outer = scope_.size();
    std::vector<Var> params;
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      params.push_back(binder());
      if (!lexer_.is(")")) lexer_.expect(",");
    }
    Lambda lambda = block();
    lambda.params = std::move(params);
    scope_.close(outer);
    return lambda;
  }

  Stm statement() {
    Stm stm;
    // The names are visible after the statement only, but a name's shape may mention one bound just before
    // it.
    std::vector<std::pair<std::string, Expr>> bound;
    const std::size_t outer = scope_.size();
    if (!lexer_.is("check")) {
      do {
        const std::string name(lexer_.peek().spelling);
        stm.names.push_back(binder());
        bound.emplace_back(name, arena_->name(stm.names.back()));
      } while (lexer_.accept(","));
      lexer_.expect("=");
    }
    scope_.close(outer);
    stm.op = operation();
    for (const auto& [name, e] : bound) scope_.bind(name, e);
    while (lexer_.accept("@"))
      if (lexer_.peek().kind == Token::Kind::number)
        stm.nest = static_cast<std::uint32_t>(lexer_.natural());
      else
        stm.where = location();
    if (lexer_.peek().kind == Token::Kind::text) stm.origin = lexer_.text();
    return stm;
  }

  Location location() {
    Location where;
    where.file = lexer_.text();
    lexer_.expect(":");
    where.line = static_cast<unsigned>(lexer_.natural());
    return where;
  }

  Operation operation() {
    if (lexer_.accept("check")) {
      Check check;
      check.condition = expr();
      lexer_.expect("site");
      check.site = static_cast<Site>(lexer_.natural());
      check.operands = parenthesised();
      return check;
    }
    if (lexer_.accept("let")) return Let{expr()};
    if (lexer_.accept("if")) {
      If branch;
      branch.condition = expr();
      branch.then_branch = block();
      lexer_.expect("else");
      branch.else_branch = block();
      return branch;
    }
    if (lexer_.accept("sort")) {
      Sort sort;
      sort.arrays = parenthesised();
      if (lexer_.accept("segments")) sort.segments = expr();
      lexer_.expect("by");
      sort.key = function();
      return sort;
    }
    if (lexer_.accept("loop")) return loop();
    if (lexer_.accept("call")) return call();
    if (lexer_.accept("scan")) {
      Scan scan;
      scan.inclusive = !lexer_.accept("exclusive");
      scan.operands = parenthesised();
      const bool is_told = !scan.operands.empty();
      scan.reduction = reduction(is_told ? scan.operands : std::vector{arena_->i64(0)});
      if (lexer_.accept("segments")) scan.segments = expr();
      return scan;
    }
    if (lexer_.accept("map") || lexer_.accept("redomap")) return soac();
    lexer_.fail("expected an operation");
  }

  Operation call() {
    Call call;
    called_.push_back(static_cast<std::size_t>(lexer_.natural()));
    call.arrays = parenthesised();
    lexer_.expect("former");
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      call.former.push_back(lexer_.is("[") ? nothing() : expr());
      if (!lexer_.is(")")) lexer_.expect(",");
    }
    lexer_.expect("scalars");
    call.scalars = parenthesised();
    lexer_.expect("sites");
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      call.sites.push_back(static_cast<Site>(lexer_.natural()));
      if (!lexer_.is(")")) lexer_.expect(",");
    }
    return call;
  }

  Expr nothing() {
    lexer_.expect("[");
    lexer_.expect("]");
    return {};
  }

  /// Functions come after the program, which calls them by their numbers.
  void kernels(std::vector<Stm>& body) {
    std::vector<std::shared_ptr<const kernel::Kernel>> list;
    lexer_.expect("{");
    while (!lexer_.accept("}")) {
      if (lexer_.natural() != list.size() + 1)
        lexer_.fail("kernels are numbered from 1 in order; before this");
      list.push_back(std::make_shared<const kernel::Kernel>(kernel::parse(lexer_.text())));
    }
    std::size_t next = 0;
    bind(body, list, next);
  }
  void bind(std::vector<Stm>& body, const std::vector<std::shared_ptr<const kernel::Kernel>>& list,
            std::size_t& next) {
    for (Stm& stm : body) {
      if (auto* call = std::get_if<Call>(&stm.op)) {
        const std::size_t number = called_[next++];
        if (number == 0 || number > list.size()) lexer_.fail(fmt::format("there is no kernel {}", number));
        call->kernel = list[number - 1];
      }
      for (auto& inner : nested_in(stm)) bind(inner.lambda->body, list, next);
    }
  }

  Operation loop() {
    Loop loop;
    loop.initial = parenthesised();
    if (lexer_.accept("times")) {
      loop.trips = expr();
    } else {
      lexer_.expect("while");
      loop.condition = function();
    }
    lexer_.expect("do");
    loop.body = function();
    return loop;
  }

  Operation soac() {
    Soac soac;
    const std::size_t outer = scope_.size();
    std::vector<std::string> params;
    lexer_.expect("(");
    do {
      params.push_back(fresh_name());
      lexer_.expect("<");
      soac.dims.push_back(expr());
    } while (lexer_.accept(","));
    lexer_.expect(")");
    std::vector<Var> vars;
    for (const std::string& name : params) vars.push_back(scalar(Kind::i64, name));
    soac.body = block();
    soac.body.params = std::move(vars);
    scope_.close(outer);
    while (lexer_.accept("reduce")) {
      // The results that are not operands of the reductions so far.
      std::vector<Expr> operands;
      for (const Mapped& left : view_of(soac).mapped) operands.push_back(left.result);
      soac.reductions.push_back(reduction(operands));
    }
    while (lexer_.accept("scatter")) {
      Scatter scatter;
      scatter.goes_on = lexer_.accept("on");
      if (lexer_.accept("any"))
        scatter.of_equal = OfEqual::any;
      else if (lexer_.accept("unordered"))
        scatter.of_equal = OfEqual::unordered;
      scatter.shape = parenthesised();
      scatter.initial = function();
      if (lexer_.accept("combine")) scatter.combine.push_back(reduction(scatter.initial.results));
      soac.scatters.push_back(std::move(scatter));
    }
    while (lexer_.accept("partition")) {
      Partition partition;
      partition.classes = expr();
      lexer_.expect("of");
      partition.n_values = static_cast<std::size_t>(lexer_.natural());
      soac.partitions.push_back(std::move(partition));
    }
    if (lexer_.accept("outer")) soac.outer_axes = lexer_.natural();
    if (lexer_.accept("behind")) soac.axes_behind = lexer_.natural();
    return soac;
  }

  /// Its operands are the first of these.
  Reduction reduction(const std::vector<Expr>& operands) {
    Reduction reduction;
    if (lexer_.is("(")) {
      reduction.op = function();
    } else {
      const auto op = scalar::op_named(lexer_.peek().spelling);
      if (!op || lexer_.peek().kind != Token::Kind::name) lexer_.fail("expected an operator");
      if (operands.empty() || operands[0].type().rank != 0)
        lexer_.fail("the body gives no operand for this reduction");
      const Type type = operands[0].type();
      const Expr args[] = {arena_->fresh(type, "a"), arena_->fresh(type, "b")};
      if (const std::string problem = scalar::misuse(*op, args, 0); !problem.empty()) lexer_.fail(problem);
      lexer_.next();
      reduction.op.params = {args[0].var(), args[1].var()};
      reduction.op.results = {scalar::Interner(*arena_).intern(*op, scalar::result_type(*op, args), 0, args)};
    }
    reduction.commutative = lexer_.accept("comm");
    if (lexer_.accept("neutral")) reduction.neutral = exprs();
    if (lexer_.accept("initial")) reduction.initial = exprs();
    return reduction;
  }

  std::vector<SiteInfo> sites() {
    std::vector<SiteInfo> list;
    lexer_.expect("{");
    while (!lexer_.accept("}")) {
      if (lexer_.natural() != list.size() + 1) lexer_.fail("sites are numbered from 1 in order; before this");
      SiteInfo site;
      if (lexer_.accept("shape"))
        site.error = SiteInfo::Error::shape;
      else if (lexer_.accept("arithmetic"))
        site.error = SiteInfo::Error::arithmetic;
      else if (lexer_.accept("argument"))
        site.error = SiteInfo::Error::argument;
      else if (lexer_.accept("memory"))
        site.error = SiteInfo::Error::memory;
      else
        lexer_.expect("index");
      if (lexer_.accept("@")) site.where = location();
      site.message = lexer_.text();
      list.push_back(std::move(site));
    }
    return list;
  }

  Lexer lexer_;
  std::shared_ptr<Arena> arena_;
  Scope scope_;
  scalar::Lookup lookup_ = [this](std::string_view name) { return scope_(name); };
  std::vector<std::size_t> called_;  // numbers of kernels, in the order of their calls
  int depth_ = 0;
};

}  // namespace

Program parse(std::string_view text, std::string file) {
  Program program = Parser(text, file).program();
  try {
    check(program, "parse");
  } catch (const InternalError& e) {
    throw FormatError(e.message(), {file, 0});
  }
  return program;
}

}  // namespace fulgurite::soac
