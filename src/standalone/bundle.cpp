// Bundles opened, their programs found: bundled/format.h without containers and exceptions.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/siphash.h"
#include "bundled/format.h"
#include "runtime/cpu/levels.h"
#include "standalone/program.h"

namespace fulgurite::standalone {

namespace {

using base::WordReader;

constexpr std::uint32_t n_kinds = FG_F64 + 1, most_of_anything = 1U << 28;

fg_runtime_status damaged(fg_runtime_error* error, std::string_view what) {
  return fail(error, FG_FORMAT_ERROR, "the bundle is damaged: ", what,
              ": copy it again, or make it anew (fg::bundle)");
}
fg_runtime_status no_memory(fg_runtime_error* error) {
  return fail(error, FG_OUT_OF_MEMORY, "no memory is left for a bundle's programs");
}

using runtime::cpu::levels;

// The number of levels that this processor reaches, up to the one that FULGURITE_CPU names if it is set.
std::size_t n_levels() {
  const std::size_t n = runtime::cpu::n_levels_reached();
  if (const char* wanted = std::getenv("FULGURITE_CPU"))
    for (std::size_t level = 0; level < n; ++level)
      if (levels[level] == wanted) return level + 1;
  return n;
}

bool has_digest(const void* bytes, std::size_t size, const std::uint64_t* digest) {
  const base::SipHash hash = base::siphash(bytes, size);
  return hash.first == digest[0] && hash.second == digest[1];
}

bool is_type(std::uint32_t kind, std::uint32_t rank) {
  return kind < n_kinds && rank <= FG_MAX_RANK;
}

// Its header, blobs and the names of its programs.
fg_runtime_status read(fg_bundle& bundle, fg_runtime_error* error) {
  bundled::Header header;
  if (bundle.size < sizeof header || std::memcmp(bundle.bytes, bundled::magic, sizeof bundled::magic) != 0)
    return fail(error, FG_FORMAT_ERROR, "this is not a bundle: give a file that fg::bundle has written");
  std::memcpy(&header, bundle.bytes, sizeof header);
  if (header.major != bundled::major_version)
    return fail(error, FG_FORMAT_ERROR, "this is a bundle of version ", std::int64_t{header.major}, ".",
                std::int64_t{header.minor}, " (of Fulgurite ",
                std::string_view(header.library, strnlen(header.library, sizeof header.library)),
                "), and this run time, of Fulgurite ", std::string_view(bundled::library_version),
                ", reads bundles of version ", std::int64_t{bundled::major_version},
                ": make it anew with this library, or use the run time of the one that made it");
  if (header.file_size != bundle.size) return damaged(error, "it has another size than it was written with");
  if (header.index_offset > bundle.size || header.index_size > bundle.size - header.index_offset ||
      header.index_offset % bundled::blob_alignment != 0 || header.index_size % 4 != 0)
    return damaged(error, "its index lies outside of it");
  const char* const index = bundle.bytes + header.index_offset;
  if (!has_digest(index, header.index_size, header.index_digest))
    return damaged(error, "its index is not what was written");

  WordReader words(reinterpret_cast<const std::uint32_t*>(index), header.index_size / 4);
  WordReader blobs = words.section();
  bundle.blobs = Several<Blob>(blobs.n_left() / 8);
  if (bundle.blobs.is_null()) return no_memory(error);
  for (Blob& blob : bundle.blobs) {
    blob = {blobs.wide(), blobs.wide(), {}};
    for (std::uint64_t& half : blob.digest) half = blobs.wide();
    if (blob.offset > bundle.size || blob.size > bundle.size - blob.offset)
      return damaged(error, "a part lies outside of it");
  }
  const WordReader programs = words.section();
  if (!blobs.is_done() || !words.is_done()) return damaged(error, "its index has another form");
  std::size_t n_programs = 0, n_characters = 0;
  for (WordReader rest = programs; rest.n_left() > 0; ++n_programs) {
    WordReader program = rest.section();
    n_characters += program.text().size() + 1;
    if (program.has_passed_the_end() || rest.has_passed_the_end())
      return damaged(error, "its programs have another form");
  }
  bundle.programs = Several<fg_program>(n_programs);
  bundle.names = Several<char>(n_characters);
  if (bundle.programs.is_null() || bundle.names.is_null()) return no_memory(error);
  WordReader rest = programs;
  char* name = bundle.names.data();
  for (fg_program& program : bundle.programs) {
    new (&program) fg_program{};
    program.words = rest.section();
    program.name = name;
    const std::string_view text = program.words.text();
    std::memcpy(name, text.data(), text.size());
    name += text.size() + 1;
  }
  return FG_RUNTIME_OK;
}

// One program of a bundle, being found.
class Finding {
 public:
  Finding(const fg_bundle& bundle, fg_program& program, fg_runtime_error* error)
      : bundle_(bundle), program_(program), plan_(program.plan), error_(error) {}

