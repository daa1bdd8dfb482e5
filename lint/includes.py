"""Who may include whom: a folder of src/ is a stage, and stages form a directed acyclic graph. Also keeps LLVM inside the
plug-in and the finder of mutants, and the public headers down to the standard library; sees which of the precompiled headers
(src/CMakeLists.txt, tests/CMakeLists.txt) a file of src/ or a public header uses without including it, itself or by headers of ours;
and finds modules that include each other in a circle: x.h and x.cpp are one module, which includes whatever one of the two includes."""

import os
import re

from files import ROOT, files, finish, lines

# Folder -> folders of src/ that it may include, besides itself. None: everything.
STAGES = {
    "base": set(),
    "scalar": {"base"},
    "soac": {"base", "scalar", "kernel"},
    "trace": {"base", "scalar", "soac", "kernel"},
    "simplify": {"base", "scalar", "soac"},
    "fuse": {"base", "scalar", "soac", "simplify"},
    "kernel": {"base", "scalar"},
    "tidy": {"base", "scalar", "kernel"},
    "distribute": {"base", "scalar", "kernel", "tidy", "runtime"},
    "emit": {"base", "scalar", "kernel"},
    "runtime": {"base"},
    "plan": {"base", "scalar", "runtime"},
    "ahead": {"base", "scalar", "kernel", "plan", "emit", "runtime"},
    "bundled": {"base", "scalar", "runtime", "plan"},
    "standalone": {"base", "scalar", "runtime", "plan", "bundled"},
    "engines": {"base", "scalar", "kernel", "emit", "runtime", "plan", "bundled"},
    "schedule": {"base", "scalar", "soac", "kernel"},
    "parts": {"base", "scalar", "kernel"},
    "walk": {"base", "scalar", "soac", "kernel", "parts", "schedule"},
    "lower": {"base", "scalar", "soac", "kernel", "parts", "schedule", "walk", "plan"},
    "block": {"base", "scalar", "soac", "trace", "kernel", "parts", "tidy", "emit", "runtime", "plan", "engines"},
    "pipeline": None,
    "tool": None,
}
# Stages that know the public types; the others know <fulgurite/error.h> only.
PUBLIC = {"trace", "block", "runtime", "plan", "bundled", "engines", "pipeline", "tool", "ahead"}
# Third-party headers that belong to some places only.
OWNERS = {
    r"(clang|clang-c|llvm|llvm-c|lld)/": ("src/runtime/cpu/clang_plugin/", "tests/mutate/"),
    r"mpi\.h": ("src/runtime/mpi/plugin/", "tests/runtime/", "bench/"),
    r"CLI/": ("src/tool/", "tests/tool/", "bench/", "examples/"),
    r"png\.h": ("src/tool/", "examples/"),
    r"(gtest|rapidcheck)[./]": ("tests/",),
}
# What shows that a precompiled header is used.
USES = {
    "algorithm": r"std::(sort|stable_sort|stable_partition|partition|find|find_if|any_of|all_of|none_of|min|max|clamp|copy|fill"
                 r"|transform|equal|count|count_if|reverse|rotate|remove_if|(min|max)_element|(lower|upper)_bound|for_each"
                 r"|unique|is_sorted|generate|mismatch)\(",
    "functional": r"std::(function|hash|less|greater)\b",
    "map": r"std::(multi)?map\b",
    "memory": r"std::(shared_ptr|unique_ptr|weak_ptr|make_shared|make_unique|addressof)\b",
    "optional": r"std::(optional|nullopt)\b",
    "span": r"std::span\b",
    "string": r"std::(string|to_string)\b",
    "unordered_map": r"std::unordered_(multi)?map\b",
    "variant": r"std::(variant|visit|get_if|holds_alternative|monostate)\b",
    "vector": r"std::vector\b",
    "fmt/": r"fmt::",
}
# The same for public headers, which the build compiles after these.
USES_OF_PUBLIC = USES | {
    "array": r"std::array\b",
    "atomic": r"std::atomic\b",
    "bit": r"std::(bit_cast|popcount|countl_zero|countr_zero|has_single_bit|bit_ceil|bit_width)\b",
    "concepts": r"std::(same_as|integral|floating_point|convertible_to|derived_from|invocable|constructible_from)\b",
    "cstddef": r"std::(size_t|ptrdiff_t|byte|nullptr_t)\b",
    "cstdint": r"\bu?int(8|16|32|64|ptr)_t\b",
    "filesystem": r"std::filesystem\b",
    "initializer_list": r"std::initializer_list\b",
    "iterator": r"std::(back_inserter|(forward|random_access|input)_iterator_tag|contiguous_iterator|iterator_traits)\b",
    "limits": r"std::numeric_limits\b",
    "source_location": r"std::source_location\b",
    "stdexcept": r"std::(runtime_error|logic_error|invalid_argument|out_of_range)\b",
    "string_view": r"std::string_view\b",
    "tuple": r"std::(tuple|tie|make_tuple|tuple_size_v|tuple_element_t|apply)\b",
    "type_traits": r"std::(is_\w+_v|decay_t|remove_cvref_t|remove_const_t|conditional_t|enable_if_t|common_type_t|invoke_result_t"
                   r"|underlying_type_t|make_unsigned_t|bool_constant|true_type|false_type)\b",
    "utility": r"std::(pair|move|forward|swap|exchange|declval|(make_)?index_sequence(_for)?)\b",
}
# Modules that stand in a circle of includes. There are none, and none may come.
IN_CIRCLES = set()
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def stage_of(path):
    parts = path.split("/")
    return "pipeline" if len(parts) == 2 else parts[1]


