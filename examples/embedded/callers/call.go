// Functions that Fulgurite emitted as C, called from Go. Beside this file stand the generated files, which
// cgo compiles.
package main

// #cgo LDFLAGS: -lm
// #include "average.h"
import "C"
import "fmt"

func mean(x []float32) (float32, error) {
	var result C.float
	var first *C.float
	if len(x) > 0 {
		first = (*C.float)(&x[0])
	}
	if status := C.average(first, C.int64_t(len(x)), &result, nil); status != C.FG_OK {
		return 0, fmt.Errorf("average: status %d", int(status))
	}
	return float32(result), nil
}

func main() {
	average, err := mean([]float32{1, 2, 6})
	if err != nil {
		panic(err)
	}
	fmt.Println("average", average)
}
