// Names show lambdas by file and line.
#include "formats/native/manifest/lambda_places.h"

#include <gtest/gtest.h>

using ada::atf::LambdaPlaces;

namespace {

LambdaPlaces some() {
  LambdaPlaces places;
  places.add("main::$_0::operator()(int) const", "/src/app.cpp", 42);
  places.add("main::$_10::operator()() const", "/src/app.cpp", 50);
  places.add("main::$_9::operator()() const", "/src/app.cpp", 50);
  places.add("auto f(std::vector<int, std::allocator<int> >)::{lambda(auto:1)#1}::operator()<int>(int) const", "f.h",
             7);
  places.add("ns::f()::{lambda()#2}::operator()() const", "g.h", 8);
  places.add("domain::$_0::operator()() const", "/other/app.cpp", 60);
  places.add("A::operator()(main::$_3) const", "a.cpp", 1);
  places.add("main::$_4::operator()() const", "", 5);
  places.add("main::$_5::operator()() const", "a.cpp", 0);
  places.finish();
  return places;
}

TEST(LambdaPlaces, BodiesAndOtherMembers) {
  const LambdaPlaces places = some();
  EXPECT_EQ(places.apply("main::$_0::operator()(int) const"), "main::{lambda at app.cpp:42}(int) const");
  EXPECT_EQ(places.apply("main::$_0::__invoke(int)"), "main::{lambda at app.cpp:42}::__invoke(int)");
  EXPECT_EQ(
      places.apply("auto f(std::vector<int, std::allocator<int> >)::{lambda(auto:1)#1}::operator()<int>(int) const"),
      "auto f(std::vector<int, std::allocator<int> >)::{lambda at f.h:7}<int>(int) const");
}

TEST(LambdaPlaces, OneLineOfTwo) {
  const LambdaPlaces places = some();
  EXPECT_EQ(places.apply("main::$_9::operator()() const"), "main::{lambda at app.cpp:50}() const");
  EXPECT_EQ(places.apply("main::$_10::operator()() const"), "main::{lambda at app.cpp:50 #2}() const");
}

// Only lambdas whose names would be equal get numbers; nothing else in the line changes them.
TEST(LambdaPlaces, OneLineOfTwoFunctions) {
  LambdaPlaces places;
  for (const char *name : {"f<char>()::{lambda()#1}::operator()() const", "f<int>()::{lambda()#1}::operator()() const"})
    places.add(name, "f.h", 7);
  places.finish();
  EXPECT_EQ(places.apply("f<char>()::{lambda()#1}::operator()() const"), "f<char>()::{lambda at f.h:7}() const");
  EXPECT_EQ(places.apply("f<int>()::{lambda()#1}::operator()() const"), "f<int>()::{lambda at f.h:7}() const");
}

TEST(LambdaPlaces, InsideOfOtherNames) {
  const LambdaPlaces places = some();
  EXPECT_EQ(places.apply("std::_Function_handler<void (), main::$_0>::_M_invoke(std::_Any_data const&)"),
            "std::_Function_handler<void (), main::{lambda at app.cpp:42}>::_M_invoke(std::_Any_data const&)");
  EXPECT_EQ(places.apply("void g<main::$_0, ns::f()::{lambda()#2}>(main::$_0)"),
            "void g<main::{lambda at app.cpp:42}, ns::f()::{lambda at g.h:8}>(main::{lambda at app.cpp:42})");
  EXPECT_EQ(places.apply("main::$_0::operator()(int) const::{lambda()#7}::operator()() const"),
            "main::{lambda at app.cpp:42}(int) const::{lambda()#7}::operator()() const");
}

TEST(LambdaPlaces, OthersStay) {
  const LambdaPlaces places = some();
  for (const char *name :
       {"main", "", "$_", "main::$_1::operator()() const", "main::$_3::operator()()", "main::$_4::operator()() const",
        "main::$_5::operator()() const", "f({lambda(", "remain::$_9::x()", "ns::main::$_0::operator()(int) const",
        "ns::f()::{lambda()#3}::operator()() const"})
    EXPECT_EQ(places.apply(name), name);
  EXPECT_EQ(places.apply("domain::$_0::operator()() const"), "domain::{lambda at app.cpp:60}() const");
}

TEST(LambdaPlaces, OnlySomeNamesAreLookedAt) {
  EXPECT_TRUE(LambdaPlaces::mayName("_ZZ4mainENK3$_0clEi"));
  EXPECT_TRUE(LambdaPlaces::mayName("_ZZ1fvENKUliE_clEi"));
  EXPECT_FALSE(LambdaPlaces::mayName("_Z1fv"));
  EXPECT_FALSE(LambdaPlaces::mayName("Ul"));
}

} // namespace
