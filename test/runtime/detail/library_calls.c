// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O0 --ada-calls=default %s -o %t/program
// RUN: %session:sched=0:detail='open|read|malloc' %t/program
// RUN: adatrace tree --args --no-fold %t/session | FileCheck %s
// RUN: env ADA_OPTIONS=session=%t/packed:format=packed:sched=0:detail='open|read|malloc' %t/program
// RUN: adatrace tree --args --no-fold %t/packed | FileCheck %s
// RUN: env ADA_OPTIONS=session=%t/one:include=read %t/program && %calls count %t/one | FileCheck %s --check-prefix=ONE
// RUN: env ADA_OPTIONS=session=%t/rest:exclude=open %t/program && %calls count %t/rest | FileCheck %s --check-prefix=REST
// RUN: adatrace dump --format=jsonl %t/session | FileCheck %s --check-prefix=DUMP
// RUN: adatrace tree --no-external %t/session | FileCheck %s --check-prefix=WITHOUT
// Library calls have arguments and results without any debug information, and are chosen like other functions.
#include <ada/trace.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

// CHECK:      {{ }}main{{$}}
// CHECK-NEXT:   open(path=0x{{[0-9a-f]+}}, flags=O_RDONLY) → -1 (ENOENT)
// CHECK-NEXT:   open(path=0x{{[0-9a-f]+}}, flags=O_WRONLY|O_CREAT|O_EXCL, {{0644|420}}) → -1 ({{EEXIST|EISDIR}})
// CHECK-NEXT:   malloc(size=7) → 0x{{[0-9a-f]+}}
// CHECK-NEXT:   free
// CHECK-NEXT:   read(fd=-1, buf=0x{{[0-9a-f]+}}, count=5) → -1 (EBADF)
// CHECK-NEXT:   read(fd=-1, buf=0x{{[0-9a-f]+}}, count=5) → -1 (EBADF)
// ONE:      read calls=2 returns=2 exceptions=0
// ONE-NOT:  calls=
// REST-NOT: open
// REST:     read calls=2 returns=2 exceptions=0
// REST-NOT: open
// DUMP:     "name":"open","depth":1,"detail_seq":0,"external":true,"args":{"path":
// DUMP:     "kind":"return"{{.*}}"name":"open","depth":1,"detail_seq":1,"external":true,"return":-1,"return_type":"int32","errno":"ENOENT","registers":{"
// WITHOUT:  {{ }}main{{$}}
// WITHOUT-NOT: {{open|read|malloc}}
int main(void) {
  char text[8];
  open("/nowhere/at/all", O_RDONLY);
  open("/", O_WRONLY | O_CREAT | O_EXCL, 0644);
  free(malloc(7));
  ada_disable("read");
  if (read(-1, text, 5) >= 0)
    return 1;
  ada_enable("read");
  for (int i = 0; i < 2; ++i)
    if (read(-1, text, 5) >= 0)
      return 1;
  return 0;
}
