// Functions with many kinds of names, each called once (globs.py).
#define KEEP __attribute__((noinline))

namespace net {
KEEP int parse(int x) { return x; }
KEEP int parse(char x) { return x; }
template <class T> KEEP T scaled(T x) { return x; }
template <class T> KEEP const T *pointer_to(const T &x) { return &x; }
KEEP int twice(int x) { return x + x; }
template <class T> KEEP int (*chosen(T))(int) { return twice; }

struct Vector {
  KEEP int operator[](int i) const { return i; }
  KEEP int operator()(int i) const { return i; }
  KEEP bool operator<(const Vector &) const { return false; }
  KEEP int operator|(int i) const { return i; }
  KEEP int operator*(int i) const { return i; }
  KEEP operator int() const { return 1; }
  KEEP long with_a_rather_long_name(int (&all)[3]) const { return all[0]; }
};

template <class T> struct Box {
  T value;
  KEEP T get() const { return value; }
  template <class U> KEEP U as() const { return value; }
  template <class U> KEEP bool operator<(U other) const { return value < other; }
};
} // namespace net

namespace {
KEEP int hidden(int x) { return x; }
} // namespace
extern "C" KEEP int plain_c(int x) { return x; }
__attribute__((abi_tag("v2"))) KEEP int tagged(int x) { return x; }

int main() {
  const net::Vector vector{};
  const net::Box<int> box{1};
  int all[3] = {1, 2, 3};
  long sum = net::parse(1) + net::parse('a') + net::scaled(1) + net::scaled(2.0) + *net::pointer_to(1);
  sum += net::chosen(1)(2) + vector[1] + vector(2) + (vector < vector) + (vector | 1) + vector * 2 + int(vector);
  sum += vector.with_a_rather_long_name(all) + box.get() + box.as<long>() + (box < 2L);
  return (sum + hidden(1) + plain_c(1) + tagged(1)) == 0;
}
