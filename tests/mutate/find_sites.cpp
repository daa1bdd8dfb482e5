#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringMap.h>

#include "sites.h"

namespace fulgurite::mutants {
namespace {

// What stands for an operator in a mutant: the bound moved by one, the other direction.
const llvm::StringMap<const char*>& operators() {
  static const llvm::StringMap<const char*> table = {
      {"<", "<="},  {"<=", "<"},  {">", ">="},  {">=", ">"},    {"==", "!="},  {"!=", "=="}, {"+", "-"},
      {"-", "+"},   {"*", "+"},   {"/", "*"},   {"%", "/"},     {"&", "|"},    {"|", "&"},   {"^", "|"},
      {"<<", ">>"}, {">>", "<<"}, {"+=", "-="}, {"-=", "+="},   {"*=", "+="},  {"/=", "*="}, {"%=", "/="},
      {"|=", "&="}, {"&=", "|="}, {"^=", "|="}, {"<<=", ">>="}, {">>=", "<<="}};
  return table;
}

const clang::Expr* plain(const clang::Expr* expression) {
  return expression->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
}

// Its negation is the mutant of an operator in it.
bool negated_elsewhere(const clang::Expr* condition) {
  condition = plain(condition);
  if (llvm::isa<clang::CXXBoolLiteralExpr, clang::CXXRewrittenBinaryOperator>(condition)) return true;
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(condition)) return binary->isEqualityOp();
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(condition))
    return unary->getOpcode() == clang::UO_LNot;
  if (const auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(condition))
    return call->getOperator() == clang::OO_EqualEqual || call->getOperator() == clang::OO_ExclaimEqual;
  return false;
}

bool returns(const clang::Expr* statement) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(statement);
  const clang::FunctionDecl* callee = call != nullptr ? call->getDirectCallee() : nullptr;
  return callee == nullptr || !callee->isNoReturn();
}

// Memory that a container asks for before it needs it, and the rest that a core takes while it waits, change
// nothing that a test could see.
bool only_saves_time(const clang::Expr* statement) {
  const auto* call = llvm::dyn_cast<clang::CallExpr>(statement);
  const clang::FunctionDecl* callee = call != nullptr ? call->getDirectCallee() : nullptr;
  return callee != nullptr && callee->getIdentifier() != nullptr &&
         (callee->getName() == "reserve" || callee->getName() == "pause");
}

class Finder : public clang::RecursiveASTVisitor<Finder> {
  using Base = RecursiveASTVisitor<Finder>;

 public:
  Finder(clang::ASTContext& context, SitesOfFiles& sites)
      : context_(context), sources_(context.getSourceManager()), sites_(sites) {}

