# ada_product(): what this folder makes runs in users' programs and compilers. It is optimised, and compiled as it is
# for users, even where library and tool are compiled in less time: `tools/dev test` does so by clang, without
# optimisation (ADA_QUICK), but tests the runtime and the plugins that users get.
#
# CMake has one C++ compiler per build. But the rules that it writes for a folder contain the folder's
# CMAKE_CXX_COMPILER, so a GCC can take a clang's place there: their options for what we ask of both are the same.
set(ADA_PRODUCT_CC "" CACHE FILEPATH "The GCC (gcc) that compiles runtime and plugins; by default CMAKE_C_COMPILER does")
set(ADA_PRODUCT_CXX "" CACHE FILEPATH "The same for C++ (g++)")

macro(ada_product)
  if(ADA_PRODUCT_CXX)
    set(ADA_QUICK OFF)
    set(CMAKE_C_COMPILER ${ADA_PRODUCT_CC})
    set(CMAKE_ASM_COMPILER ${ADA_PRODUCT_CC})
    set(CMAKE_CXX_COMPILER ${ADA_PRODUCT_CXX})
    foreach(language C CXX ASM)
      set(CMAKE_${language}_COMPILER_ID GNU)
    endforeach()
  endif()
endmacro()
