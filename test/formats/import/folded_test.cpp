// Folded stacks: self times are the counts, and the common part of two lines stays open.
#include "import_reading.h"

#include "formats/folded/operations.h"

namespace ada::test {

TEST(Folded, Lines) {
  const auto line = formats::foldedLineOf("a b;c  (x) 12\r");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->stack, "a b;c  (x)");
  EXPECT_EQ(line->count, 12u);
  for (const char *bad : {"", "12", " 12", "a", "a 1.5", "a -1", "a 18446744073709551616", "a 1x"})
    EXPECT_FALSE(formats::foldedLineOf(bad)) << bad;
}

TEST(Folded, CommonFramesStayOpen) {
  const Reading read = readBytes("a 5\na;b 3\na;b;c 0\na;d 2\ne 1");
  EXPECT_EQ(read.thread(0), "0 +a 5 +b 8 +c 8 -c 8 -b 8 +d 10 -d 10 -a 10 +e 11 -e");
}

TEST(Folded, FirstFramesNameProcessAndThread) {
  const Reading read =
      readBytes("app (pid 7);main (tid 8);f 5\napp (pid 7);io (tid 9);f 6\napp (pid 7);main (tid 8);g 1\n"
                "x (pid 3);y 1\n");
  ASSERT_EQ(read.trace.threads.size(), 3u);
  EXPECT_EQ(read.trace.processes[0].pid, 7u);
  EXPECT_EQ(read.trace.processes[0].executable, "app");
  EXPECT_EQ(read.trace.threads[1].name, "io");
  EXPECT_EQ(read.trace.threads[1].tid, 9u);
  EXPECT_EQ(read.thread(0), "0 +f 5 -f 5 +g 6 -g");
  EXPECT_EQ(read.thread(1), "0 +f 6 -f");
  EXPECT_EQ(read.thread(2), "0 +x (pid 3) 0 +y 1 -y 1 -x (pid 3)"); // not a thread, so an ordinary frame
}

TEST(Folded, BadLinesAreCounted) {
  const Reading read = readBytes("a 1\nb\nc 18446744073709551615\nd 2\n");
  EXPECT_EQ(read.thread(0), "0 +a 1 -a 1 +d 3 -d");
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_EQ(read.problems[0].offset, 4u);
  EXPECT_TRUE(read.problems[0].message.starts_with("2 lines are")) << read.problems[0].message;
}

TEST(Folded, OtherTextIsRefused) {
  for (const char *other : {"hello\n", "a;b\nc 1\n", "# a comment\na 1\n"}) {
    const Reading read = readBytes(other);
    ASSERT_TRUE(read.error) << other;
    EXPECT_EQ(read.error->code, "E_BAD_MAGIC") << other;
  }
  // Longer than the part looked at first.
  EXPECT_TRUE(readBytes(std::string(100, 'x') + ";y\n").error);
  EXPECT_EQ(readBytes("f;" + std::string(100, 'x') + " 3\n").thread(0).substr(0, 6), "0 +f 0");
}

} // namespace ada::test
