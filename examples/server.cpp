// A server of array programs that has no compiler: it opens a bundle, which another machine made
// (fg::bundle, or the `bundle` command of FULGURITE_MAIN), and answers calls, one on each line that it reads:
//   rmse a.npy b.npy            3.5
//   blur picture.npy 2          f32[480, 640] in result_1.npy
// An argument is a .npy file or a number, results that are arrays become files. Standard input and output are
// a socket where inetd or systemd starts it.
#include <fulgurite/bundle.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <sstream>

namespace fg = fulgurite;

namespace {

using Kind = fg::detail::Kind;

template <class T>
fg::AnyArray scalar(Kind kind, T value) {
  return {kind, {}, std::make_shared<T>(value)};
}

fg::AnyArray argument(const std::string& word, fg::BundledProgram::Type type) {
  if (type.rank > 0) return fg::read_npy(word);
  switch (type.kind) {
    case Kind::f32: return scalar(type.kind, std::strtof(word.c_str(), nullptr));
    case Kind::f64: return scalar(type.kind, std::strtod(word.c_str(), nullptr));
    case Kind::boolean: return scalar(type.kind, word == "true");
    default: return scalar(type.kind, std::strtoll(word.c_str(), nullptr, 10));  // its low bytes come first
  }
}

template <class T>
T value_of(const fg::AnyArray& array) {
  T value;
  std::memcpy(&value, array.data.get(), sizeof value);
  return value;
}

std::string text_of(const fg::AnyArray& result) {
  static int n_files = 0;
  std::ostringstream text;
  if (!result.shape.empty()) {
    const std::string name = "result_" + std::to_string(++n_files) + ".npy";
    fg::write_npy(name, result);
    text << to_string(result) << " in " << name;
    return text.str();
  }
  switch (result.kind) {
    case Kind::boolean: text << (value_of<bool>(result) ? "true" : "false"); break;
    case Kind::i8: text << int{value_of<fg::i8>(result)}; break;
    case Kind::i16: text << value_of<fg::i16>(result); break;
    case Kind::i32: text << value_of<fg::i32>(result); break;
    case Kind::i64: text << value_of<fg::i64>(result); break;
    case Kind::u8: text << unsigned{value_of<fg::u8>(result)}; break;
    case Kind::u16: text << value_of<fg::u16>(result); break;
    case Kind::u32: text << value_of<fg::u32>(result); break;
    case Kind::u64: text << value_of<fg::u64>(result); break;
    case Kind::f32: text << value_of<float>(result); break;
    case Kind::f64: text << value_of<double>(result); break;
  }
  return text.str();
}

std::string answer(const fg::BundledProgram& program, std::istream& words) {
  std::vector<fg::AnyArray> arguments;
  for (std::string word; words >> word;) {
    const auto& types = program.parameters();
    const bool is_known = arguments.size() < types.size();  // one that is too many is refused by the call
    arguments.push_back(is_known ? argument(word, types[arguments.size()]) : scalar(Kind::i64, fg::i64{0}));
  }
  std::string text;
  for (const fg::AnyArray& result : program(arguments)) text += (text.empty() ? "" : ", ") + text_of(result);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: server BUNDLE <calls\n";
    return 2;
  }
  try {
    const fg::Bundle bundle = fg::open(argv[1]);
    std::map<std::string, fg::BundledProgram> programs;
    for (const std::string& name : bundle.names()) programs.emplace(name, bundle.program(name));
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream words(line);
      std::string name;
      if (!(words >> name)) continue;
      try {
        const auto program = programs.find(name);
        if (program == programs.end())
          std::cout << "error: there is no program '" << name << "'" << std::endl;
        else
          std::cout << answer(program->second, words) << std::endl;
      } catch (const std::exception& error) {  // of one call: the others go on
        std::cout << "error: " << error.what() << std::endl;
      }
    }
  } catch (const fg::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
