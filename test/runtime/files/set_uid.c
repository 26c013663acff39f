// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/p && chmod 755 %t/p && chown 1:1 %t/p && chmod 6755 %t/p
// RUN: %session %t/p | FileCheck %s && test ! -e %t/session
// REQUIRES: root, native
// (to give a file to another user; the system honours the bit on what it runs itself) A set-uid program does not write where its caller says: it runs untraced and silently.
// CHECK: output 1
//
// Nor if its caller gives it variables that the dynamic linker removes from the environment, which moves what is before
// the auxiliary values. Nobody says a word: a message would name a place that the program can't write.
// RUN: for v in "" TMPDIR=/ "TMPDIR=/ LD_LIBRARY_PATH=/ GCONV_PATH=/ LOCPATH=/"; do %session $v %t/p > %t/out 2>&1; printf 'output 1\n' | cmp - %t/out || exit 1; done; test ! -e %t/session
//
// The same holds for a program with a file capability, started by another user than root. Without one, that user records.
// RUN: cp %t/p %t/capable && %python -c "import os, struct, sys; os.setxattr(sys.argv[1], 'security.capability', struct.pack('<5I', 0x02000001, 1 << 10, 0, 0, 0))" %t/capable
// RUN: chmod 755 %t && cp %t/p %t/plain && chmod 755 %t/plain %t/capable && mkdir %t/open && chmod 777 %t/open
// RUN: for p in capable plain; do %python -c "import os, sys; os.setgroups([]); os.setgid(65534); os.setuid(65534); os.environ['ADA_OPTIONS'] = 'session=' + sys.argv[2]; os.environ['TMPDIR'] = '/'; os.execv(sys.argv[1], ['p'])" %t/$p %t/open/$p > %t/$p.out; done
// RUN: FileCheck %s < %t/capable.out && test ! -e %t/open/capable && FileCheck %s --check-prefix=PLAIN < %t/plain.out && test -d %t/open/plain
// PLAIN: output 0
#include <stdio.h>
#include <sys/auxv.h>
int main(void) {
  printf("output %d\n", (int)getauxval(AT_SECURE));
  return 0;
}
