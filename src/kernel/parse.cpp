#include "kernel/parse.h"

#include <charconv>
#include <tuple>
#include <unordered_map>

#include "scalar/parse.h"

namespace fulgurite::kernel {
namespace {

constexpr int deepest = 100;  // nested blocks

class Parser {
 public:
  Parser(std::string_view text, std::string file)
      : lexer_(text, std::move(file)), lookup_([this](std::string_view n) { return find(n); }) {}

  Kernel kernel() {
    Kernel k;
    k.arena = arena_;
    scopes_.emplace_back();
    lexer_.expect("kernel");
    k.name = lexer_.name();
    lexer_.expect("(");
    while (!lexer_.is(")")) {
      k.params.push_back(param());
      if (!lexer_.accept(",")) break;
    }
    lexer_.expect(")");
    if (lexer_.accept("guard")) k.guard = known(true);
    while (lexer_.peek().kind != scalar::Token::Kind::end) k.body.push_back(statement());
    return k;
  }

 private:
  // Names.

  Expr find(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (auto found = scope->find(std::string(name)); found != scope->end()) return found->second;
    return {};
  }
  std::string new_name() {
    if (find(lexer_.peek().spelling)) lexer_.fail("this name is bound already");
    return lexer_.name();
  }
  /// The variable of a new name, which is known from now on.
  Var bind(const std::string& name, Type type) {
    const Expr e =
        type.rank == 0 ? arena_->fresh(type, name) : arena_->fresh_array(type.kind, {arena_->i64(0)}, name);
    scopes_.back().emplace(name, e);
    return e.var();
  }
  Var known(bool is_buffer) {
    Expr e = find(lexer_.peek().spelling);
    if (!e || !e.is_name() || (e.type().rank == 1) != is_buffer)
      lexer_.fail(is_buffer ? "expected a buffer" : "expected a variable");
    lexer_.next();
    return e.var();
  }

  Param param() {
    Param::Role role = lexer_.accept("in")      ? Param::Role::input
                       : lexer_.accept("out")   ? Param::Role::output
                       : lexer_.accept("inout") ? Param::Role::update
                                                : Param::Role::scalar;
    std::string name = new_name();
    lexer_.expect(":");
    Kind kind = scalar::parse_kind(lexer_);
    if (role == Param::Role::scalar) return {bind(name, {kind}), role};
    lexer_.expect("[");
    lexer_.expect("]");
    return {bind(name, {kind, 1, 1}), role};
  }

  Type type() {
    std::string_view word = lexer_.peek().spelling;
    std::size_t x = word.find('x');
    auto kind = scalar::kind_named(word.substr(0, x));
    unsigned lanes = 1;
    if (x != std::string_view::npos) {
      const char* end = word.data() + word.size();
      auto [rest, error] = std::from_chars(word.data() + x + 1, end, lanes);
      if (error != std::errc() || rest != end || lanes < 2 || lanes > 65535) kind.reset();
    }
    if (!kind) lexer_.fail("expected a type");
    lexer_.next();
    return {*kind, 0, static_cast<std::uint16_t>(lanes)};
  }

  template <class Enumerator>
  Enumerator word(std::initializer_list<std::string_view> words) {
    int i = 0;
    for (std::string_view w : words) {
      if (lexer_.accept(w)) return static_cast<Enumerator>(i);
      ++i;
    }
    lexer_.fail("expected a level, a space, or an atomic operation");
  }
  Level level() { return word<Level>({"grid", "block", "warp", "thread"}); }
  Space space() { return word<Space>({"global", "shared", "thread"}); }

  Expr expr() {
    Expr e = scalar::parse(lexer_, *arena_, lookup_);
    if (e.type().rank != 0) lexer_.fail("expected a scalar, not a buffer");
    return e;
  }
  Expr when() { return lexer_.accept("when") ? expr() : Expr(); }
  Access access() {
    Access a;
    a.buffer = known(true);
    lexer_.expect("[");
    a.index = expr();
    if (lexer_.accept(",")) a.stride = expr();
    lexer_.expect("]");
    return a;
  }

  // Statements.

  /// @s = e: stands for e from here on.
  void shared_parts() {
    while (lexer_.accept("@")) {
      std::string name = new_name();
      lexer_.expect("=");
      scopes_.back().insert_or_assign(name, expr());
    }
  }

  Block block() {
    if (static_cast<int>(scopes_.size()) > deepest) lexer_.fail("blocks are nested too deeply");
    lexer_.expect("{");
    scopes_.emplace_back();
    Block result;
    while (!lexer_.is("}")) result.push_back(statement());
    scopes_.pop_back();
    lexer_.expect("}");
    return result;
  }
  Block block_with(const std::string& index, Var& variable) {
    scopes_.emplace_back();
    variable = bind(index, {Kind::i64});
    Block result = block();
    scopes_.pop_back();
    return result;
  }

