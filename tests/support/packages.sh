# packages.sh - installs what is missing of a list of Debian or Ubuntu packages.
#
#     . tests/support/packages.sh
#     packages_need NAME [NAME ...]
#
# One install by apt-get, and none where nothing is missing. The name `clang-runtime`
# stands for the sanitisers of clang, whose package goes by clang's version or is part of
# another; npm counts as there where node brought one along. On another system than these it says what is needed and goes on: the tools may
# be there under other names.

package_is_there() {
    if [ "$1" = clang-runtime ]; then
        echo 'int main(void) { return 0; }' |
            clang -fsanitize=thread -x c - -o /dev/null 2>/dev/null
    elif [ "$1" = npm ] && command -v npm >/dev/null; then
        return 0
    else
        dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
    fi
}

# Asked after the lists were fetched. Nothing where no such package exists.
package_name() {
    name=$1
    if [ "$name" = clang-runtime ]; then
        version=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\).*/\1/p')
        name=libclang-rt-$version-dev
        apt-cache show "$name" >/dev/null 2>&1 || return 0
    fi
    echo "$name"
}

packages_as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "this is neither root nor is there sudo" >&2
        return 1
    fi
}

packages_apt() {
    packages_as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >&2
}

packages_lack() {
    echo "could not install what is missing; as root: apt-get install" $missing >&2
    return 1
}

packages_need() {
    if ! command -v apt-get >/dev/null; then
        echo "no apt-get here; needed, by their Debian names: $*" >&2
        return 0
    fi
    missing=
    for package in "$@"; do
        package_is_there "$package" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    packages_apt update || packages_lack || return 1
    missing=$(for package in $missing; do package_name "$package"; done | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    echo "installing: $missing" >&2
    packages_apt install --no-install-recommends $missing || packages_lack
}
