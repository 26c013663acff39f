// RUN: rm -rf %t && mkdir -p %t && cd %t && cp %s a.cpp && cp %s b.cpp
// RUN: for std in c++17 c++20 c++23; do %clangxx -std=$std -Wall -Wextra -Werror -pedantic -O1 -fPIC -shared -DSECOND -I%include b.cpp -o libb.so && \
// RUN:   %clangxx -std=$std -Wall -Wextra -Werror -pedantic -O2 -I%include a.cpp libb.so -Wl,-rpath,%t -pthread -o p %runtime && rm -rf session && %session ./p && \
// RUN:   adatrace verify -q session && adatrace dump --format=jsonl session | %python %S/Inputs/events.py | FileCheck %s || exit 1; done
// RUN: %ada_clangxx -std=c++17 -O0 -fPIC -shared -DSECOND -I%include b.cpp -o libb.so && %ada_clangxx -std=c++17 -O0 -I%include a.cpp libb.so -Wl,-rpath,%t -pthread -o p && rm -rf session && \
// RUN:   %session ./p && adatrace verify -q session && adatrace dump --format=jsonl session | %python %S/Inputs/events.py | FileCheck %s
// RUN: %clangxx -std=c++17 -Wall -Wextra -Werror -pedantic -DADA_TRACE_DISABLED -I%include %s -DSECOND -c -o off.o && llvm-nm off.o > off.symbols && not grep ada_ off.symbols
// Annotations in C++: templates, inline functions shared by an executable and a library, lambdas, exceptions, texts.
#include <ada/trace.h>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
enum class Mode : unsigned char { Fast = 3 };
template <class T> int times(T n) {
  ADA_SPAN("times", n);
  return static_cast<int>(n * 2);
}
inline int shared(int n) {
  ADA_SPAN("shared", n);
  return n;
}
#ifdef SECOND
int inLibrary() {
  ADA_COUNTER("of the library", shared(11));
  return 0;
}
#else
int inLibrary();
struct Object {
  std::string name = "object's";
  ~Object() { ADA_INSTANT("gone", name, std::string_view("abcdef", 3)); }
  void fails() {
    ADA_SPAN("fails", name.size(), Mode::Fast);
    throw std::runtime_error("x");
  }
};
int main() {
  const auto f = [](const auto &x) {
    ADA_SPAN("lambda", x);
    return x;
  };
  (void)f(1), (void)f(std::string("text"));
  try {
    Object object;
    object.fails();
  } catch (const std::exception &) {
  }
  for (int i = 0; i < 1000; ++i)
    ADA_COUNTER("count", i);
  return times(1) + times(2.5) + shared(4) + inLibrary() - 11;
}
// The recorded annotations, in order: how many in a row, and the arguments of the first.
// CHECK:      {{^}}1 span lambda {'x': 1}
// CHECK-NEXT: {{^}}1 span lambda {'x': 'text'}
// CHECK-NEXT: {{^}}1 span fails {'name.size()': 8, 'Mode::Fast': 3}
// CHECK-NEXT: {{^}}1 instant gone {'name': "object's", 'std::string_view("abcdef", 3)': 'abc'}
// CHECK-NEXT: {{^}}1000 counter count {'value': 0}
// CHECK-NEXT: {{^}}1 span times {'n': 1}
// CHECK-NEXT: {{^}}1 span times {'n': 2.5}
// CHECK-NEXT: {{^}}2 span shared {'n': 4}
// CHECK-NEXT: {{^}}1 counter of the library {'value': 11}
// CHECK-NOT:  {{.}}
#endif