  bool find() {
    WordReader words = program_.words;
    for (int half = 0; half < 2; ++half) words.wide();  // the key
    words.word();                                       // is_strict
    words.word();                                       // is_unchecked
    if (!read_types(words) || !read_captures(words.section()) || !read_sites(words.section())) return false;
    words.word();  // the program's text
    WordReader target;
    if (!choose(words.section(), target)) return false;
    if (!words.is_done()) return refuse("a program has another form");
    return read_plan(target);
  }
  fg_runtime_status status() const { return status_; }

 private:
  bool refuse(std::string_view what) {
    status_ = damaged(error_, what);
    return false;
  }
  bool lacks_memory() {
    status_ = no_memory(error_);
    return false;
  }

  bool read_types(WordReader& words) {
    WordReader parameters = words.section(), results = words.section();
    program_.n_parameters = parameters.n_left() / 2;
    program_.n_results = results.n_left() / 2;
    types_ = Several<fg_type>(program_.n_parameters + program_.n_results);
    if (types_.is_null()) return lacks_memory();
    for (std::size_t i = 0; i < types_.size(); ++i) {
      WordReader& from = i < program_.n_parameters ? parameters : results;
      const std::uint32_t kind = from.word(), rank = from.word();
      if (!is_type(kind, rank)) return refuse("a value has no such type");
      types_[i] = {static_cast<fg_kind>(kind), static_cast<int>(rank)};
    }
    return (parameters.is_done() && results.is_done()) || refuse("its types have another form");
  }

  bool blob(std::uint32_t number, std::string_view& bytes, std::string_view what) {
    if (number >= bundle_.blobs.size()) return refuse("a part is not there");
    const Blob& blob = bundle_.blobs[number];
    bytes = {bundle_.bytes + blob.offset, blob.size};
    return has_digest(bytes.data(), bytes.size(), blob.digest) || refuse(what);
  }

  bool read_captures(WordReader words) {
    plan_.captures = Several<fg_value>(words.n_left() / 3);  // at least three words each
    if (plan_.captures.is_null()) return lacks_memory();
    for (; words.n_left() > 0; ++plan_.n_captures) {
      const std::uint32_t kind = words.word(), rank = words.word();
      if (!is_type(kind, rank) || plan_.n_captures == plan_.captures.size())
        return refuse("a value has no such type");
      fg_value& value = plan_.captures[plan_.n_captures];
      value.kind = static_cast<fg_kind>(kind);
      value.rank = static_cast<int>(rank);
      std::uint64_t bytes = size_of(value.kind);
      for (std::uint32_t axis = 0; axis < rank; ++axis) {
        const std::uint64_t extent = words.wide();
        value.extents[axis] = static_cast<std::int64_t>(extent);
        if (extent > bundle_.size || __builtin_mul_overflow(bytes, extent, &bytes))
          return refuse("an array is too large");
      }
      std::string_view elements;
      if (!blob(words.word(), elements, "an array is not what was written")) return false;
      if (elements.size() != bytes || words.has_passed_the_end()) return refuse("an array has another size");
      value.data = const_cast<char*>(elements.data());  // kernels never write a parameter
    }
    return true;
  }

  bool read_sites(WordReader words) {
    std::size_t n = 0;
    for (WordReader rest = words; rest.n_left() > 0; ++n) {
      rest.wide();
      rest.text();
      rest.text();
      if (rest.has_passed_the_end()) return refuse("its messages have another form");
    }
    plan_.sites = Several<Site>(n);
    if (plan_.sites.is_null()) return lacks_memory();
    for (Site& site : plan_.sites) site = {words.word(), words.word(), words.text(), words.text()};
    return true;
  }

