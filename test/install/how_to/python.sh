#with PREFIX $PREFIX
cp "$HERE/server.cpp" .
# All pieces are one program. The package is left out of builds without pybind11.
[ -d "$PREFIX/lib/python3/dist-packages" ] || exit 0
atTheEnd() {
  ls blocks/*.python | sort -t/ -k2n | xargs cat >page.py
  echo 'assert len(slow) > 0 and own > 0 and len(frame) > 2000 and len(busiest) == 5, (len(slow), own, len(frame))' >>page.py
  /usr/bin/python3 -B page.py
}
