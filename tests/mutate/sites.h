// Places where a mutant can be planted: a piece of a source file, and what stands there in the mutant.
#pragma once

#include <clang/AST/ASTContext.h>

#include <map>
#include <string>
#include <vector>

namespace fulgurite::mutants {

// How a mutant is guarded, so that the library holds it beside what is right.
enum class Form {
  value,      // (chosen ? (mutant) : (original))
  statement,  // the original expression is left out: (chosen ? void() : void(original))
  jump,       // break, continue or return, with its semicolon, is left out
};

struct Site {
  unsigned begin, end;  // bytes of the file
  unsigned line, column;
  const char* kind;  // the rule that made it
  Form form;
  std::string mutant;  // of Form::value: the text in place of the original
};

using SitesOfFiles = std::map<std::string, std::vector<Site>>;

// Finds the sites of the files that `sites` has a key for.
void find_sites(clang::ASTContext& context, SitesOfFiles& sites);

}  // namespace fulgurite::mutants
