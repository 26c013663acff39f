# check_futures.py OPTION EACH.json TREE SOURCE: what `adatrace coroutines` and `tree --args` say about rust_async.rs,
# compiled with OPTION. With inlining before the hooks, some futures are polled inside others, and some drops are not
# calls.
import json
import sys

option, each, tree, source = sys.argv[1], json.load(open(sys.argv[2])), open(sys.argv[3]).read(), open(sys.argv[4]).read()
isPlain = option in ("-Copt-level=0@", "-Copt-level=3@-ada-before-inlining")
line = next(n for n, text in enumerate(source.split("\n"), 1) if text.endswith("// line ENDLESS"))


def named(end):
    return [one for one in each if one["function"].replace("::<..>", "").endswith("::" + end)]


def parent(one):
    return each[one["parent"]] if one["parent"] is not None else None


def check(name, resumptions, isEnded=True, isCancelled=False, state="Returned"):
    for one in named(name):
        assert one["resumptions"] == resumptions and one["ended"] >= isEnded and not one["begin_known"], one
        assert one["cancelled"] == (isCancelled and one["ended"]) and one["state"] == state, one


check("joined", 3)
check("twice", 3)
check("method", 3)
check("fails", 2, state="Panicked")
check("endless", 3, isEnded=False, isCancelled=True, state="Suspend0 (line %d)" % line)
assert [len(named(name)) for name in ("joined", "twice", "method", "fails", "endless")] == [1, 2, 1, 1, 3], each
assert [one["exception"] for one in named("fails")] == [True] and sum(one["exception"] for one in each) == 1, each
assert sum(one["ended"] for one in named("endless")) >= 2, each  # another one was in its place, later
for one in named("twice"):
    assert parent(one) == named("joined")[0] and one["link"] == "resumed", one
for one in named("joined") + named("method") + named("endless") + named("fails"):
    assert one["parent"] is None, one

leaves = named("leaf")
unpolled = [one for one in leaves if one["resumptions"] == 0]
for one in unpolled:
    assert one["cancelled"] and one["ended"] and one["state"] == "Unresumed", one
for one in leaves:
    assert one in unpolled or (one["resumptions"] == 2 and one["ended"] and not one["cancelled"] and one["state"] == "Returned"), one
moved = [one for one in leaves if one["several_threads"]]
assert len(moved) == 1 and moved[0]["parent"] is None, leaves
for one in leaves:
    assert one in moved or one in unpolled or parent(one) in named("twice"), one
if isPlain:
    assert len(unpolled) == 1 and len(leaves) == 6, leaves
    # Two are boxed, two are parts of their parents.
    assert sorted(one["link"] for one in leaves if one["parent"] is not None) == ["awaited"] * 2 + ["resumed"] * 2, leaves
    inside = named("{async_block#0}")
    check("{async_block#0}", 3)
    assert len(inside) == 1 and parent(inside[0]) == named("method")[0] and inside[0]["link"] == "awaited", each
    assert named("endless")[0]["suspended_ns"] + named("endless")[0]["running_ns"] == named("endless")[0]["life_ns"], each

assert "state=Unresumed) → Suspend0 (line %d)" % line in tree, tree
assert "state=Suspend0 (line %d)) → Suspend0 (line %d)" % (line, line) in tree, tree
assert "hashbrown" not in tree, tree  # a crate in std
