// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clang -O1 %s -o p
// RUN: adatrace record --session=few sh -c 'for i in $(seq 3); do ./p; done' 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: adatrace record --session=many sh -c 'for i in $(seq 21); do ./p; done' 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: adatrace processes many | FileCheck %s --check-prefix=PROCESSES
// Where many processes were recorded, the closing line says how many, and leads to the list of them.
// FEW: adatrace: 6 events in {{.*}}; next: adatrace why few
// MANY: adatrace: 42 events of 21 processes in {{.*}}; next: adatrace processes many
// PROCESSES: {{ 21 +42 .* p }}
int main(void) { return 0; }
