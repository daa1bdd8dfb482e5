! Functions that Fulgurite emitted as C, called from Fortran: gfortran call.f90 libsensors.so
program call_average
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function average(x, n, result, call) bind(c)
      import :: c_int, c_int64_t, c_float, c_ptr
      real(c_float), intent(in) :: x(*)
      integer(c_int64_t), value :: n
      real(c_float), intent(out) :: result
      type(c_ptr), value :: call
    end function
  end interface
  real(c_float) :: x(3) = [1.0, 2.0, 6.0], result
  if (average(x, size(x, kind=c_int64_t), result, c_null_ptr) /= 0) stop 1
  print '(a, f4.1)', 'average', result
end program
