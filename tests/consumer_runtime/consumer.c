/* Calls `rmse` of the bundle that is named, or, without a name, sees that there is no bundle. */
#include <fulgurite_runtime.h>

#include <stdio.h>

int main(int argc, char** argv) {
  fg_runtime_error error;
  fg_bundle* bundle;
  const fg_program* rmse;
  float a[4] = {1, 2, 3, 4}, b[4] = {1, 2, 3, 8};
  fg_value arguments[2] = {{FG_F32, 1, {4}, a, 0}, {FG_F32, 1, {4}, b, 0}}, result = {0};
  if (argc < 2) {
    if (fg_bundle_open("nothing.fgb", &bundle, &error) != FG_FORMAT_ERROR) return 1;
    printf("%s: %s\n", fg_runtime_version(), error.message);
    return 0;
  }
  if (fg_bundle_open(argv[1], &bundle, &error) != FG_RUNTIME_OK || fg_bundle_find(bundle, "rmse", &rmse, &error) != FG_RUNTIME_OK ||
      fg_program_call(rmse, arguments, 2, &result, 1, &error) != FG_RUNTIME_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  printf("rmse %g\n", *(const float*)result.data);
  fg_value_free(&result);
  fg_bundle_close(bundle);
  return 0;
}
