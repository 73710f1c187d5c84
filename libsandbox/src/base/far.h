/*
 * far.h - shell text that scripts of several folders begin with.
 *
 * A script is a constant, given as argv: {"/bin/sh", "-c", SCRIPT, "sbx", ARG1, ...}.
 * What differs from call to call is an argument, so nothing is quoted.
 */
#ifndef SANDBOX_BASE_FAR_H
#define SANDBOX_BASE_FAR_H

/*
 * The one rule of paths (docs/files.md), as a function: `sbx_at "$1"` sets P to a path
 * that begins with `/` or `./`, so that no tool takes it for an option. A slash at its
 * end stays. It returns 1 where the path needs $HOME and there is none.
 */
#define SBI_FAR_PATH                                                                     \
    "sbx_at() {\n"                                                                       \
    "    case $1 in\n"                                                                   \
    "    '~') P=${HOME-}; [ -n \"$P\" ] || return 1 ;;\n"                                \
    "    '~/'*) [ -n \"${HOME-}\" ] || return 1; P=${HOME%/}/${1#'~/'} ;;\n"             \
    "    /*) P=$1 ;;\n"                                                                  \
    "    '') P=./ ;;\n"                                                                  \
    "    *) P=./$1 ;;\n"                                                                 \
    "    esac\n"                                                                         \
    "}\n"

#endif