  // The best of the levels that this processor reaches.
  bool choose(WordReader targets, WordReader& chosen) {
    char has[80];
    Text text(has, sizeof has);
    const std::size_t n = n_levels();
    std::size_t best = n;
    while (targets.n_left() > 0) {
      WordReader target = targets.section();
      const std::uint32_t engine = target.word();
      const std::string_view level = target.text();
      if (target.has_passed_the_end()) return refuse("its programs have another form");
      if (engine != static_cast<std::uint32_t>(bundled::TargetEngine::cpu)) continue;
      text << " " << level;
      for (std::size_t k = 0; k < n; ++k) {
        if (levels[k] != level || (best < n && k <= best)) continue;
        best = k;
        chosen = target;
      }
    }
    if (best < n) {
      Text(program_.architecture, sizeof program_.architecture) << levels[best];
      return true;
    }
    status_ = fail(error_, FG_NO_CODE, "the bundle has '", std::string_view(program_.name), "' for",
                   has[0] == 0 ? std::string_view(" no processor") : std::string_view(has),
                   ", and this processor runs ", n == 0 ? runtime::cpu::instruction_set : levels[n - 1],
                   ": make the bundle for that, too");
    return false;
  }

  bool read_values(WordReader words, Several<Value>& values, const fg_type* types, std::size_t n_types,
                   bool are_parameters) {
    values = Several<Value>(words.n_left() / 4);
    if (values.is_null()) return lacks_memory();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint32_t kind = words.word(), rank = words.word();
      if (!is_type(kind, rank)) return refuse("a value has no such type");
      Value& value =
          values[i] = {{static_cast<fg_kind>(kind), static_cast<int>(rank)}, words.number(), words.number()};
      if (i < n_types && (types[i].kind != value.type.kind || types[i].rank != value.type.rank))
        return refuse("a plan is of other types than its program");
      const std::int32_t n_slots = rank == 0 ? 1 : are_parameters ? value.type.rank : 0;
      const bool has_slots = n_slots == 0 || (value.slot >= 0 && value.slot <= plan_.n_slots - n_slots);
      const bool has_place = rank == 0 || (value.place >= 0 && value.place < plan_.n_places);
      if (!has_slots || !has_place) return refuse("a value is nowhere");
    }
    return words.is_done() || refuse("its values have another form");
  }

  bool read_plan(WordReader words) {
    plan_.n_slots = words.number();
    plan_.n_places = words.number();
    const auto is_size = [](std::int32_t n) {
      return n >= 0 && static_cast<std::uint32_t>(n) <= most_of_anything;
    };
    if (!is_size(plan_.n_slots) || !is_size(plan_.n_places)) return refuse("a program has no such size");
    if (!read_values(words.section(), plan_.parameters, types_.data(), program_.n_parameters, true) ||
        !read_values(words.section(), plan_.results, types_.data() + program_.n_parameters,
                     program_.n_results, false))
      return false;
    if (plan_.parameters.size() != program_.n_parameters + plan_.n_captures ||
        plan_.results.size() != program_.n_results)
      return refuse("a plan has another number of values");
    if (!read_kernels(words.section())) return false;
    plan_.steps = words.section();
    if (!words.is_done() || !check_steps(plan_)) return refuse("the steps of a program have another form");
    program_.types = static_cast<Several<fg_type>&&>(types_);
    return true;
  }

