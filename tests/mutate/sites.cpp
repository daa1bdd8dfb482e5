// sites ROOT FILE..: the sites of these files of ROOT/src, which are parsed as one translation unit, one JSON
// object a line.
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/JSON.h>

#include "sites.h"

namespace {

using namespace fulgurite::mutants;

class Consumer : public clang::ASTConsumer {
 public:
  explicit Consumer(SitesOfFiles& sites) : sites_(sites) {}
  void HandleTranslationUnit(clang::ASTContext& context) override { find_sites(context, sites_); }

 private:
  SitesOfFiles& sites_;
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(SitesOfFiles& sites) : sites_(sites) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<Consumer>(sites_);
  }

 private:
  SitesOfFiles& sites_;
};

const char* name(Form form) {
  return form == Form::value ? "value" : form == Form::statement ? "statement" : "jump";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string root = argv[1];
  SitesOfFiles sites;
  std::string unit;
  for (int i = 2; i < argc; ++i) {
    const std::string path = root + "/" + argv[i];
    sites[path];
    unit += "#include \"" + path + "\"\n";
  }
  const std::vector<std::string> arguments{"-std=c++20",
                                           "-w",
                                           "-fsyntax-only",
                                           "-I" + root + "/src",
                                           "-I" + root + "/include",
                                           "-resource-dir",
                                           RESOURCES_OF_CLANG};
  if (!clang::tooling::runToolOnCodeWithArgs(std::make_unique<Action>(sites), unit, arguments, "unit.cpp"))
    return 1;
  for (const auto& [path, found] : sites)
    for (const Site& site : found)
      llvm::outs() << llvm::json::Value(llvm::json::Object{{"file", path.substr(root.size() + 1)},
                                                           {"line", site.line},
                                                           {"column", site.column},
                                                           {"begin", site.begin},
                                                           {"end", site.end},
                                                           {"kind", site.kind},
                                                           {"form", name(site.form)},
                                                           {"mutant", site.mutant}})
                   << "\n";
}
