# ada_unit_test(<target>): a GoogleTest program, each of whose tests is one ctest.
#
# In the tests' own build, and with sanitizers, where starting a program takes a third of a second, a ctest is a quarter of
# the program's tests: <target>-0 to <target>-3. With ADA_OPTIMISED_TESTS the tests belong to the part `optimised` of
# `tools/dev test --all`, because the tests' own build has run them.
find_package(GTest REQUIRED)
include(GoogleTest)

function(ada_unit_test target)
  target_link_libraries(${target} PRIVATE GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/test/unit) # thorough.h and the like
  target_compile_definitions(${target} PRIVATE ADA_ASSERTIONS) # shared/assert.h
  ada_unity(${target} 8) # tests have many names of their own
  ada_precompiled(${target} tests)
  set(label "")
  if(ADA_OPTIMISED_TESTS)
    set(label PROPERTIES LABELS part-optimised)
  endif()
  if(NOT ADA_SANITIZE AND NOT ADA_QUICK)
    gtest_discover_tests(${target} DISCOVERY_TIMEOUT 60 ${label})
    return()
  endif()
  foreach(shard RANGE 3)
    add_test(NAME ${target}-${shard} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${target}-${shard} PROPERTIES
      ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard}" TIMEOUT 900)
  endforeach()
endfunction()
