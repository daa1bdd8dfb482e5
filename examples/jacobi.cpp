// ./jacobi run jacobi_step field.npy rhs.npy -o interior.npy
#include "jacobi.h"

#include <fulgurite/main.h>

using namespace jacobi;

FULGURITE_MAIN(jacobi_step, relax)
