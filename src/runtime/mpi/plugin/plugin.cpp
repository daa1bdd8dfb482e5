// The plug-in for an implementation of MPI: compiled once with the headers of each, as their types differ.
// Only the program's one MPI thread calls it, so that it keeps its state without locks.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "runtime/mpi/mpi_api.h"

namespace {

// Whether the thread is in a call of MPI. MPICH ends a rank by exit() in the middle of one where another rank
// aborts the job, and what runs then may not call MPI.
bool is_in_call = false;

// One of the functions below, which `is_in_call` tells of.
template <auto function>
struct Call;
template <typename... Parameters, int (*function)(Parameters...)>
struct Call<function> {
  static int run(Parameters... parameters) {
    is_in_call = true;
    const int code = function(parameters...);
    is_in_call = false;
    return code;
  }
};

// A duplicate of the program's communicator, so that our messages never meet the program's own.
MPI_Comm communicator = MPI_COMM_NULL;
bool is_started_here = false;

// A request's number is its place here; places that are free again are reused.
std::vector<MPI_Request> requests;
std::vector<fg_mpi_request> free_places;

// Keeps the request that a call has begun, unless the call failed.
int keep(int code, MPI_Request request, fg_mpi_request* number) {
  if (code != MPI_SUCCESS) return code;
  if (free_places.empty()) {
    free_places.push_back(static_cast<fg_mpi_request>(requests.size()));
    requests.push_back(MPI_REQUEST_NULL);
  }
  *number = free_places.back();
  free_places.pop_back();
  requests[static_cast<std::size_t>(*number)] = request;
  return code;
}

// Open MPI opens components that take the library's symbols from the global scope, and the plug-in itself is
// opened in a scope of its own. Other implementations are not disturbed by it.
void make_library_global() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&MPI_Init_thread), &library) != 0)
    dlopen(library.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
}

int start(const void* program_communicator, std::int32_t* rank, std::int32_t* n_ranks) {
  int is_initialised = 0;
  MPI_Initialized(&is_initialised);
  if (is_initialised == 0) {
    make_library_global();
    int provided = 0;
    if (const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
        code != MPI_SUCCESS)
      return code;
    is_started_here = true;
  }
  MPI_Comm original = MPI_COMM_WORLD;
  if (program_communicator != nullptr) std::memcpy(&original, program_communicator, sizeof original);
  if (const int code = MPI_Comm_dup(original, &communicator); code != MPI_SUCCESS) return code;
  if (const int code = MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN); code != MPI_SUCCESS)
    return code;
  if (const int code = MPI_Comm_rank(communicator, rank); code != MPI_SUCCESS) return code;
  return MPI_Comm_size(communicator, n_ranks);
}

std::int32_t is_to_finish() {
  if (is_in_call) return 0;
  int is_finalised = 0;
  MPI_Finalized(&is_finalised);
  return is_started_here && is_finalised == 0 ? 1 : 0;
}

void finish() {
  if (is_to_finish() == 0) return;
  MPI_Comm_free(&communicator);
  MPI_Finalize();
}

void abort_job(int code) {
  MPI_Abort(communicator == MPI_COMM_NULL ? MPI_COMM_WORLD : communicator, code);
}

void error_text(int code, char* text, std::int32_t n_bytes) {
  char message[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, message, &length);
  std::strncpy(text, message, static_cast<std::size_t>(n_bytes) - 1);
  text[n_bytes - 1] = 0;
}

int on_node(std::int32_t* rank, std::int32_t* n_ranks) {
  MPI_Comm node = MPI_COMM_NULL;
  if (const int code = MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
      code != MPI_SUCCESS)
    return code;
  MPI_Comm_rank(node, rank);
  MPI_Comm_size(node, n_ranks);
  return MPI_Comm_free(&node);
}

int send(const void* data, std::int64_t n_bytes, std::int32_t to, std::int32_t tag, fg_mpi_request* number) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Isend(data, static_cast<int>(n_bytes), MPI_BYTE, to, tag, communicator, &request);
  return keep(code, request, number);
}

int receive(void* data, std::int64_t n_bytes, std::int32_t from, std::int32_t tag, fg_mpi_request* number) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Irecv(data, static_cast<int>(n_bytes), MPI_BYTE, from, tag, communicator, &request);
  return keep(code, request, number);
}

