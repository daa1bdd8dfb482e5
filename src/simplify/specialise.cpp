#include "simplify/specialise.h"

#include <utility>

#include "soac/rename.h"

namespace fulgurite::simplify {

soac::Program specialise(soac::Program program, const std::unordered_map<soac::Var, std::int64_t>& extents) {
  soac::Renaming renaming(*program.arena, soac::Renaming::Binders::keep);
  for (const auto& [name, value] : extents) renaming.bind(name, program.arena->i64(value));
  for (soac::Var& param : program.params) param = renaming.binder(param);
  for (soac::Stm& s : program.body) s = renaming(std::move(s));
  renaming.in_place(program.results);
  return program;
}

}  // namespace fulgurite::simplify