  // What must be a constant for the compiler has no mutants, as those are chosen when the program runs.
  bool TraverseDecl(clang::Decl* declaration) {
    if (declaration == nullptr) return true;
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration))
      if (variable->isConstexpr() || (variable->hasGlobalStorage() && !variable->isStaticLocal()))
        return true;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration))
      if (function->getConstexprKind() != clang::ConstexprSpecKind::Unspecified) return true;
    if (llvm::isa<clang::StaticAssertDecl, clang::EnumDecl>(declaration)) return true;
    if (!llvm::isa<clang::TranslationUnitDecl>(declaration) && !ours(declaration->getLocation())) return true;
    return Base::TraverseDecl(declaration);
  }
  bool TraverseTypeLoc(clang::TypeLoc) { return true; }
  bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc&) { return true; }
  bool TraverseAttr(clang::Attr*) { return true; }
  bool TraverseRequiresExpr(clang::RequiresExpr*) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) { return true; }
  bool TraverseUserDefinedLiteral(clang::UserDefinedLiteral*) { return true; }
  bool TraverseCaseStmt(clang::CaseStmt* label) {
    drop(label->getSubStmt());
    return TraverseStmt(label->getSubStmt());
  }
  // 0 is a pointer only where the compiler sees it.
  bool TraverseImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    return cast->getCastKind() == clang::CK_NullToPointer || Base::TraverseImplicitCastExpr(cast);
  }
  bool TraverseIfStmt(clang::IfStmt* statement) {
    if (!statement->isConstexpr()) {
      negate(statement->getCond(), statement->hasVarStorage());
      drop(statement->getThen());
      drop(statement->getElse());
      return Base::TraverseIfStmt(statement);
    }
    drop(statement->getThen());
    drop(statement->getElse());
    return TraverseStmt(statement->getThen()) && TraverseStmt(statement->getElse());
  }
  // Not the step: a loop that takes another hardly ever ends.
  bool TraverseForStmt(clang::ForStmt* loop) {
    keep_last<clang::ContinueStmt>(loop->getBody());
    negate(loop->getCond(), loop->getConditionVariable() != nullptr);
    drop(loop->getBody());
    return TraverseStmt(loop->getInit()) && TraverseStmt(loop->getCond()) && TraverseStmt(loop->getBody());
  }
  // `a != b` as the compiler rewrites it, by another operator than the text has.
  bool TraverseCXXRewrittenBinaryOperator(clang::CXXRewrittenBinaryOperator* rewritten) {
    const auto form = rewritten->getDecomposedForm();
    swap_operator(rewritten, rewritten->getOperatorLoc(), form.LHS, form.RHS);
    return TraverseStmt(const_cast<clang::Expr*>(form.LHS)) &&
           TraverseStmt(const_cast<clang::Expr*>(form.RHS));
  }

  bool VisitCompoundStmt(clang::CompoundStmt* block) {
    for (clang::Stmt* statement : block->body()) drop(statement);
    return true;
  }
  bool VisitDefaultStmt(clang::DefaultStmt* label) { return drop(label->getSubStmt()); }
  bool VisitCXXForRangeStmt(clang::CXXForRangeStmt* loop) {
    keep_last<clang::ContinueStmt>(loop->getBody());
    return drop(loop->getBody());
  }
  bool VisitSwitchStmt(clang::SwitchStmt* choice) {
    keep_last<clang::BreakStmt>(choice->getBody());
    return true;
  }
  bool VisitWhileStmt(clang::WhileStmt* loop) {
    keep_last<clang::ContinueStmt>(loop->getBody());
    negate(loop->getCond(), loop->hasVarStorage());
    return drop(loop->getBody());
  }
  bool VisitConditionalOperator(clang::ConditionalOperator* choice) {
    return negate(choice->getCond(), false);
  }
  bool VisitReturnStmt(clang::ReturnStmt* statement) {
    const clang::Expr* value = statement->getRetValue();
    if (value != nullptr && value->getType()->isBooleanType()) negate(value, false, "result negated");
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator* binary) {
    const clang::Expr *left = binary->getLHS(), *right = binary->getRHS();
    if (binary->isLogicalOp()) {
      value("right operand left out", binary->getSourceRange(), condition_text(left));
      value("left operand left out", binary->getSourceRange(), condition_text(right));
      return true;
    }
    const bool numbers = left->getType()->isArithmeticType() && right->getType()->isArithmeticType();
    if (binary->isEqualityOp() || (binary->isRelationalOp() && !left->isTypeDependent()) || numbers)
      swap_operator(binary, binary->getOperatorLoc(), left, right);
    return true;
  }
  // Our own operators, if they have values of one type: staged numbers, sizes.
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* call) {
    if (call->getNumArgs() != 2 || !call->isInfixBinaryOp() || call->isAssignmentOp()) return true;
    const clang::Expr *left = call->getArg(0), *right = call->getArg(1);
    const auto* callee = llvm::dyn_cast_or_null<clang::FunctionDecl>(call->getCalleeDecl());
    const bool equality =
        call->getOperator() == clang::OO_EqualEqual || call->getOperator() == clang::OO_ExclaimEqual;
    const bool of_ours =
        callee != nullptr && llvm::StringRef(callee->getQualifiedNameAsString()).starts_with("fulgurite::");
    if (equality || of_ours) swap_operator(call, call->getOperatorLoc(), left, right);
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* unary) {
    const std::string operand = text(unary->getSubExpr()->getSourceRange());
    if (unary->getOpcode() == clang::UO_LNot)
      value("'!' left out", unary->getSourceRange(), condition_text(unary->getSubExpr()));
    if (unary->getOpcode() == clang::UO_Minus && !literal(unary->getSubExpr()))
      value("'-' left out", unary->getSourceRange(), operand);
    if (unary->isIncrementDecrementOp() && unary->isPrefix())
      value("'++' for '--'", unary->getSourceRange(), (unary->isIncrementOp() ? "--" : "++") + operand);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (callee == nullptr || callee->getIdentifier() == nullptr || !callee->isInStdNamespace()) return true;
    const bool least = callee->getName() == "min";
    if (!least && callee->getName() != "max") return true;
    std::string all = text(call->getSourceRange());
    const char* const name = least ? "std::min" : "std::max";
    if (all.starts_with(name))
      value("'min' for 'max'", call->getSourceRange(), all.replace(0, 8, least ? "std::max" : "std::min"));
    return true;
  }
  bool VisitIntegerLiteral(clang::IntegerLiteral* constant) {
    const std::string written = text(constant->getSourceRange());
    return value("constant", constant->getSourceRange(),
                 written + (constant->getValue() == 1 ? " - 1" : " + 1"));
  }
  bool VisitFloatingLiteral(clang::FloatingLiteral* constant) {
    return value("constant", constant->getSourceRange(), text(constant->getSourceRange()) + " + 1");
  }
  bool VisitCXXBoolLiteralExpr(clang::CXXBoolLiteralExpr* constant) {
    return value("constant", constant->getSourceRange(), constant->getValue() ? "false" : "true");
  }

 private:
  bool ours(clang::SourceLocation at) const {
    const auto file = sources_.getFileEntryRefForID(sources_.getFileID(sources_.getExpansionLoc(at)));
    return file && sites_.contains(file->getName().str());
  }

  std::string text(clang::SourceRange range) const {
    const auto tokens = clang::CharSourceRange::getTokenRange(range);
    return clang::Lexer::getSourceText(tokens, sources_, context_.getLangOpts()).str();
  }

  // As a condition: a pointer or optional is one without being a bool.
  std::string condition_text(const clang::Expr* expression) const {
    return "static_cast<bool>(" + text(expression->getSourceRange()) + ")";
  }

  static bool literal(const clang::Expr* expression) {
    return llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral>(plain(expression));
  }

  // One site for a piece and mutant: initialisers are visited in two forms.
  bool add(const char* kind, Form form, clang::SourceLocation first, clang::SourceLocation end,
           std::string mutant) {
    if (first.isMacroID() || end.isMacroID() || sources_.getFileID(first) != sources_.getFileID(end) ||
        !ours(first))
      return true;
    std::vector<Site>& found =
        sites_.at(sources_.getFileEntryRefForID(sources_.getFileID(first))->getName().str());
    const Site site{sources_.getFileOffset(first),
                    sources_.getFileOffset(end),
                    sources_.getSpellingLineNumber(first),
                    sources_.getSpellingColumnNumber(first),
                    kind,
                    form,
                    std::move(mutant)};
    const bool known = llvm::any_of(found, [&](const Site& other) {
      return other.begin == site.begin && other.end == site.end && other.form == site.form &&
             other.mutant == site.mutant;
    });
    if (!known && site.begin < site.end) found.push_back(site);
    return true;
  }
  clang::SourceLocation end_of(clang::SourceLocation last) const {
    return last.isMacroID() ? last
                            : clang::Lexer::getLocForEndOfToken(last, 0, sources_, context_.getLangOpts());
  }
  bool value(const char* kind, clang::SourceRange range, std::string mutant) {
    return add(kind, Form::value, range.getBegin(), end_of(range.getEnd()), std::move(mutant));
  }

  void swap_operator(const clang::Expr* whole, clang::SourceLocation at, const clang::Expr* left,
                     const clang::Expr* right) {
    const std::string written = text({at, at});
    const auto other = operators().find(written);
    if (at.isMacroID() || other == operators().end()) return;
    value("operator", whole->getSourceRange(),
          text(left->getSourceRange()) + " " + other->second + " " + text(right->getSourceRange()));
  }

  bool negate(const clang::Expr* condition, bool declares, const char* kind = "condition negated") {
    if (condition != nullptr && !declares && !negated_elsewhere(condition))
      value(kind, condition->getSourceRange(), "!" + condition_text(condition));
    return true;
  }

  bool drop(const clang::Stmt* statement) {
    if (statement == nullptr) return true;
    if (llvm::isa<clang::BreakStmt, clang::ContinueStmt>(statement)) return drop_jump(statement);
    if (const auto* result = llvm::dyn_cast<clang::ReturnStmt>(statement))
      return result->getRetValue() != nullptr || drop_jump(statement);
    const auto* expression = llvm::dyn_cast<clang::Expr>(statement);
    if (expression == nullptr) return true;
    expression = expression->IgnoreUnlessSpelledInSource();
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression);
    if (!llvm::isa<clang::CallExpr>(expression) && !(binary != nullptr && binary->isAssignmentOp()) &&
        !(unary != nullptr && unary->isIncrementDecrementOp()))
      return true;
    if (!returns(expression) || only_saves_time(expression)) return true;
    return add("statement left out", Form::statement, expression->getBeginLoc(),
               end_of(expression->getEndLoc()), "");
  }
  // A `continue` at the end of a loop's body, a `break` at the end of a switch: the control goes there
  // anyway.
  template <class Jump>
  void keep_last(const clang::Stmt* body) {
    while (body != nullptr && !llvm::isa<Jump>(body)) {
      const auto* block = llvm::dyn_cast<clang::CompoundStmt>(body);
      const auto* label = llvm::dyn_cast<clang::SwitchCase>(body);
      body = block != nullptr && !block->body_empty() ? block->body_back()
             : label != nullptr                       ? label->getSubStmt()
                                                      : nullptr;
    }
    if (body != nullptr) without_effect_.insert(body);
  }
  bool drop_jump(const clang::Stmt* jump) {
    if (without_effect_.contains(jump)) return true;
    const auto end = clang::Lexer::findLocationAfterToken(jump->getEndLoc(), clang::tok::semi, sources_,
                                                          context_.getLangOpts(), false);
    return end.isInvalid() || add("statement left out", Form::jump, jump->getBeginLoc(), end, "");
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  SitesOfFiles& sites_;
  llvm::SmallPtrSet<const clang::Stmt*, 16> without_effect_;
};

}  // namespace

void find_sites(clang::ASTContext& context, SitesOfFiles& sites) {
  Finder(context, sites).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace fulgurite::mutants
