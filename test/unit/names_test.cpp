// Names are demangled with the suffixes that compilers append, and folded so that different functions stay distinct.
#include "trace/names.h"

#include <gtest/gtest.h>

using namespace ada;

namespace {

TEST(Demangle, NamesAndSuffixes) {
  EXPECT_EQ(demangle("main"), "main");
  EXPECT_EQ(demangle(""), "");
  EXPECT_EQ(demangle("_Z1fi"), "f(int)");
  EXPECT_EQ(demangle("__Z1fi"), "f(int)"); // macOS
  EXPECT_EQ(demangle("_ZN2ns1A4workEv.resume"), "ns::A::work() [.resume]");
  EXPECT_EQ(demangle("_Z1fi.destroy"), "f(int) [.destroy]");
  EXPECT_EQ(demangle("_Z1fi.part.0.cold"), "f(int) [.part.0.cold]");
  EXPECT_EQ(demangle("_Z1fi.llvm.1234567890"), "f(int)");
  EXPECT_EQ(demangle("_Z1fi.__uniq.123.llvm.456"), "f(int)");
  EXPECT_EQ(demangle("_Z1fi.__uniq.123.resume"), "f(int) [.resume]");
  EXPECT_EQ(demangle("helper.llvm.99"), "helper");
  EXPECT_EQ(demangle("helper.cold"), "helper.cold");
  EXPECT_EQ(demangle("_Znot_mangled"), "_Znot_mangled");
  EXPECT_EQ(demangle("_Z"), "_Z");
}

TEST(Demangle, NewTypes) {
  EXPECT_EQ(demangle("_Z1fDF16_PDF16_S_"), "f(_Float16, _Float16*, _Float16*)");
  EXPECT_EQ(demangle("_Z1fDF16b"), "f(std::bfloat16_t)");
  EXPECT_EQ(demangle("_Z1fDB7_DU37_S_"), "f(_BitInt(7), unsigned _BitInt(37), _BitInt(7))");
  // As LLVM 22 shows it: with substitutions, in templates, and beside names that look like these types.
  EXPECT_EQ(demangle("_ZN4DU3_1gEDB7_S0_PDU37_S2_5DB7_xIS0_EPS4_RKS1_"),
            "DU3_::g(_BitInt(7), _BitInt(7), unsigned _BitInt(37)*, unsigned _BitInt(37)*, DB7_x<_BitInt(7)>, "
            "DB7_x<_BitInt(7)>*, unsigned _BitInt(37) const&)");
  EXPECT_EQ(demangle("_ZN4DU3_1hILi12EEEiRAT__5DB7_xIDU37_EPFiDB7_S6_E"),
            "int DU3_::h<12>(DB7_x<unsigned _BitInt(37)> (&) [12], int (*)(_BitInt(7), _BitInt(7)))");
  EXPECT_EQ(demangle("_Z4DB7_5DB7_xIDF16_E"), "DB7_(DB7_x<_Float16>)");
  EXPECT_EQ(demangle("_Z1fDB7"), "_Z1fDB7");
  EXPECT_EQ(demangle("_Z99999fDB7_"), "_Z99999fDB7_");
}

TEST(Demangle, Rust) {
  EXPECT_EQ(demangle("_ZN4core3fmt9Formatter9write_fmt17h0123456789abcdefE"), "core::fmt::Formatter::write_fmt");
  EXPECT_EQ(demangle("_ZN4core3fmt9Formatter9write_fmt17h0123456789abcdefE.llvm.99"),
            "core::fmt::Formatter::write_fmt");
  EXPECT_EQ(demangle("_ZN3app4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE"), "app::main::{{closure}}");
  EXPECT_EQ(demangle("_ZN45_$LT$app..A$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE.cold"),
            "<app::A as core::clone::Clone>::clone [.cold]");
  EXPECT_EQ(demangle("_RNvCs1234_3app4main"), "app::main");
  EXPECT_EQ(demangle("_RNCNvCs1234_3app4main0B3_.llvm.99"), "app::main::{closure#0}");
  EXPECT_EQ(demangle("_RINvCs1234_3app3maxmEB2_"), "app::max::<u32>");
  // The same form in C++: a function's name goes on, and so few different digits are not a hash.
  EXPECT_EQ(demangle("_ZN2ns17h0123456789abcdefEv"), "ns::h0123456789abcdef()");
  EXPECT_EQ(demangle("_R"), "_R");
  EXPECT_EQ(demangle("_Reset"), "_Reset");
}

TEST(Demangle, D) {
  EXPECT_EQ(demangle("_D3std5stdio4File5closeMFNeZv"), "std.stdio.File.close()");
  EXPECT_EQ(demangle("_Dmain"), "D main");
  EXPECT_EQ(demangle("_Done"), "_Done");
}

TEST(Demangle, Flang) {
  EXPECT_EQ(demangle("_QMshapesParea"), "shapes::area");
  EXPECT_EQ(demangle("_QMshapesFareaPinner_2"), "shapes::area::inner_2");
  EXPECT_EQ(demangle("_QFPinner"), "_QFPinner"); // in the main program
  EXPECT_EQ(demangle("_QMshapesEpi"), "_QMshapesEpi");
  EXPECT_EQ(demangle("_QQmain"), "_QQmain");
}

TEST(ShortName, FoldsRust) {
  auto expect = [](const char *full, const char *folded) { EXPECT_EQ(shortName(full), folded); };
  expect("app::main::{{closure}}", "app::main::{{closure}}");
  expect("app::main::{closure#0}", "app::main::{closure#0}");
  expect("app::max::<u32>", "app::max::<..>");
  expect("<app::A as core::clone::Clone>::clone", "<app::A as core::clone::Clone>::clone");
  expect("<app::A<u8> as core::convert::From<u8>>::from", "<app::A<..> as core::convert::From<..>>::from");
  expect("<app::Stack<app::A>>::push::<u8>", "<app::Stack<..>>::push::<..>");
  expect("app::list::<impl app::Sum for [i32]>::sum", "app::list::<impl app::Sum for [i32]>::sum");
  expect("<<app::A as app::B>::C as app::D>::run", "<<app::A as app::B>::C as app::D>::run");
  expect("<dyn core::ops::Fn(u8) -> u8 as app::D>::run", "<dyn core::ops::Fn(..) -> u8 as app::D>::run");
}

TEST(ShortName, KeepsCategoriesOfObjectiveC) {
  EXPECT_EQ(shortName("-[Counter(Sums) add:to:]"), "-[Counter(Sums) add:to:]");
  EXPECT_EQ(shortName("+[Counter make]"), "+[Counter make]");
}

TEST(ShortName, FoldsArguments) {
  auto expect = [](const char *full, const char *folded) { EXPECT_EQ(shortName(full), folded); };
  expect("main", "main");
  expect("f()", "f()");
  expect("f(int, char)", "f(..)");
  expect("std::vector<int, std::allocator<int> >::push_back(int const&)", "std::vector<..>::push_back(..)");
  expect("void std::sort<int*, less<(1 > 2)> >(int*, int*)", "std::sort<..>(..)");
  expect("unsigned long count<char>(char) const", "count<..>(..) const");
  expect("(anonymous namespace)::f(int)", "(anonymous namespace)::f(..)");
  expect("ns::(anonymous namespace)::A::f() const", "ns::(anonymous namespace)::A::f() const");
  expect("run(int)::{lambda(char)#1}::operator()(char) const", "run(..)::{lambda(..)#1}::operator()(..) const");
  expect("run()::{lambda()#2}::operator()() const", "run()::{lambda()#2}::operator()() const");
  expect("std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <..>(..)");
  expect("bool operator< <int>(A<int> const&, A<int> const&)", "operator< <..>(..)");
  expect("A::operator<(A const&) const", "A::operator<(..) const");
  expect("A::operator->() const", "A::operator->() const");
  expect("A::operator std::vector<int>() const", "A::operator std::vector<int>() const");
  expect("operator new(unsigned long)", "operator new(..)");
  expect("operator\"\" _km(long double)", "operator\"\" _km(..)");
  expect("cooperator<int>(int)", "cooperator<..>(..)");
  expect("std::to_string[abi:cxx11](int)", "std::to_string(..)");
  expect("f(int) [.resume]", "f(..) [.resume]");
  expect("f() [clone .cold]", "f() [clone .cold]");
  expect("non-virtual thunk to B::g(int)", "non-virtual thunk to B::g(..)");
  expect("decltype ((a)+(b)) add<int, int>(int, int)", "add<..>(..)");
  expect("core::fmt::write::h0123456789abcdef", "core::fmt::write");
  expect("std::function<void (std::vector<int>)>::operator()(int) const", "std::function<..>::operator()(..) const");
}

TEST(ShortName, LeavesAloneWhatItDoesNotUnderstand) {
  for (const char *odd : {"f(int", "A<B", "x{y", "a>b", "", "<", "(", "operator", "[abi:", "vtable for Foo"})
    EXPECT_EQ(shortName(odd), odd);
}

TEST(ShortName, StyleSwitches) {
  const char *name = "int ns::f<char>(char)";
  EXPECT_EQ(shortName(name, {.foldTemplateArguments = false}), "ns::f<char>(..)");
  EXPECT_EQ(shortName(name, {.foldParameters = false}), "ns::f<..>(char)");
  EXPECT_EQ(shortName(name, {.dropReturnType = false}), "int ns::f<..>(..)");
  EXPECT_EQ(shortName("f[abi:x]()", {.dropAbiTags = false}), "f[abi:x]()");
}

TEST(FunctionIdText, HasSixteenDigits) { EXPECT_EQ(functionIdText(0x100000002), "0x0000000100000002"); }

} // namespace
