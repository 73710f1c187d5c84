# gpus.sh - programs that stand in for nvidia-smi, for shell tests.
#
#     fake_nvidia FOLDER NAME|FILE [SECONDS]   prints a fixture, that late; its GPUs have
#                                              UUIDs of this test's own, as leases are
#                                              seen by all that run on this machine
#     fake_failing FOLDER STATUS WORDS         fails
#     fake_hanging FOLDER NAP                  hangs, with a child that holds its output
#
# Each makes FOLDER/nvidia-smi, to be put ahead on the PATH.
#
#     lab_host NAME [TAG [SHELL [PATH [ENV]]]]   prints the entry for hosts.json of a user of
#                                                sshd.sh whose nvidia-smi lies in $T/NAME
#     lab_leases_end                             removes what its users' leases left

fake_program() {
    mkdir -p "$1"
    cat >"$1/nvidia-smi"
    chmod 755 "$1" "$1/nvidia-smi"
}

fake_uuid=$(printf 'GPU-%08x' $$)
of_this_test() {
    sed "s/GPU-[0-9a-f]\{8\}-/$fake_uuid-/g" "$1"
}

fake_nvidia() {
    case $2 in
    /*) fake_xml=$2 ;;
    *) fake_xml=$SBX_SOURCE/tests/fixtures/gpu/nvidia/$2.xml ;;
    esac
    mkdir -p "$1"
    of_this_test "$fake_xml" >"$1/all.xml"
    fake_list=$SBX_SOURCE/tests/fixtures/gpu/nvidia-list/${2%-*}.txt
    : >"$1/list.txt"
    [ ! -f "$fake_list" ] || of_this_test "$fake_list" >"$1/list.txt"
    chmod 644 "$1/all.xml" "$1/list.txt"
    fake_program "$1" <<END
#!/bin/sh
${3+sleep $3}
case \$1 in
-q) cat '$1/all.xml' ;;
-L | '') cat '$1/list.txt' ;;
*)
    while :; do
        sed -n 's/.*<uuid>\(GPU-.*\)<.*/\1/p; s/.*<gpu_util>\([0-9]*\).*/\1/p' '$1/all.xml' | paste -d, - -
        sleep 0.12
    done
    ;;
esac
END
}

fake_failing() {
    mkdir -p "$1"
    printf '%s\n' "$3" >"$1/words"
    fake_program "$1" <<END
#!/bin/sh
cat '$1/words'
exit $2
END
}

fake_hanging() {
    fake_program "$1" <<END
#!/bin/sh
trap '' HUP INT TERM
sleep $2 &
while :; do sleep $2; done
END
}

# PATH and ENV: further folders, each with its colon, and further members of "env".
lab_host() {
    sshd_user "$1" "${3:-/bin/sh}"
    cat <<END
{"name": "$1", "host": "127.0.0.1", "port": $SSHD_PORT, "user": "$SSHD_USER", "tags": ["${2:-lab}"],
 "key_file": "$SSHD_DIR/key", $SSHD_TRUST, "connect_timeout": 30,
 "env": {"PATH": "$T/$1:${4-}/usr/bin:/bin"${5-}}},
END
}

lab_leases_end() {
    for lab_user in $(cut -d' ' -f2 "$SSHD_DIR/users"); do
        as_root rm -rf "/var/tmp/sbx-leases-$(id -u "$lab_user")"
    done
}
