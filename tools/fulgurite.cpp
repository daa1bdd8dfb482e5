// The command `fulgurite`: what every executable of FULGURITE_MAIN can do without a program. `fulgurite
// devices` shows what programs can run on, `fulgurite cache` what compiled programs and kernels are kept on
// disk.
#include <fulgurite/main.h>

int main(int argc, char** argv) {
  return fulgurite::detail::tool_main(argc, argv, {});
}
