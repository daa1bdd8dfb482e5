"""Faults that the library once had, as mutants: each takes back what mended one. `./dev mutate --faults` says how soon random
programs notice."""

import concurrent.futures
import os
import re
import shutil
import time
from typing import NamedTuple

import fuzzing
import judging
import planting


class Fault(NamedTuple):
    what: str
    file: str
    original: str  # stands once in the file
    mutant: str  # "": a statement that is left out


FAULTS = (
    Fault("two scans merged of which one reads the other", "src/fuse/merge.cpp",
          "both_scan && !scans_are_independent(std::get<Soac>(merged->op).body)", "false"),
    Fault("an update in place though points read what others store", "src/soac/update.cpp",
          "is_injective(arena, soac, place)", "true"),
    Fault("an update in place though its array is read elsewhere", "src/soac/update.cpp", "!reads.allow(*array)", "false"),
    Fault("reads beside an update of what it replaces", "src/soac/apart.cpp", "std::ranges::any_of(distances, differ)", "true"),
    Fault("bounds of sizes: subtrahends are not negative", "src/soac/interval.cpp", "difference(a.high, b.low)",
          "arena_.cast(a.high, in)"),
    Fault("bounds of sizes: factors are not negative", "src/soac/interval.cpp",
          "products(kind, least, most, {{ll, lh, hl, hh}}, {{ll, lh, hl, hh}})", "products(kind, least, most, {{ll}}, {{hh}})"),
    Fault("bounds of elements that loops carry", "src/soac/bounds_of_loops.cpp", "is_inside && is_above && is_below", "true"),
    Fault("sums that may wrap around are divided by their factors", "src/simplify/index_algebra.cpp",
          "is_not_negative(quotient) && (exact || is_below(remainder, divisor, depth + 1))",
          "exact || (is_not_negative(quotient) && is_below(remainder, divisor, depth + 1))"),
    Fault("scatters at equal places in any order", "src/simplify/unordered.cpp",
          "soac::stores_apart(arena_, sizes_, origins_, soac, k)", "true"),
    Fault("a network of comparisons without its last run", "src/soac/sort_network.cpp", "whole + last", "whole"),
    Fault("variables that a loop changes are still numbers", "src/emit/numbers.cpp", "is && variables_[variable];", "is;"),
    Fault("groups along an outer axis stored as along the innermost", "src/schedule/rewrites/interleaved.cpp",
          "groups.axes_behind = op.dims.size() - 1 - axis", ""),
    Fault("differences whose order counts as none", "src/soac/symmetry.cpp", "if (!is_square && !is_magnitude) return Expr();",
          "if (e.op() != scalar::Op::sub) return Expr(); else return sorted(e);"),
    Fault("mirrors of parts that are not whole", "src/walk/lanes/tile_results.cpp", "(depth_.end <= depth.end) & row.is_above",
          "row.is_above"),
    Fault("bounds of pieces that include their end", "src/schedule/rewrites/pieces.cpp", "condition.op() == Op::le", "false"),
    Fault("folds that take the constant of one piece for all others", "src/walk/lanes/points.cpp",
          "schedule::piece_after_first(arena_, walk_.s, piece_, walk_.range.in_tile)",
          "schedule::behind_first(arena_, piece_, walk_.range.in_tile)"),
    Fault("scans that begin anew with each portion of private bins", "src/lower/private_bins.cpp",
          "e.assign(scans[g][c], ends.scans[g][c])", ""),
    Fault("shapes with elements or quotients in them", "src/simplify/simplify.cpp",
          "sizes_.contains(name) && !may_be_size(value)", "false"),
    Fault("iteration spaces with floats in their sizes", "src/simplify/simplify.cpp",
          "add_sizes_of_iteration_spaces(p.body)", ""),
    Fault("shapes of inlined arrays that depend on an index", "src/fuse/inline.cpp",
          "soac::bind_for_shapes(arena_, producer_.at, indices, before)", "indices"),
    Fault("sizes of inlined iteration spaces that may fail", "src/fuse/inline.cpp", "soac::bind_sizes(arena_, applied.body)", ""),
)
FIRST = 60000  # numbers above those of mechanical mutants, below the most that chosen.cpp has room for


def sites():
    """As planting.all_sites gives them."""
    found = []
    for number, fault in enumerate(FAULTS, FIRST):
        text = planting.read(fault.file)
        if text.count(fault.original) != 1:
            raise SystemExit(f"mutate: '{fault.original}' stands {text.count(fault.original)} times in {fault.file}")
        begin = len(text[:text.index(fault.original)].encode())
        before = text[:text.index(fault.original)]
        found.append({"number": number, "file": fault.file, "line": before.count("\n") + 1,
                      "column": len(before) - before.rfind("\n"), "begin": begin, "end": begin + len(fault.original.encode()),
                      "kind": fault.what, "mutant": fault.mutant, "form": "value" if fault.mutant else "statement"})
    return found


# Ten minutes, as `./dev fuzz` divides them.
SECONDS = {"passes": 120, "emulator": 300, "cpu": 180}


def run(campaign, number, cache, limit):
    return judging.run(campaign.executable, cache, 2 * limit,
                       {"RC_PARAMS": f"seed={fuzzing.SEED} max_success=1000000 limit={limit} shrink_seconds=0 table=0",
                        "FULGURITE_TEST_ENGINE": campaign.engine, "FULGURITE_MUTANT": str(number)},
                       f"--gtest_filter={campaign.test}")


def judge(site):
    """(what finds the fault, seconds until then); nothing: ten minutes of random programs do not."""
    cache, began = judging.own_cache(site["number"]), time.time()
    try:
        for campaign in fuzzing.CAMPAIGNS:
            status, output = run(campaign, site["number"], cache, SECONDS[campaign.name])
            failed = re.search(r"seed \d+, program (\d+)", output)
            if status != 0:
                how = f"program {failed[1]}" if failed else "a program that does not end" if status is None else "a program that ends the process"
                return f"{campaign.name}, {how}", time.time() - began
        return "", time.time() - began
    finally:
        shutil.rmtree(cache, ignore_errors=True)


def report(jobs):
    all_faults = sites()
    if planting.plant(all_faults) & {site["number"] for site in all_faults}:
        raise SystemExit("mutate: a fault does not compile")
    planting.build("test_programs", "test_programs_slow")
    for campaign in fuzzing.CAMPAIGNS:
        if run(campaign, -1, os.path.join(judging.CACHES, "none"), 10)[0] != 0:
            raise SystemExit(f"mutate: random programs fail on {campaign.name} without a fault")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for site, (by, seconds) in zip(all_faults, pool.map(judge, all_faults)):
            print(f"{planting.name(site)} {site['kind']}: {by or 'NOT FOUND'}, {seconds:.0f} s", flush=True)
