// C text to LLVM module, with Clang as a library: no driver, no child process, no file system.
#include "runtime/cpu/clang_plugin/stages.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/Basic/LangStandard.h>
#include <clang/Basic/MacroBuilder.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <tuple>

namespace fulgurite::runtime::clang_plugin {

namespace {

// gnu2x, freestanding: nothing is assumed of a C library, and loops are not turned into calls of one.
void set_language(clang::CompilerInvocation& invocation, const Target& target) {
  clang::LangOptions& language = invocation.getLangOpts();
  std::vector<std::string> includes;
  clang::LangOptions::setLangDefaults(language, clang::Language::C, llvm::Triple(target.triple), includes,
                                      clang::LangStandard::lang_gnu23);
  language.Freestanding = 1;
  language.NoBuiltin = 1;
  language.MathErrno = 0;
  language.PICLevel = 2;
  language.BracketDepth = 1024;
  language.VScaleMin = language.VScaleMax = target.scalable_units;
  language.setSignedOverflowBehavior(clang::LangOptions::SOB_Defined);  // -fwrapv: what emit/dialect.h wants
  language.setDefaultFPContractMode(clang::LangOptions::FPM_Off);
  language.setFPExceptionMode(clang::LangOptions::FPE_Ignore);
}

// Clang annotates for an optimiser (lifetimes, type-based aliasing) but leaves the passes to us.
void set_code_generation(clang::CompilerInvocation& invocation) {
  clang::CodeGenOptions& code = invocation.getCodeGenOpts();
  code.OptimizationLevel = 2;
  code.DisableLLVMPasses = 1;
  code.DiscardValueNames = 1;
  code.ClearASTBeforeBackend = 1;
  code.RelocationModel = llvm::Reloc::PIC_;
  code.PreferVectorWidth = "512";
  code.setFramePointer(clang::CodeGenOptions::FramePointerKind::None);
}

// __AVX2__, __builtin_bit_cast ..
llvm::StringSet<> reserved_names(llvm::StringRef text) {
  constexpr llvm::StringRef letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  llvm::StringSet<> names;
  for (std::size_t at = text.find("__"); at != text.npos; at = text.find("__", at)) {
    const std::size_t end = std::min(text.size(), text.find_first_not_of(letters, at));
    names.insert(text.slice(at, end));
    at = end;
  }
  return names;
}

// Clang's own macros are more lines than most kernels. Of what it would define for the target, what the text
// asks for is defined, and the orders of atomic operations.
void define_macros(clang::PreprocessorOptions& macros, llvm::StringRef text, const clang::TargetInfo& target,
                   const clang::LangOptions& language) {
  std::string lines;
  llvm::raw_string_ostream stream(lines);
  clang::MacroBuilder builder(stream);
  target.getTargetDefines(language, builder);
  for (const char* order : {"RELAXED 0", "ACQUIRE 2", "RELEASE 3", "ACQ_REL 4", "SEQ_CST 5"})
    stream << "#define __ATOMIC_" << order << "\n";
  const llvm::StringSet<> asked_for = reserved_names(text);
  constexpr llvm::StringRef define = "#define ";
  for (llvm::StringRef rest = lines, line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    const auto [name, value] = line.substr(define.size()).split(' ');
    if (asked_for.contains(name)) macros.addMacroDef((name + "=" + value).str());
  }
}

// Hands the syntax tree to Clang's module builder, and the module to us.  (Clang's own ready-made action
// would link its whole back end, which we do not use.)
class BuildModule : public clang::ASTFrontendAction {
 public:
  BuildModule(llvm::LLVMContext& context, llvm::StringRef text) : context_(context), text_(text) {}

  std::unique_ptr<llvm::Module> take_module() { return std::move(module_); }

 private:
  bool BeginInvocation(clang::CompilerInstance& compiler) override {
    define_macros(compiler.getPreprocessorOpts(), text_, compiler.getTarget(), compiler.getLangOpts());
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    builder_ = clang::CreateLLVMCodeGen(compiler.getDiagnostics(), file, &compiler.getVirtualFileSystem(),
                                        compiler.getHeaderSearchOpts(), compiler.getPreprocessorOpts(),
                                        compiler.getCodeGenOpts(), context_);
    return std::unique_ptr<clang::ASTConsumer>(builder_);
  }

  void EndSourceFileAction() override { module_.reset(builder_->ReleaseModule()); }

  llvm::LLVMContext& context_;
  llvm::StringRef text_;
  clang::CodeGenerator* builder_ = nullptr;  // owned by the compiler instance
  std::unique_ptr<llvm::Module> module_;
};

}  // namespace

std::unique_ptr<llvm::Module> parse(std::string_view text, std::string_view name, const Target& target,
                                    bool with_lines, llvm::LLVMContext& context, std::string& messages) {
  const std::string file = std::string(name) + ".c";
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->addFile(file, 0, llvm::MemoryBuffer::getMemBuffer({text.data(), text.size()}, file, false));

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  invocation->getTargetOpts().Triple = target.triple;
  invocation->getTargetOpts().CPU = target.cpu;
  invocation->getTargetOpts().FeaturesAsWritten = target.features;
  invocation->getFrontendOpts().Inputs.emplace_back(file, clang::InputKind(clang::Language::C));
  invocation->getFrontendOpts().DisableFree = 0;
  set_language(*invocation, target);
  set_code_generation(*invocation);
  if (with_lines) {
    invocation->getCodeGenOpts().setDebugInfo(llvm::codegenoptions::DebugLineTablesOnly);
    invocation->getCodeGenOpts().DwarfVersion = 4;
  }
  invocation->getPreprocessorOpts().UsePredefines = false;

  llvm::raw_string_ostream stream(messages);
  auto diagnostic_options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  LeftOnThrow<clang::CompilerInstance> instance;
  clang::CompilerInstance& compiler = *instance;
  compiler.setInvocation(std::move(invocation));
  compiler.setDiagnostics(
      new clang::DiagnosticsEngine(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), diagnostic_options,
                                   new clang::TextDiagnosticPrinter(stream, diagnostic_options.get())));
  compiler.setVerboseOutputStream(stream);
  compiler.createFileManager(files);

  LeftOnThrow<BuildModule> action(context, llvm::StringRef(text.data(), text.size()));
  if (!compiler.ExecuteAction(*action)) return nullptr;
  return action->take_module();
}

}  // namespace fulgurite::runtime::clang_plugin
