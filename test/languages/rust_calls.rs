// Calls are exact, whatever the optimisation: those of generic functions, closures and threads, and those that a panic
// leaves, of which values are dropped on the way. The standard library is not traced, nor are its generic functions that
// are compiled here.
// REQUIRES: rust
// RUN: rm -rf %t && mkdir %t
// RUN: for rustc in %rustcs; do for o in -Copt-level=0 -Copt-level=3 '-Copt-level=3 -Clto=fat' '-Copt-level=1 -g -Csymbol-mangling-version=v0'; do \
// RUN:   RUSTC_BOOTSTRAP=1 $rustc --edition=2021 $(RUSTC=$rustc adatrace flags --rust) $o %s -o %t/app && \
// RUN:   %t/app 2>%t/expected && rm -rf %t/s && \
// RUN:   adatrace record --quiet --session %t/s %t/app 2>%t/recorded && cmp %t/expected %t/recorded && \
// RUN:   adatrace report --format=csv --columns=function,calls,exceptions %t/s > %t/out && \
// RUN:   FileCheck %s --input-file=%t/out --implicit-check-not=alloc:: --implicit-check-not=std:: && \
// RUN:   { [ "$o" != -Copt-level=0 ] || FileCheck %s --input-file=%t/out --check-prefix=PLAIN; } || exit 1; done; done
// CHECK-DAG: {{^}}main,1,0
// CHECK-DAG: rust_calls::main,1,0
// CHECK-DAG: rust_calls::deep,6,6
// CHECK-DAG: <rust_calls::Guard as core::ops::drop::Drop>::drop,6,0
// CHECK-DAG: rust_calls::apply,1,0
// CHECK-DAG: rust_calls::largest{{(::<\.\.>)?}},1,0
// CHECK-DAG: rust_calls::largest{{(::<\.\.>)?}},1,0
// PLAIN-DAG: rust_calls::fib,148,0
// PLAIN-DAG: rust_calls::main::{{.*}}closure{{.*}},1,1
// PLAIN-DAG: rust_calls::main::{{.*}}closure{{.*}},10,0
use std::panic;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static DROPS: AtomicU32 = AtomicU32::new(0);

struct Guard;
impl Drop for Guard {
    #[inline(never)]
    fn drop(&mut self) {
        DROPS.fetch_add(1, Ordering::Relaxed);
    }
}

#[inline(never)]
fn deep(depth: u32) -> u32 {
    let _guard = Guard;
    if depth == 0 {
        panic!("deep");
    }
    deep(depth - 1) + 1
}

#[inline(never)]
fn fib(n: u32) -> u32 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[inline(never)]
fn largest<T: PartialOrd + Copy>(list: &[T]) -> T {
    let mut best = list[0];
    for &x in list {
        if x > best {
            best = x;
        }
    }
    best
}

#[inline(never)]
fn apply(f: &dyn Fn(u32) -> u32, times: u32) -> u32 {
    (0..times).map(|n| f(n)).sum()
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let count = std::env::args().count() as u32;
    let caught = panic::catch_unwind(|| deep(4 + count)).is_err();
    let numbers = vec![count, 5, 3];
    let sum: u32 = (0..4).map(|n| thread::spawn(move || fib(n + 5))).map(|t| t.join().unwrap()).sum();
    eprintln!("{} {} {}", caught, DROPS.load(Ordering::Relaxed), sum);
    eprintln!("{} {}", largest(&numbers), largest(&["a", "b"]));
    eprintln!("{}", apply(&|n| n + count, 10));
}
