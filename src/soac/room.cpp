#include "soac/room.h"

#include <algorithm>
#include <cstdlib>

#include "base/match.h"
#include "soac/walk.h"

namespace fulgurite::soac {

namespace {

constexpr const char* message =
    "an array that is made for an element has {0} elements, and there is room for {1}: its size follows from "
    "data in a way that no bound is known for before the elements are computed";

bool is_room(const SiteInfo& site) {
  return site.message == message;
}

bool is_memory(const SiteInfo& site) {
  return site.error == SiteInfo::Error::memory;
}

bool has_statements_for_elements(const std::vector<Stm>& body) {
  return std::ranges::any_of(body, [](const Stm& s) {
    return std::ranges::any_of(nested_in(s), [&](const auto& inner) {
      if (base::as<Soac>(s.op)) return !inner.lambda->body.empty();
      return has_statements_for_elements(inner.lambda->body);
    });
  });
}

bool makes_arrays(const Program& program, const Stm& s) {
  return std::ranges::any_of(s.names, [&](Var name) { return program.arena->info(name).type.rank > 0; });
}

void add_room(const Program& program, const std::vector<Stm>& body, std::vector<SiteInfo>& sites) {
  for (const Stm& s : body) {
    if (makes_arrays(program, s)) sites.push_back({SiteInfo::Error::shape, s.where, message});
    for (const auto& inner : nested_in(s)) add_room(program, inner.lambda->body, sites);
  }
}

// Memory that the host allocates: code that runs for elements gets memory from the statement around it.
void add_memory(const Program& program, const std::vector<Stm>& body, std::vector<SiteInfo>& sites) {
  for (const Stm& s : body) {
    if (base::as<Soac>(s.op) || base::as<Sort>(s.op) || base::as<Call>(s.op)) {
      sites.push_back({SiteInfo::Error::memory, s.where, "no memory"});
      continue;
    }
    for (const auto& inner : nested_in(s)) add_memory(program, inner.lambda->body, sites);
  }
}

}  // namespace

std::vector<SiteInfo> sites_with_room(const Program& program) {
  std::vector<SiteInfo> sites = program.sites;
  if (std::ranges::any_of(sites, [](const SiteInfo& site) { return is_room(site) || is_memory(site); }))
    return sites;
  if (has_statements_for_elements(program.body)) add_room(program, program.body, sites);
  add_memory(program, program.body, sites);
  return sites;
}

Program with_room_sites(Program program) {
  program.sites = sites_with_room(program);
  return program;
}

Site room_site(const Program& program, const Location& where) {
  Site nearest = 0;
  long least = 0;
  for (std::size_t k = 0; k < program.sites.size(); ++k) {
    const SiteInfo& site = program.sites[k];
    if (!is_room(site)) continue;
    const bool is_elsewhere = site.where.file != where.file;
    const long distance = std::labs(static_cast<long>(site.where.line) - static_cast<long>(where.line)) +
                          (is_elsewhere ? 1L << 40 : 0);
    if (nearest != 0 && distance >= least) continue;
    nearest = static_cast<Site>(k + 1);
    least = distance;
  }
  return nearest;
}

Check within_largest(Expr size, Expr largest, bool is_extent, Site site) {
  const Expr room = min(largest, in_memory);
  Expr fits = size <= room;
  if (is_extent) fits = (0 <= size) & fits;
  return {fits, site, {size, room}};
}

namespace {

Expr room_of(const Check& check) {
  const Expr room = check.operands.size() == 2 ? check.operands[1] : Expr();
  const auto is_limit = [](Expr e) { return e.is_constant(static_cast<std::uint64_t>(in_memory)); };
  const bool is_room = room && room.op() == scalar::Op::min && std::ranges::any_of(room.args(), is_limit);
  return is_room ? room : Expr();
}

}  // namespace

Expr largest_room(const Lambda& f) {
  Expr largest;
  const auto add = [&](Expr room) {
    if (room) largest = max(largest ? largest : room, max(room, 1));
  };
  for (const Stm& s : f.body) {
    if (const auto* check = base::as<Check>(s.op)) add(room_of(*check));
    for (const auto& inner : nested_in(s)) add(largest_room(*inner.lambda));
  }
  return largest;
}

MemorySites::MemorySites(const Program& program) {
  for (std::size_t k = 0; k < program.sites.size(); ++k) {
    const SiteInfo& site = program.sites[k];
    if (is_memory(site)) sites_.try_emplace({site.where.file, site.where.line}, static_cast<Site>(k + 1));
  }
}

Site MemorySites::at(const Location& where) const {
  const auto found = sites_.find({where.file, where.line});
  return found == sites_.end() ? 0 : found->second;
}

}  // namespace fulgurite::soac
