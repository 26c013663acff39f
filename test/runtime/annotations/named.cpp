// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clangxx -O1 -g -I%include %s -c -o p.o && llvm-nm p.o | FileCheck %s --check-prefix=SYMBOL
// RUN: for early in '' --ada-before-inlining; do %ada_clangxx -O1 $early -I%include %s -o p && rm -rf session && %session:sched=0 ./p && adatrace report --format=csv session | FileCheck %s; done
// RUN: for names in short full; do adatrace tree --names=$names session | FileCheck %s --check-prefix=TREE; done && adatrace tree --names=mangled session | FileCheck %s --check-prefix=MANGLED
// RUN: for glob in 'handle a <request>' 'ns::handle' 'ns::*(int)' _ZN2ns6handleEi; do adatrace report --include="$glob" --format=csv session | FileCheck %s --check-prefix=ONLY || exit 1; done
// RUN: for glob in 'handle a <*' 'ns::handle'; do %session:session=some:include="'$glob'" ./p && adatrace report --format=csv some | FileCheck %s --check-prefix=ONLY && rm -r some || exit 1; done
// RUN: adatrace convert -q --include='ns::*' session part && adatrace report --format=csv part | FileCheck %s --check-prefix=ONLY
// A function with a name given in the source: the trace shows it, the symbol is unchanged, and globs match either name.
#include <ada/attributes.h>
namespace ns {
ADA_NAMED("handle a <request>") __attribute__((noinline)) int handle(int n) {
  __asm__ volatile("");
  return n - 1;
}
} // namespace ns
int main() { return ns::handle(1) + ns::handle(1); }
// SYMBOL: T _ZN2ns6handleEi
// CHECK-DAG: ,handle a <request>,{{.*}}named.cpp{{(:[0-9]+)?}},2,
// CHECK-DAG: ,main,{{.*}},1,
// TREE:      {{ }}main{{$}}
// TREE-NEXT: handle a <request> ×2
// MANGLED: _ZN2ns6handleEi ×2
// ONLY:      ,source,
// ONLY-NEXT: ,handle a <request>,
// ONLY-NOT:  ,main,
