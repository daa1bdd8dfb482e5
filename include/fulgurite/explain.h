// What compiling made of a program: which operations became one kernel and why others did not, the arrays
// that are left, the bytes that kernels move beside the bytes that are needed once, what limits each kernel,
// what runs sequentially, the checks that remain.
#pragma once

#include <fulgurite/compile.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite {

/// How a report is written.
enum class Explain : std::uint8_t {
  text,
  json,
  svg,  // the data flow before and after fusion
};

namespace detail {
std::string explanation(const TracedProgram&, const Options&, Explain form,
                        const std::vector<std::string>& arguments);
void print_explanation(const TracedProgram&, const Options&);
}  // namespace detail

/// `constants`: values of the parameters that are not staged, in their order. Throws what compiling throws.
template <class Signature, class... Constants>
std::string explanation(const Compiled<Signature>& f, Explain form = Explain::text,
                        const Constants&... constants) {
  return detail::explanation(*f.traced(constants...), f.options(), form, {});
}
/// The explanation of what a call with these arguments runs, which has other kernels where axes are short:
/// explanation(f, {"1000000x3"}). `arguments` and what is thrown for them as in predict(); `f` is not from a
/// bundle.
template <class Signature, class... Constants>
std::string explanation(const Compiled<Signature>& f, const std::vector<std::string>& arguments,
                        Explain form = Explain::text, const Constants&... constants) {
  return detail::explanation(*f.traced(constants...), f.options(), form, arguments);
}
/// Prints the explanation's text on standard output.
template <class Signature, class... Constants>
void explain(const Compiled<Signature>& f, const Constants&... constants) {
  detail::print_explanation(*f.traced(constants...), f.options());
}

}  // namespace fulgurite

#pragma GCC visibility pop
