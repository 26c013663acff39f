// An exception, a template, a thread: how to build it is in docs/reference/languages.md.
module failure;
import core.thread, std.stdio;
class Failure : Exception { this(string text) { super(text); } }
struct Guard { int n; ~this() { drops++; } }
__gshared int drops;
pragma(inline, false):
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int fails(int depth) { auto g = Guard(depth); if (depth == 0) throw new Failure("deep"); return fails(depth - 1) + 1; }
T largest(T)(T[] list) { T best = list[0]; foreach (x; list) if (x > best) best = x; return best; }
size_t text(string s, int times) { return s.length * times; }
void main() {
  int caught;
  try fails(3); catch (Failure e) caught = 1;
  auto t = new Thread({ fib(5); }).start();
  t.join();
  writeln(fib(10), " ", caught, " ", drops, " ", largest([1, 5, 3]), " ", largest([1.5, 0.5]), " ", text("abc", 2));
}
