// A day in the life of SQLite: tables, indexes, joins, aggregates, sorting, text, transactions, in two threads.
//
//   sqlite_work [ROWS]
#include "sqlite3.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long rows = 2000;

static sqlite3 *openDatabase(void) {
  sqlite3 *db = NULL;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK)
    abort();
  return db;
}

static int printRow(void *name, int columns, char **values, char **names) {
  for (int i = 0; i < columns; ++i)
    printf("%s %s=%s\n", (const char *)name, names[i], values[i] ? values[i] : "null");
  return 0;
}

static void run(sqlite3 *db, const char *name, const char *sql) {
  char *message = NULL;
  if (sqlite3_exec(db, sql, printRow, (void *)name, &message) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, message);
    exit(1);
  }
}

static void fill(sqlite3 *db) {
  sqlite3_stmt *insert = NULL;
  sqlite3_prepare_v2(db, "insert into item(name, price, shop) values(?, ?, ?)", -1, &insert, NULL);
  unsigned random = 1;
  run(db, "", "begin");
  for (long i = 0; i < rows; ++i) {
    char name[40];
    random = random * 1103515245u + 12345u;
    snprintf(name, sizeof name, "item %u of %ld", random % 997, i);
    sqlite3_bind_text(insert, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_double(insert, 2, random % 10007 / 100.0);
    sqlite3_bind_int64(insert, 3, random % 31);
    sqlite3_step(insert);
    sqlite3_reset(insert);
  }
  run(db, "", "commit");
  sqlite3_finalize(insert);
}

static void *work(void *name) {
  sqlite3 *db = openDatabase();
  run(db, name, "create table shop(id integer primary key, town text)");
  run(db, name, "create table item(id integer primary key, name text, price real, shop integer references shop(id))");
  run(db, name,
      "with recursive n(i) as (select 0 union all select i + 1 from n where i < 30)"
      " insert into shop select i, printf('town %d', i * i) from n");
  fill(db);
  run(db, name, "create index by_price on item(price, name)");
  run(db, name, "select count(*) as items, sum(price) as price from item");
  run(db, name, "select count(*) as joined from item join shop on item.shop = shop.id where town like '%1%'");
  run(db, name, "select max(n) as longest from (select length(group_concat(name)) as n from item group by shop)");
  run(db, name, "select name as cheapest from item order by price, name limit 1");
  run(db, name, "update item set price = price * 2 where id % 3 = 0");
  run(db, name, "delete from item where name glob '*7 of*'");
  run(db, name, "select count(distinct substr(name, 1, 8)) as names from item");
  run(db, name, "pragma integrity_check");
  sqlite3_close(db);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc > 1)
    rows = atol(argv[1]);
  pthread_t second;
  if (pthread_create(&second, NULL, work, "second") != 0)
    return 1;
  pthread_join(second, NULL);
  work("main");
  return 0;
}
