# computers_agents.sh - two agents at once, one of each era, each with a machine of its own on a
# host over SSH: push a project, run its tests, snapshot, reset, and leave nothing behind.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"
sshd_start
docker_lab
trap 'docker_cleanup; sshd_cleanup; rm -rf "$T"' EXIT
docker_far lab
MCP_SSH_CONFIG=none
export MCP_SSH_CONFIG SSHD_LOG

# What is not given away is not reached by chance: on this machine no engine is there.
DOCKER_HOST=unix://$T/none
export DOCKER_HOST
docker() { as_root /usr/bin/docker -H "unix://$DOCKER_DIR/socket" "$@"; }
LAB_DOCKER=unix://$DOCKER_DIR/socket
export LAB_DOCKER
ask computers_agents.py
check_end
