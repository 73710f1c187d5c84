# computer_podman.sh - computers on a real podman: the same life by the same words.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/podman.sh"

podman_lab
sbx() { timeout -k 5 60 "$SBX" -F none "$@" 2>"$PODMAN_DIR/err" </dev/null; }
err() { cat "$PODMAN_DIR/err"; }

check 'one is made' equal "$(sbx computer create -n box --engine podman -i localhost/sbxt:1 --no-network -m 64M)" local/box
check 'a command runs in it, below an init process' equal "$(sbx exec local/box 'cat /proc/1/comm; hostname' | tr '\n' ' ')" 'podman-init box '
check 'it gains no privileges' equal "$(sbx exec local/box 'grep NoNewPrivs /proc/self/status' | tr -d '\t')" 'NoNewPrivs:1'
sbx computer pause box >/dev/null
sbx exec local/box true
check 'what is paused is not entered' equal "$?" 2
sbx computer resume box >/dev/null
sbx exec local/box 'echo x >/kept'
sbx computer snapshot box kept:1
sbx computer reset box >/dev/null
check 'a reset makes it anew' equal "$? $(sbx exec local/box 'ls /kept 2>/dev/null')" '0 '
check 'a snapshot has what it had' equal "$(sbx computer create -n twin --engine podman -i localhost/kept:1 --no-network >/dev/null; sbx exec local/twin cat /kept)" x
sbx computer rm --owner eve box
check 'it is for its owner' contains "$(err)" 'it belongs to '
check 'both are listed' equal "$(sbx computer ls --engine podman | cut -d ' ' -f 1 | sort | tr '\n' ' ')" 'local/box local/twin '
sbx computer rm box twin
check 'they are removed' equal "$? $(podman ps -aq | wc -l)" '0 0'
sbx exec local/box true
check 'what is gone is said to be' equal "$(err | head -n 1)" "sbx: start a command on 'local/box': there is no such computer"
check_end