  bool read_kernels(WordReader words) {
    std::size_t n_kernels = 0, n_phases = 0;
    for (WordReader rest = words; rest.n_left() > 0; ++n_kernels) {
      rest.text();
      const std::uint32_t n = rest.word();
      if (n > 64) return refuse("a kernel has no such phases");
      n_phases += n;
      for (int list = 0; list < 3; ++list) rest.section();
      rest.wide();  // can_fail, blob
      if (rest.has_passed_the_end()) return refuse("its kernels have another form");
    }
    plan_.kernels = Several<Kernel>(n_kernels);
    plan_.phases = Several<Phase>(n_phases);
    if (plan_.kernels.is_null() || plan_.phases.is_null()) return lacks_memory();
    Phase* phases = plan_.phases.data();
    for (Kernel& kernel : plan_.kernels) {
      const std::string_view name = words.text();
      kernel.n_phases = words.word();
      kernel.phases = phases;
      phases += kernel.n_phases;
      words.section();  // arguments
      words.section();  // block sizes
      for (WordReader bytes = words.section(); bytes.n_left() > 0;)
        if (const std::size_t b = bytes.word() & 0x7fffffff; b > kernel.stack_bytes) kernel.stack_bytes = b;
      words.word();  // can_fail
      std::string_view object;
      if (!blob(words.word(), object, "the code of a kernel is not what was written") ||
          !load(kernel, name, object))
        return false;
    }
    return true;
  }

  // Its phases are NAME_p0, NAME_p1 .., or NAME_p0_in_order ..
  bool load(Kernel& kernel, std::string_view name, std::string_view object) {
    const std::size_t n = kernel.n_phases, room = name.size() + 24;
    Several<char> characters(2 * n * room);
    Several<std::string_view> names(2 * n);
    Several<void*> addresses(2 * n);
    if (characters.is_null() || names.is_null() || addresses.is_null()) return lacks_memory();
    for (std::size_t i = 0; i < 2 * n; ++i) {
      char* const text = characters.data() + i * room;
      Text(text, room) << name << "_p" << static_cast<std::int64_t>(i / 2)
                       << (i % 2 == 0 ? std::string_view() : std::string_view("_in_order"));
      names[i] = {text, std::strlen(text)};
    }
    status_ = load_object(object, names.data(), addresses.data(), 2 * n, kernel.module, error_);
    if (status_ != FG_RUNTIME_OK) return false;
    for (std::size_t phase = 0; phase < n; ++phase) {
      const bool is_in_order = addresses[2 * phase] == nullptr;
      void* const address = addresses[2 * phase + (is_in_order ? 1 : 0)];
      if (address == nullptr) return refuse("a kernel lacks a function");
      kernel.phases[phase] = {reinterpret_cast<runtime::cpu::PhaseFunction>(address), is_in_order};
    }
    return true;
  }

  const fg_bundle& bundle_;
  fg_program& program_;
  Plan& plan_;
  fg_runtime_error* const error_;
  fg_runtime_status status_ = FG_RUNTIME_OK;
  Several<fg_type> types_;
};

void unload(Plan& plan) {
  for (Kernel& kernel : plan.kernels) unload(kernel.module);
  plan.~Plan();
  new (&plan) Plan();
}

void free_bundle(fg_bundle* bundle) {
  for (fg_program& program : bundle->programs) {
    unload(program.plan);
    program.types.~Several();
  }
  if (bundle->is_mapped) munmap(const_cast<char*>(bundle->bytes), bundle->size);
  pthread_mutex_destroy(&bundle->mutex);
  bundle->~fg_bundle();
  std::free(bundle);
}

fg_runtime_status open(const char* bytes, std::size_t size, bool is_mapped, fg_bundle** to,
                       fg_runtime_error* error) {
  void* const memory = std::calloc(1, sizeof(fg_bundle));
  if (memory == nullptr) {
    if (is_mapped) munmap(const_cast<char*>(bytes), size);
    return no_memory(error);
  }
  auto* const bundle = new (memory) fg_bundle{bytes, size, is_mapped, PTHREAD_MUTEX_INITIALIZER, {}, {}, {}};
  const fg_runtime_status status = read(*bundle, error);
  if (status != FG_RUNTIME_OK)
    free_bundle(bundle);
  else
    *to = bundle;
  return status;
}

}  // namespace

std::size_t size_of(fg_kind kind) {
  constexpr unsigned char sizes[n_kinds] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
  return static_cast<std::uint32_t>(kind) < n_kinds ? sizes[kind] : 0;
}

}  // namespace fulgurite::standalone

using namespace fulgurite::standalone;

