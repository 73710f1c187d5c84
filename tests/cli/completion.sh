# completion.sh - what bash, zsh and fish put on the line when Tab is pressed.
. "$(dirname "$0")/lib.sh"

cat >"$XDG_CONFIG_HOME/sbx/hosts.json" <<'END'
[{"name": "gpu1", "host": "192.0.2.1", "tags": ["lab", "big"]},
 {"name": "gpu2", "host": "192.0.2.2", "tags": ["lab"]},
 {"name": "nas", "host": "192.0.2.3"}]
END
mkdir "$T/bin" "$T/folder"
ln -s "$SBX" "$T/bin/sbx"
touch "$T/folder/notes.txt"
PATH=$T/bin:$PATH
export PATH

run -F none __hosts
check 'hosts and tags are listed for scripts' equal "$(sort "$T/out" | tr '\n' ' ')" \
    '@big @lab gpu1 gpu2 local nas '
words() {
    "$SBX" -F none __complete -- "$@" | cut -f1 | sort | tr '\n' ' '
}
check 'hidden commands are not offered' equal "$(words '')" \
    'audit completion computer cp doctor exec file forward help host job keeper lease mcp outcome output pick probe run shell sync top version wait watch '
check 'commands of a group are offered' equal "$(words host '')" 'add check ls rm show '
check 'options of a command and of all are offered' contains "$(words exec --)" '--json --keep-outcome --max-output'
check 'no option is offered behind the place' equal "$(words exec local --)" ':command '
check 'a host show takes one place' equal "$(words host show nas '')" ''
check 'a push takes a file and then a place' equal "$(words sync push '') $(words sync push x gp)" \
    ':file  gpu1: gpu2: '
check 'a pull takes a place and then a file' equal "$(words sync pull na) $(words sync pull x gp)" \
    'nas:  :file '
check 'a copy takes either' equal "$(words cp gp) $(words cp x ./gp)" ':file gpu1: gpu2:  :file '
check 'what is no entry cannot be removed' equal "$(words host rm '')" 'gpu1 gpu2 nas '
check 'an option of all commands may come first' equal "$(words --config f ex)" 'exec '
check 'the second of several places is offered' equal "$(words exec nas,gp)" 'nas,gpu1 nas,gpu2 '

# What is typed before Tab, and what must show then. Ctrl-U clears the line for the next.
cd "$T/folder" || exit 1
while IFS='|' read -r typed shown; do
    printf 'send %s\\t\nexpect %s\nsend \\x15\n' "$typed" "$shown"
done >"$T/lines" <<'END'
sbx ex|ec 
sbx exec --max|-output 
sbx exec na|nas 
sbx exec nas,lo|nas,local 
sbx exec @la|@lab 
sbx exec nas,@la|nas,@lab 
sbx host sh|host show 
sbx host add --host-key-policy acc| accept-new 
sbx host add --host-key-policy=acc|=accept-new 
sbx --config no|tes.txt
sbx exec local cat no|tes.txt
sbx completion z|completion zsh 
sbx sync push no|tes.txt
sbx sync push notes.txt na|nas:
sbx cp no|tes.txt
sbx cp notes.txt na|nas:
END
completes() { # COMMAND-THAT-LOADS-THE-SCRIPT SHELL...
    printf 'send %s; echo "rea""dy"\\r\nexpect ready\n' "$1" >"$T/steps"
    shift
    cat "$T/lines" >>"$T/steps"
    PS1='> ' TERM=dumb /usr/bin/python3 "$HERE/terminal.py" "$@" <"$T/steps"
}
check 'bash completes commands, options, places, tags, values and files' \
    completes 'source <(sbx completion bash)' bash --norc -i
check 'zsh completes commands, options, places, tags, values and files' \
    completes "autoload -U compinit; compinit -u -d $T/dump; source <(sbx completion zsh)" zsh -f -i
check 'fish completes commands, options, places, tags, values and files' \
    completes 'sbx completion fish | source' fish --no-config -i

# Installed as files, where each shell looks for them.
mkdir -p "$T/zfunc"
sbx completion zsh >"$T/zfunc/_sbx"
check 'zsh finds the script as a file' completes \
    "fpath=($T/zfunc \$fpath); autoload -U compinit; compinit -u -d $T/dump2" zsh -f -i
mkdir -p "$T/config/fish/completions"
sbx completion fish >"$T/config/fish/completions/sbx.fish"
check 'fish finds the script as a file' completes true fish -i
check_end
