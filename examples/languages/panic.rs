// A panic that leaves four calls, values that are dropped on the way, a generic function, threads:
// how to build it is in docs/reference/rust.md.
use std::{panic, thread};

struct Guard(u32);

impl Drop for Guard {
    #[inline(never)]
    fn drop(&mut self) {
        eprintln!("dropped {}", self.0);
    }
}

#[inline(never)]
fn fails(depth: u32) -> u32 {
    let _guard = Guard(depth);
    if depth == 0 {
        panic!("deep");
    }
    fails(depth - 1) + 1
}

#[inline(never)]
fn largest<T: PartialOrd + Copy>(list: &[T]) -> Option<T> {
    let mut best = *list.first()?;
    for &x in list {
        if x > best {
            best = x;
        }
    }
    Some(best)
}

#[inline(never)]
fn repeated(text: &str, times: usize) -> String {
    text.repeat(times)
}

fn main() {
    println!("{:?} {:?}", largest(&[1, 5, 3]), largest(&[1.5, 0.5]));
    println!("{}", panic::catch_unwind(|| fails(3)).is_err());
    let threads: Vec<_> = (0..3).map(|n| thread::spawn(move || repeated("ab", n).len())).collect();
    println!("{}", threads.into_iter().map(|t| t.join().unwrap()).sum::<usize>());
}
