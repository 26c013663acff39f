# A server that ends at once.
#with /var/lib/ada-traces traces
echo 'int main(void) { return 0; }' >server.c
ada-clang server.c -o server
atTheEnd() { adatrace verify -q traces/session_*; }
