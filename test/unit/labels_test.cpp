// What people call processes and threads.
#include "trace/labels.h"

#include <gtest/gtest.h>

namespace ada::model {
namespace {

using Names = std::vector<std::string>;

TEST(Labels, ProgramIsTheLastComponent) {
  EXPECT_EQ(programOf("/usr/bin/git", "git-add"), "git");
  EXPECT_EQ(programOf("/usr/bin/git (deleted)"), "git");
  EXPECT_EQ(programOf("", "./tool"), "tool");
  EXPECT_EQ(programOf("", ""), "");
}

TEST(Labels, ProcessesOfOneProgramHaveNumbers) {
  const ProcessFacts processes[] = {{"pid_9", "git"}, {"pid_10", "sh"}, {"pid_9_2", "git"}, {"pid_11", ""}};
  EXPECT_EQ(processLabels(processes), (Names{"git 9", "sh", "git 9_2", "pid_11"}));
}

// Asks in the order of the list: tid, the system's name, the outermost function.
Names threadLabels(std::string_view mainName, std::vector<std::tuple<uint64_t, const char *, const char *>> threads) {
  const std::string_view programs[] = {"/bin/a-program-with-long-name", "link"};
  ThreadLabels labels(10, mainName, programs);
  Names all;
  for (const auto &[tid, name, function] : threads)
    all.push_back(labels.next(tid, name, [&] { return std::string(function); }));
  return all;
}

TEST(Labels, ThreadsThatNobodyNamedAreCalledByFunctions) {
  EXPECT_EQ(threadLabels("a-program-with-", {{10, "a-program-with-", "main"},
                                             {11, "a-program-with-", "worker(int)"},
                                             {12, "link", "ns::Pool<int>::run() const"},
                                             {13, "own", "worker(int)"},
                                             {14, "", "worker(int)"},
                                             {15, "", ""}}),
            (Names{"main", "worker #1", "ns::Pool<..>::run #1", "own", "worker #2", ""}));
}

TEST(Labels, MainThreadsNameIsInherited) {
  EXPECT_EQ(threadLabels("boss", {{11, "boss", "worker"}, {10, "boss", "main"}, {10, "", "fiber"}}),
            (Names{"worker #1", "boss", "fiber #1"}));
}

TEST(Labels, FunctionShowsMainWithoutNumberOfProcess) {
  EXPECT_EQ(threadLabels("", {{11, "", "main"}, {12, "", "main"}}), (Names{"main", "main #1"}));
}

TEST(Labels, FunctionsOfStandardLibrariesAreSkipped) {
  const std::string_view names[] = {"void std::__invoke_impl<void, void (*)()>(std::__invoke_other, void (*&&)())",
                                    "app::work(int)", "other"};
  EXPECT_EQ(outermostOf(names), "app::work(int)");
  EXPECT_EQ(outermostOf(std::span(names).first(1)), names[0]);
  EXPECT_EQ(outermostOf({}), "");
}

} // namespace
} // namespace ada::model
