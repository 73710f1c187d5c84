# dialogue.sh - what is said in each version of the protocol, message by message.
. "$(dirname "$0")/lib.sh"
for version in 2024-11-05 2025-03-26 2025-06-18 2025-11-25 2026-07-28; do
    ask dialogue.py "$HERE/dialogues/$version.txt"
done
ask lifecycle.py
check_end
