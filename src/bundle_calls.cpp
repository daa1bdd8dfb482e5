// fg::open: a bundle's programs, as they are called.
#include <fulgurite/bundle.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/fork_gate.h"
#include "base/stack.h"
#include "base/text.h"
#include "callable.h"
#include "open_bundles.h"
#include "pipeline.h"
#include "runtime/host.h"
#include "soac/parse.h"
#include "soac/value.h"
#include "trace/traced.h"

namespace fulgurite {

namespace detail {

class OpenBundle {
 public:
  OpenBundle(std::shared_ptr<const bundled::File> file, const Options& options)
      : file_(std::move(file)), options_(options) {}

  const std::shared_ptr<const bundled::File>& file() const { return file_; }
  const Options& options() const { return options_; }

  const bundled::File::StoredProgram& program(const std::string& name) const {
    const auto& all = file_->programs();
    const auto found = std::ranges::find(all, name, &bundled::File::StoredProgram::name);
    if (found == all.end())
      throw FormatError(
          fmt::format("the bundle {} has no program '{}'; it has {}", file_->path(), name,
                      all.empty() ? "none" : base::join(all, ", ", [](const auto& p) { return p.name; })));
    return *found;
  }

 private:
  const std::shared_ptr<const bundled::File> file_;
  const Options options_;
};

namespace {

using bundled::File;

std::string text_of(ComponentType type) {
  const std::string_view kind = scalar::name_of(static_cast<scalar::Kind>(type.kind));
  return type.rank == 0 ? std::string(kind) : fmt::format("{}[{}]", kind, std::string(type.rank - 1U, ','));
}

std::vector<ComponentType> components_of(const std::vector<bundled::ValueType>& types) {
  std::vector<ComponentType> components;
  for (const bundled::ValueType& type : types)
    components.push_back({static_cast<Kind>(type.kind), static_cast<std::uint8_t>(type.rank)});
  return components;
}

std::string text_of(std::span<const ComponentType> parameters, std::span<const ComponentType> results) {
  const auto list = [](std::span<const ComponentType> types) {
    return base::join(types, ", ", [](ComponentType type) { return text_of(type); });
  };
  return fmt::format("({}) -> {}", list(parameters), list(results));
}

// What a bundle's program captured, in the file where it lies.
std::vector<Capture> captures_of(const std::shared_ptr<const File>& file,
                                 const File::StoredProgram& program) {
  std::vector<Capture> captures;
  for (const File::StoredCapture& stored : program.captures) {
    const std::string_view bytes =
        file->blob(stored.blob, fmt::format("an array that '{}' captured", program.name));
    Capture capture;
    capture.data = std::shared_ptr<const void>(file, bytes.data());
    capture.view = {static_cast<std::uint8_t>(stored.type.kind),
                    stored.type.rank,
                    bytes.data(),
                    nullptr,
                    0,
                    capture.data.storage()};
    std::ranges::copy(stored.extents, capture.extents);
    captures.push_back(std::move(capture));
  }
  return captures;
}

// The program of a bundle, which needs the file as long as it lives.
class BundledVariant final : public Variants {
 public:
  BundledVariant(std::shared_ptr<const OpenBundle> bundle, const File::StoredProgram& program, Here where)
      : bundle_(std::move(bundle)),
        program_(program),
        options_(options_of(*bundle_, program)),
        where_(where) {
    std::shared_ptr<const Executable> executable;
    if (auto loaded = bundles::load(*bundle_->file(), program_, options_))
      executable = pipeline::executable_of(std::move(*loaded));
    else
      executable = compiled_here();
    executable_ = placed(with_captures(std::move(executable), captures_of(bundle_->file(), program_)),
                         options_.name, where_);
  }

  const Executable& find(const void*) override { return *executable_; }
  bool are_ready() const noexcept override { return executable_->is_ready(); }
  void wait() const override { executable_->wait(); }
  const Options& options() const override { return options_; }
  std::shared_ptr<const TracedProgram> traced(const void*) const override {
    const std::string_view text =
        bundle_->file()->blob(program_.text, fmt::format("the text of '{}'", program_.name));
    return base::with_stack(base::deep_stack, [&] {
      return std::make_shared<const TracedProgram>(soac::parse(text, bundle_->file()->path()),
                                                   captures_of(bundle_->file(), program_), false);
    });
  }

 private:
  static Options options_of(const OpenBundle& bundle, const File::StoredProgram& program) {
    Options options = bundle.options();
    options.precision = program.is_strict ? Precision::strict : Precision::fast;
    options.checks = program.is_unchecked ? Checks::off : Checks::on;
    options.fuse = true;
    options.name = program.name.c_str();
    options.check_captures = false;
    return options;
  }

