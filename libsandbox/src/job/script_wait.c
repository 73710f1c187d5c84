/* script_wait.c - waits over there, a while at a time, for what can be seen there. */
#include "job/script.h"

#include "base/far.h"
#include "job/script_parts.h"

const char sbi_job_script_wait[] =
    SBI_FAR_NEWLINE SBI_JOB_SINCE SBI_JOB_PLACE SBI_JOB_RUNS SBI_FAR_PATH
    "sbx_kind=$1 sbx_what=$2 sbx_times=$3\n"
    "sbx_heard() {\n"
    "    if [ -r /proc/net/tcp ]; then\n"
    "        cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q \":$sbx_hex [0-9A-F]*:[0-9A-F]* 0A \"\n"
    "    else\n"
    "        nc -z 127.0.0.1 \"$sbx_what\" >/dev/null 2>&1\n"
    "    fi\n"
    "}\n"
    "case $sbx_kind in\n"
    "job) sbx_find \"$sbx_what\" || sbx_fail missing ;;\n"
    "file) sbx_at \"$sbx_what\" || sbx_fail nohome ;;\n"
    "port) sbx_hex=$(printf %04X \"$sbx_what\") ;;\n"
    "esac\n"
    "sbx_is_met() {\n"
    "    case $sbx_kind in\n"
    "    job) sbx_over \"$sbx_D\" ;;\n"
    "    file) [ -e \"$P\" ] ;;\n"
    "    port) sbx_heard ;;\n"
    "    esac\n"
    "}\n"
    "sbx_i=0\n"
    "until sbx_is_met; do\n"
    "    [ $((sbx_i += 1)) -lt $sbx_times ] || exit 0\n"
    "    sleep 0.5 2>/dev/null || sleep 1\n"
    "done\n"
    "echo met\n";
