#include "tidy/fold_blocks.h"

#include "kernel/resources.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

constexpr std::int64_t warp_size = 32;

/// The instances from `first` on, as many as `n`.
Stm instances_from(Arena& arena, const Par& par, Expr first, std::int64_t n, std::uint32_t line) {
  const Expr thread = arena.fresh({Kind::i64}, arena.info(par.name).name);
  const Expr instance = first + thread;
  Block body = substitute(arena, refresh(arena, par.body), {{par.name, instance}});
  return {Par{par.level, thread.var(), arena.i64(n), std::move(body)}, line};
}

Block folded(Arena& arena, const Block& block, std::int64_t most) {
  Parts parts;
  parts.block = [&](const Block& inner) { return folded(arena, inner, most); };
  Block out;
  for (const Stm& s : block) {
    const auto* par = std::get_if<Par>(&s.op);
    const bool is_of_block = par != nullptr && par->level == Level::block;
    const std::int64_t n = is_of_block ? static_cast<std::int64_t>(par->n.bits()) : 0;
    if (n <= most) {
      out.push_back(is_of_block ? s : map_children(s, parts));
      continue;
    }
    const std::int64_t whole = n / most * most;
    const Expr first = arena.fresh({Kind::i64}, "first");
    out.push_back({For{first.var(),
                       arena.i64(0),
                       arena.i64(whole),
                       arena.i64(most),
                       {instances_from(arena, *par, first, most, s.line)}},
                   s.line});
    if (whole < n) out.push_back(instances_from(arena, *par, arena.i64(whole), n - whole, s.line));
  }
  return out;
}

bool has_more_threads(const Block& body, std::int64_t most) {
  bool found = false;
  for_each_stm(body, [&](const Stm& s) {
    const auto* par = std::get_if<Par>(&s.op);
    found |= par != nullptr && par->level == Level::block && static_cast<std::int64_t>(par->n.bits()) > most;
  });
  return found;
}

// Threads that were a warp are none any more.
Block with_block_barriers(const Block& block) {
  Parts parts;
  parts.block = with_block_barriers;
  Block out;
  for (const Stm& s : block)
    out.push_back(std::holds_alternative<Sync>(s.op) ? Stm{Sync{Level::block}, s.line}
                                                     : map_children(s, parts));
  return out;
}

Kernel with_whole_warps(Kernel kernel, std::int64_t most) {
  const bool splits = most > warp_size && most % warp_size != 0;
  if (splits && has_more_threads(kernel.body, most)) kernel.body = with_block_barriers(kernel.body);
  return kernel;
}

Kernel run_without_split_warps(Kernel kernel, const PassOptions& options) {
  return options.threads ? with_whole_warps(std::move(kernel), *options.threads) : kernel;
}

Kernel run_fold_blocks(Kernel kernel, const PassOptions& options) {
  const std::int64_t most = options.threads.value_or(most_threads);
  if (!has_more_threads(kernel.body, most)) return kernel;
  kernel = with_whole_warps(std::move(kernel), most);
  kernel.body = folded(*kernel.arena, kernel.body, most);
  return kernel;
}

}  // namespace

const kernel::Pass without_split_warps{
    .name = "without_split_warps",
    .description = "barriers of warps become barriers of the block where folding would split warps",
    .run = run_without_split_warps};

const kernel::Pass fold_blocks{
    .name = "fold_blocks",
    .description =
        "a thread does what several would, where a block has more threads than a device or the user allows",
    .run = run_fold_blocks};

}  // namespace fulgurite::tidy
