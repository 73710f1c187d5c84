# conformance.sh - the official Inspector and the official conformance suite, fetched for this
# test alone, with the Node that they need.
. "$(dirname "$0")/lib.sh"

mkdir "$T/npm" && cd "$T/npm" || exit 1
echo '{"private": true}' >package.json
npm install --no-audit --no-fund --loglevel=error --cache "$T/cache" node@22 \
    @modelcontextprotocol/inspector@2 @modelcontextprotocol/conformance@0.1 >"$T/err" 2>&1
check 'they are fetched' equal "$? $(grep -c ERR "$T/err")" '0 0'
PATH=$T/npm/node_modules/.bin:$PATH

inspect() {
    timeout 60 mcp-inspector --cli "$SBX_MCP" --local -F none "$@" >"$T/out" 2>"$T/err"
}
inspect --method tools/list --strict
check 'the Inspector has nothing to say of the schemas' equal "$? $(grep -ci error "$T/err")" '0 0'
check 'and lists all tools' equal "$(jq '.tools | length' "$T/out")" 18
inspect --method tools/call --tool-name exec_bash --tool-arg command='echo hi' --tool-arg sandbox=local
check 'it calls one' equal "$? $(jq -r .structuredContent.stdout "$T/out")" '0 hi'
inspect --method tools/call --tool-name list_sandboxes --load --load-requests 200
check 'two hundred calls at once' equal "$?" 0
inspect --method resources/list
check 'it lists resources' equal "$? $(jq -r '.resources[0].uri' "$T/out")" '0 sbx://host/local'

mkfifo "$T/in"
node "$HERE/bridge.mjs" "$SBX_MCP" --local -F none <"$T/in" >"$T/port" 2>"$T/err" &
exec 9>"$T/in"
port_is_there() {
    [ -s "$T/port" ]
}
tries=0
until port_is_there || [ "$tries" -gt 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
timeout 150 conformance server --url "http://localhost:$(cat "$T/port")/mcp" -o "$T/results" \
    --expected-failures "$HERE/conformance.yml" >"$T/log" 2>&1
check 'the conformance suite finds no failure that is not expected' equal $? 0
sed -n '/=== SUMMARY/,$p' "$T/log"
exec 9>&-
wait
cd "$T" || exit 1
check_end
