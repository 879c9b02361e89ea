#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# libc_work.sh FOLDER: what 20 packaged programs write, and their status, with the libc of FOLDER.
# They always write the same. Called by libc.sh.

# The programs expand what is quoted.
# shellcheck disable=SC2016

folder=$1
mkdir -p "$folder/work" && cd "$folder/work" || exit 1
i=0
while [ $i -lt 300 ]; do
	echo "$i line $((i * 7919 % 1009)) of a text"
	i=$((i + 1))
done >text
own() { # PROGRAM...: output and status
	echo "== $1"
	LC_ALL=C TZ=UTC LD_LIBRARY_PATH=$folder timeout 3000 "$@" 2>&1
	printf '\nstatus %d\n' $?
}
own sort -k3n text
own sort -r text
own awk '{ n[$3 % 10] += $1; printf "%.3f %s\n", $3 / 7, toupper($2) } END { for (i = 0; i < 10; i++) print n[i] }' text
own sed 's/\([0-9]*\) line/<\1>/; 5,280d' text
own grep -nE '(7|9)1' text
own tr a-z A-Z <text
own wc text
own cut -d' ' -f1,3 text
own sha256sum text
own od -A x -t x1z -N 200 text
own base64 text
own date -d @1000000007 '+%A %B %d %Y %H:%M:%S %j %U'
own seq -f %.4g 0 0.37 9
own expr 1234567 '*' 7654321
own factor 123456789012345
own ls -ln --time-style=+ text
own find . -name 'te*' -size +1k
own env -i A=1 B=2
own dd if=text status=none bs=7 count=50 skip=3
own bash -c 'a=(x y z); for i in {1..30}; do printf "%s-%05d|" "${a[i % 3]}" "$i"; done; kill -TERM $$'
own sh -c 'echo $((3 * 5)) | cat; (exit 9)'
own cat nothing-there
own gzip -nc text
