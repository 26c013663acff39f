# Cross-builds the runtime for AArch64 into lib/aarch64-linux-gnu, where ada-clang --target=aarch64-linux-gnu looks for
# it.
#
# Builds the same CMakeLists.txt in a separate build tree, which knows nothing of the outer build's compiler. Needs any
# clang and Debian's libc6-dev-arm64-cross and libgcc-12-dev-arm64-cross (tools/dev setup), or similar packages
# elsewhere.
include(ExternalProject)

set(ADA_CROSS_TRIPLE aarch64-linux-gnu)
set(ADA_CROSS_LIBDIR ${PROJECT_BINARY_DIR}/lib/${ADA_CROSS_TRIPLE})

# The newest of the LLVMs that the plugin is built for, or the default clang.
set(candidates "")
foreach(version IN LISTS ADA_LLVM_VERSIONS)
  list(PREPEND candidates clang-${version})
endforeach()
find_program(ADA_CROSS_CLANG NAMES ${candidates} clang DOC "The clang that cross-builds the runtime")
if(NOT ADA_CROSS_CLANG)
  message(FATAL_ERROR "ADA_CROSS_AARCH64 needs a clang: install one, or set ADA_CROSS_CLANG.")
endif()

ExternalProject_Add(AdaRuntimeAArch64
  SOURCE_DIR ${PROJECT_SOURCE_DIR}
  BINARY_DIR ${PROJECT_BINARY_DIR}/aarch64
  PREFIX ${PROJECT_BINARY_DIR}/aarch64/external
  CMAKE_GENERATOR ${CMAKE_GENERATOR}
  CMAKE_ARGS
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64
    -DCMAKE_C_COMPILER=${ADA_CROSS_CLANG} -DCMAKE_C_COMPILER_TARGET=${ADA_CROSS_TRIPLE}
    -DCMAKE_CXX_COMPILER=${ADA_CROSS_CLANG} -DCMAKE_CXX_COMPILER_TARGET=${ADA_CROSS_TRIPLE}
    -DCMAKE_ASM_COMPILER=${ADA_CROSS_CLANG} -DCMAKE_ASM_COMPILER_TARGET=${ADA_CROSS_TRIPLE}
    # Compiled and not linked: the runtime is linked as C and needs no C++ library.
    -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY
    -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG"
    -DADA_BUILD_PASS=OFF -DADA_BUILD_TOOLS=OFF -DADA_BUILD_TESTS=OFF -DADA_WERROR=${ADA_WERROR}
    -DADA_RUNTIME_OUTPUT=${ADA_CROSS_LIBDIR}
  BUILD_COMMAND ${CMAKE_COMMAND} --build . --target AdaRuntime AdaRuntimeStatic
  BUILD_ALWAYS ON # its own build knows what is out of date
  BUILD_BYPRODUCTS ${ADA_CROSS_LIBDIR}/libAdaRuntime.so ${ADA_CROSS_LIBDIR}/libAdaRuntime.so.${ADA_ABI_VERSION}
    ${ADA_CROSS_LIBDIR}/libAdaRuntime.a
    ${ADA_CROSS_LIBDIR}/AdaPreinit.o ${ADA_CROSS_LIBDIR}/AdaRecordAlways.o
  INSTALL_COMMAND "")
install(FILES ${ADA_CROSS_LIBDIR}/libAdaRuntime.so ${ADA_CROSS_LIBDIR}/libAdaRuntime.so.${ADA_ABI_VERSION}
              ${ADA_CROSS_LIBDIR}/libAdaRuntime.a ${ADA_CROSS_LIBDIR}/AdaPreinit.o
              ${ADA_CROSS_LIBDIR}/AdaRecordAlways.o
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/${ADA_CROSS_TRIPLE} COMPONENT cross)
