#!/usr/bin/env python3
"""Builds a Rust program with hooks and with rustc's coverage counters in the same code, runs it, and compares the calls of each function.

    rust_counts.py --dir DIR --adatrace build/release/bin/adatrace

The program parses text by regex and serde_json (librust-regex-dev, librust-serde-json-dev). It is built without optimization, by the cargo and rustc of PATH,
which need profiler_builtins (those of rustup have it); llvm-cov and llvm-profdata must be of rustc's LLVM. Functions that have no counters (derived traits,
drops) are not compared, and named with --verbose. Run by hand: 736 functions, 143,657 calls are equal (rustc 1.95).
"""
import argparse
import json
import os
import re
import shutil
import sys

from gcov_counts import call

MANIFEST = """[package]
name = "app"
version = "0.1.0"
edition = "2021"
[dependencies]
regex = "1"
serde_json = "1"
"""
CONFIG = """[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"
"""
PROGRAM = r"""
use regex::Regex;
use serde_json::{json, Value};

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 1,
    }
}

fn main() {
    let word = Regex::new(r"(?i)\b([a-z]+)-(\d{2,4})\b").unwrap();
    let text = "alpha-12 beta-3 Gamma-4711, delta-99999 and epsilon-007. ".repeat(20);
    let list: Vec<Value> = word.captures_iter(&text).map(|found| json!({ "name": &found[1], "number": found[2].parse::<u32>().unwrap() })).collect();
    let written = serde_json::to_string(&json!({ "list": list, "nested": [[1.5, [true, null]], "\u{1F600}\n"] })).unwrap();
    let read: Value = serde_json::from_str(&written).unwrap();
    let bad = ["{", "[1,", "\"\\u12", "nul", "1e999"].iter().filter(|text| serde_json::from_str::<Value>(text).is_err()).count();
    println!("{} {} {} {}", list.len(), depth(&read), bad, word.replace_all(&text, "$2-$1").len());
}
"""


def write(directory, name, text):
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--adatrace", required=True)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    directory, adatrace = os.path.abspath(arguments.dir), os.path.abspath(arguments.adatrace)
    llvm = re.search(r"LLVM version: (\d+)", call(["rustc", "-vV"], ".")).group(1)
    for name, text in (("Cargo.toml", MANIFEST), (".cargo/config.toml", CONFIG), ("src/main.rs", PROGRAM)):
        write(directory, name, text)
    shutil.rmtree(os.path.join(directory, "session"), ignore_errors=True)
    profile = os.path.join(directory, "app.profraw")
    environment = {**os.environ, "CARGO_HOME": os.path.join(directory, "home"), "RUSTFLAGS": "-Cinstrument-coverage", "LLVM_PROFILE_FILE": os.devnull}
    # Macros of std make some functions of the crates.
    call([adatrace, "cargo", "build", "--quiet", "--offline"], directory, env={**environment, "ADA_PASS_OPTIONS": "-ada-system-headers"})
    app = "target/debug/app"
    call([adatrace, "record", "--quiet", "--format=packed", "--session=session", app], directory, env={**environment, "LLVM_PROFILE_FILE": profile})
    call([adatrace, "verify", "--quiet", "session"], directory)
    call([f"llvm-profdata-{llvm}", "merge", "-sparse", profile, "-o", "app.profdata"], directory)
    coverage = json.loads(call([f"llvm-cov-{llvm}", "export", "-format=text", "-instr-profile=app.profdata", app], directory))
    counted = {function["name"]: function["count"] for function in coverage["data"][0]["functions"]}
    report = json.loads(call([adatrace, "report", "--names=mangled", "--limit=0", "--format=json", "session"], directory))
    recorded = {row["function"]: row["calls"] for row in report}
    without = [name for name in recorded if name not in counted]
    expected = {name: calls for name, calls in counted.items() if calls and name in recorded}
    # What is not in the program any more was inlined: #[inline(always)].
    symbols = set(call(["nm", "--format=just-symbols", app], directory).split())
    unseen = [name for name, calls in counted.items() if calls and name not in recorded and name in symbols]
    wrong = [name for name in expected if expected[name] != recorded[name]] + [name for name in recorded if counted.get(name) == 0] + unseen
    for name in wrong:
        print(f"{name}: {recorded.get(name, 0)} calls recorded, {counted[name]} counted")
    if arguments.verbose:
        for name in without:
            print(f"{name}: {recorded[name]} calls recorded, no counter")
    print(f"{len(expected)} functions, {sum(expected.values())} calls compared, {len(wrong)} differ; {len(without)} functions have no counter")
    sys.exit(1 if wrong or not expected else 0)


if __name__ == "__main__":
    main()
