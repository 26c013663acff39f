// RUN: rm -rf %t && mkdir -p %t && %ada_clangxx -O1 %s -o %t/p
// RUN: env ADA_OPTIONS="session='%t/with space: and colon':include='ns::*'" %t/p && %calls tree --open=0 "%t/with space: and colon" | FileCheck %s
// RUN: env ADA_OPTIONS='include="ns::*" session=%t/b format=1' %t/p && %calls tree --open=0 %t/b | FileCheck %s
// RUN: env ADA_OPTIONS=include=ns::*:session=%t/c::format=1 %t/p && %calls tree --open=0 %t/c | FileCheck %s
// RUN: env ADA_OPTIONS='session=%t/d:include=ns::inside:detail_mode=window:trigger=slow:*::a>1ms;call:ns::*:detail=*:format=1' %t/p && %calls manifest %t/d options.trigger options.format options.include | FileCheck %s --check-prefix=COLONS
// Values in quotes, single or double, may contain the characters that separate options; blanks separate like colons.
// Without quotes, '::' and a trigger's colon belong to the value.
// COLONS:      options.trigger="slow:*::a>1ms;call:ns::*"
// COLONS-NEXT: options.format="1"
// COLONS-NEXT: options.include="ns::inside"
// CHECK:      thread 0:
// CHECK-NEXT: {{^}}ns::inside()
// CHECK-NOT:  {{.}}
namespace ns {
__attribute__((noinline)) void inside() { __asm__ volatile(""); }
} // namespace ns
int main() { ns::inside(); }