  Stm statement() {
    shared_parts();
    std::uint32_t line = 0;
    if (lexer_.peek().kind == scalar::Token::Kind::number) {
      line = static_cast<std::uint32_t>(lexer_.natural());
      lexer_.expect(":");
    }
    Stm s = unnumbered();
    s.line = line;
    return s;
  }
  Stm unnumbered() {
    if (lexer_.accept("let")) return let<Let>();
    if (lexer_.accept("var")) return let<Declare>();
    if (lexer_.accept("load")) return load();
    if (lexer_.accept("store")) return store();
    if (lexer_.accept("wide")) return wide();
    if (lexer_.accept("prefetch")) return prefetch();
    if (lexer_.accept("permute")) return permute();
    if (lexer_.accept("transpose")) return transpose();
    if (lexer_.accept("shift")) return shift();
    if (lexer_.accept("pick")) return pick();
    if (lexer_.accept("pack")) return pack();
    if (lexer_.accept("atomic")) return atomic();
    if (lexer_.accept("shuffle")) return shuffle();
    if (lexer_.accept("for")) return for_loop();
    if (lexer_.accept("loop")) return while_loop();
    if (lexer_.accept("if")) return branch();
    if (lexer_.accept("par")) return par();
    if (lexer_.accept("inorder")) return in_order();
    if (lexer_.accept("alloc")) return allocate();
    if (lexer_.accept("sync")) return {Sync{level()}};
    if (lexer_.accept("fail")) return fail();
    return assign();
  }

