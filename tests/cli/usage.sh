# usage.sh - what a wrong command line is told, and what a right one is helped with.
. "$(dirname "$0")/lib.sh"

refuses 'no command at all' 'no command given'
refuses 'a command that there is not' "unknown command 'exce'" exce local true
check 'the nearest one is named' contains "$err" "$program: try: $program exec"
refuses 'a group without its command' 'no command given' host
refuses 'a command that a group has not' "unknown command 'host lss'" host lss
refuses 'a word too many' "one word too many: 'x'" host ls x
refuses 'exec without a place' 'no PLACE given' exec
check 'the help is named' contains "$err" "$program: try: $program exec --help"
refuses 'exec without a command' 'no COMMAND given' exec local
refuses 'exec without a command behind --' 'no COMMAND given' exec local --
refuses 'an option of exec behind the place' "'-t' stands behind PLACE, where the command begins" \
    exec local -t 5 true
check 'both ways to mean it are named' contains "$err" 'try: options ahead of PLACE, or --'
run exec local -- -t 5
check 'behind -- it is a command like any other' equal "$status" 127
refuses 'a push without its target' 'no PLACE:PATH given' sync push src
refuses 'a pull without its target' 'no LOCAL given' sync pull local:src
refuses 'a copy without its target' 'no TARGET given' cp src
refuses 'a push from one place to another' "'a:x' is on a place, and LOCAL is on this machine" \
    sync push a:x b:y
check 'a file that is called so can be named' contains "$err" 'try: ./a:x, if a file here is called so'
refuses 'a pull to a place' "'b:y' is on a place, and LOCAL is on this machine" sync pull a:x b:y
refuses 'a target without its place' "'gpu1' names no place: PLACE:PATH" sync push src gpu1
check 'both ways to mean it are named' contains "$err" 'try: local:gpu1, or gpu1:PATH if that is a place'
refuses 'cp -r' "option '--recursive': a tree is always taken whole" cp -r src local:dst
refuses 'what is no id of a run' "'xyz' is no run id, which has 32 hex digits" output xyz
check 'where one is found is told' contains "$err" 'sbx exec -v'
refuses 'a host key that is none' \
    "new host: entry 'n': key 'host_key' is neither 'ssh-ed25519 AAAA...' nor 'SHA256:...'" \
    host add n --host-key foo

for value in 0 -1 nan inf 1e3 0x10 5s '' ' 5' 1000000001 99999999999999999999 1.2.3 .; do
    refuses "'$value' is no time limit" \
        "-t '$value': not a positive number of seconds, at most 1000000000" \
        exec -t "$value" local true
done
for value in 0 -1 x 1T 1KB 99999999999999999999 2000G; do
    refuses "'$value' is no number of bytes" \
        "--max-output '$value': not a number of bytes from 1 to 1024G (K, M and G may follow it)" \
        exec --max-output "$value" local true
done
for option in -F --config; do
    run $option "$T/no such file" exec h true
    check "$option: a file that is not there is the person's mistake" equal "$status $out" '2 '
    check '  on one line, which names it' equal \
        "$(wc -l <"$T/err") $(grep -c "'$T/no such file': No such file or directory\$" "$T/err")" '1 1'
done
refuses 'a variable without =' "-e 'FOO': no '=' in it (NAME=VALUE)" exec -e FOO local true
for value in =x 1A=x 'A B=x' A-B=x; do
    refuses "'$value' sets no variable" "-e '$value': not the name of a variable" \
        exec -e "$value" local true
done
refuses 'an empty folder' "--cwd '': empty" exec --cwd= local true

refuses 'a long option that there is not' "unknown option '--tiemout'" exec --tiemout 3 local true
check 'the nearest option is named' contains "$err" "$program: try: --timeout"
refuses 'an option cut short' "unknown option '--mem'" pick --mem 4G
check 'the one that begins so is named' contains "$err" "$program: try: --memory"
refuses 'a letter that there is not' "unknown option '-q'" exec -vq local true
refuses 'a flag with a value' "option '--stdin' takes no value ('yes')" exec --stdin=yes local true
refuses 'an option without its value' "option '-t': no SECONDS given" exec -t
refuses 'a password on the command line' \
    "option '--password': other users could see a password on the command line" \
    host add --password secret n
check 'the safe ways are named' contains "$err" '--password-stdin, or --password-command'
refuses 'two sources of one password' 'more than one way to get the password' \
    host add --password-stdin --password-file f n
refuses 'a port that cannot be' "--port '70000': not a number from 1 to 65535" \
    host add --port 70000 n
refuses 'a policy that there is not' \
    "--host-key-policy 'no': not 'strict', 'accept-new' or 'ask'" \
    host add --host-key-policy no n
