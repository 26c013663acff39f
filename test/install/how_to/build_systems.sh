# One program with all the build files that the page uses.
#with PREFIX $PREFIX
cat >app.cpp <<'END'
#include <cstdio>
__attribute__((noinline)) void twice(int n) {
  for (int i = 0; i < n; ++i) // not too small for MIN_SIZE
    std::printf("%d\n", n);
}
int main() { twice(2); }
END
echo '#include <adatrace/session.h>
int main() {}' >reader.cpp
{
  echo 'cmake_minimum_required(VERSION 3.20)
project(app CXX)
if(CMAKE_TOOLCHAIN_FILE)
  add_executable(app app.cpp)
  return()
endif()
set(CMAKE_CXX_STANDARD 20)
add_executable(app app.cpp)
add_executable(reader reader.cpp)'
  cat blocks/*.cmake
} >CMakeLists.txt
printf -- '-include config.mk\napp: app.cpp\n\t$(CXX) -O2 $< -o $@\n' >Makefile
cat >configure <<'END'
#!/bin/sh
# What it tries must not be traced.
for assignment; do eval "$assignment"; done
[ "$ADA_WRAPPER_OFF" = 1 ] && $CXX app.cpp -o conftest && ! grep -q __ada_enter conftest && echo "CXX = $CXX" >config.mk
END
chmod +x configure
echo "project('app', 'cpp')
executable('app', 'app.cpp')" >meson.build
atTheEnd() {
  cmake --build build --target app
  for program in ./app build/app build-traced/app build-meson/app; do
    adatrace record --quiet --session "last/$program" "$program"
    [ "$(adatrace report --format=jsonl --include='twice*' "last/$program" | wc -l)" = 1 ]
  done
}
