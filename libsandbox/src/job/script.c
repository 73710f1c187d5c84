/* script.c - scripts that look at jobs, end and remove them. */
#include "job/script.h"

#include "job/script_parts.h"

const char sbi_job_script_list[] =
    SBI_FAR_NEWLINE SBI_JOB_SINCE SBI_JOB_PLACE SBI_JOB_TELL SBI_JOB_CHECKPOINT
    "sbx_id=$1\n"
    "sbx_head\n"
    "if [ -n \"$sbx_id\" ]; then\n"
    "    sbx_find \"$sbx_id\" || sbx_fail missing\n"
    "    sbx_tell \"${sbx_D%/*}\" \"$sbx_id\"\n"
    "    sbx_show_checkpoint\n"
    "else\n"
    "    for sbx_at in \"$sbx_1\" \"$sbx_2\"; do\n"
    "        [ -n \"$sbx_at\" ] || continue\n"
    "        set -- \"$sbx_at\"/[!.]*/\n"
    "        [ ! -e \"$1\" ] || sbx_tell \"$sbx_at\" '[!.]*'\n"
    "    done\n"
    "fi\n"
    "echo bye\n";

const char sbi_job_script_stop[] = SBI_FAR_NEWLINE SBI_FAR_ALIVE SBI_FAR_LIST SBI_FAR_KILL
    "\n" SBI_JOB_SINCE SBI_JOB_PLACE SBI_JOB_RUNS SBI_JOB_TELL
    "sbx_id=$1 sbx_by=$2 sbx_wait=$3 sbx_left=\n"
    "umask 077\n"
    "sbx_find \"$sbx_id\" || sbx_fail missing\n"
    "sbx_note() {\n"
    "    [ -e \"$sbx_G/stopped\" ] || [ -e \"$sbx_G/held\" ] ||\n"
    "        { printf '%s %s %s %s %s\\n' $1 \"$sbx_id\" $sbx_g $(date +%s) \"$sbx_by\" 1<>\"$sbx_G/reserve.stop\" &&\n"
    "            mv -f \"$sbx_G/reserve.stop\" \"$sbx_G/$1\"; } 2>/dev/null || sbx_fail write \"$sbx_D\" tombstone\n"
    "}\n"
    "sbx_end() {\n"
    "    sbx_i=0\n"
    "    until [ -n \"$sbx_c\" ] || [ $((sbx_i += 1)) -gt 50 ]; do\n"
    "        sbx_nap\n"
    "        sbx_read \"$sbx_G\"\n"
    "    done\n"
    "    sbx_r=job:$sbx_id: sbx_me=$$ sbx_w=0 sbx_m=-1\n"
    "    if [ -n \"$sbx_c\" ]; then\n"
    "        sbx_m=$sbx_c sbx_x=\n"
    "        ! sbx_is $sbx_c \"$sbx_cs\" || sbx_x=\" $sbx_c\"\n"
    "        sbx_kill $sbx_wait\n"
    "        sbx_left=$sbx_L\n"
    "    fi\n"
    "    sbx_i=0\n"
    "    until [ -n \"$sbx_left\" ] || sbx_over \"$sbx_D\" || [ $((sbx_i += 1)) -gt 50 ]; do sbx_nap; done\n"
    "}\n"
    "sbx_q=-2\n"
    "while :; do\n"
    "    if sbx_over \"$sbx_D\"; then\n"
    "        [ $sbx_g -ge 0 ] && grep -q '^resume ' \"$sbx_D/record\" || break\n"
    "        sbx_note held\n"
    "    else\n"
    "        sbx_here || sbx_fail elsewhere \"$sbx_host\"\n"
    "        sbx_note stopped\n"
    "    fi\n"
    "    [ $sbx_g != $sbx_q ] || break\n"
    "    sbx_q=$sbx_g\n"
    "    sbx_over \"$sbx_D\" || { [ $sbx_g = $sbx_q ] && sbx_end; }\n"
    "    [ -z \"$sbx_left\" ] || break\n"
    "done\n"
    "sbx_head\n"
    "echo \"left $sbx_left\"\n"
    "sbx_tell \"${sbx_D%/*}\" \"$sbx_id\"\n"
    "echo bye\n";

const char sbi_job_script_remove[] =
    SBI_FAR_NEWLINE SBI_JOB_SINCE SBI_JOB_PLACE SBI_JOB_SWEEP SBI_JOB_RUNS
    "sbx_find \"$1\" || sbx_fail missing\n"
    "sbx_over \"$sbx_D\" || sbx_fail running\n"
    "sbx_T=${sbx_D%/*}/.old.$1.$$\n"
    "mv \"$sbx_D\" \"$sbx_T\" 2>/dev/null || sbx_fail write \"$sbx_D\" 'cannot be removed'\n"
    "rm -rf \"$sbx_T\" 2>/dev/null || sbx_fail write \"$sbx_T\" 'cannot be removed'\n"
    "sbx_sweep \"${sbx_D%/*}\"\n"
    "echo bye\n";

const char sbi_job_script_send[] =
    SBI_FAR_NEWLINE SBI_JOB_SINCE SBI_JOB_PLACE SBI_JOB_RUNS
    "sbx_find \"$1\" || sbx_fail missing\n"
    "! sbx_over \"$sbx_D\" || sbx_fail ended\n"
    "case $sbx_way in\n"
    "tmux) set -- sbx \"=$1:\" ;;\n"
    "adopted)\n"
    "    sbx_k= sbx_z=\n"
    "    while read -r sbx_s sbx_t; do\n"
    "        case $sbx_s in socket) sbx_k=$sbx_t ;; session) sbx_z=$sbx_t ;; esac\n"
    "    done <\"$sbx_D/record\"\n"
    "    set -- \"$sbx_k\" \"=$sbx_z:\"\n"
    "    ;;\n"
    "*) sbx_fail noterminal ;;\n"
    "esac\n"
    "tmux -u -L \"$1\" load-buffer -b \"sbx-$$\" - && tmux -u -L \"$1\" paste-buffer -d -b \"sbx-$$\" -t \"$2\" ||\n"
    "    sbx_fail noterminal tmux does not answer\n";
