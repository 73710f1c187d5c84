# computer_life_command.sh - the life of computers, by the engine's command line alone.
DOCKER_WAY=command
. "$(dirname "$0")/computer_life.sh"
