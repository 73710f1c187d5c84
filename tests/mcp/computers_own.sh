# computers_own.sh - whose a computer is, and how it ends, whatever becomes of its server.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"
sshd_start
docker_lab
trap 'docker_cleanup; sshd_cleanup; rm -rf "$T"' EXIT
MCP_SSH_CONFIG=none
export MCP_SSH_CONFIG
ask computers_own.py
check_end
