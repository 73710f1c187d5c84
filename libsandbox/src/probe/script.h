/*
 * script.h - the one script that looks around over there.
 *
 *     sh -c SCRIPT sbx MARK SECONDS STEPS
 *
 * MARK begins each line that starts a section, SECONDS lie between the two looks at the
 * CPUs, and STEPS twentieths of a second are what the tools may take. A section is
 * "MARK NAME VALUE" and the lines behind it; "tool NAME END" has what a tool printed:
 * END is its status, "late" where it was given up, "late PID" where it did not even die,
 * "stuck PID" where one of an earlier run is in its way, or "missing". The last section
 * is "end".
 */
#ifndef SANDBOX_PROBE_SCRIPT_H
#define SANDBOX_PROBE_SCRIPT_H

extern const char sbi_probe_script[];

#endif
