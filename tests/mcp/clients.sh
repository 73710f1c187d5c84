# clients.sh - clients of the official SDKs, both generations, fetched for this test alone.
. "$(dirname "$0")/lib.sh"

check 'node and npm are there' command -v npm
mkdir "$T/npm" && cd "$T/npm" || exit 1
echo '{"private": true, "type": "module"}' >package.json
npm install --no-audit --no-fund --loglevel=error --cache "$T/cache" \
    @modelcontextprotocol/sdk@1 @modelcontextprotocol/client@2 >"$T/err" 2>&1
check 'the SDKs are fetched' equal "$? $(cat "$T/err" | grep -c ERR)" '0 0'
cp "$HERE/clients.mjs" .
for kind in v1 v2 v2-auto; do
    mkdir -p "$T/npm/$kind" && cd "$T/npm/$kind" || exit 1
    timeout 100 node ../clients.mjs "$kind" >"$T/said" 2>&1
    grep -v ' checks, ' "$T/said"
    check "a client of $kind finds all as it should be" grep -qx '[1-9][0-9]* checks, 0 failed' "$T/said"
done
cd "$T" || exit 1
check_end
