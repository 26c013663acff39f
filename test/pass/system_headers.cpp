// RUN: %clangxx_ada -O0 -g -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx_ada -O0 -g -S -emit-llvm %s -o - -mllvm -ada-system-headers | FileCheck %s --check-prefix=ALL
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - -mllvm -ada-system-headers | FileCheck %s --check-prefix=ALL
// RUN: %clangxx_ada -O0 -g -S -emit-llvm %s -o /dev/null -mllvm -ada-why='*push_back*' 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o /dev/null -mllvm -ada-why='*push_back*' 2>&1 | FileCheck %s --check-prefix=WHY-WITHOUT-G
// RUN: %clangxx_ada -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=MAIN --implicit-check-not='@__ada_fn.{{_Z[^ ]*St}}'
// The standard library's templates are left out, by the file in debug information, or without debug information by
// namespace; functions that the user wrote and the library calls are not.
#include <algorithm>
#include <vector>

// MAIN: @__ada_fn.main =
// CHECK: @__ada_fn.main =
// CHECK-NOT: @__ada_fn._ZNSt6vector
// CHECK: @__ada_fn.{{.*}}mine
// CHECK-NOT: @__ada_fn._ZNSt6vector
// ALL-DAG: @__ada_fn.main =
// ALL-DAG: @__ada_fn._ZNSt6vectorI4mineSaIS0_EE9push_back
// ALL-DAG: @__ada_fn.{{.*}}mineEE9construct
// WHY: AdaTrace: std::vector<mine, std::allocator<mine>{{ ?}}>::push_back(mine&&): not traced: from a system header ({{.*}}/bits/stl_vector.h); -ada-system-headers traces it
// WHY-WITHOUT-G: push_back(mine&&): not traced: from a system header (by its namespace, without -g); -ada-system-headers traces it
struct mine {
  int v;
  mine(int v) : v(v) {}
};
int main() {
  std::vector<mine> all;
  all.push_back(mine(3));
  return std::count_if(all.begin(), all.end(), [](mine m) { return m.v == 2; });
}
