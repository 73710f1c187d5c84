# image.sh - what is in the images of the tests' engines: BusyBox, and nothing else.
#
#     . "$TEST_SUPPORT/image.sh"                  after sshd.sh
#     busybox_image FOLDER | podman import - sbxt:1

# The image's root is made in the folder, and printed as a tar.
busybox_image() {
    mkdir -p "$1/bin" "$1/tmp" && chmod 1777 "$1/tmp" &&
        cp "$(command -v busybox)" "$1/bin/busybox" &&
        as_root chroot "$1" /bin/busybox --install -s /bin && tar -C "$1" -c .
}
