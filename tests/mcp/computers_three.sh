# computers_three.sh - three servers on one engine at once: none touches another's computers.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"
sshd_start
docker_lab
trap 'docker_cleanup; sshd_cleanup; rm -rf "$T"' EXIT
MCP_SSH_CONFIG=none
export MCP_SSH_CONFIG
ask computers_three.py
check_end
