# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The units, run by systemd in a guest, where it is the first process of a PID
# namespace of its own. STAGE holds what was installed. Prints TAP. Called by units.t.

# shellcheck source=tests/tap.sh
. "$TAP"

etc=/etc/systemd/system
cp -r "$STAGE/usr/." /usr/
mkdir -p /etc/kstats-bpf /var/lib/prometheus/node-exporter /run/systemd/system \
	$etc/multi-user.target.wants
chown 1000 /var/lib/prometheus # as Debian's packages have it
: >/etc/machine-id
fork='--start tp:sched_process_fork[child->pid] --end tp:sched_process_exit[p->pid]'
printf '%s\n' '# nodes' "reads vfs_read --if 'ret > 0'" 'none no_such_function' \
	"tasks $fork # a pair" >/etc/kstats-bpf/nodes.conf
for unit in kstats-bpf kstats-bpf-export; do
	mkdir $etc/$unit.service.d
	printf '[Service]\nStandardOutput=append:/tmp/%s\nStandardError=append:/tmp/%s\n' $unit $unit \
		>$etc/$unit.service.d/said.conf
done
cat >$etc/steps.service <<-END
	[Unit]
	After=kstats-bpf.service
	[Service]
	Type=oneshot
	ExecStart=/bin/sh /tmp/steps
END
ln -s $etc/steps.service /usr/lib/systemd/system/kstats-bpf.service $etc/multi-user.target.wants

# These checks need tools of systemd that run only beside it.
cat >/tmp/steps <<-'END'
	export SYSTEMD_BUS_TIMEOUT=1200
	result() { systemctl show "$1.service" -P Result >"/tmp/$2.result"; kstats-bpf node ls --json >"/tmp/$2.nodes"; }
	result kstats-bpf boot
	systemctl start kstats-bpf-export
	result kstats-bpf-export export
	kstats-bpf node add hand vfs_open
	sed -i /no_such/d /etc/kstats-bpf/nodes.conf
	systemctl restart kstats-bpf
	result kstats-bpf again
	sed -i -e '/tasks/s/ #.*//' -e '/tasks/s/$/ --bits 3/' /etc/kstats-bpf/nodes.conf
	systemctl reload kstats-bpf
	result kstats-bpf reload
	systemctl stop kstats-bpf
	result kstats-bpf stop
	echo >/tmp/done
END
cat >/tmp/first <<-END
	mount -t proc proc /proc
	exec env -i PATH="$PATH" container=other /lib/systemd/systemd --system \\
		--unit=multi-user.target --log-target=console --show-status=no
END
unshare -p -f -m sh /tmp/first 2>/tmp/log &
tries=0
while [ ! -e /tmp/done ] && [ $tries -lt 2400 ]; do
	sleep 0.5
	tries=$((tries + 1))
done
sed 's/^/# /' /tmp/log

nodes() { sed 's/"gaps":{[^}]*}//g' "/tmp/$1.nodes" | grep -o '"name":"[^"]*"' | cut -d '"' -f 4 | tr '\n' ' '; }

# When a node was made.
made() { grep -o "\"name\":\"$1\".*" "/tmp/$2.nodes" | grep -o '"created_ns":[0-9]*' | head -n 1; }

is 'a line that fails leaves the unit failed' "$(cat /tmp/boot.result)" exit-code
has 'it is named' "$(cat /tmp/kstats-bpf)" "line 3, 'none no_such_function'"
is 'the others have their nodes' "$(nodes boot)" 'reads tasks '
has 'which count' "$(cat /tmp/boot.nodes)" '"count":[1-9]'
is 'they are exported' "$(cat /tmp/export.result)" success
has 'where a node exporter looks' "$(cat /var/lib/prometheus/node-exporter/kstats.prom)" \
	'kstats_duration_seconds_count\{node="reads",function="vfs_read",backend="map",kind="duration"\} [1-9]'
is 'for all to read' "$(stat -c %a /var/lib/prometheus/node-exporter/kstats.prom)" 644
is 'mended, where the unit had failed' "$(cat /tmp/again.result) $(nodes again)" 'success hand reads tasks '
is 'those that were there go on' "$(made reads again) $(made tasks again)" \
	"$(made reads boot) $(made tasks boot)"
is 'reloaded, one made by hand stays' "$(cat /tmp/reload.result) $(nodes reload)" 'success hand reads tasks '
is 'one whose line is the same goes on' "$(made reads reload)" "$(made reads boot)"
is 'one whose line has changed is another' "$([ "$(made tasks reload)" != "$(made tasks boot)" ] && echo yes)" yes
is 'stopped, only what was made by hand stays' "$(cat /tmp/stop.result) $(nodes stop)" 'success hand '
plan
