// ./k_means run cluster 10 x.npy y.npy centre_x.npy centre_y.npy -o centre_x.npy -o centre_y.npy -o owner.npy
#include "k_means.h"

#include <fulgurite/main.h>

using namespace k_means;

FULGURITE_MAIN(cluster)
