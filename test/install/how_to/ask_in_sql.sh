# Two sessions, one with arguments, and the newest under ./ada-traces.
printf '__attribute__((noinline)) void step(int n) { for (volatile int i = 0; i < n * 100; ++i) ; }\n__attribute__((noinline)) void handle(int n) { step(n); step(2 * n); }\nint main(void) { for (int i = 0; i < 9; ++i) handle(i); }\n' >app.c
ada-clang -O1 -g app.c -o app
for session in session before after; do adatrace record --quiet --detail=step --session $session ./app; done
adatrace record --quiet --detail=step ./app
echo 'SELECT name, count(*) FROM spans GROUP BY name' >queries.sql
