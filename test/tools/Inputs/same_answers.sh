# same_answers.sh ONE OTHER: every command prints the same of two sessions, as messages and as results, and returns the
# same. Sizes of files may differ.
set -u
place=$(mktemp -d "$PWD/same.XXXXXX")
trap 'rm -rf "$place"' EXIT
for side in 1 2; do mkdir "$place/$side" && cp -r "$1" "$place/$side/trace.adatrace" || exit 1; shift; done
echo "calls(main) < 1" > "$place/rules"
failed=0
while read -r command; do
  for side in 1 2; do
    (cd "$place/$side" && eval "adatrace $command" > ../out.$side 2> ../err.$side; echo "status $?" >> ../out.$side)
    sed -i -E '/^ *size /d; s/, [0-9.]+ ([KMG]iB|bytes)$//' "$place/out.$side"
  done
  cmp -s "$place/out.1" "$place/out.2" && cmp -s "$place/err.1" "$place/err.2" && continue
  echo "different: $command"
  diff "$place/out.1" "$place/out.2"
  diff "$place/err.1" "$place/err.2"
  failed=1
done << 'END'
tree trace.adatrace
tree --format=jsonl trace.adatrace
report trace.adatrace
report --format=json trace.adatrace
report --args trace.adatrace
graph trace.adatrace
flame trace.adatrace
stacks trace.adatrace
last trace.adatrace
waits trace.adatrace
why trace.adatrace
outliers trace.adatrace
coroutines trace.adatrace
diff trace.adatrace trace.adatrace
info trace.adatrace
dump trace.adatrace
dump --format=jsonl trace.adatrace
verify trace.adatrace
check ../rules trace.adatrace
convert -q trace.adatrace - --to=dial9
convert -q trace.adatrace - --to=wtf
convert -q trace.adatrace - --to=chrome
convert -q trace.adatrace - --to=folded
END
exit $failed
