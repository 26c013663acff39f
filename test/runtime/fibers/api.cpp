// RUN: rm -rf %t && mkdir -p %t && %ada_clangxx -std=c++17 -O1 -g %s -pthread -lboost_context -o %t/program && %session %t/program
// RUN: %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s && adatrace verify -q %t/session
// RUN: adatrace report --by=thread --names=full --format=csv %t/session | cut -d, -f2,4,5 | FileCheck %s --check-prefix=NAMES
// RUN: %clangxx -std=c++17 -O1 -DADA_TRACE_DISABLED -I%include %s -pthread -lboost_context -o %t/plain && %t/plain
// REQUIRES: boost-context
// (libboost_context and its headers; with -g they are known as system headers.) Boost.Context switches by assembly that no hook sees, so the program reports its switches. Checks
// names, nesting, and exceptions that pass through while another fiber is in the middle of one.
#include <ada/attributes.h>
#include <ada/trace.h>
#include <boost/context/fiber.hpp>
#include <stdlib.h>
namespace context = boost::context;
#define NOINLINE __attribute__((noinline))
static ada_fiber *home;
static int sum;
NOINLINE void pause(context::fiber &back) {
  ada_fiber_switch(home);
  back = std::move(back).resume();
}
NOINLINE void thrower(context::fiber &back, int n) {
  pause(back);
  throw n;
}
NOINLINE void produce(context::fiber &back) {
  for (int i = 1; i <= 2; ++i)
    try {
      thrower(back, i);
    } catch (int n) {
      sum += n;
    }
}
NOINLINE context::fiber body(context::fiber &&back) {
  produce(back);
  return std::move(back);
}
NOINLINE void resume(context::fiber &fiber, ada_fiber *row) {
  ada_fiber_switch(row);
  fiber = std::move(fiber).resume();
}
int main() {
  home = ada_fiber_current();
  context::fiber fibers[2];
  ada_fiber *rows[2] = {ada_fiber_create("producer"), ada_fiber_create(nullptr)};
  for (context::fiber &f : fibers)
    f = context::fiber([](context::fiber &&back) ADA_NEVER { // it ends after the switch
      context::fiber last = body(std::move(back));
      ada_fiber_switch(home);
      return last;
    });
  for (int turn = 0; turn < 3; ++turn)
    for (int i = 0; i < 2; ++i)
      resume(fibers[i], rows[i]);
  for (ada_fiber *row : rows)
    ada_fiber_end(row);
  return sum == 6 ? 0 : 1;
}
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}main
// CHECK-COUNT-6: {{^}}  resume
// CHECK:      thread 1:
// CHECK-NEXT: {{^}}body{{.*}}
// CHECK-NEXT: {{^}}  produce{{.*}}
// CHECK-NEXT: {{^}}    thrower{{.*}} (exception)
// CHECK-NEXT: {{^}}      pause{{.*}}
// CHECK-NEXT: {{^}}    thrower{{.*}} (exception)
// CHECK-NEXT: {{^}}      pause{{.*}}
// CHECK-NEXT: thread 2:
// CHECK-NEXT: {{^}}body{{.*}}
// CHECK-NEXT: {{^}}  produce{{.*}}
// CHECK-NEXT: {{^}}    thrower{{.*}} (exception)
// CHECK-NEXT: {{^}}      pause{{.*}}
// CHECK-NEXT: {{^}}    thrower{{.*}} (exception)
// CHECK-NEXT: {{^}}      pause{{.*}}
// CHECK-NOT:  {{.}}
// NAMES-DAG: 1,producer,{{.*}}
// NAMES-DAG: 2,fiber 1,{{.*}}
