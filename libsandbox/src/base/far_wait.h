/*
 * far_wait.h - shell text that learns exactly how a command ended.
 *
 * A shell reports `exit 137` and a death by KILL alike. So the one who waits is perl
 * where it is there. Else, on Linux, it is a shell that the command's own process stops
 * before it begins: a stopped parent reaps nothing, the kernel's word lies in
 * /proc/PID/stat for another to read, and then the parent goes on.
 */
#ifndef SANDBOX_BASE_FAR_WAIT_H
#define SANDBOX_BASE_FAR_WAIT_H

/*
 * sbx_perl: a program for `perl -e "$sbx_perl" FILE AS WORD...`. It runs the words and
 * writes `exit N PEAK TIME` or `signal N PEAK TIME` to FILE: into FILE.room, which is
 * renamed, so room taken there ahead will do on a full disk. PEAK is in bytes, or `-`. AS
 * `told`: it exits with 0, or 99 where that failed. AS `same`: it lets go of its streams,
 * and of descriptor 3, and ends as the command did, whatever became of FILE.
 */
#define SBI_FAR_PERL                                                                     \
    "sbx_perl='\n"                                                                       \
    "my ($out, $as, @c) = @ARGV;\n"                                                      \
    "my $same = $as eq \"same\";\n"                                                      \
    "my $p = fork;\n"                                                                    \
    "exit 99 unless defined $p || $same;\n"                                              \
    "if (!$p) { exec { $c[0] } @c; exit 127; }\n"                                        \
    "my @caught = qw(INT QUIT TERM HUP);\n"                                              \
    "$SIG{$_} = \"IGNORE\" for @caught;\n"                                               \
    "if ($same) {\n"                                                                     \
    "    open(STDIN, \"<\", \"/dev/null\");\n"                                           \
    "    open(STDOUT, \">\", \"/dev/null\");\n"                                          \
    "    open(STDERR, \">\", \"/dev/null\");\n"                                          \
    "    open(my $e, \">&=3\") and close($e);\n"                                         \
    "}\n"                                                                                \
    "my $r;\n"                                                                           \
    "do { $r = waitpid($p, 0) } while ($r == -1 && $!{EINTR});\n"                        \
    "exit 99 if $r != $p;\n"                                                             \
    "my $s = $?;\n"                                                                      \
    "my $n = $s & 127;\n"                                                                \
    "my $told = tell_end();\n"                                                           \
    "exit($told ? 0 : 99) unless $same;\n"                                               \
    "$SIG{$_} = \"DEFAULT\" for @caught, \"PIPE\";\n"                                    \
    "kill $n, $$ if $n;\n"                                                               \
    "exit($n ? 128 + $n : $s >> 8);\n"                                                   \
    "sub tell_end {\n"                                                                   \
    "    my ($peak, $f) = (\"-\");\n"                                                    \
    "    my %n = (x86_64 => 98, aarch64 => 165, riscv64 => 165, ppc64le => 77, s390x "   \
    "=> 77);\n"                                                                          \
    "    my $m = eval { require POSIX; (POSIX::uname())[4] };\n"                         \
    "    if ($^O eq \"linux\" && $m && $n{$m} && length(pack(\"l!\", 0)) == 8) {\n"      \
    "        my $b = \"\\0\" x 256;\n"                                                   \
    "        if (syscall($n{$m}, -1, $b) == 0) { $peak = (unpack(\"l!5\", $b))[4] * "    \
    "1024; }\n"                                                                          \
    "    }\n"                                                                            \
    "    open($f, \"+<\", \"$out.room\") or open($f, \">\", \"$out.room\") or return;\n" \
    "    print $f ($n ? \"signal $n\" : \"exit \" . ($s >> 8)), \" $peak \", time, "     \
    "\"\\n\";\n"                                                                         \
    "    close($f) or return;\n"                                                         \
    "    return rename(\"$out.room\", $out);\n"                                          \
    "}\n"                                                                                \
    "'\n"

/* sbx_freeze PID: stops it, and returns once it stands. */
#define SBI_FAR_FREEZE                                                                   \
    "sbx_freeze() {\n"                                                                   \
    "    kill -STOP $1\n"                                                                \
    "    while { IFS= read -r sbx_s </proc/$1/stat; }; do\n"                             \
    "        case ${sbx_s##*\")\"} in \" T\"*) break ;; esac\n"                          \
    "    done\n"                                                                         \
    "}\n"

/*
 * sbx_corpse: waits for the end of sbx_c, whose parent is stopped; sbx_k becomes `exit
 * N` or `signal N`, sbx_h the parent. 1: somebody has reaped it.
 */
#define SBI_FAR_CORPSE                                                                   \
    "sbx_corpse() {\n"                                                                   \
    "    sbx_i=0\n"                                                                      \
    "    set --\n"                                                                       \
    "    while { IFS= read -r sbx_s </proc/$sbx_c/stat; } 2>/dev/null; do\n"             \
    "        set -- ${sbx_s##*\")\"}\n"                                                  \
    "        case $1 in Z | X) break ;; esac\n"                                          \
    "        [ $((sbx_i += 1)) -lt 30 ] && sleep 0.1 2>/dev/null || sleep 1\n"           \
    "    done\n"                                                                         \
    "    [ \"${1-}\" = Z ] || return 1\n"                                                \
    "    sbx_h=$2 sbx_k=${sbx_s##* }\n"                                                  \
    "    if [ $((sbx_k & 127)) = 0 ]; then sbx_k=\"exit $((sbx_k >> 8))\"\n"             \
    "    else sbx_k=\"signal $((sbx_k & 127))\"; fi\n"                                   \
    "}\n"

#endif