fg_runtime_status fg_bundle_open(const char* path, fg_bundle** bundle, fg_runtime_error* error) {
  *bundle = nullptr;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    if (file >= 0) close(file);
    return fail(error, FG_FORMAT_ERROR, "the bundle ", std::string_view(path), " cannot be read: ",
                file < 0 ? std::string_view("there is no such file, or it may not be read")
                         : std::string_view("it is not a file"));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const bytes = size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED)
    return fail(error, FG_OUT_OF_MEMORY, "the bundle ", std::string_view(path), " cannot be mapped");
  return open(static_cast<const char*>(bytes), size, size != 0, bundle, error);
}

fg_runtime_status fg_bundle_open_memory(const void* bytes, size_t size, fg_bundle** bundle,
                                        fg_runtime_error* error) {
  *bundle = nullptr;
  return open(static_cast<const char*>(bytes), size, false, bundle, error);
}

void fg_bundle_close(fg_bundle* bundle) {
  if (bundle != nullptr) free_bundle(bundle);
}

size_t fg_bundle_n_programs(const fg_bundle* bundle) {
  return bundle->programs.size();
}

const char* fg_bundle_name(const fg_bundle* bundle, size_t program) {
  return program < bundle->programs.size() ? bundle->programs[program].name : nullptr;
}

fg_runtime_status fg_bundle_find(fg_bundle* bundle, const char* name, const fg_program** found,
                                 fg_runtime_error* error) {
  *found = nullptr;
  for (fg_program& program : bundle->programs) {
    if (std::strcmp(program.name, name) != 0) continue;
    pthread_mutex_lock(&bundle->mutex);
    fg_runtime_status status = FG_RUNTIME_OK;
    if (!program.is_loaded) {
      Finding finding(*bundle, program, error);
      program.is_loaded = finding.find();
      status = finding.status();
      if (!program.is_loaded) unload(program.plan);
    }
    if (program.is_loaded) *found = &program;
    pthread_mutex_unlock(&bundle->mutex);
    return status;
  }
  return fail(error, FG_NO_PROGRAM, "the bundle has no program '", std::string_view(name), "'");
}

size_t fg_program_n_parameters(const fg_program* program) {
  return program->n_parameters;
}

size_t fg_program_n_results(const fg_program* program) {
  return program->n_results;
}

fg_type fg_program_parameter(const fg_program* program, size_t parameter) {
  return parameter < program->n_parameters ? program->types[parameter] : fg_type{FG_BOOL, -1};
}

fg_type fg_program_result(const fg_program* program, size_t result) {
  return result < program->n_results ? program->types[program->n_parameters + result] : fg_type{FG_BOOL, -1};
}

const char* fg_program_architecture(const fg_program* program) {
  return program->architecture;
}

fg_runtime_status fg_program_call(const fg_program* program, const fg_value* arguments, size_t n_arguments,
                                  fg_value* results, size_t n_results, fg_runtime_error* error) {
  if (n_arguments != program->n_parameters || n_results != program->n_results)
    return fail(error, FG_ARGUMENT_ERROR, "'", std::string_view(program->name), "' takes ",
                static_cast<std::int64_t>(program->n_parameters), " arguments and gives ",
                static_cast<std::int64_t>(program->n_results), " results");
  for (std::size_t i = 0; i < n_arguments; ++i) {
    const fg_type wanted = program->types[i];
    bool fits = arguments[i].kind == wanted.kind && arguments[i].rank == wanted.rank;
    std::int64_t n = wanted.rank == 0 ? 1 : static_cast<std::int64_t>(size_of(wanted.kind));
    for (int axis = 0; fits && axis < wanted.rank; ++axis)
      fits = arguments[i].extents[axis] >= 0 && !__builtin_mul_overflow(n, arguments[i].extents[axis], &n);
    if (!fits || (n != 0 && arguments[i].data == nullptr))
      return fail(error, FG_ARGUMENT_ERROR, "argument ", static_cast<std::int64_t>(i + 1), " of '",
                  std::string_view(program->name),
                  "' is of another kind or rank, has a negative or absurd extent, or no elements");
  }
  return run(*program, arguments, results, error);
}

size_t fg_kind_size(fg_kind kind) {
  return size_of(kind);
}

const char* fg_runtime_version(void) {
  return fulgurite::bundled::library_version;
}
