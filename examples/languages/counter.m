// A class, and an exception that leaves two functions: how to build it is in docs/reference/languages.md.
#import <objc/Object.h>
#import <objc/runtime.h>
#include <stdio.h>
@interface Counter : Object { int count; }
+ (id)make;
- (int)add:(int)n;
- (int)fib:(int)n;
@end
@implementation Counter
+ (id)make { return class_createInstance(self, 0); }
- (int)add:(int)n { count += n; return count; }
- (int)fib:(int)n { return n < 2 ? n : [self fib:n - 1] + [self fib:n - 2]; }
@end
static int fails(int depth) { if (depth == 0) @throw [Counter make]; return fails(depth - 1) + 1; }
int main(void) {
  Counter *c = [Counter make];
  [c add:3]; [c add:4];
  int caught = 0;
  @try { fails(2); } @catch (Counter *e) { caught = [e add:1]; }
  printf("%d %d %d\n", [c add:0], [c fib:10], caught);
}
