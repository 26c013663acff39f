# A program with a configure script, in C++ and in C.
#with PREFIX $PREFIX
cat >app.cpp <<'END'
#include <cstdio>
__attribute__((noinline)) int twice(int n) { return n + n; }
int main() { return std::printf("%d\n", twice(21)) < 0; }
END
sed 's/<cstdio>/<stdio.h>/; s/std:://; s/main()/main(void)/' app.cpp >app.c
cat >configure <<'END'
#!/bin/sh
# A tried program must not be traced.
[ "$ADA_WRAPPER_OFF" = 1 ] || exit 1
echo 'int main(void) { return 0; }' >conftest.c
for assignment; do eval "$assignment"; done
$CC conftest.c -o conftest && ./conftest || exit 1
! grep -q __ada_enter conftest || exit 1
printf 'made: app.cpp\n\t%s -O2 app.cpp -o made\n' "$CXX" >Makefile
END
chmod +x configure
atTheEnd() {
  file app | has 'ARM aarch64'
  adatrace record --quiet --session last ./made
  [ "$(adatrace report --format=jsonl --include='twice*' last | wc -l)" = 1 ]
}
