# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# In a guest of arm64: the packages of FILES in a root of Debian 12; NEWER is the version of the second
# one. Prints TAP. Called by arm64.t.

# shellcheck source=tests/tap.sh
. "$TAP"

root=/run/root
mkdir $root
mount -t tmpfs root $root
tar -C $root -xf "$FILES/root.tar" && rm "$FILES/root.tar"
mkdir $root/debs
cp "$FILES"/*.deb $root/debs/
mount -t proc proc $root/proc
mount --rbind /sys $root/sys
mount --rbind /dev $root/dev

in_root() { chroot $root /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }
files() { (cd $root && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./debs \
	-o -path ./var/log -o -path ./var/cache -o -path ./var/lib/dpkg \) -prune -o -print | sort); }
files >/tmp/before

# dpkg reads what is in ${}.
# shellcheck disable=SC2016
version() { in_root dpkg-query -W -f '${db:Status-Status} ${Architecture} ${Version}' kstats-bpf; }
# It refuses a package that needs another one.
in_root dpkg -i /debs/old.deb >/tmp/log 2>&1
is 'it is installed' "$? $(version)" "0 installed arm64 ${NEWER%+1}"
in_root kstats-bpf trace -q --start tp:sys_enter --end tp:sys_exit -f json -- true >/tmp/json
has 'it measures' "$? $(cat /tmp/json)" '^0 .*"balance":0'
in_root kstats-bpf node add reads vfs_read
is 'a node is made' $? 0
made() { in_root kstats-bpf node ls --json | grep -o '"created_ns":[0-9]*'; }
first=$(made)
in_root dpkg -i /debs/new.deb >>/tmp/log 2>&1
is 'a newer version is installed' "$? $(version)" "0 installed arm64 $NEWER"
is 'and the node goes on' "$(made)" "${first:-none}"
has 'with a balance' "$(in_root kstats-bpf node show reads -f json)" '"balance":0'
in_root dpkg -r kstats-bpf >>/tmp/log 2>&1
is 'it is removed' $? 0
is 'and the nodes with the program' "$(find /sys/fs/bpf/kstats -mindepth 1 2>/dev/null)" ''
in_root dpkg --purge kstats-bpf >>/tmp/log 2>&1
is 'it is purged' $? 0
is 'nothing is left' "$(files | grep -vxFf /tmp/before)" ''
is 'nor what dpkg knew' "$(find $root/var/lib/dpkg/info -name 'kstats*')$(in_root dpkg -l | grep -c kstats)" 0
[ "$not_ok" = 0 ] || sed 's/^/# /' /tmp/log
plan
