"""C++ leaves open which argument of a call is evaluated first, and which operand of + or ==. Expressions are numbered in the order in
which they are made, and operands are sorted by number: where two arguments make expressions, names or statements, the text of
kernels would depend on the compiler that built the library. Such arguments get names first, in the order that is meant; braces
are ordered, and so are formulas (scalar/formula.h): what stands in one is made from left to right, after what its functions make.

What makes them is found, not listed: the functions of these folders that return expressions, names or statements by value, and in
each file the lambdas that call such functions. Constants are none of them: operands are never sorted by their numbers."""

import os
import re
from bisect import bisect_right as bisect

from files import ROOT, files, finish

FOLDERS = ["trace", "soac", "simplify", "fuse", "kernel", "parts", "schedule", "walk", "lower", "block", "tidy", "plan"]
DECLARED_IN = FOLDERS + ["scalar"]
RUN_PROGRAMS = ("src/plan/execute.cpp", "src/soac/interpret.cpp", "src/kernel/emulator/")  # and make none

MADE = r"(?:Expr|Exprs|Var|Groups|Destination|Slot|Stm|Lambda|Value|Values|Interval|Reduction|Block|Policy)"
DECLARATION = re.compile(
    rf"^[ \t]*(?:(?:static|inline|virtual|friend|\[\[nodiscard\]\])\s+)*((?:std::)?[\w:<>, ]*\b{MADE}\b[\w:<>, ]*?)\s+(?:\w+::)*(\w+)\(",
    re.MULTILINE,
)
NO_TYPE = re.compile(r"\s*(?:return|else|case|using|auto|throw|new|delete|struct|class|const|constexpr|template)\b")

# They give what there is already, a constant, or what has no number. Some others that have the same name make something; those
# are few enough to be seen.
MAKES_NOTHING = set(
    """adopt arg args array arrays arrays_of begin bits bits_of block block_number boolean bytes_filtered called close constant
    convert dims end_of expr exprs extreme failing_element find finish first first_atom first_name from i32 i64 identity_of indices inner
    intern interpret key key_of last late_reads lines list literal made meaning more multiple name name_of names names_of narrow_index
    needed_names nested_in next nothing on_device one operands_of operator outer parse push range_of read_again reads_of result
    roots_of scalars scope scratch shape shape_of size size_of source space state streaming together unread_in used_whole value value_of
    values var wanted without_casts x y""".split()
)

KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "static_assert", "FULGURITE_CHECK", "decltype", "catch"}
NO_CODE = re.compile(r"""//[^\n]*|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)+'""", re.DOTALL)
LAMBDA = re.compile(r"\[[&=\w, ]*\]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*(?:mutable\s*)?(?:->\s*[\w:<>]+\s*)?\{")
NAMED_LAMBDA = re.compile(rf"\bauto (\w+) = (?={LAMBDA.pattern})")
CALL = re.compile(r"([\w>\]])\(")
# A constant of another kind, and which alternative a variant has.
IGNORED = re.compile(r"\b(?:cast|apply)\(\s*(?:\w+(?:\.|->))?i64\(|\bindex\(\)")
OPERATOR = re.compile(r"(?<!operator)[=!]=| (?:[-+*/%<&|]|<=|<<|>>) ")
OPERAND_END = re.compile(r"[;,{}?:]|&&|\|\||(?<![=!<>])=(?!=)|\breturn\b")


def without_comments(path):
    """The file's text with blanks for comments and literals."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), file.read())


class Code:
    """A file's text, its brackets, and which parts of it make expressions."""

    def __init__(self, text):
        self.text = text
        self.closing, self.commas = {}, {}
        opened = []
        for match in re.finditer(r"[()\[\]{},]", text):
            if match.group() in "([{":
                opened.append(match.start())
                self.commas[match.start()] = []
            elif match.group() == "," and opened:
                self.commas[opened[-1]].append(match.start())
            elif match.group() in ")]}" and opened:
                self.closing[opened.pop()] = match.start()
        self.functions = []  # lambdas run when they are called
        for match in LAMBDA.finditer(text):
            self.functions.append((match.start(), self.closing.get(match.end() - 1, len(text))))
        self.makes_at = []

    def find_makers(self, names):
        """Of these names, and of the file's own lambdas that call them."""
        for match in NAMED_LAMBDA.finditer(self.text):
            begin, end = next(f for f in self.functions if f[0] >= match.end())
            if calls_of(names).search(self.text, begin, end):
                names = names | {match.group(1)}
        ignored = [match.span() for match in IGNORED.finditer(self.text)]
        found = [match.start() for match in calls_of(names).finditer(self.text)]
        self.makes_at = [at for at in found if not any(begin <= at < end for begin, end in ignored)]

    def makes(self, begin, end):
        inner = [f for f in self.functions if begin <= f[0] and f[1] <= end]
        here = self.makes_at[bisect(self.makes_at, begin - 1) : bisect(self.makes_at, end - 1)]
        return any(not any(f[0] <= at <= f[1] for f in inner) for at in here)

    def arguments(self, opening):
        """Where the arguments of the call begin and end whose parenthesis stands at `opening`."""
        ends = self.commas[opening] + [self.closing.get(opening, opening)]
        return list(zip([opening + 1] + [end + 1 for end in ends[:-1]], ends))

    def operands(self, begin, end):
        """Where the operands of the operator that stands there begin and end."""
        return [(self.reach(begin, -1), begin), (end, self.reach(end - 1, 1))]

    def reach(self, at, step):
        depth, inwards, outwards = 0, "([" if step > 0 else ")]", ")]" if step > 0 else "(["
        while 0 <= at + step < len(self.text):
            c = self.text[at + step]
            depth += (c in inwards) - (c in outwards)
            if depth < 0 or depth == 0 and OPERAND_END.match(self.text, at + step):
                break
            at += step
        return at + 1 if step > 0 else at


def calls_of(names):
    return re.compile(rf"(?<!std::)(?<!ranges::)\b(?:{'|'.join(sorted(names))})\s*\(")


def makers(texts):
    """Names of the functions that return by value what is numbered."""
    found = set()
    for text in texts:
        for match in DECLARATION.finditer(text):
            made, name = match.groups()
            is_function_of_them = re.search(r"\b(?:span|function|map|unordered_map)<", made)
            if not NO_TYPE.match(made) and not is_function_of_them and made.count("<") == made.count(">"):
                found.add(name)
    return found - MAKES_NOTHING


def faults(path, text, names):
    code = Code(text)
    code.find_makers(names)

    def fault(at, parts, what):
        made = [part for part in parts if code.makes(*part)]
        if len(made) > 1:
            shown = " , ".join(" ".join(text[begin:end].split()) for begin, end in made)
            yield path, text.count("\n", 0, at) + 1, f"several {what} make expressions, name them first: {shown[:120]}"

    for match in CALL.finditer(text):
        opening = match.end() - 1
        name = re.search(r"(\w+)$", text[max(0, opening - 40) : opening])
        if not name or name.group() not in KEYWORDS:
            yield from fault(opening, code.arguments(opening), "arguments")
    for match in OPERATOR.finditer(text):
        yield from fault(match.start(), code.operands(*match.span()), "operands")


texts = {path: without_comments(path) for path in files(".cpp", ".h", under=[f"src/{f}" for f in DECLARED_IN])}
names = makers(texts.values())
checked = [path for path in texts if path.split(os.sep)[1] in FOLDERS and not path.startswith(RUN_PROGRAMS)]
finish("argument order", [fault for path in checked for fault in faults(path, texts[path], names)])
