// ./fluid run fluid_step 0.1 0 0 density.npy across.npy down.npy smoke.npy wind.npy fall.npy -o density.npy
#include "fluid.h"

#include <fulgurite/main.h>

using namespace fluid;

FULGURITE_MAIN(fluid_step)
