// The polls of a future are joined: how often it was polled, in which state it is, how it ended, and which other one
// awaited it. Futures within futures, joined by hand, boxed, generic, of methods, left by a panic, dropped while they are
// suspended or before they were polled, in the same place as others before, and polled by two threads.
// REQUIRES: rust
// RUN: rm -rf %t && mkdir %t
// RUN: for rustc in %rustcs; do for o in -Copt-level=0@ -Copt-level=3@ '-Copt-level=1 -Csymbol-mangling-version=v0@' -Copt-level=3@-ada-before-inlining; do \
// RUN:   ADA_PASS_OPTIONS=${o#*@} RUSTC_BOOTSTRAP=1 $rustc --edition=2021 -g $(RUSTC=$rustc adatrace flags --rust) ${o%@*} %s -o %t/app && rm -rf %t/s && \
// RUN:   adatrace record --quiet --coroutines=1 --session %t/s %t/app > %t/out && grep -qx 'sum 42, 3 3 boxed, caught true' %t/out && \
// RUN:   adatrace verify --quiet %t/s && adatrace coroutines --each --format=json %t/s > %t/each.json && \
// RUN:   adatrace tree --args %t/s > %t/tree && %python %S/Inputs/check_futures.py "$o" %t/each.json %t/tree %s || exit 1; done; done
// RUN: adatrace coroutines %t/s | FileCheck %s
// CHECK-DAG: {{^.*}}    rust_async::twice{{.*}} [resumed there]
// CHECK-DAG: rust_async::endless {{.*}}cancelled]
// CHECK-DAG: rust_async::fails [1 left by exception]
use std::collections::HashMap;
use std::future::Future;
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};

struct Yield(bool);
impl Future for Yield {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        self.0 = !self.0;
        if self.0 { Poll::Pending } else { Poll::Ready(()) }
    }
}

struct Nothing;
impl Wake for Nothing {
    fn wake(self: Arc<Self>) {}
}

/// Polls a future at most so often.
#[inline(never)]
fn run<T>(future: Pin<&mut dyn Future<Output = T>>, most: u32) -> Option<T> {
    let mut future = future;
    let waker = Arc::new(Nothing).into();
    let mut context = Context::from_waker(&waker);
    (0..most).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    })
}

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

async fn leaf(n: u32) -> u32 {
    Yield(false).await;
    n
}

async fn twice<T: Into<u32> + Send>(n: T) -> u32 {
    let n = n.into();
    let first: Boxed<u32> = Box::pin(leaf(n));
    first.await + leaf(n).await // two await points
}

struct Owner(u32);
impl Owner {
    async fn method(&self) -> String {
        let inside = async {
            Yield(false).await;
            Yield(false).await;
            self.0
        };
        format!("{}", inside.await)
    }
}

/// Polls both until both have finished.
struct Join<'a>(Pin<&'a mut (dyn Future<Output = u32> + Send)>, Pin<&'a mut (dyn Future<Output = u32> + Send)>, u32, u32);
impl Future for Join<'_> {
    type Output = u32;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u32> {
        let this = &mut *self;
        if this.2 == 0 {
            if let Poll::Ready(n) = this.0.as_mut().poll(context) { this.2 = n }
        }
        if this.3 == 0 {
            if let Poll::Ready(n) = this.1.as_mut().poll(context) { this.3 = n }
        }
        if this.2 > 0 && this.3 > 0 { Poll::Ready(this.2 + this.3) } else { Poll::Pending }
    }
}

async fn joined() -> u32 {
    let mut a: Boxed<u32> = Box::pin(twice(10u8));
    let mut b: Boxed<u32> = Box::pin(twice(11u16));
    Join(a.as_mut(), b.as_mut(), 0, 0).await
}

async fn endless() -> u32 {
    loop {
        Yield(false).await // line ENDLESS
    }
}

async fn fails() -> u32 {
    Yield(false).await;
    panic!("fails");
}

fn main() {
    set_hook(Box::new(|_| {}));
    let sum = run(Box::pin(joined()).as_mut(), 100).unwrap();
    let owner = Owner(3);
    let text = run(Box::pin(owner.method()).as_mut(), 100).unwrap();
    // Three in the same place, one after the other: each is dropped after three polls.
    for _ in 0..3 {
        let mut future = Box::pin(endless());
        assert!(run(future.as_mut(), 3).is_none());
    }
    drop(Box::pin(leaf(1)) as Boxed<u32>); // never polled
    let mut bad: Boxed<u32> = Box::pin(fails());
    let caught = catch_unwind(AssertUnwindSafe(|| run(bad.as_mut(), 9))).is_err();
    // Suspended in one thread, finished in another.
    let mut moved: Boxed<u32> = Box::pin(leaf(3));
    assert!(run(moved.as_mut(), 1).is_none());
    let moved = std::thread::spawn(move || run(moved.as_mut(), 9).unwrap()).join().unwrap();
    let remainders: HashMap<u32, u32> = (0..9).map(|n| (n % moved, n)).collect();
    println!("sum {}, {} {} boxed, caught {}", sum, text, remainders.len(), caught);
}
