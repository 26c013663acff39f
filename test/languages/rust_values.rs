// Values of arguments and results are right or shown as unknown ('?'), however rustc passes them: scalars, pairs in two
// registers, small structs in one, large ones and String by address, &str with its text. Enumerations with data are
// unknown, except an Option of a reference, which is an address. "()" is left out.
// REQUIRES: rust
// RUN: rm -rf %t && mkdir %t
// RUN: for rustc in %rustcs; do for o in 0 1 3; do \
// RUN:   RUSTC_BOOTSTRAP=1 $rustc --edition=2021 -g $(RUSTC=$rustc adatrace flags --rust) -Copt-level=$o --crate-type=staticlib %s -o %t/values.a && \
// RUN:   %clang -x c - <<<'void run(void); int main(void) { run(); }' -x none %t/values.a %runtime -lpthread -ldl -lm -o %t/app && \
// RUN:   rm -rf %t/s && adatrace record --quiet --detail='*' --strings=32 --session %t/s %t/app && \
// RUN:   adatrace tree --args --no-fold %t/s | FileCheck %s || exit 1; done; done
#![feature(bench_black_box)]
#![allow(stable_features)]
#![allow(dead_code)]
use std::hint::black_box as used;
#[derive(Clone, Copy)]
pub enum Colour { Red, Green = 5 }
#[derive(Clone, Copy)]
pub enum Shape { Circle(f64), Square(u32) }
#[derive(Clone, Copy)]
pub struct Pair { x: u8, y: u32 }
#[derive(Clone, Copy)]
pub struct Three { x: u8, y: u8, z: u8 }
#[derive(Clone, Copy)]
pub struct Big { a: u64, b: u64, c: u64 }

macro_rules! functions {
    ($(fn $name:ident($($parameter:ident: $type:ty),*) -> $result:ty { $value:expr })*) => {
        $(#[inline(never)] #[no_mangle] pub fn $name($($parameter: $type),*) -> $result { $(used(&$parameter);)* $value })*
    }
}
functions! {
    fn ints(a: i8, b: u16, c: i32, d: i64, e: i128, f: usize) -> i64 { a as i64 + b as i64 + c as i64 + d + e as i64 + f as i64 }
    fn other(c: char, t: bool, k: Colour, x: f32, y: f64) -> f64 { if t { x as f64 + y } else { c as u32 as f64 + k as u32 as f64 } }
    fn texts(s: &str, v: &[u16], o: &str) -> usize { s.as_bytes()[s.len() - 1] as usize + v.len() + o.as_bytes()[1] as usize }
    fn options(x: Option<&u32>, y: Option<u32>, z: Option<u8>, last: u32) -> Option<u32> { Some(last) }
    fn structs(p: Pair, u: (), t: Three, g: Big, last: u16) -> Pair { Pair { x: 7, y: 70000 } }
    fn shapes(s: Shape, last: u32) -> u32 { last }
    fn tuples(t: (u32, f32), v: (u64, u64), w: [u8; 4], z: [u32; 3], last: u8) -> (u32, f32) { (last as u32, t.1) }
    fn owned(s: String, v: Vec<u8>, last: u8) -> u64 { s.len() as u64 + v.len() as u64 }
}
// CHECK: ints(a=-5, b=500, c=-70000, d=1099511627776, e={{-1|\?}}, f=12){{( → .*)?$}}
// CHECK: other(c=223, t=true, k=Colour::Green, x=1.5, y=2.25)
// CHECK: other(c=97, t=false, k=Colour::Red, x=-1.5, y=0)
// CHECK: texts(s="hello", v={data_ptr=0x{{[0-9a-f]+}}, length=3}, o="wörld")
// CHECK: options(x=0x{{[0-9a-f]+}}, y=?, z=?, last=11)
// CHECK: options(x=0x0, y=?, z=?, last=12)
// CHECK: structs(p={x=1, y=2}, t={x=1, y=2, z=3}, g=?, last=65535)
// CHECK: shapes(s=?, last=3)
// CHECK: shapes(s=?, last=4)
// CHECK: tuples(t={__0=1, __1=2.5}, v={__0=3, __1=4}, w=[1, 2, 3, 4], z=?, last=8)
// CHECK: owned(s=?, v=?, last=2)
#[no_mangle]
pub extern "C" fn run() {
    used(ints(used(-5), used(500), used(-70000), used(1 << 40), used(-1), used(12)));
    used(other(used('ß'), used(true), used(Colour::Green), used(1.5), used(2.25)));
    used(other(used('a'), used(false), used(Colour::Red), used(-1.5), used(0.0)));
    used(texts(used("hello"), used(&[1, 2, 3]), used("wörld")));
    used(options(used(Some(&7)), used(Some(8)), used(Some(9)), used(11)));
    used(options(used(None), used(None), used(None), used(12)));
    let pair = used(structs(used(Pair { x: 1, y: 2 }), (), used(Three { x: 1, y: 2, z: 3 }), used(Big { a: 1, b: 2, c: 3 }), used(65535)));
    used(pair.x as u32 + pair.y);
    used(shapes(used(Shape::Circle(1.0)), used(3)));
    used(shapes(used(Shape::Square(4)), used(4)));
    used(tuples(used((1, 2.5)), used((3, 4)), used([1, 2, 3, 4]), used([5, 6, 7]), used(8)));
    used(owned(used("own".into()), used(vec![1]), used(2)));
}
