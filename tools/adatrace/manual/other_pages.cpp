// Makes the pages about run-time options and about the compiler wrappers.
#include "other_pages.h"

#include "options/runtime_options.h"

#include <string_view>

namespace ada::cli {

Page optionsPage() {
  Page page = {.name = "adatrace-options", .section = 7, .summary = "what a traced program records", .blocks = {}};
  page.begin(page.name, {"ADA_OPTIONS=NAME=VALUE:NAME=VALUE... ./program", "adatrace record --NAME=VALUE ./program"});
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

Page clangPage() {
  Page page = {.name = "ada-clang", .summary = "clang, with every function traced", .blocks = {}};
  page.begin("ada-clang, ada-clang++", {"ada-clang [OPTIONS] FILE...", "ada-clang++-19 [OPTIONS] FILE..."});
  page.heading("DESCRIPTION");
  page.text(
      "Compiles and links like clang, and adds AdaTrace's plugin and runtime. All options but the following go to "
      "clang. With a version at the end of the name, that clang is used; each needs its plugin.");
  page.heading("OPTIONS");
  const auto add = [&page](std::string_view type, const std::string &name, const std::string &value,
                           const char *sentence) {
    page.item("--ada-" + name +
                  (value.empty()         ? ""
                   : type == "MaybeList" ? "[=" + value + "]"
                                         : "=" + value),
              sentence);
  };
#define ADA_PLUGIN_OPTION(TYPE, NAME, MEMBER, VALUE, SENTENCE) add(#TYPE, NAME, VALUE, SENTENCE);
#define ADA_WRAPPER_OPTION(NAME, SENTENCE) add("", NAME, "", SENTENCE);
#include "shared/options/compile_options.inc"
  page.heading("ENVIRONMENT");
  page.item("ADA_CC, ADA_CXX", "the clang to use");
  page.item("ADA_WRAPPER_OFF", "if set to 1, the same as --ada-off, for configure scripts");
  page.item("ADA_PASS_OPTIONS", "more options of the plugin, with one - instead of two");
  page.heading("EXAMPLES");
  page.code("ada-clang++ -O2 -g app.cpp -o app");
  page.code("ada-clang -O2 -g --ada-calls=default --ada-exclude='log_*' app.c -o app");
  page.heading("SEE ALSO");
  page.text("`clang`(1), `adatrace-record`(1), `adatrace-flags`(1), `adatrace-options`(7), "
            "share/doc/adatrace/docs/reference/pass.md");
  return page;
}

} // namespace ada::cli
