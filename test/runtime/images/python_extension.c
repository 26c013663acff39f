// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -fPIC -shared -I%extension_include %s -o %t/traced_extension.so
// RUN: cd %t && %session %python -c 'import traced_extension as e; print(e.sum_to(5)); print(e.sum_to(0))' | FileCheck %s --check-prefix=OUT
// RUN: %calls tree --open=0 %t/session | FileCheck --strict-whitespace %s
// REQUIRES: python-headers
// (Python.h of the python that runs the tests.) An extension module in an interpreter without hooks.
// OUT: 15
// OUT: 0
// CHECK:      {{^}}PyInit_traced_extension
// CHECK-NEXT: {{^}}sumTo
// CHECK-NEXT: {{^}}  add
// CHECK-NEXT: {{^}}  add
// CHECK-NEXT: {{^}}  add
// CHECK-NEXT: {{^}}  add
// CHECK-NEXT: {{^}}  add
// CHECK-NEXT: {{^}}sumTo
// CHECK-NOT:  {{.}}
#define PY_SSIZE_T_CLEAN
#include <Python.h>
__attribute__((noinline)) static long add(long a, long b) {
  __asm__ volatile("" : "+r"(a));
  return a + b;
}
static PyObject *sumTo(PyObject *self, PyObject *argument) {
  (void)self;
  long sum = 0;
  for (long i = 1; i <= PyLong_AsLong(argument); ++i)
    sum = add(sum, i);
  return PyLong_FromLong(sum);
}
static PyMethodDef methods[] = {{"sum_to", sumTo, METH_O, "1 + 2 + ... + n"}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "traced_extension", NULL, -1, methods, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_traced_extension(void) { return PyModule_Create(&module); }
