// ./moving_average run weighted_moving_average x.npy -o smooth.npy
#include "moving_average.h"

#include <fulgurite/main.h>

using namespace moving_average;

FULGURITE_MAIN(weighted_moving_average)
