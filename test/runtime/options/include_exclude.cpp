// RUN: rm -rf %t && mkdir -p %t && %ada_clangxx -O1 -g %s -o %t/p
// RUN: %session:include='net_*|log' %t/p && %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s --check-prefix=GLOBS
// RUN: %session:session=%t/b:exclude='log' %t/p && %calls tree --open=0 %t/b | FileCheck --strict-whitespace %s --check-prefix=EXCLUDE
// RUN: %session:session=%t/c:include='net_*':exclude='*read' %t/p && %calls tree --open=0 %t/c | FileCheck --strict-whitespace %s --check-prefix=BOTH
// RUN: %session:session=%t/d:include='*/include_exclude.cpp' %t/p && %calls total --open=0 %t/d | FileCheck %s --check-prefix=FILE
// RUN: %session:session=%t/e:include='_Z3logv' %t/p && %calls tree --open=0 %t/e | FileCheck --strict-whitespace %s --check-prefix=MANGLED
// include and exclude choose by mangled name, demangled name and file; calls between the chosen ones are left out.
__attribute__((noinline)) void log() { __asm__ volatile(""); }
__attribute__((noinline)) void net_read() { log(); }
__attribute__((noinline)) void hidden() { net_read(); }
__attribute__((noinline)) void net_poll() { hidden(); }
// GLOBS:      {{^}}net_poll()
// GLOBS-NEXT: {{^}}  net_read()
// GLOBS-NEXT: {{^}}    log()
// EXCLUDE:      {{^}}main
// EXCLUDE-NEXT: {{^}}  net_poll()
// EXCLUDE-NEXT: {{^}}    hidden()
// EXCLUDE-NEXT: {{^}}      net_read()
// EXCLUDE-NOT: {{.}}
// BOTH:      {{^}}net_poll()
// BOTH-NOT:  {{.}}
// FILE: events=10
// MANGLED: {{^}}log()
int main() { net_poll(); }
