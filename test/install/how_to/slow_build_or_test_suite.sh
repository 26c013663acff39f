# Twelve tests of a small program, of which one sleeps and one computes for long.
cat >convert.c <<'EOF'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static unsigned long parse(unsigned long n) {
  unsigned long sum = 0;
  for (unsigned long i = 0; i < n; ++i)
    sum = sum * 31 + i;
  return sum;
}
__attribute__((noinline)) static unsigned long import(const char *name) {
  if (!strcmp(name, "remote"))
    usleep(200000);
  return parse(!strcmp(name, "large") ? 100000000 : 10000);
}
int main(int count, char **words) { return count < 3 || import(words[2]) == 7 || !strcmp(words[2], "broken"); }
EOF
cat >Makefile <<'EOF'
TESTS = one two three four five six seven eight nine large remote broken
check: $(TESTS)
$(TESTS): ; -./convert --from $@
convert: convert.c
	$(CC) -O1 -g -o $@ $<
.PHONY: check $(TESTS)
EOF
atTheEnd() {
  adatrace processes --format=json suite >processes.json
  adatrace why --process=all --format=json suite >why.json
  python3 - <<'EOF'
import json
(line,) = json.load(open("processes.json"))
assert (line["program"], line["count"], line["failed"]) == ("convert", 12, 1), line
assert line["median_ns"] < line["max_ns"] and line["command"] == "convert --from …", line
why = json.load(open("why.json"))
assert sum(row["total_ns"] for row in why["chain"]) == why["total_ns"], why
assert sum(row["total_ns"] for row in why["at_once"] or [why]) == why["total_ns"], why
assert {row["link"] for row in why["chain"]} <= {"order", "nothing"}, why
EOF
}
