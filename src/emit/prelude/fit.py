"""Fits the polynomials of src/emit/prelude/cpu/*.c: `python3 fit.py [name...]` prints their coefficients as C constants, `python3 fit.py
--check` those that the files lack.

Remez's exchange algorithm in 60-digit arithmetic gives the minimax polynomial of the weighted error. The coefficients are then rounded to the
format one by one, from the constant term upwards, the others being fitted again after each, so that later ones make up for the rounding.
Needs mpmath.
"""

import pathlib
import sys

import mpmath
from mpmath import mp, mpf

mp.dps = 60


def solve(f, weight, powers, a, b, steps=40):
    """Coefficients c with max |weight(x) * (f(x) - sum c_k x^powers_k)| least on [a, b], and that maximum."""
    n = len(powers) + 1
    nodes = [(a + b) / 2 - (b - a) / 2 * mpmath.cos(mpmath.pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    grid = [(a + b) / 2 - (b - a) / 2 * mpmath.cos(mpmath.pi * (k + mpf(1) / 2) / (24 * n)) for k in range(24 * n)]
    nodes = [x if abs(x) > (b - a) / 10**6 else (b - a) / 10**4 for x in nodes]  # the weight may vanish at 0
    grid = [x for x in grid if abs(x) > (b - a) / 10**6]
    at = [(x, f(x), weight(x)) for x in grid]
    best = None
    for _ in range(steps):
        rows = mpmath.matrix(n, n)
        right = mpmath.matrix(n, 1)
        for i, x in enumerate(nodes):
            for k, p in enumerate(powers):
                rows[i, k] = x**p
            rows[i, n - 1] = (-1) ** i / weight(x)
            right[i] = f(x)
        solution = mpmath.lu_solve(rows, right)
        c = [solution[k] for k in range(n - 1)]
        error = [w * (y - sum(ck * x**p for ck, p in zip(c, powers))) for x, y, w in at]
        worst = max(abs(e) for e in error)
        if best is None or worst < best[1]:
            best = (c, worst)
        if worst < abs(solution[n - 1]) * mpf("1.001"):
            break
        extremes = []  # one point of greatest error in each run of equal signs
        for x, e in zip(grid, error):
            if extremes and (e > 0) == (extremes[-1][1] > 0):
                if abs(e) > abs(extremes[-1][1]):
                    extremes[-1] = (x, e)
            else:
                extremes.append((x, e))
        while len(extremes) > n:
            extremes.pop(0 if abs(extremes[0][1]) < abs(extremes[-1][1]) else -1)
        if len(extremes) < n:
            break
        nodes = [x for x, _ in extremes]
    return best


def rounded(x, bits):
    """x, rounded to the nearest number with this many bits."""
    if x == 0:
        return mpf(0)
    exponent = mpmath.floor(mpmath.log(abs(x), 2)) - (bits - 1)
    return mpmath.nint(x / mpf(2) ** exponent) * mpf(2) ** exponent


def least_squares(f, weight, powers, a, b):
    """Coefficients with the least mean square error on Chebyshev points: also where 0 lies inside [a, b] and no constant term is left."""
    grid = [(a + b) / 2 - (b - a) / 2 * mpmath.cos(mpmath.pi * (k + mpf(1) / 2) / 200) for k in range(200)]
    grid = [x for x in grid if abs(x) > (b - a) / 10**6]
    n = len(powers)
    rows, right = mpmath.matrix(n, n), mpmath.matrix(n, 1)
    for x in grid:
        w, y = weight(x) ** 2, f(x)
        terms = [x**p for p in powers]
        for i in range(n):
            right[i] += w * terms[i] * y
            for k in range(n):
                rows[i, k] += w * terms[i] * terms[k]
    return list(mpmath.lu_solve(rows, right))


def fit(f, weight, powers, a, b, bits, first_bits):
    """Coefficients that are numbers of `bits` bits, the first of `first_bits`; the worst weighted error."""
    a, b = mpf(a), mpf(b)
    fixed = []
    minimax, _ = solve(f, weight, powers, a, b)
    for k in range(len(powers)):
        rest = lambda x: sum(c * x**p for c, p in zip(minimax, powers)) - sum(c * x**p for c, p in zip(fixed, powers))
        if k == 0:
            c = minimax
        elif a < 0 < b:
            c = least_squares(rest, weight, powers[k:], a, b)
        else:
            c, _ = solve(lambda x: f(x) - sum(c * x**p for c, p in zip(fixed, powers)), weight, powers[k:], a, b)
        fixed.append(rounded(c[0], bits if fixed else first_bits))
    grid = [a + (b - a) * i / 2000 for i in range(2001)]
    worst = max(abs(weight(x) * (f(x) - sum(c * x**p for c, p in zip(fixed, powers)))) for x in grid if x)
    return fixed, worst


def hexadecimal(x, bits):
    """A C constant: exact, hexadecimal, with the suffix of the format."""
    if x == 0:
        return "0.0"
    sign = "-" if x < 0 else ""
    x = abs(x)
    e = int(mpmath.floor(mpmath.log(x, 2)))
    m = int(x / mpf(2) ** e * 2**52)
    digits = f"{m - 2**52:013x}".rstrip("0")
    return f"{sign}0x1{'.' if digits else ''}{digits}p{e}{'f' if bits <= 24 else ''}"


def split(x, high_bits, bits):
    """x as a number of high_bits bits and a correction."""
    high = rounded(x, high_bits)
    return [high, rounded(x - high, bits)]


ln2, sqrt = mpmath.ln2, mpmath.sqrt
half_ln2 = ln2 / 2 * mpf("1.0001")


def series(f, at0):
    """f where it is not 0/0, its limit at 0 there."""
    return lambda x: f(x) if abs(x) > mpf("1e-25") else mpf(at0)


def relative_of(g, leading):
    """Weight that makes the error of leading(x) * p(x) relative to g(x)."""
    return lambda x: abs(leading(x) / g(x)) if abs(x) > mpf("1e-25") else mpf(0)


FITS = {}


def fits(name, bits, f, weight, powers, a, b, two_parts=False):
    """`two_parts`: the constant term is a sum of two numbers."""
    FITS[name] = (bits, f, weight, list(powers), a, b, two_parts)


one = lambda x: mpf(1)
for bits, n in ((24, 5), (53, 10)):
    # exp(r) = 1 + r + r^2 p(r), |r| <= ln 2 / 2
    fits(f"exp_{bits}", bits, series(lambda r: (mpmath.expm1(r) - r) / r**2, 0.5), lambda r: r**2 / mpmath.exp(r), range(n), -half_ln2, half_ln2)
# log(1 + f) = f - f^2/2 + f^3 p(f), -1/4 <= f < 1/2
log_rest = series(lambda f: (mpmath.log1p(f) - f + f**2 / 2) / f**3, mpf(1) / 3)
fits("log_24", 24, log_rest, relative_of(mpmath.log1p, lambda f: f**3), range(9), -0.25, 0.5)
# log(1 + f) = 2 s + s^3 p(s^2), s = f / (2 + f), -1/7 <= s <= 1/5: a function of z = s^2
fits("log_53", 53, series(lambda z: (2 * mpmath.atanh(sqrt(z)) / sqrt(z) - 2) / z, mpf(2) / 3), lambda z: z / 2, range(7), mpf("1e-9"), 0.04)

# log(1 + f) for pow, with one more exact term: 2 atanh(s) = 2 s + 2/3 s^3 + s^5 p(s^2)
fits("log_pair_53", 53, lambda z: ((2 * mpmath.atanh(sqrt(z)) / sqrt(z) - 2) / z - mpf(2) / 3) / z, lambda z: z**2 / 2, range(8), mpf("1e-9"), 0.04)

# sin(r) = r + r^3 p(r^2), cos(r) = 1 - r^2/2 + r^4 p(r^2), |r| <= pi / 4 and a little more; functions of z = r^2
for bits, n in ((24, 3), (53, 6)):
    small = mpf("1e-12")
    fits(f"sin_{bits}", bits, lambda z: (mpmath.sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z * sqrt(z) / mpmath.sin(sqrt(z)), range(n), small, mpf("0.63"))
    fits(f"cos_{bits}", bits, lambda z: (mpmath.cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z**2 / mpmath.cos(sqrt(z)), range(n), small, mpf("0.63"))


def odd(name, bits, f, leading, n, b):
    """f(x) = leading x + x^3 p(x^2), 0 <= x <= b."""
    g = lambda z: (f(sqrt(z)) / sqrt(z) - leading) / z
    fits(name, bits, g, lambda z: z * sqrt(z) / f(sqrt(z)), range(n), mpf("1e-12"), mpf(b) ** 2)


odd("tan_53", 53, mpmath.tan, 1, 14, "0.79")
odd("atan_53", 53, mpmath.atan, 1, 17, "0.66")
odd("asin_53", 53, mpmath.asin, 1, 13, "0.5")
odd("sinh_53", 53, mpmath.sinh, 1, 8, "1")
odd("tanh_53", 53, mpmath.tanh, 1, 11, "0.55")
odd("asinh_53", 53, mpmath.asinh, 1, 13, "0.5")
odd("atanh_53", 53, mpmath.atanh, 1, 14, "0.5")


# erf(x) = x p(x^2), 0 <= x <= 1
fits("erf_53", 53, lambda z: mpmath.erf(sqrt(z)) / sqrt(z), lambda z: sqrt(z) / mpmath.erf(sqrt(z)), range(12), mpf("1e-12"), 1, two_parts=True)
# erfc(x) = exp(-x^2) p(t) / (1 + 2 x), t = (x - k) / (x + k), 0.35 <= x <= 27.3 (Shepherd, Laframboise, Math. Comp. 36, 1981)
fold = mpf(3.75)
unfold = lambda t: fold * (1 + t) / (1 - t)
scaled = lambda t: (1 + 2 * unfold(t)) * mpmath.exp(unfold(t) ** 2) * mpmath.erfc(unfold(t))
fits("erfc_53", 53, scaled, lambda t: 1 / scaled(t), range(24), (mpf("0.35") - fold) / (mpf("0.35") + fold), (mpf("27.3") - fold) / (mpf("27.3") + fold), two_parts=True)
# the same to f32's needs, 0 <= x <= 11
fits("erfc_30", 53, scaled, lambda t: 1 / scaled(t), range(12), -1, (11 - fold) / (11 + fold))
# for f32: tanh(x) = x + x^3 p(x^2), 0 <= x <= 0.625; erf(x) = x p(x^2), 0 <= x <= 1
odd("tanh_24", 24, mpmath.tanh, 1, 5, "0.63")
fits("erf_24", 24, lambda z: mpmath.erf(sqrt(z)) / sqrt(z), lambda z: sqrt(z) / mpmath.erf(sqrt(z)), range(7), mpf("1e-12"), 1, two_parts=True)
# erfc(x) exp(x^2), a function of y = x - 2.4, 0.8 <= x <= 4
erfcx = lambda y: mpmath.exp((y + mpf("2.4")) ** 2) * mpmath.erfc(y + mpf("2.4"))
fits("erfcx_24", 24, erfcx, lambda y: mpmath.exp(-((y + mpf("2.4")) ** 2)), range(10), "-1.61", "1.6")  # of 1 - erfc the absolute error counts
# a^(-1/3), a start for Newton's iteration
fits("icbrt_53", 53, lambda a: a ** (-mpf(1) / 3), lambda a: a ** (mpf(1) / 3), range(7), mpf("0.374"), mpf("3.001"))


def main(names):
    check = names[:1] == ["--check"]
    names = names[check:]
    sources = "".join(path.read_text() for path in (pathlib.Path(__file__).parent / "cpu").glob("*.c"))
    missing = 0
    for name, (bits, f, weight, powers, a, b, two_parts) in FITS.items():
        if names and name not in names:
            continue
        c, worst = fit(f, weight, powers, a, b, bits, 2 * bits if two_parts else bits)
        print(f"{name}: worst weighted error 2^{mpmath.nstr(mpmath.log(worst, 2), 4)}")
        for p, x in zip(powers, c):
            parts = [rounded(x, bits)]
            if x != parts[0]:
                parts.append(rounded(x - parts[0], bits))
            text = " and ".join(hexadecimal(part, bits) for part in parts)
            found = all(hexadecimal(part, bits) in sources for part in parts)
            missing += not found
            if not check or not found:
                print(f"  x^{p}: {text}{'' if found else ' (not in cpu/*.c)'}")
    return 1 if check and missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
