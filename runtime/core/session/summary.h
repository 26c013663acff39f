// The lines with which a program reports on its trace when it ends.
//
// For the thread that ends it, after the drain has stopped.
#pragma once

namespace ada::runtime {

// A line on standard error if something could not be written, and with option summary one with the totals.
void printSummary();

} // namespace ada::runtime