def included_stage(header):
    return header.split("/")[0] if "/" in header else "pipeline"


def included(path, seen):
    """The headers of others that a file includes, itself or by headers of ours."""
    found = set()
    if path in seen or not os.path.exists(os.path.join(ROOT, path)):
        return found
    seen.add(path)
    for match in filter(None, map(INCLUDE.match, lines(path))):
        bracket, header = match.groups()
        if bracket == '"':
            found |= included("src/" + header, seen)
        elif header.startswith("fulgurite/"):
            found |= included("include/" + header, seen)
        else:
            found.add(header)
    return found


def missing(path):
    """(line, header) of what a file of src/, or a public header, uses and does not include."""
    has = included(path, set())
    for header, use in (USES_OF_PUBLIC if path.startswith("include/fulgurite/") else USES).items():
        if any(h == header or (header == "fmt/" and h.startswith(header)) for h in has):
            continue
        for number, line in enumerate(lines(path), 1):
            if re.search(use, re.sub(r'"[^"]*"', '""', line.split("//")[0])):
                yield number, header
                break


def module_of(path):
    return path if path.endswith(".def") else os.path.splitext(path)[0]


def include_graph(paths):
    """Module -> {module it includes: (path, line) of the include}."""
    graph = {}
    for path in paths:
        edges = graph.setdefault(module_of(path), {})
        for number, line in enumerate(lines(path), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            bracket, header = match.groups()
            other = module_of(("src/" if bracket == '"' else "include/") + header)
            if other != module_of(path):
                edges.setdefault(other, (path, number))
    return graph


def reachable(graph, start):
    """All modules that `start` includes, by way of others too."""
    found, pending = set(), [start]
    while pending:
        for other in graph.get(pending.pop(), {}):
            if other not in found:
                found.add(other)
                pending.append(other)
    return found


def circles(paths):
    """Findings about modules that include each other in a circle."""
    graph = include_graph(paths)
    reached = {module: reachable(graph, module) for module in graph}
    in_circles = {module for module in graph if module in reached[module]}
    for module in sorted(in_circles - IN_CIRCLES):
        for other, (path, line) in sorted(graph[module].items()):
            if module in reached.get(other, ()):
                yield path, line, f"{module} and {other} include each other, by way of others perhaps"
    for module in sorted(IN_CIRCLES - in_circles):
        yield "lint/includes.py", 1, f"{module} is in no circle any more: take it off the list"


def src_finding(path, bracket, header):
    stage = stage_of(path)
    if stage not in STAGES:
        return f"lint/includes.py has no row for src/{stage}"
    if header.startswith("fulgurite/"):
        if stage not in PUBLIC and header not in ("fulgurite/error.h", "fulgurite/kernel/level.h"):
            return f"{stage} does not include public headers other than <fulgurite/error.h>"
    elif bracket == '"':
        other, allowed = included_stage(header), STAGES[stage]
        if other not in STAGES:
            return f'"{header}" is not written from src/'
        if allowed is not None and other != stage and other not in allowed:
            return f"{stage} may not include {other}"
    return None


def public_finding(path, bracket, header):
    if bracket == '"':
        return "public headers include each other as <fulgurite/name.h>"
    if not header.startswith("fulgurite/") and not re.fullmatch(r"[a-z_]+", header):
        return f"public headers include the standard library only, not <{header}>"
    return None


def main():
    findings = []
    for path in files(".h", ".cpp", ".def", under=("src", "include", "tests", "examples", "bench")):
        if path.startswith("src/emit/prelude/"):
            continue
        for number, line in enumerate(lines(path), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            bracket, header = match.groups()
            message = None
            if path.startswith("src/"):
                message = src_finding(path, bracket, header)
            elif path == "include/fulgurite_runtime.h":  # for C
                message = None if header in ("stddef.h", "stdint.h") else "it includes <stddef.h> and <stdint.h> only"
            elif path.startswith("include/"):
                message = public_finding(path, bracket, header)
            for pattern, owners in OWNERS.items():
                if re.match(pattern, header) and not path.startswith(owners):
                    message = message or f"<{header}> belongs to {' and '.join(owners)} only"
            if message:
                findings.append((path, number, message))
        if path.startswith(("src/", "include/fulgurite/")):
            for number, header in missing(path):
                findings.append((path, number, f"uses <{header}> and does not include it"))
    findings += circles([path for path in files(".h", ".cpp", ".def", under=("src", "include")) if "/prelude/" not in path])
    finish("includes", findings)


main()
