! A module, a recursive function and a subroutine: how to build it is in docs/reference/languages.md.
module shapes
  implicit none
contains
  recursive integer function fib(n) result(r)
    integer, intent(in) :: n
    if (n < 2) then
      r = n
    else
      r = fib(n - 1) + fib(n - 2)
    end if
  end function fib
  subroutine scale(v, by)
    real(8), intent(inout) :: v(:)
    real(8), intent(in) :: by
    v = v * by
  end subroutine scale
end module shapes
program main
  use shapes
  implicit none
  real(8) :: v(3) = [1.0d0, 2.0d0, 3.0d0]
  call scale(v, 2.0d0)
  print *, fib(10), sum(v)
end program main
