// The same for tests.
#pragma once

#define GTEST_HAS_PTHREAD 1 // as the package GTest has it
#include "library.h"

#include <gtest/gtest.h>
