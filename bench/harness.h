// What the timed loops need from a tracer; one backend_<tracer>.cpp each.
#pragma once

extern const bool kCanSwitchOff; // start() and stop() do something

void start();
void stop();
void flush(); // everything recorded so far leaves the buffers; not timed

extern "C" {
void plain_empty(void);
void traced_empty(void);
long plain_four(long a, long b, long c, long d);
long traced_four(long a, long b, long c, long d);
unsigned plain_fibonacci(unsigned n);
unsigned traced_fibonacci(unsigned n);
}
