// Names for what is compiled once for each instruction set: OBVERSE_LOOPS is its name. Macros alone, so that sources of
// different instruction sets may share it.
#pragma once

#define OBVERSE_JOIN2(a, b) a##b
#define OBVERSE_JOIN(a, b) OBVERSE_JOIN2(a, b)
#define OBVERSE_TEXT2(a) #a
#define OBVERSE_TEXT(a) OBVERSE_TEXT2(a)
