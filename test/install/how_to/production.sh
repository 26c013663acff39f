# A server that ends at once.
#with /var/lib/ada-traces traces
echo 'int main(void) { return 0; }' >server.c
ada-clang server.c -o server
atTheEnd() { adatrace verify -q traces/session_*; }
# Only this test's rings.
mkdir rings
adatrace() {
  [ "$1 $2" = "recover --clean" ] && set -- "$@" --ring rings
  command adatrace "$@"
}
