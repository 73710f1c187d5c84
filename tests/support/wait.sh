# wait.sh - waits for what will hold, by the clock only in that it gives up.

# within SECONDS COMMAND...: asks again until it holds; 1 when time is up. Asks less and
# less often: each time costs some processes, and what is waited for wants to run, too.
within() {
    within_end=$(($(date +%s) + $1))
    within_pause=0.02
    shift
    until "$@"; do
        [ "$(date +%s)" -le "$within_end" ] || return 1
        sleep "$within_pause"
        case $within_pause in
        0.02) within_pause=0.04 ;;
        0.04) within_pause=0.08 ;;
        0.08) within_pause=0.16 ;;
        0.16) within_pause=0.3 ;;
        esac
    done
}
