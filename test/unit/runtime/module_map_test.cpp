// The module map: which function an entry's address means while libraries are loaded, unloaded and replaced.
#include "shared/ring/module_map.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ada::ring;

namespace {

ada_ring_module module(uint64_t begin, uint64_t functions, uint64_t loaded, uint32_t id) {
  ada_ring_module m = {};
  m.begin = begin, m.end = begin + functions * sizeof(ada_function);
  m.loaded_stamp = loaded, m.module_id = id;
  return m;
}

uint64_t id(uint64_t module, uint64_t symbol) { return module << 32 | symbol; }

TEST(ModuleMap, NothingIsKnownOfAnEmptyMap) {
  ModuleMap map;
  map.update(nullptr, 0);
  EXPECT_EQ(map.functionId(0x1000, 5), kNoFunction);
}

TEST(ModuleMap, CountsEntriesFromTheSectionsStart) {
  std::vector<ada_ring_module> modules = {module(0x1000, 10, 0, 0), module(0x9000, 3, 50, 4)};
  ModuleMap map;
  map.update(modules.data(), modules.size());
  EXPECT_EQ(map.functionId(0x1000, 1), id(0, 0));
  EXPECT_EQ(map.functionId(0x1000 + 9 * 48, 1), id(0, 9));
  EXPECT_EQ(map.functionId(0x1000 + 10 * 48, 1), kNoFunction);
  EXPECT_EQ(map.functionId(0xff0, 1), kNoFunction);
  EXPECT_EQ(map.functionId(0x9000 + 48, 50), id(4, 1));
  EXPECT_EQ(map.functionId(0x9000 + 48, 49), id(4, 1)) << "the counter has gone back since it was loaded";
  EXPECT_EQ(map.functionId(0x1000, 60), id(0, 0));
}

// Looking takes time that grows with the number of functions.
TEST(ModuleMap, AModuleIsExaminedWhenItMattersAndOnce) {
  struct Examined {
    std::vector<ada_ring_module> modules;
    std::vector<uint32_t> asked;
  } all = {.modules = {module(0x1000, 4, 0, 7), module(0x9000, 4, 0, 8)}, .asked = {}};
  for (ada_ring_module &m : all.modules)
    m.flags = ADA_MODULE_INLINED | ADA_MODULE_UNEXAMINED;
  ModuleMap map;
  map.update(all.modules.data(), all.modules.size());
  EXPECT_TRUE(map.mayShare(0x1000, 1)) << "nothing can look: a reader of a dead process's ring";
  map.examineBy(
      [](void *context, uint32_t moduleId) {
        auto &e = *static_cast<Examined *>(context);
        e.asked.push_back(moduleId);
        e.modules[moduleId - 7].flags = moduleId == 8 ? ADA_MODULE_INLINED : 0;
      },
      &all);
  EXPECT_EQ(map.functionId(0x9000, 1), id(8, 0));
  EXPECT_TRUE(all.asked.empty());
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(map.mayShare(0x1000, 1));
    EXPECT_TRUE(map.mayShare(0x9000, 1));
  }
  EXPECT_EQ(all.asked, (std::vector<uint32_t>{7, 8}));
}

TEST(ModuleMap, AReusedAddressMeansTheModuleOfItsTime) {
  std::vector<ada_ring_module> modules = {module(0x1000, 4, 10, 1), module(0x1000, 8, 20, 2), module(0x1000, 4, 30, 3)};
  ModuleMap map;
  map.update(modules.data(), modules.size());
  for (int round = 0; round < 2; ++round) { // whatever was looked up before
    EXPECT_EQ(map.functionId(0x1000, 10), id(1, 0));
    EXPECT_EQ(map.functionId(0x1000, 19), id(1, 0));
    EXPECT_EQ(map.functionId(0x1000, 20), id(2, 0));
    EXPECT_EQ(map.functionId(0x1000 + 7 * 48, 29), id(2, 7));
    EXPECT_EQ(map.functionId(0x1000, 30), id(3, 0));
    EXPECT_EQ(map.functionId(0x1000, 9), id(1, 0));
    EXPECT_EQ(map.functionId(0x1000 + 7 * 48, 9), id(2, 7));
  }
}

// Random loads and unloads against the rule in the header: the youngest module that covers the address and was
// registered before the record was stamped; the oldest one if the counter has gone back.
TEST(ModuleMap, AgreesWithTheRuleInAnyOrderOfQuestions) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<ada_ring_module> modules;
    uint64_t now = 100;
    ModuleMap map;
    for (uint32_t n = 1; n <= 12; ++n) {
      modules.insert(modules.begin() + static_cast<ptrdiff_t>(random() % (modules.size() + 1)), // slots are reused
                     module(0x1000 + 48 * (random() % 40), 1 + random() % 20, now += random() % 10, n));
      map.update(modules.data(), modules.size());
      for (int question = 0; question < 40; ++question) {
        uint64_t entry = 0x1000 + 48 * (random() % 64), stamp = 95 + random() % (now - 90);
        const ada_ring_module *youngest = nullptr, *oldest = nullptr; // ids follow the order of loading
        for (const ada_ring_module &m : modules)
          if (m.begin <= entry && entry < m.end) {
            if (m.loaded_stamp <= stamp && (!youngest || m.module_id > youngest->module_id))
              youngest = &m;
            if (!oldest || m.module_id < oldest->module_id)
              oldest = &m;
          }
        const ada_ring_module *is = youngest ? youngest : oldest;
        ASSERT_EQ(map.functionId(entry, stamp), is ? id(is->module_id, (entry - is->begin) / 48) : kNoFunction)
            << "round " << round << ", entry " << entry << ", stamp " << stamp;
      }
    }
  }
}

TEST(ModuleMap, ASlotThatIsBeingFilledInIsOfNoUse) {
  std::vector<ada_ring_module> modules = {module(0x1000, 4, 10, 1), module(0x1000, 4, UINT64_MAX, 2)};
  ModuleMap map;
  map.update(modules.data(), modules.size());
  EXPECT_EQ(map.functionId(0x1000, 20), id(1, 0));
  EXPECT_EQ(map.functionId(0x1000, UINT64_MAX), id(1, 0));
}

} // namespace
