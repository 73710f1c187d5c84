# docs_lab.sh - the lab that the pages of docs tell of: gpu1 and gpu2, real hosts with a
# project and GPUs, and the folder that a person stands in here.
#
#     . "$TEST_SUPPORT/docs_lab.sh"      after cli/lib.sh; stands in $T/work then
#
# All is gone when the shell ends.
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/gpus.sh"

sshd_start
chmod 755 "$T"
# host NAME: one of the lab, which has a project.
host() {
    lab_host "$1" lab /bin/bash "$T/bin:" ', "DATA": "1"'
    as_root cp -r "$T/there/." "$SSHD_HOME" && as_root chown -R "$SSHD_USER:" "$SSHD_HOME"
    users="$users $1"
}
mkdir -p "$T/there/proj/results" "$T/there/data" "$T/bin" "$T/work" "$HOME/.zfunc" "$HOME/.config/fish/completions"
for name in a log train.log proj/train.log run.sh proj/results/x; do echo "lr=0.1 OLD" >"$T/there/$name"; done
printf '#!/bin/sh\necho "epoch 10"\n' >"$T/there/train"
chmod 755 "$T/there/train"
cp -r "$T/there/." "$T/work"
echo more >"$T/work/more"
echo model | tee "$T/work/train.py" >"$T/work/model.pt"
printf '#!/bin/sh\necho "epoch 10"; sleep 5\n' >"$T/bin/python"
printf '#!/bin/sh\necho made\n' >"$T/bin/make"
chmod 755 "$T"/bin/*
ln -s "$SBX" "$T/bin/sbx"
git -C "$T/work" init -q
{
    echo '['
    host gpu1
    host gpu2 | sed '$ s/,$/]/'
} >"$XDG_CONFIG_HOME/sbx/hosts.json"
fake_nvidia "$T/gpu1" l40s-595.80-idle
fake_nvidia "$T/gpu2" h100-80gb-hbm3-590.48.01-load
docs_cleanup() {
    lab_leases_end
    sshd_cleanup
    rm -rf "$T"
}
trap docs_cleanup EXIT

cd "$T/work" || exit 1
PATH=$T/bin:$PATH
