# hostile.sh - whatever a line holds, it gets an answer and the server goes on.
. "$(dirname "$0")/lib.sh"
ask hostile.py
check_end