int reduce_all(const std::int64_t* data, std::int64_t* result, std::int32_t n, fg_mpi_operation operation,
               fg_mpi_request* number) {
  const MPI_Op op = operation == fg_mpi_min ? MPI_MIN : operation == fg_mpi_max ? MPI_MAX : MPI_SUM;
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Iallreduce(data == result ? MPI_IN_PLACE : data, result, n, MPI_INT64_T, op,
                                  communicator, &request);
  return keep(code, request, number);
}

int gather_all(void* data, const std::int32_t* n_bytes, const std::int32_t* offsets, fg_mpi_request* number) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, n_bytes, offsets, MPI_BYTE,
                                   communicator, &request);
  return keep(code, request, number);
}

int number_to_each(const std::int64_t* sent, std::int64_t* received, fg_mpi_request* number) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Ialltoall(sent, 1, MPI_INT64_T, received, 1, MPI_INT64_T, communicator, &request);
  return keep(code, request, number);
}

int test(fg_mpi_request number, std::int32_t* done) {
  const int code = MPI_Test(&requests[static_cast<std::size_t>(number)], done, MPI_STATUS_IGNORE);
  if (code == MPI_SUCCESS && *done != 0) free_places.push_back(number);
  return code;
}

MPI_File file = MPI_FILE_NULL;

int open_file(const char* path, std::int32_t is_written, std::int32_t alone) {
  return MPI_File_open(alone != 0 ? MPI_COMM_SELF : communicator, path,
                       is_written != 0 ? MPI_MODE_WRONLY : MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

int count_moved(int code, const MPI_Status& status, std::int64_t* moved) {
  int n = 0;
  *moved = 0;
  if (code != MPI_SUCCESS) return code;
  code = MPI_Get_count(&status, MPI_BYTE, &n);
  *moved = n;
  return code;
}

int read_file(std::int64_t offset, void* data, std::int64_t n_bytes, std::int64_t* moved) {
  MPI_Status status{};
  const int code = MPI_File_read_at_all(file, offset, data, static_cast<int>(n_bytes), MPI_BYTE, &status);
  return count_moved(code, status, moved);
}

int write_file(std::int64_t offset, const void* data, std::int64_t n_bytes, std::int64_t* moved) {
  MPI_Status status{};
  const int code = MPI_File_write_at_all(file, offset, data, static_cast<int>(n_bytes), MPI_BYTE, &status);
  return count_moved(code, status, moved);
}

int close_file() {
  return MPI_File_close(&file);
}

// "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\n..." become "Open MPI 4.1.4" and "MPICH 4.0.2".
void write_name(char (&text)[128]) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(version, &length);
  std::string_view first(version);
  first = first.substr(0, first.find_first_of(",\n"));
  const std::size_t digit = first.find_first_of("0123456789");
  std::string_view name = first.substr(0, first.find(" v"));
  name = name.substr(0, name.find(" Version"));
  const std::string_view number = digit == std::string_view::npos ? "" : first.substr(digit);
  char* end = std::copy_n(name.data(), std::min<std::size_t>(name.size(), 60), text);
  *end++ = ' ';
  end = std::copy_n(number.data(), std::min<std::size_t>(number.size(), 60), end);
  *end = 0;
}

fg_mpi_api make_api() {
  fg_mpi_api api{.version = fg_mpi_version,
                 .communicator_bytes = sizeof(MPI_Comm),
                 .text = "",
                 .start = &Call<&start>::run,
                 .is_to_finish = &is_to_finish,
                 .finish = &finish,
                 .abort = &abort_job,
                 .error_text = &error_text,
                 .on_node = &Call<&on_node>::run,
                 .send = &Call<&send>::run,
                 .receive = &Call<&receive>::run,
                 .reduce_all = &Call<&reduce_all>::run,
                 .gather_all = &Call<&gather_all>::run,
                 .number_to_each = &Call<&number_to_each>::run,
                 .test = &Call<&test>::run,
                 .open_file = &Call<&open_file>::run,
                 .read_file = &Call<&read_file>::run,
                 .write_file = &Call<&write_file>::run,
                 .close_file = &Call<&close_file>::run};
  write_name(api.text);
  return api;
}

}  // namespace

const fg_mpi_api* fulgurite_mpi_api() {
  static const fg_mpi_api api = make_api();
  return &api;
}