  template <class Binder>
  Stm let() {
    std::string name = new_name();
    lexer_.expect("=");
    Expr value = expr();
    return {Binder{bind(name, value.type()), value}};
  }
  Stm assign() {
    Var name = known(false);
    lexer_.expect("=");
    Expr value = expr();
    return {Assign{name, value, when()}};
  }
  Stm load() {
    std::string name = new_name();
    lexer_.expect(":");
    Type of = type();
    lexer_.expect("=");
    Access from = access();
    from.mask = when();
    const Expr touched = lexer_.accept("touched") ? expr() : Expr();
    return {Load{bind(name, of), from, touched}};
  }
  Stm store() {
    bool streaming = lexer_.is("streaming") && !lexer_.is("[", 1);
    if (streaming) lexer_.next();
    Access to = access();
    lexer_.expect("=");
    Expr value = expr();
    to.mask = when();
    return {Store{to, value, streaming}};
  }
  Stm wide() {
    if (lexer_.accept("load")) {
      std::vector<std::string> names;
      do names.push_back(new_name());
      while (lexer_.accept(","));
      lexer_.expect("=");
      WideLoad s;
      std::tie(s.buffer, s.index) = element();
      for (const std::string& name : names) s.names.push_back(bind(name, {arena_->info(s.buffer).type.kind}));
      return {std::move(s)};
    }
    lexer_.expect("store");
    WideStore s;
    std::tie(s.buffer, s.index) = element();
    lexer_.expect("=");
    do s.values.push_back(expr());
    while (lexer_.accept(","));
    return {std::move(s)};
  }
  std::pair<Var, Expr> element() {
    const Var buffer = known(true);
    lexer_.expect("[");
    const Expr index = expr();
    lexer_.expect("]");
    return {buffer, index};
  }
  Stm prefetch() {
    Prefetch s;
    std::tie(s.buffer, s.index) = element();
    lexer_.expect("by");
    s.n = static_cast<std::int32_t>(lexer_.natural());
    lexer_.expect("per");
    s.per_task = expr();
    lexer_.expect("end");
    s.end = expr();
    return {s};
  }
  Stm permute() {
    Permute s;
    std::string name = new_name();
    lexer_.expect("=");
    s.low = expr();
    lexer_.expect(",");
    s.high = expr();
    lexer_.expect("lanes");
    for (int l = 0; l < s.low.type().lanes; ++l)
      s.lanes.push_back(static_cast<std::int32_t>(lexer_.natural()));
    s.name = bind(name, s.low.type());
    return {std::move(s)};
  }
  Stm transpose() {
    Transpose s;
    s.tile = known(true);
    lexer_.expect("=");
    s.from = access();
    lexer_.expect("lanes");
    s.lanes = static_cast<std::int32_t>(lexer_.natural());
    lexer_.expect("by");
    s.width = static_cast<std::int32_t>(lexer_.natural());
    lexer_.expect("steps");
    s.steps = static_cast<std::int32_t>(lexer_.natural());
    lexer_.expect("ahead");
    s.ahead = static_cast<std::int64_t>(lexer_.natural());
    return {s};
  }
  Stm shift() {
    Shift s;
    std::string name = new_name();
    lexer_.expect("=");
    s.value = expr();
    lexer_.expect("by");
    s.by = static_cast<std::int32_t>(lexer_.natural());
    lexer_.expect("fill");
    s.fill = expr();
    s.name = bind(name, s.value.type());
    return {s};
  }
  Stm pick() {
    Pick s;
    std::string name = new_name();
    lexer_.expect("=");
    s.value = expr();
    lexer_.expect("from");
    s.from = static_cast<std::int32_t>(lexer_.natural());
    s.name = bind(name, {s.value.kind()});
    return {s};
  }
  Stm pack() {
    Pack s;
    s.next = known(false);
    lexer_.expect("(");
    while (!lexer_.is(")")) {
      s.buffers.push_back(known(true));
      lexer_.expect("[");
      lexer_.expect("]");
      lexer_.expect("=");
      s.values.push_back(expr());
      if (!lexer_.accept(",")) break;
    }
    lexer_.expect(")");
    s.keep = when();
    return {std::move(s)};
  }
  Stm atomic() {
    Atomic s;
    std::string name;
    if (lexer_.is("=", 1)) {
      name = new_name();
      lexer_.expect("=");
    }
    s.what = word<Atomic::What>(
        {"add", "min", "max", "bit_and", "bit_or", "bit_xor", "exchange", "compare_exchange"});
    s.at = access();
    lexer_.expect("by");
    s.value = expr();
    if (lexer_.accept("expects")) s.expected = expr();
    s.acquire = lexer_.accept("acquire");
    s.release = lexer_.accept("release");
    s.at.mask = when();
    if (!name.empty()) s.name = bind(name, s.value.type());
    return {std::move(s)};
  }
  Stm shuffle() {
    Shuffle s;
    std::string name = new_name();
    lexer_.expect("=");
    s.value = expr();
    lexer_.expect("from");
    s.from = expr();
    lexer_.expect("width");
    s.width = static_cast<std::int32_t>(lexer_.natural());
    s.name = bind(name, s.value.type());
    return {s};
  }
  Stm for_loop() {
    For loop;
    std::string name = new_name();
    lexer_.expect("in");
    loop.begin = expr();
    lexer_.expect(":");
    loop.end = expr();
    lexer_.expect("step");
    loop.step = expr();
    loop.body = block_with(name, loop.name);
    return {std::move(loop)};
  }
  Stm while_loop() {
    While loop;
    lexer_.expect("{");
    scopes_.emplace_back();
    // Parts that the condition shares stand at the end of the head, with no statement after them.
    for (shared_parts(); !lexer_.is("}"); shared_parts()) loop.head.push_back(statement());
    lexer_.expect("}");
    lexer_.expect("while");
    loop.condition = expr();
    loop.body = block();
    scopes_.pop_back();
    return {std::move(loop)};
  }
  Stm branch() {
    If s;
    s.condition = expr();
    s.then_branch = block();
    if (lexer_.accept("else")) s.else_branch = block();
    return {std::move(s)};
  }
  Stm par() {
    Par s;
    s.level = level();
    std::string name = new_name();
    lexer_.expect("<");
    s.n = expr();
    s.body = block_with(name, s.name);
    return {std::move(s)};
  }
  Stm in_order() {
    InOrder s;
    s.turn = known(true);
    lexer_.expect(",");
    s.task = expr();
    s.body = block();
    return {std::move(s)};
  }
  Stm allocate() {
    Space where = space();
    std::string name = new_name();
    lexer_.expect(":");
    Kind kind = scalar::parse_kind(lexer_);
    lexer_.expect("[");
    Expr n = expr();
    lexer_.expect("]");
    const std::int64_t offset =
        lexer_.accept("at") ? static_cast<std::int64_t>(lexer_.natural()) : std::int64_t{-1};
    return {Allocate{bind(name, {kind, 1, 1}), where, n, offset}};
  }
  Stm fail() {
    Fail s;
    lexer_.expect("@");
    s.site = static_cast<Site>(lexer_.natural());
    lexer_.expect("(");
    s.element = expr();
    lexer_.expect(",");
    s.stride = expr();
    lexer_.expect(",");
    s.value = expr();
    lexer_.expect(",");
    s.bound = expr();
    while (lexer_.accept(",")) s.more.push_back(expr());
    lexer_.expect(")");
    if (lexer_.accept("per")) s.group = expr();
    lexer_.expect("when");
    s.when = expr();
    return {s};
  }

  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  scalar::Lexer lexer_;
  scalar::Lookup lookup_;
  std::vector<std::unordered_map<std::string, Expr>> scopes_;
};

}  // namespace

Kernel parse(std::string_view text, std::string file) {
  return Parser(text, std::move(file)).kernel();
}

}  // namespace fulgurite::kernel
