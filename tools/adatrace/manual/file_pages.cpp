// Makes the pages about files that users write.
#include "other_pages.h"

namespace ada::cli {

namespace {

Page filePage(const char *name, const char *summary, const char *use) {
  Page page = {.name = name, .section = 5, .summary = summary, .blocks = {}};
  page.begin(page.name, {use});
  page.heading("DESCRIPTION");
  return page;
}

} // namespace

Page rulesPage() {
  Page page = filePage("adatrace-rules", "rules about a trace, for adatrace check", "adatrace check FILE [SESSION...]");
  page.text("One rule a line. Empty lines are ignored, and so is what follows a # at the start of a word. "
            "`adatrace check --suggest=SESSION` writes a file to begin with.");
  page.text(
      "F and G are globs, as of --function; 'a|b' are two. One that contains spaces, commas or brackets is put in "
      "single or double quotes.");
  page.heading("RULES");
  page.item("METRIC(F) < VALUE", "The figure of all calls of F is less. Other comparisons: <=, >, >=, == and !=.");
  page.item("METRIC(F, within G) < VALUE", "The same for the calls of F that are made inside of a call of G.");
  page.item("METRIC(F) per G < VALUE", "The figure of F inside of each single call of G; for calls, total, self, depth "
                                       "and exceptions.");
  page.item("never G -> F", "No call of F is made inside of a call of G.");
  page.item("each F is followed by G in the same call",
            "After each call of F, the function that made it also calls G before it ends; one G for each F.");
  page.heading("METRICS");
  page.item("calls, exceptions, depth", "Counts: calls, those left by an exception, and how deep F calls itself.");
  page.item("total, self, mean, min, max, p50 ... p99.9", "Durations, in ns, us, ms, s or min.");
  page.item("on_cpu, waiting, preempted", "Durations, or shares (%) of the time of the calls.");
  page.heading("EXAMPLES");
  for (const char *rule :
       {"p99(Server::handle) < 5ms", "calls(malloc, within Server::handle) == 0", "waiting(main_loop) < 10 %",
        "total(decode) per frame < 16ms", "never render -> read_file",
        "each lock is followed by unlock in the same call", "max(\"operator new(unsigned long)\") < 1ms"})
    page.code(rule);
  page.heading("SEE ALSO");
  page.text("`adatrace-check`(1), share/doc/adatrace/docs/how-to/check_rules.md");
  return page;
}

Page ignoreListPage() {
  Page page = filePage("adatrace-ignorelist", "functions that are not traced, for ada-clang and ada-gcc",
                       "ada-clang --ada-ignorelist=FILE ...");
  page.text("A special case list, as of clang's sanitizers. One entry a line; a # begins a line that is a comment. "
            "`adatrace report --filter-file=FILE` writes one for the functions that are not worth tracing.");
  page.item("fun:GLOB", "Functions of this name, mangled or demangled.");
  page.item("src:GLOB", "All functions of these source files.");
  page.item("[NAME]",
            "A section: the entries after it are AdaTrace's if NAME is ada, or a glob that matches it. So are "
            "those before the first section.");
  page.heading("EXAMPLES");
  for (const char *entry :
       {"# small, and called all the time", "fun:*::size", "src:*/generated/*", "[ada]", "fun:log_*"})
    page.code(entry);
  page.heading("SEE ALSO");
  page.text("`ada-clang`(1), `adatrace-report`(1), share/doc/adatrace/docs/reference/globs.md");
  return page;
}

Page credentialsPage() {
  Page page = filePage("adatrace-credentials", "user and password of a database of sessions",
                       "adatrace load --credentials=FILE --to=clickhouse://HOST/DATABASE [SESSION...]");
  page.text("Only its owner may be able to read this file; one of root may be readable for its group, as systemd's "
            "LoadCredential makes it. Empty lines and those that begin with # are ignored. Without a file, "
            "CLICKHOUSE_USER and CLICKHOUSE_PASSWORD of the environment are used.");
  page.item("user=NAME", "The user; all of the line.");
  page.item("password=TEXT", "The password; all of the line, with quotes if there are any.");
  page.heading("EXAMPLES");
  page.code("user=adatrace");
  page.code("password=correct horse battery staple");
  page.heading("SEE ALSO");
  page.text("`adatrace-load`(1), `adatrace-fleet`(1), `adatrace-ship`(1), share/doc/adatrace/docs/reference/fleet.md");
  return page;
}

} // namespace ada::cli
