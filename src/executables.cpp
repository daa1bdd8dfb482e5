// Traced programs made callable: as plans of an engine, or as what the interpreter runs.
#include "engines/engines.h"
#include "keys.h"
#include "marshal.h"
#include "pipeline.h"
#include "soac/interpret.h"
#include "specialised.h"
#include "trace/traced.h"

namespace fulgurite::detail {

namespace {

class Planned final : public Executable {
 public:
  explicit Planned(plan::Loaded loaded) : loaded_(std::move(loaded)) {}
  void call(std::span<const ArgumentView> arguments, std::span<ResultValue> results) const override {
    plan::execute(loaded_, arguments, results);
  }
  bool is_ready() const noexcept override { return loaded_.later == nullptr || loaded_.later->is_ready(); }
  void wait() const override {
    if (loaded_.later != nullptr) loaded_.later->wait();
  }

 private:
  plan::Loaded loaded_;
};

class Interpreted final : public Executable {
 public:
  explicit Interpreted(soac::Program program) : program_(std::move(program)) {}

  void call(std::span<const ArgumentView> arguments, std::span<ResultValue> results) const override {
    std::vector<soac::Value> values;
    for (const ArgumentView& argument : arguments) values.push_back(value_of(argument));
    std::vector<soac::Value> out = soac::interpret(program_, values);
    for (std::size_t i = 0; i < out.size(); ++i) results[i] = result_of(std::move(out[i]));
  }

 private:
  soac::Program program_;
};

}  // namespace

std::shared_ptr<const Executable> build(std::shared_ptr<const TracedProgram> traced, const Options& options) {
  if (engines::row(options.engine).interprets) {
    pipeline::policy_of(options);  // a wrong policy is refused on every engine
    return std::make_shared<Interpreted>(pipeline::specification(traced->program(), options.precision));
  }
  return pipeline::with_specialised(pipeline::load(traced->program(), options), traced->program(), options);
}

}  // namespace fulgurite::detail

std::shared_ptr<const fulgurite::detail::Executable> fulgurite::pipeline::executable_of(plan::Loaded loaded) {
  return std::make_shared<detail::Planned>(std::move(loaded));
}
