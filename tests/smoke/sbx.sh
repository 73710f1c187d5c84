# sbx.sh - the program starts, runs a command on this machine, and tells how it ended.
. "$TEST_SUPPORT/check.sh"

says() {
    timeout 20 "$SBX" "$@" </dev/null 2>&1
}

check 'it tells its version' contains "$(says --version)" 0.1.0
check 'it has help' contains "$(says --help)" exec
check 'a command prints' equal "$(says exec local 'echo hello')" hello
says exec local 'exit 7'
check 'a command ends with its code' equal $? 7
says no-such-command >/dev/null
check 'a command that there is not is a usage error' equal $? 2
loaded=$(LD_DEBUG=files says exec local true | grep -oE 'lib(ssh|crypto|krb5|sqlite3|curl|archive)\.so' | sort -u)
check 'a command on this machine loads neither SSH nor a database nor OpenSSL' equal "$loaded" ''
folder=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
for library in $(ldd "$SBX" | grep -o 'lib[^ ]*\.so[^ ]*' | sed 's|.*/||') libssh.so.4; do
    : >"$folder/$library"
done
check 'no library is taken from the folder it is started in' \
    equal "$(cd "$folder" && says exec local 'echo hello')" hello
check_end
