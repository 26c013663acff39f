// RUN: %clang_ada -x c++ -std=c++17 -O0 -g -S -emit-llvm %s -o - | FileCheck %s
// Strings of libc++ have a separate name in a function's types, because their layout differs from libstdc++'s. Other types called so are neither.
// CHECK-DAG: s:i0:r(const std{{[^a-z]+}}__1{{[^a-z]+}}string)
// CHECK-DAG: t:i0:r(std{{[^a-z]+}}__1{{[^a-z]+}}string)
// CHECK-DAG: u:i0:r(const mine{{[^a-z]+}}basic_string<
namespace std {
inline namespace __1 {
template <class C> struct char_traits;
template <class C> struct allocator;
template <class C, class T, class A> struct basic_string {
  basic_string(const basic_string &other) : data(other.data) {}
  ~basic_string() {}
  C *data;
  unsigned long size, capacity;
};
typedef basic_string<char, char_traits<char>, allocator<char>> string;
} // namespace __1
} // namespace std
namespace mine {
template <class C, class T, class A> struct basic_string {
  C *data;
};
} // namespace mine
void byReference(const std::string &s) {}
void byValue(std::string t) {}
void another(const mine::basic_string<char, std::char_traits<char>, std::allocator<char>> &u) {}
void use(const std::string &s) { byValue(s); }
