#include "runtime/mpi/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <link.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/nearest.h"
#include "runtime/dynamic_library.h"
#include "runtime/plugin_path.h"

namespace fulgurite::runtime::mpi {
namespace {

struct Implementation {
  std::string_view name;   // in FULGURITE_MPI and in the plug-in's file name
  std::string_view title;  // in messages
  // A symbol that the implementation's own mpi.h makes programs refer to, so that all its versions have it.
  const char* symbol;
  std::string_view packages;
};

constexpr std::array implementations{
    Implementation{"openmpi", "Open MPI", "ompi_mpi_comm_world", "openmpi-bin on Debian, openmpi on Fedora"},
    Implementation{"mpich", "MPICH", "MPIR_Dup_fn", "mpich on Debian and on Fedora"},
};
constexpr const Implementation& open_mpi = implementations[0];
constexpr const Implementation& mpich = implementations[1];

std::string file_of(const Implementation& one) {
  return fmt::format("libfulgurite_{}.so", one.name);
}

const char* variable(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != 0 ? text : nullptr;
}

const Implementation* named_by_user() {
  const char* const name = variable("FULGURITE_MPI");
  if (name == nullptr) return nullptr;
  std::array<std::string_view, implementations.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = implementations[i].name;
    if (names[i] == name) return &implementations[i];
  }
  throw DeviceError(
      fmt::format("FULGURITE_MPI is '{}': set it to openmpi or mpich (did you mean {}?), or not at all", name,
                  base::nearest(name, names)));
}

const Implementation* defined_in(void* handle) {
  for (const Implementation& one : implementations)
    if (dlsym(handle, one.symbol) != nullptr) return &one;
  return nullptr;
}

// Looks at a shared object that the program has loaded: a library of MPI's may be in a scope of its own, as
// those of Python modules are.
int keep_if_mpi(dl_phdr_info* object, std::size_t, void* found) {
  if (std::string_view(object->dlpi_name).find("mpi") == std::string_view::npos) return 0;
  void* const handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return 0;
  const Implementation* const one = defined_in(handle);
  dlclose(handle);
  *static_cast<const Implementation**>(found) = one;
  return one != nullptr ? 1 : 0;
}

const Implementation* loaded_by_program() {
  if (const Implementation* one = defined_in(RTLD_DEFAULT)) return one;
  const Implementation* found = nullptr;
  dl_iterate_phdr(&keep_if_mpi, &found);
  return found;
}

const Implementation* only_plugin() {
  const Implementation* found = nullptr;
  for (const Implementation& one : implementations) {
    if (!is_plugin_there(file_of(one))) continue;
    if (found != nullptr) return nullptr;
    found = &one;
  }
  return found;
}

const Implementation* of_launcher() {
  if (variable("OMPI_COMM_WORLD_SIZE") != nullptr) return &open_mpi;
  for (const char* name : {"PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS", "HYDI_CONTROL_FD"})
    if (variable(name) != nullptr) return &mpich;
  return nullptr;
}

[[noreturn]] void refuse_without_plugin() {
  throw DeviceError(fmt::format(
      "the engine mpi finds neither {} nor {}: install Open MPI ({}) or MPICH ({}) and build "
      "Fulgurite beside it",
      plugin_path(file_of(open_mpi)), plugin_path(file_of(mpich)), open_mpi.packages, mpich.packages));
}

const Implementation& choose() {
  if (const Implementation* one = named_by_user()) return *one;
  if (const Implementation* one = loaded_by_program()) return *one;
  if (const Implementation* one = of_launcher()) return *one;
  if (const Implementation* one = only_plugin()) return *one;
  if (!is_plugin_there(file_of(open_mpi))) refuse_without_plugin();
  // PMIx, of Slurm's srun say, starts programs of both.
  if (variable("PMIX_RANK") != nullptr)
    throw DeviceError(
        "a launcher that speaks PMIx started this process, which may be one of Open MPI or of MPICH: set "
        "FULGURITE_MPI to openmpi or mpich");
  return open_mpi;
}

const fg_mpi_api& open_library(const Implementation& chosen) {
  if (!is_plugin_there(file_of(chosen)) && only_plugin() == nullptr && !is_plugin_there(file_of(open_mpi)))
    refuse_without_plugin();
  const std::string path = plugin_path(file_of(chosen));
  const DynamicLibrary plugin(
      path, {fmt::format("the plug-in for {}", chosen.title),
             fmt::format("install {} ({}) and a build of Fulgurite that was made beside it, or set "
                         "FULGURITE_MPI to the MPI that is there",
                         chosen.title, chosen.packages),
             "install libfulgurite.so and its plug-ins of one build of Fulgurite"});
  decltype(&fulgurite_mpi_api) get = nullptr;
  plugin.resolve(get, "fulgurite_mpi_api");
  const fg_mpi_api* const api = get();
  if (api->version != fg_mpi_version)
    throw DeviceError(
        fmt::format("{} is of another build of Fulgurite (its version {}, this library needs "
                    "{}): install libfulgurite.so and its plug-ins of one build",
                    path, api->version, static_cast<int>(fg_mpi_version)));
  return *api;
}

}  // namespace

const fg_mpi_api& library() {
  static const fg_mpi_api& api = open_library(choose());
  return api;
}

int processes_of_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* size = variable(name)) return std::atoi(size);
  return 0;
}

}  // namespace fulgurite::runtime::mpi
