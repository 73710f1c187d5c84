/*
 * unit.h - what a unit test file declares; unit_main.c runs it.
 *
 * A file tests/unit/<folder>_<name>.c tests libsandbox/src/<folder>/<name>.c. It
 * defines its tests with START_TEST and lists them in unit_add.
 */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <check.h>

/* AddressSanitizer, as either compiler tells it. */
#ifdef __SANITIZE_ADDRESS__
#define TESTS_UNDER_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESTS_UNDER_ASAN
#endif
#endif

/* Adds the tests of this file: tcase_add_test(tests, one_thing_is_so); ... */
void unit_add(TCase *tests);

#endif
