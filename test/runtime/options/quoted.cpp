// RUN: rm -rf %t && mkdir -p %t && %ada_clangxx -O1 %s -o %t/p
// RUN: env ADA_OPTIONS="session='%t/with space: and colon':include='ns::*'" %t/p && %calls tree --open=0 "%t/with space: and colon" | FileCheck %s
// RUN: env ADA_OPTIONS='include="ns::*" session=%t/b format=1' %t/p && %calls tree --open=0 %t/b | FileCheck %s
// Values in quotes, single or double, may contain what separates options; blanks separate like colons.
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}ns::inside()
// CHECK-NOT:  {{.}}
namespace ns {
__attribute__((noinline)) void inside() { __asm__ volatile(""); }
} // namespace ns
int main() { ns::inside(); }
