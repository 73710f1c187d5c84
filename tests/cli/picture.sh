# picture.sh - the picture in the README is made from a real `top`, of a lab of four hosts.
#
#     sh tests/cli/picture.sh docs/top.svg      makes it anew
picture=${1:+$(realpath "$1")}
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/gpus.sh"

sshd_start
chmod 755 "$T"
{
    echo '['
    for name in gpu1 gpu2 gpu3 cpu1; do lab_host $name; done
    echo '{"name": "gpu4", "host": "127.0.0.1", "port": 1}]'
} >"$XDG_CONFIG_HOME/sbx/hosts.json"
fake_nvidia "$T/gpu1" h100-80gb-hbm3-590.48.01-load
fake_nvidia "$T/gpu2" l40s-595.80-idle
fake_nvidia "$T/gpu3" h200-590.48.01-idle
mkdir "$T/cpu1"

TERM=xterm-256color python3 "$TEST_SUPPORT/picture.py" 110 'sbx top --once' \
    "$SBX" -F none top --once >"$T/top.svg" 2>"$T/err"
check 'the table is drawn' equal "$? $(cat "$T/err")" '0 '
check '  as a picture' python3 -c 'import sys, xml.dom.minidom as dom; dom.parse(sys.argv[1])' "$T/top.svg"
check '  with hosts, GPUs and colours' equal \
    "$(for word in gpu1 H200 dead '#99cc99' '#f2777a'; do grep -c -m 1 "$word" "$T/top.svg"; done | sort -u)" 1
check 'the README shows one' grep -q 'docs/top.svg' "$SBX_SOURCE/README.md"
check '  that is there' test -s "$SBX_SOURCE/docs/top.svg"
[ -z "$picture" ] || cp "$T/top.svg" "$picture"
check_end
