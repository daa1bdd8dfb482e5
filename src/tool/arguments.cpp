#include "tool/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fulgurite/error.h>

#include <charconv>
#include <utility>

#include "scalar/expr.h"
#include "scalar/value.h"
#include "tool/literal.h"

namespace fulgurite::tool {
namespace {

// After the extents of an array that every rank has.
constexpr std::string_view everywhere = "@all";

std::vector<std::int64_t> extents_of(std::string_view text, std::int32_t rank, std::size_t number) {
  std::vector<std::int64_t> extents;
  for (std::string_view rest = text;;) {
    const std::size_t cut = rest.find('x');
    const std::string_view word = rest.substr(0, cut);
    std::int64_t extent = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), extent);
    if (error != std::errc() || end != word.data() + word.size() || extent < 0) break;
    extents.push_back(extent);
    if (cut == rest.npos) break;
    rest.remove_prefix(cut + 1);
  }
  const std::string expected = fmt::format("{}", fmt::join(extents, "x"));
  if (extents.size() != static_cast<std::size_t>(rank) || expected != text)
    throw FormatError(
        fmt::format("argument {} is an array with {} {}: give its extents, as 1000x500, or the name of a "
                    ".npy file, not '{}'",
                    number, rank, rank == 1 ? "axis" : "axes", text));
  return extents;
}

}  // namespace

Arguments::Arguments(const detail::TracedProgram& traced, const std::vector<std::string>& words) {
  const soac::Program& program = traced.program();
  const std::size_t n = program.params.size() - traced.captures().size();
  if (words.size() != n)
    throw FormatError(fmt::format("{} takes {} arguments, {} given", program.name, n, words.size()));
  for (std::size_t k = 0; k < n; ++k) add(program.arena->info(program.params[k]), words[k], k + 1);
  for (const detail::Capture& capture : traced.captures()) {
    views_.push_back(capture.view);
    views_.back().extents = capture.extents;
    views_.back().data = capture.data.get();
  }
}

void Arguments::add(const scalar::VarInfo& param, const std::string& word, std::size_t number) {
  detail::ArgumentView& view = views_.emplace_back();
  view.kind = static_cast<std::uint8_t>(param.type.kind);
  view.rank = static_cast<std::int32_t>(param.shape.size());
  if (word.ends_with(".npy"))
    read(view, word, number);
  else if (view.rank == 0)
    view.bits = parse_literal(param.type.kind, word);
  else
    have(view, word, number);
}

void Arguments::read(detail::ArgumentView& view, const std::string& file, std::size_t number) {
  AnyArray& array = *read_.emplace_back(std::make_unique<AnyArray>(read_npy(file)));
  if (static_cast<std::uint8_t>(array.kind) != view.kind ||
      array.shape.size() != static_cast<std::size_t>(view.rank))
    throw FormatError(fmt::format("argument {}: {} holds {}", number, file, to_string(array)));
  view.data = array.data.get();
  view.extents = array.shape.data();
  if (view.rank == 0) view.bits = load(static_cast<scalar::Kind>(view.kind), view.data);
}

void Arguments::have(detail::ArgumentView& view, std::string_view word, std::size_t number) {
  if (word.ends_with(everywhere))
    word.remove_suffix(everywhere.size());
  else
    divided_.push_back(number - 1);
  static constexpr char none = 0;
  view.data = &none;
  view.extents =
      extents_.emplace_back(std::make_unique<std::vector<std::int64_t>>(extents_of(word, view.rank, number)))
          ->data();
}

}  // namespace fulgurite::tool