  std::shared_ptr<const Executable> compiled_here() const {
    const auto explained = [&](const Error& error) {
      const std::string_view level = runtime::host_level();
      return fmt::format(
          "the bundle {} has '{}' for {}, of which this machine{} runs none on the engine wanted, and it "
          "cannot be compiled here: {}",
          bundle_->file()->path(), program_.name, bundles::targets_text(program_),
          level.empty() ? std::string() : fmt::format(" ({})", level), error.message());
    };
    try {
      return build(traced(nullptr), options_);
    } catch (const CompileError& error) {
      throw CompileError(explained(error), where_);
    } catch (const DeviceError& error) {
      throw DeviceError(explained(error), where_);
    }
  }

  const std::shared_ptr<const OpenBundle> bundle_;
  const File::StoredProgram& program_;
  const Options options_;
  const Here where_;
  std::shared_ptr<const Executable> executable_;
};

}  // namespace

std::shared_ptr<Variants> bundled_program(const std::shared_ptr<const OpenBundle>& bundle,
                                          const std::string& name, std::span<const ComponentType> parameters,
                                          std::span<const ComponentType> results, Here where) {
  const File::StoredProgram& program = bundle->program(name);
  const std::vector<ComponentType> has = components_of(program.params),
                                   gives = components_of(program.results);
  if (!std::ranges::equal(has, parameters) || !std::ranges::equal(gives, results))
    throw FormatError(
        fmt::format("'{}' of the bundle {} is {}, and {} was asked for: ask for its own types", name,
                    bundle->file()->path(), text_of(has, gives), text_of(parameters, results)),
        where);
  const base::CompilingSection section;
  return std::make_shared<BundledVariant>(bundle, program, where);
}

}  // namespace detail

Bundle open(const std::string& path, const Options& options) {
  return Bundle(std::make_shared<const detail::OpenBundle>(bundles::open(path), options));
}

std::vector<std::string> Bundle::names() const {
  std::vector<std::string> names;
  for (const auto& program : opened_->file()->programs()) names.push_back(program.name);
  return names;
}

BundledProgram Bundle::program(const std::string& name, detail::Here where) const {
  const auto& stored = opened_->program(name);
  const auto parameters = detail::components_of(stored.params),
             results = detail::components_of(stored.results);
  const auto types = [](const std::vector<detail::ComponentType>& components) {
    std::vector<BundledProgram::Type> all;
    for (const detail::ComponentType& c : components) all.push_back({c.kind, c.rank});
    return all;
  };
  return {detail::bundled_program(opened_, name, parameters, results, where), types(parameters),
          types(results)};
}

std::vector<AnyArray> BundledProgram::operator()(std::span<const AnyArray> arguments) const {
  if (arguments.size() != parameters_.size())
    throw ShapeError(fmt::format("'{}' takes {} arguments, and was given {}", program_->options().name,
                                 parameters_.size(), arguments.size()));
  std::vector<detail::ArgumentView> views;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const AnyArray& argument = arguments[i];
    const Type& wanted = parameters_[i];
    if (argument.kind != wanted.kind || argument.shape.size() != static_cast<std::size_t>(wanted.rank))
      throw ShapeError(fmt::format("argument {} of '{}' is {}, and {} is needed", i + 1,
                                   program_->options().name, to_string(argument),
                                   detail::text_of({wanted.kind, static_cast<std::uint8_t>(wanted.rank)})));
    if (!argument.shape.empty()) detail::element_count(argument.shape);  // extents are no others
    views.push_back({static_cast<std::uint8_t>(argument.kind), wanted.rank, argument.data.get(),
                     argument.shape.data(), 0, nullptr});
    if (wanted.rank == 0)
      views.back().bits = soac::load(static_cast<scalar::Kind>(wanted.kind),
                                     static_cast<const std::byte*>(argument.data.get()));
  }
  std::vector<detail::ResultValue> values(results_.size());
  program_->find(nullptr).call(views, values);
  std::vector<AnyArray> results;
  for (const detail::ResultValue& value : values) {
    AnyArray result{
        static_cast<detail::Kind>(value.kind), {value.extents, value.extents + value.rank}, value.data};
    if (value.rank == 0) {
      auto bytes = std::make_shared<std::array<std::byte, 8>>();
      soac::store(static_cast<scalar::Kind>(value.kind), value.bits, bytes->data());
      result.data = std::shared_ptr<const void>(bytes, bytes->data());
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace fulgurite
