// Variables whose members have names: nested, in arrays, of base classes, behind a typedef, in namespaces.
struct Lock {
  int word, owner;
};
struct Base {
  long id;
  Lock lock;
};
typedef Lock Pair[2];
struct Table : Base {
  Lock shards[3];
  Pair pair;
  union {
    int number;
    Lock *next;
  };
};
namespace store {
Table rows;
static Lock single;
Lock *current = &single;
} // namespace store
Table tables[2][2];
