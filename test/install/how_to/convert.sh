# A session, and files of other tools.
#with trace.json out.json
printf '#include <unistd.h>\n__attribute__((noinline)) void step(void) { usleep(10); }\nint main(void) { step(); step(); }\n' >app.c
ada-clang -O1 -g app.c -o app
adatrace record --quiet --session session ./app
gcc -pg -O1 app.c -o app-pg
uftrace record --no-pager -d uftrace.data ./app-pg
# Every conversion of the page's table.
sed -n 's/^| .* | `\(adatrace convert --to=.*\)` |$/\1/p' "$SOURCE/docs/how-to/convert.md" >conversions
[ "$(wc -l <conversions)" -ge 10 ]
while read -r command; do # several write out.json
  rm -f out.json
  eval "$command"
done <conversions
adatrace convert --to=chrome session out.json