refuses 'an empty place among others' "places 'local,,x': an empty name" exec local,,x true
refuses 'a tag of nobody' "no host carries the tag 'lab' (known: none)" exec @lab true
check 'how a host gets one is told' contains "$err" "try: $program host add NAME --tag lab"
refuses 'a table that goes on' 'no --once given: there is no live view yet' top
check 'the table that there is is named' contains "$err" "try: $program top --once"
refuses 'help for nothing' "unknown command 'nosuch'" help nosuch
check 'where the commands are told is told' contains "$err" "try: $program --help"
refuses 'a copy between places' "'a:x' and 'b:y' are both on places: one must be a path of this machine" \
    cp a:x b:y
refuses 'a forward that is none' "-L 'x': 'x' is no forward of that kind" forward local -L x
check 'the form of one is told' contains "$err" 'try: [BIND:]PORT:HOST:HOSTPORT'
refuses 'a need without its unit' 'pick a place: a need of 20 bytes of GPU memory: 1 MiB is the least' \
    pick --gpus 1 --vram 20 local
check 'what was meant is told' contains "$err" 'try: 20G, which is 21474836480 bytes'
refuses 'a terminal for two places' "option '--pty' is for one place, and 2 are named" \
    exec --pty local,gpu1 true
refuses 'a range that is none' "option '--range' '5': not of the form A:B" output --range 5 x
check 'the form of one is told' contains "$err" 'try: 10:20, 10: to the end'
refuses 'a range of a log that is none' "option '--bytes' '5': not of the form A:B" \
    job log local nosuch-01234567 --bytes 5
check '  with its form' contains "$err" 'try: 10:20'
refuses 'a limit of a job that is none' "-t 'x': not a positive number of seconds, at most 1000000000" \
    job start local -t x true
check 'the help is named behind the place too' contains "$err" "try: $program job start --help"
refuses 'a group of tools that there is not' "--tools: no group of tools is called 'x'" mcp --tools x
check 'those there are are named' contains "$err" 'try: places, exec'
refuses 'a folder for agents that is not there' "--root '/no/such': No such file or directory" mcp --root /no/such
refuses 'a line zero' "option '--lines' '0:3': lines count from 1" output --lines 0:3 x
refuses 'two questions at once' "more than one of '--range', '--lines' and '--grep'" \
    output --range 1:2 --grep x x
refuses 'a shell that there is not' "shell 'csh': not 'bash', 'zsh' or 'fish'" completion csh

run
check 'who gives no command is told of the help' contains "$err" "try: $program --help"
run --help
check '--help is an answer' equal "$status $err" '0 '
check '--help names the commands' contains "$out" completion
"$SBX" __options | cut -f1 | sort -u | grep . >"$T/told"
sed 's/ .*//' "$T/told" | sort -u - "$T/told" >"$T/commands"
check 'commands that stand for several are among them' grep -qx computer "$T/commands"
while read -r command; do
    run $command --help
    check "$command --help is an answer" equal "$status $err" '0 '
    check "$command --help ends in examples" contains "$(tail -n 4 "$T/out")" "$program $command"
    cp "$T/out" "$T/help"
    run help $command
    check "help $command is the same" cmp "$T/help" "$T/out"
done <"$T/commands"
run --version
check 'the version is told' contains "$out" 'libsandbox 0.1.0'
run version --json
check 'the version is told as JSON' equal "$(jq -r .version "$T/out")" 0.1.0

ln -s "$SBX" "$T/other-name"
"$T/other-name" exce 2>"$T/err"
check 'the program goes by the name it is called' contains "$(cat "$T/err")" 'other-name: unknown'
check '  where it says what mends it too' contains "$(cat "$T/err")" 'try: other-name exec'
"$T/other-name" -F none exec local/nosuch-box true 2>"$T/err"
check '  and where the library does' equal "$(grep -c 'try: .*sbx ' "$T/err")" 0

# A fix that is a command of the program can be typed as it stands.
"$SBX" __options | cut -f1 | cut -d' ' -f1 | sort -u | grep . >"$T/words"
whole() {
    run -F none "$@"
    check "what mends '$*' can be typed" equal \
        "$(sed -n "s/^$program: try: \([a-z]*\) .*/\1/p" "$T/err" | grep -cxf "$T/words")" 0
    check '  and is there' contains "$err" "$program: try: "
}
whole job show local nosuch
whole job attach local nosuch
whole wait local --job nosuch
whole watch show 77
whole shell local
whole exce local true
whole pick --gpus 99 local
whole run --gpus 99 --on local true
whole outcome 00000000000000000000000000000000
whole lease take local 99
"$SBX" --help >/dev/full 2>"$T/err"
check 'an answer that cannot be written is no success' equal "$? $(cat "$T/err")" \
    "255 $program: write standard output: No space left on device"
check_end
