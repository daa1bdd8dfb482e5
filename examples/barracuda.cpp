// ./barracuda list; ./barracuda run rmse x.npy y.npy; ./barracuda explain ndp
#include "barracuda.h"

#include <fulgurite/main.h>

using namespace barracuda;

FULGURITE_MAIN(array_sine, array_maximum, add_value, mul_add, saxpy, sdot, rmse, forward_difference, add_sum,
               ndp)
