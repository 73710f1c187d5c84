/*
 * script.h - the one script that looks around over there.
 *
 * It prints lines of KEY=VALUE. What may hang runs as a task with a limit of its
 * own: a line "task=NAME", then what it printed, then "done=STATUS", where STATUS
 * is "late" when it was given up. The last line is "end=1".
 */
#ifndef SANDBOX_DOCTOR_SCRIPT_H
#define SANDBOX_DOCTOR_SCRIPT_H

extern const char sbi_doctor_script[];

#endif
