// ./black_scholes run black_scholes spot.npy strike.npy years.npy -o call.npy -o put.npy
#include "black_scholes.h"

#include <fulgurite/main.h>

FULGURITE_MAIN(black_scholes::black_scholes)
