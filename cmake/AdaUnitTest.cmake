# ada_unit_test(<target>): a GoogleTest program, each test of which is one ctest.
#
# With ADA_OPTIMISED_TESTS they belong to the part `optimised` of `tools/dev test --all`: the same tests have run with sanitizers.
find_package(GTest REQUIRED)
include(GoogleTest)

function(ada_unit_test target)
  target_link_libraries(${target} PRIVATE GTest::gtest_main)
  ada_unity(${target})
  set(label "")
  if(ADA_OPTIMISED_TESTS)
    set(label PROPERTIES LABELS part-optimised)
  endif()
  gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 ${label})
endfunction()
