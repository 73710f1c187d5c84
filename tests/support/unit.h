/*
 * unit.h - what a unit test file declares; unit_main.c runs it.
 *
 * A file tests/unit/<folder>_<name>.c tests libsandbox/src/<folder>/<name>.c. It
 * defines its tests with START_TEST and lists them in unit_add.
 */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <check.h>

/* Adds the tests of this file: tcase_add_test(tests, one_thing_is_so); ... */
void unit_add(TCase *tests);

#endif
