// Shows pages of the manual, which are made here and now: they need not be installed.
#include "topics.h"

#include "command_page.h"
#include "options/runtime_options.h"
#include "options/suggestion.h"
#include "plain_text.h"
#include "roff.h"
#include "terminal/terminal.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace ada::cli {

namespace {

Page optionsPage() {
  Page page = {.name = "adatrace-options", .section = 7, .summary = "what a traced program records", .blocks = {}};
  page.heading("NAME");
  page.text(page.name + " - " + page.summary);
  page.heading("SYNOPSIS");
  page.code("ADA_OPTIONS=NAME=VALUE:NAME=VALUE... ./program");
  page.code("adatrace record --NAME=VALUE ./program");
  page.heading("DESCRIPTION");
  page.text(
      "A program that was compiled with AdaTrace's plugin reads the variable ADA_OPTIONS of its environment when it "
      "starts. `adatrace record` sets it: each option is a flag there, with - instead of _. Options in ADA_OPTIONS "
      "are separated by colons or blanks; a value that contains one is put in single or double quotes: "
      "ADA_OPTIONS=\"include='ns::*':format=1\". Globs are separated by '|'.");
  page.text("A program without this variable records nothing until `adatrace start` asks it to, unless it was compiled "
            "with --ada-record-always. A program with a wrong option says so on standard error, and runs untraced.");
  page.heading("OPTIONS");
  std::string last;
  for (const RuntimeOption &option : runtimeOptions()) {
    if (const std::string heading = headingOf(option); heading != last)
      page.subheading(last = heading);
    page.item(std::string(option.name) + "=" + option.metavar,
              option.sentence + (*option.defaultValue ? std::string(" [") + option.defaultValue + "]" : ""));
  }
  page.heading("EXAMPLES");
  page.code("ADA_OPTIONS=output=/var/tmp/traces:flight=64M ./server");
  page.code("adatrace record --detail='net::*' --max-size=1G ./server");
  page.heading("SEE ALSO");
  page.text("`adatrace-record`(1), `ada-clang`(1), share/doc/adatrace/docs/reference/options.md");
  return page;
}

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
  for (const CommandGroup &group : commandGroups()) {
    page.heading(std::string(group.heading) + ":");
    for (const Command *command : group.commands)
      if (!command->option)
        page.item(command->name, command->summary);
  }
  Output().write(helpText(page, textColumns()));
  return kOk;
}

} // namespace

std::vector<Topic> topics() {
  std::vector<Topic> all = {{"adatrace", overviewManualPage()}, {"options", optionsPage()}};
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
