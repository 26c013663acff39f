// Paths that another thread exchanges all the time, between a check and its use.
//
// Whatever comes out of it, nothing is read, written or removed where a link leads.
#include "ada/trace/error.h"
#include "formats/convert/source_files.h"
#include "scratch_directory.h"
#include "trace/base/fair_links.h"
#include "trace/base/safe_file.h"
#include "trace/base/temporary_directory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace ada;
using namespace ada::test;

namespace fs = std::filesystem;

namespace {

// Exchanges what is at two paths, again and again, while it exists.
class Swapper {
public:
  Swapper(std::string one, std::string other) : one_(std::move(one)), other_(std::move(other)) {
    thread_ = std::thread([this] {
      while (!isOver_)
        ::renameat2(AT_FDCWD, one_.c_str(), AT_FDCWD, other_.c_str(), RENAME_EXCHANGE);
    });
  }
  ~Swapper() {
    isOver_ = true;
    thread_.join();
  }

private:
  std::string one_, other_;
  std::atomic<bool> isOver_ = false;
  std::thread thread_;
};

class SwappedPaths : public testing::Test {
protected:
  SwappedPaths() { scratch_.write("victim/file.c", "VICTIM"); }
  // Does something that may succeed or not, depending on what is there, until both have happened often.
  template <class Act> void repeat(Act act) {
    constexpr int kOften = 50, kMax = 300'000;
    int done = 0, refused = 0;
    for (int round = 0; round < kMax && (done < kOften || refused < kOften || round < 2000); ++round)
      ++(act(round) ? done : refused);
    EXPECT_TRUE(done >= kOften && refused >= kOften) << done << " done, " << refused << " refused";
  }
  void expectVictimAsItWas() const {
    EXPECT_EQ(std::distance(fs::directory_iterator(path("victim")), fs::directory_iterator()), 1);
    std::ifstream file(path("victim/file.c"));
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "VICTIM");
  }
  std::string path(const std::string &name) const { return scratch_.path() + "/" + name; }
  // A directory of the user's, and a link to the victim that changes places with it.
  std::string directoryAndLink() {
    scratch_.write("here/file.c", "int own;\n");
    fs::create_directory_symlink(path("victim"), path("link"));
    return path("here");
  }
  ScratchDirectory scratch_;
};

TEST_F(SwappedPaths, NeverOpenADevice) {
  const std::string file = scratch_.write("file", "text");
  fs::create_symlink("/dev/full", path("device"));
  const Swapper swapper(file, path("device"));
  repeat([&](int) {
    const FileDescriptor opened(openOrdinary(file, O_RDONLY));
    struct stat info = {};
    EXPECT_TRUE(!opened || (::fstat(opened.get(), &info) == 0 && S_ISREG(info.st_mode)));
    return static_cast<bool>(opened);
  });
}

TEST_F(SwappedPaths, NeverLeadAReaderToAnothersFile) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can make links of another user";
  constexpr uid_t kOther = 65534;
  const std::string file = scratch_.write("file", "text");
  fs::create_symlink(path("victim/file.c"), path("link"));
  ASSERT_EQ(::lchown(file.c_str(), kOther, kOther) | ::lchown(path("link").c_str(), kOther, kOther), 0);
  struct stat victim = {};
  ASSERT_EQ(::stat(path("victim/file.c").c_str(), &victim), 0);
  const Swapper swapper(file, path("link"));
  repeat([&](int) {
    const FileDescriptor opened(openFairly(file, O_RDONLY));
    struct stat info = {};
    EXPECT_TRUE(!opened || (::fstat(opened.get(), &info) == 0 && info.st_ino != victim.st_ino));
    return static_cast<bool>(opened);
  });
}

TEST_F(SwappedPaths, NeverLeadAWriterElsewhere) {
  const std::string here = directoryAndLink();
  {
    const Swapper swapper(here, path("link"));
    repeat([&](int round) {
      switch (round % 4) {
      case 0:
        return static_cast<bool>(replaceFile(here + "/file.c", "new"));
      case 1:
        return static_cast<bool>(openForWriting(here + "/made", O_WRONLY | O_CREAT, 0600));
      case 2:
        return static_cast<bool>(makeDirectory(here + "/directory"));
      default:
        return static_cast<bool>(removeFile(here + "/file.c"));
      }
    });
  }
  expectVictimAsItWas();
}

TEST_F(SwappedPaths, NeverLeadToWhatIsNoSource) {
  const std::string here = directoryAndLink(), root = scratch_ / "root/src";
  fs::rename(here, root);
  formats::SourceFiles files(path("no-trace"), {.roots = {path("root")}, .namedBy = {}});
  const Swapper swapper(root, path("link"));
  repeat([&](int) {
    const auto text = files.read(root + "/file.c");
    EXPECT_TRUE(!text || text->text == "int own;\n") << text->text;
    return static_cast<bool>(text);
  });
}

// What a killed program has left, and what a program removes itself.
TEST_F(SwappedPaths, NeverLeadARemovalElsewhere) {
  const std::string parent = scratch_ / "parent/out", link = path("link");
  fs::create_directory(parent);
  for (int round = 0; round < 200; ++round) {
    auto made = TemporaryDirectory::make(parent, "out");
    ASSERT_TRUE(made);
    const std::string place = made->path();
    std::ofstream(place + "/data") << "bytes";
    const bool isLeft = round % 2 == 0;
    if (isLeft)
      made->keep(), *made = TemporaryDirectory(); // nobody holds its lock any more
    fs::create_directory_symlink(path("victim"), link);
    {
      const Swapper swapper(place, link);
      isLeft ? TemporaryDirectory::removeAbandoned(parent) : made->remove();
    }
    fs::remove_all(place);
    fs::remove_all(link);
  }
  expectVictimAsItWas();
}

} // namespace
