# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# In a guest: Debian 12 under systemd, in a PID namespace of its own, with the packages of FILES;
# NEWER is the version of the second one.
# Prints TAP. Called by systemd.t.

# shellcheck source=tests/tap.sh
. "$TAP"

root=/run/root
mkdir $root
mount -t tmpfs root $root
tar -C $root -xf "$FILES/root.tar" && rm "$FILES/root.tar"
mkdir $root/debs $root/out
cp "$FILES"/*.deb $root/debs/
mkdir -p $root/etc/systemd/system/multi-user.target.wants
cat >$root/etc/systemd/system/steps.service <<-END
	[Service]
	Type=oneshot
	ExecStart=/bin/bash /out/steps
	StandardOutput=append:/out/log
	StandardError=append:/out/log
END
ln -s ../steps.service $root/etc/systemd/system/multi-user.target.wants/
: >$root/etc/machine-id

# Each step writes what it found into a file of its name.
cat >$root/out/steps <<-'END'
	export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin SYSTEMD_BUS_TIMEOUT=1200
	cd /out
	files() {
		find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /var/tmp \
			-o -path /out -o -path /debs -o -path /var/log -o -path /var/cache \) -prune -o -print | sort
	}
	page() { # FILE: of the socket
		exec 3<>/dev/tcp/127.0.0.1/9937 && printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3 && cat <&3 >"$1"
		exec 3>&-
	}
	state() { systemctl is-active "$@" | xargs; }
	serving() { readlink "/proc/$(systemctl show -P MainPID kstats-bpf-serve)/exe"; }
	nodes() { kstats-bpf node ls --json >"$1.nodes" 2>"$1.err"; }
	files >before

	dpkg -i /debs/old.deb; echo $? >install
	systemctl is-enabled kstats-bpf.service kstats-bpf-serve.socket kstats-bpf-export.timer | xargs >enabled
	state kstats-bpf-serve.socket kstats-bpf-serve.service kstats-bpf-export.timer >state.0
	mkdir -p /etc/kstats-bpf
	echo 'reads vfs_read' >/etc/kstats-bpf/nodes.conf
	systemctl enable --now kstats-bpf kstats-bpf-serve.socket; echo $? >enable
	state kstats-bpf kstats-bpf-serve.socket kstats-bpf-serve.service >state.1
	page page.1
	state kstats-bpf-serve.service >state.2
	nodes 1

	dpkg -i /debs/new.deb; echo "$? $(dpkg-query -W -f '${Version}' kstats-bpf)" >upgrade
	page page.2
	nodes 2
	serving >serving
	state kstats-bpf kstats-bpf-serve.socket >state.3
	systemctl status 'kstats*'

	dpkg -i /debs/other.deb; echo $? >other
	nodes 3
	kstats-bpf node apply /etc/kstats-bpf/nodes.conf 2>apply
	kstats-bpf node rm reads
	systemctl reload kstats-bpf; echo $? >reload
	nodes 4
	page page.4

	dpkg -r kstats-bpf; echo $? >remove
	find /sys/fs/bpf/kstats -mindepth 1 >pins 2>/dev/null
	systemctl list-units --all --plain --no-legend 'kstats*' | awk '$3 == "active"' >units
	(exec 3<>/dev/tcp/127.0.0.1/9937) 2>/dev/null; echo $? >asked
	dpkg --purge kstats-bpf; echo $? >purge
	systemctl daemon-reload
	systemctl list-units --all --plain --no-legend 'kstats*' >units.purged
	files | comm -13 before - >left
	find /run -name '*kstats*' >left.run
	: >done
END
cat >/tmp/first <<-END
	mount --rbind /sys $root/sys
	mount --rbind /dev $root/dev
	mount -t proc proc $root/proc
	mount -t tmpfs run $root/run
	cd $root
	exec chroot $root env -i PATH="\$PATH" container=other /lib/systemd/systemd --system \\
		--unit=multi-user.target --log-target=console --show-status=no
END
unshare -p -f -m sh /tmp/first 2>/tmp/log &
tries=0
while [ ! -e $root/out/done ] && [ $tries -lt 2400 ]; do
	sleep 0.5
	tries=$((tries + 1))
done
sed 's/^/# /' /tmp/log $root/out/log

cd $root/out || exit
made() { grep -o '"created_ns":[0-9]*' "$1.nodes"; }
count() { grep -o '"count":[0-9]*' "$1.nodes" | head -n 1 | cut -d : -f 2; }
sample='^kstats_duration_seconds_count\{node="reads",function="vfs_read",.*kind="duration"\} [1-9]'
is 'it is installed' "$(cat install)" 0
is 'nothing runs unasked' "$(cat state.0)" 'inactive inactive inactive'
is 'the nodes are made at boot, nothing is exported unasked' "$(cat enabled)" 'enabled disabled disabled'
is 'both are switched on' "$(cat enable)" 0
is 'the node is made, and systemd listens' "$(cat state.1)" 'active active inactive'
has 'a request is answered' "$(cat page.1)" "$sample"
is 'by the service, which it has started' "$(cat state.2)" active
is 'a newer version is installed' "$(cat upgrade)" "0 $NEWER"
is 'while the node goes on' "$(made 2) $(($(count 2) > $(count 1)))" "$(made 1) 1"
is 'and so do the units' "$(cat state.3)" 'active active'
is 'the new program answers' "$(sed "s,^$root,," serving)" /usr/sbin/kstats-bpf
has 'with the node' "$(cat page.2)" "$sample"
is 'one that lays out nodes in another way is installed' "$(cat other)" 0
has 'it says why it cannot read the node' "$(cat 3.err)" 'which has other counters'
has 'and what to do' "$(cat apply)" "remove it with 'kstats-bpf node rm'"
is 'then a reload makes the node anew' "$(cat reload) $([ "$(made 4)" ] && [ "$(made 4)" != "$(made 1)" ] && echo anew)" '0 anew'
has 'which is served' "$(cat page.4)" "${sample% *}"
is 'the package is removed' "$(cat remove)" 0
is 'with its nodes' "$(cat pins)" ''
is 'no unit is active' "$(cat units)" ''
is 'and nobody answers' "$([ "$(cat asked)" != 0 ] && echo nobody)" nobody
is 'it is purged' "$(cat purge)" 0
is 'nothing is left' "$(cat left left.run units.purged)" ''
plan
