// Shows pages of the manual, which are made here and now: they need not be installed.
#include "topics.h"

#include "command_page.h"
#include "options/suggestion.h"
#include "other_pages.h"
#include "plain_text.h"
#include "roff.h"
#include "terminal/terminal.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace ada::cli {

namespace {

// Through man, which brings a pager and bold text. False if there is none, or it could not show it.
bool showWithMan(const Page &page) {
  signal(SIGPIPE, SIG_IGN); // it may end early
  FILE *man = popen("man -l - 2>/dev/null", "w");
  if (!man)
    return false;
  const std::string text = roffOf(page);
  (void)fwrite(text.data(), 1, text.size(), man);
  return pclose(man) == 0;
}

int listTopics() {
  Page page;
  page.text("Usage: adatrace help TOPIC");
  page.text("Shows a page of the manual. The commands are topics, and:");
  for (const Topic &topic : topics())
    if (topic.name == topic.page.name || topic.page.section != 1)
      page.item(topic.name, topic.page.summary);
  addCommands(page, [&page](const std::string &heading) { page.heading(heading + ":"); });
  Output().write(helpText(page, textColumns()));
  return kOk;
}

} // namespace

std::vector<Topic> topics() {
  std::vector<Topic> all = {{"adatrace", overviewManualPage()}, {"options", optionsPage()},
                            {"ada-clang", clangPage()},         {"rules", rulesPage()},
                            {"ignorelist", ignoreListPage()},   {"credentials", credentialsPage()}};
  for (const CommandText &about : allCommands())
    all.push_back({about.command->name, manualPage(about)});
  return all;
}

int showTopic(const std::vector<std::string> &names) {
  if (names.empty())
    return listTopics();
  if (names.size() > 1)
    return fail(kWrongUsage, "help: name one topic; `adatrace help` lists them");
  const std::vector<Topic> all = topics();
  const auto topic =
      std::ranges::find_if(all, [&](const Topic &one) { return names[0] == one.name || names[0] == one.page.name; });
  if (topic == all.end()) {
    std::vector<std::string> known;
    for (const Topic &one : all)
      known.push_back(one.name);
    const std::string hint = nearest(names[0], known);
    return fail(kWrongUsage, "help: there is no topic '{}'{}; `adatrace help` lists them", names[0],
                hint.empty() ? "" : " (did you mean " + hint + "?)");
  }
  if (!isTerminal(STDOUT_FILENO) || !showWithMan(topic->page))
    Output().write(manualText(topic->page, textColumns()));
  return kOk;
}

} // namespace ada::cli
