/* An application in C: an array of its own structs, three functions that Fulgurite emitted, no library. */
#include <stdint.h>
#include <stdio.h>

/* The application's own struct, with a member that the functions do not know. */
struct reading {
  int64_t time;
  int32_t sensor;
  float temperature, humidity;
};
#define DAMP_READINGS_STRUCT struct reading

#include "corrected.h"
#include "damp.h"
#include "mean.h"

enum { n = 6 };

static int failed(const fg_error* error) {
  printf("%s:%d: %s\n", error->file, error->line, error->text);
  return 1;
}

int main(void) {
  const struct reading readings[n] = {{0, 0, 21.0f, 40.0f}, {1, 1, 12.5f, 97.0f}, {2, 0, 20.5f, 42.0f},
                                      {3, 2, 13.0f, 99.0f}, {4, 1, 12.0f, 98.0f}, {5, 7, 18.0f, 55.0f}};
  fg_error error = {FG_OK, 0, NULL, ""};
  fg_call call = {0};
  call.error = &error;

  /* The functions take an array for each member. */
  float temperature[n], humidity[n];
  int32_t sensor[n];
  damp_readings_split(readings, n, temperature, humidity, sensor);

  /* How many readings are damp is known when the call returns. */
  float damp_temperature[n], damp_humidity[n];
  int32_t damp_sensor[n];
  int64_t n_damp = 0;
  if (damp(temperature, humidity, sensor, n, 1.0f, damp_temperature, damp_humidity, damp_sensor, n, &n_damp, &call) != FG_OK)
    return failed(&error);
  struct reading found[n] = {{0}};
  damp_found_join(damp_temperature, damp_humidity, damp_sensor, n_damp, found);
  for (int64_t i = 0; i < n_damp; ++i)
    printf("damp: sensor %d, %.1f degrees, %.0f percent\n", (int)found[i].sensor, found[i].temperature, found[i].humidity);

  const float errors[3] = {0.5f, -0.25f, 0.0f};
  float exact[n], average = 0;
  int64_t n_exact = 0;
  /* The last reading is of a sensor that the table does not have. */
  if (corrected(temperature, n, sensor, n, errors, 3, exact, n, &n_exact, &call) != FG_INDEX) return 2;
  failed(&error);
  error.status = FG_OK;
  if (corrected(temperature, n - 1, sensor, n - 1, errors, 3, exact, n, &n_exact, &call) != FG_OK) return failed(&error);
  if (mean(exact, n_exact, &average, &call) != FG_OK) return failed(&error);
  printf("mean of %d: %.2f degrees\n", (int)n_exact, average);
  return 0;
}
