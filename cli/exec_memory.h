/* exec_memory.h - whether lack of memory may be why a command in a computer was killed.
 */
#ifndef CLI_EXEC_MEMORY_H
#define CLI_EXEC_MEMORY_H

#include "exec_run.h"

/*
 * Asks the engine, of one that was killed in PLACE/NAME, and tells where that has run out
 * of memory: its engine counts for the computer, not for each command.
 */
void exec_memory_say(const struct exec_job *job);

#endif
