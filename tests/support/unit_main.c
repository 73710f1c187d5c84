/* unit_main.c - runs the tests of one file and says which failed. */
#include "support/unit.h"

#include <signal.h>
#include <stdlib.h>

#ifdef TESTS_UNDER_ASAN
const char *__asan_default_options(void);

/*
 * Each test is a process, and to look for leaks at the end of each takes longer than most
 * tests do. Where all of a file run in one (CK_FORK=no), the caller asks for it; a test
 * may do so for itself.
 */
const char *__asan_default_options(void)
{
    return "leak_check_at_exit=0";
}
#endif

int main(int argc, char **argv)
{
    Suite *suite = suite_create(argc > 0 ? argv[0] : "unit");
    TCase *tests = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed;

    /* A shell's background job begins with these ignored, and so would all it starts. */
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGQUIT, SIG_DFL);
    tcase_set_timeout(tests, 60);
    unit_add(tests);
    suite_add_tcase(suite, tests);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
