// SPDX-License-Identifier: GPL-2.0-only
/*
 * sweep_load.c - once through a little of everything that programs ask a kernel for, so that many
 * of its functions are called. Comes in: CALLS, how often getpgid is called, which nothing else
 * here calls; MODULE, a .ko that is loaded and unloaded, if any. Each part is a child of its own,
 * which ends after 10 s at the latest. What a kernel does not have fails, and is left out. Called
 * by sweep.py, in a guest.
 */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/rtnetlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What fails is not of interest. */
#define DO(call, ...) syscall(SYS_##call, ##__VA_ARGS__)

#define PAGE 4096UL

static const char *module;
static char buffer[16 * PAGE];

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	DO(write, fd, text, strlen(text));
	close(fd);
}

static void get(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	DO(read, fd, buffer, sizeof(buffer));
	close(fd);
}

static void nap(long us)
{
	struct timespec ts = { .tv_nsec = us * 1000 };

	DO(clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* ---- files ---------------------------------------------------------------- */

static void file_data(void)
{
	struct iovec parts[2] = { { buffer, 100 }, { buffer + PAGE, 5000 } };
	int fd = open("data", O_RDWR | O_CREAT, 0600),
	    other = open("other", O_RDWR | O_CREAT, 0600);
	int at[2];
	long from = 0;

	DO(write, fd, buffer, sizeof(buffer));
	DO(pwrite64, fd, buffer, 10, 30);
	DO(pread64, fd, buffer, 4096, 50);
	DO(writev, fd, parts, 2);
	DO(preadv2, fd, parts, 2, 0L, 0L, 0);
	DO(fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 8192L, 8192L);
	DO(fallocate, fd, 0, 0L, 200000L);
	DO(lseek, fd, 0L, SEEK_DATA);
	DO(lseek, fd, 0L, SEEK_HOLE);
	DO(ftruncate, fd, 30000L);
	DO(fsync, fd);
	DO(sync_file_range, fd, 0L, 0L, 2);
	DO(fadvise64, fd, 0L, 0L, POSIX_FADV_DONTNEED);
	DO(readahead, fd, 0L, 8192UL);
	DO(sendfile, other, fd, &from, 9000UL);
	DO(copy_file_range, fd, NULL, other, NULL, 5000UL, 0);
	DO(pipe2, at, O_CLOEXEC);
	from = 0;
	DO(splice, fd, &from, at[1], NULL, 4096UL, 0);
	DO(splice, at[0], NULL, other, NULL, 4096UL, 0);
	DO(vmsplice, at[1], parts, 1, 0);
	DO(read, at[0], buffer, 100);
	DO(flock, fd, 2);
	DO(flock, fd, 8);
	lockf(fd, F_LOCK, 10);
	lockf(fd, F_ULOCK, 10);
	DO(memfd_create, "memory", 2);
}

static void file_names(void)
{
	int events = inotify_init1(IN_NONBLOCK), fd, mount_id;
	struct {
		struct file_handle handle;
		char room[128];
	} known = { .handle.handle_bytes = 128 };
	char statx[256];

	inotify_add_watch(events, ".", IN_ALL_EVENTS);
	DO(mkdir, "folder", 0700);
	DO(link, "data", "folder/link");
	DO(symlink, "folder/link", "symbol");
	DO(readlink, "symbol", buffer, 100);
	DO(rename, "other", "folder/other");
	DO(renameat2, AT_FDCWD, "data", AT_FDCWD, "folder/other", RENAME_EXCHANGE);
	DO(mknod, "fifo", S_IFIFO | 0600, 0);
	DO(chmod, "data", 0644);
	DO(chown, "data", 1, 1);
	DO(utimensat, AT_FDCWD, "data", NULL, 0);
	DO(truncate, "data", 5L);
	DO(setxattr, "data", "trusted.a", "value", 5, 0);
	DO(getxattr, "data", "trusted.a", buffer, 100);
	DO(listxattr, "data", buffer, 1000);
	DO(removexattr, "data", "trusted.a");
	DO(statx, AT_FDCWD, "symbol", 0, 0x7ff, statx);
	DO(access, "symbol", 4);
	DO(statfs, ".", buffer);
	DO(name_to_handle_at, AT_FDCWD, "data", &known.handle, &mount_id, 0);
	fd = open("folder", O_RDONLY | O_DIRECTORY);
	while (DO(getdents64, fd, buffer, sizeof(buffer)) > 0)
		;
	DO(fcntl, fd, F_NOTIFY, DN_CREATE);
	fd = open(".", O_TMPFILE | O_RDWR, 0600);
	DO(dup3, fd, 100, O_CLOEXEC);
	DO(close_range, 90, 110, 0);
	DO(unlink, "folder/link");
	DO(unlink, "folder/other");
	DO(unlink, "symbol");
	DO(unlink, "fifo");
	DO(unlink, "data");
	DO(rmdir, "folder");
	DO(read, events, buffer, sizeof(buffer));
}

static void files(void)
{
	file_data();
	file_names();
}

/* Files that tell about this process and this machine. */
static void told(void)
{
	char own[] =
		"maps smaps stat status io cgroup mountinfo limits wchan stack environ cmdline "
		"sched numa_maps oom_score net/tcp net/udp net/unix net/dev net/route";
	char all[] = "/proc/meminfo /proc/stat /proc/interrupts /proc/loadavg /proc/uptime "
		     "/proc/vmstat /proc/filesystems /proc/modules /proc/swaps /proc/locks "
		     "/proc/1/stat /proc/buddyinfo /proc/softirqs /proc/timer_list "
		     "/proc/zoneinfo /proc/diskstats /proc/sys/kernel/random/uuid "
		     "/sys/kernel/mm/transparent_hugepage/enabled /sys/class/net/lo/mtu "
		     "/sys/devices/system/cpu/online /sys/fs/cgroup/cgroup.controllers "
		     "/sys/fs/cgroup/cpu.stat /dev/zero /dev/urandom /dev/kmsg";
	char name[64], *at;

	for (at = strtok(own, " "); at; at = strtok(NULL, " ")) {
		snprintf(name, sizeof(name), "/proc/self/%s", at);
		get(name);
	}
	for (at = strtok(all, " "); at; at = strtok(NULL, " "))
		get(at);
	put("/proc/sys/vm/stat_interval", "1");
	put("/proc/self/oom_score_adj", "10");
	put("/proc/self/clear_refs", "1");
	put("/dev/null", "nothing");
	DO(getrandom, buffer, 100, 0);
	DO(sysinfo, buffer);
	DO(uname, buffer);
	DO(syslog, 10, NULL, 0);
}

/* ---- memory --------------------------------------------------------------- */

static void memory(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT, 0600);
	struct iovec own = { buffer, 4096 };
	char *shared, *at, *huge;

	DO(ftruncate, fd, 65536L);
	shared = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	at = mmap(NULL, 32 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	huge = mmap(NULL, 1024 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || at == MAP_FAILED || huge == MAP_FAILED)
		return;
	memset(shared, 1, 65536);
	memset(at, 1, 32 * PAGE);
	if (!fork()) {
		memset(at, 2, 8 * PAGE); /* copied when it is written */
		_exit(shared[0]);
	}
	wait(NULL);
	msync(shared, 65536, MS_SYNC);
	madvise(huge, 1024 * PAGE, MADV_HUGEPAGE);
	huge[700 * PAGE] = 1;
	mprotect(huge + 512 * PAGE, PAGE, PROT_READ);
	madvise(at, 4 * PAGE, MADV_DONTNEED);
	madvise(at + 4 * PAGE, 4 * PAGE, MADV_FREE);
	madvise(at + 8 * PAGE, 4 * PAGE, MADV_COLD);
	madvise(at + 12 * PAGE, 4 * PAGE, MADV_PAGEOUT);
	madvise(at, 4 * PAGE, MADV_WILLNEED);
	madvise(at, 4 * PAGE, MADV_DONTFORK);
	at = mremap(at, 32 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	mlock(at, 8 * PAGE);
	munlock(at, 8 * PAGE);
	mincore(at, 8 * PAGE, (void *)buffer);
	mprotect(at, 4 * PAGE, PROT_NONE);
	mprotect(at, 4 * PAGE, PROT_READ | PROT_WRITE);
	DO(process_vm_readv, getpid(), &own, 1UL, &own, 1UL, 0UL);
	DO(membarrier, 1, 0, 0);
	DO(membarrier, 16, 0, 0);
	DO(mbind, at, 4 * PAGE, 0, NULL, 0UL, 0);
	DO(get_mempolicy, NULL, NULL, 0UL, NULL, 0UL);
	munmap(at, 64 * PAGE);
	munmap(shared, 65536);
	munmap(huge, 1024 * PAGE);
	DO(unlink, "mapped");
}

/* Pages are searched that could be written out; without swap there are few. */
static void pressure(void)
{
	char name[64], *at;
	int pid;

	put("/sys/fs/cgroup/cgroup.subtree_control", "+memory +pids +cpu");
	snprintf(name, sizeof(name), "/sys/fs/cgroup/load%d", getpid());
	DO(mkdir, name, 0755);
	if (chdir(name))
		return;
	put("memory.max", "64M");
	put("cpu.max", "50000 100000");
	put("pids.max", "10");
	put("cgroup.procs", "0");
	at = mmap(NULL, 300 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at != MAP_FAILED)
		memset(at, 1, 300 * PAGE);
	put("memory.reclaim", "200K");
	put("/proc/sys/vm/drop_caches", "6"); /* 4: nothing is logged */
	munmap(at, 300 * PAGE);
	get("memory.stat");
	get("cgroup.events");
	get("cpu.pressure");
	pid = fork();
	if (!pid)
		for (;;)
			nap(1000);
	put("/sys/fs/cgroup/cgroup.procs", "0");
	put("cgroup.freeze", "1");
	nap(1000);
	put("cgroup.freeze", "0");
	put("cgroup.kill", "1"); /* not on each kernel */
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	DO(chdir, "/");
	DO(rmdir, name);
}

/* ---- tasks ---------------------------------------------------------------- */

static uint32_t word, other_word;
static pthread_mutex_t inherits;

static void *waiter(void *arg)
{
	struct timespec most = { .tv_nsec = 20000000 };

	pthread_mutex_lock(&inherits);
	pthread_mutex_unlock(&inherits);
	DO(futex, &word, FUTEX_WAIT, 0, &most, NULL, 0);
	return arg;
}

static void threads(void)
{
	pthread_mutexattr_t attr;
	pthread_t thread[3];
	cpu_set_t set;
	int i;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&inherits, &attr);
	pthread_mutex_lock(&inherits);
	for (i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, waiter, NULL))
			return;
	nap(2000);
	pthread_mutex_unlock(&inherits);
	nap(2000);
	DO(futex, &word, FUTEX_CMP_REQUEUE, 1, 1UL, &other_word, 0);
	DO(futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
	DO(futex, &other_word, FUTEX_WAKE, 3, NULL, NULL, 0);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set); /* perhaps by way of the thread that moves tasks */
	DO(sched_yield);
}

static void attributes(void)
{
	struct sched_param first = { .sched_priority = 1 }, none = { 0 };
	struct rlimit limit;
	struct rusage usage;

	sched_setscheduler(0, SCHED_RR, &first);
	nap(100);
	sched_setscheduler(0, SCHED_BATCH, &none);
	sched_setscheduler(0, SCHED_IDLE, &none);
	sched_setscheduler(0, SCHED_OTHER, &none);
	setpriority(PRIO_PROCESS, 0, 5);
	DO(ioprio_set, 1, 0, 0x4004);
	getrusage(RUSAGE_SELF, &usage);
	getrlimit(RLIMIT_NOFILE, &limit);
	setrlimit(RLIMIT_NOFILE, &limit);
	DO(setsid);
	DO(times, buffer);
	DO(getcpu, NULL, NULL, NULL);
	DO(getcwd, buffer, 100);
	DO(umask, 022);
	prctl(PR_SET_NAME, "load");
	DO(capget, NULL, NULL);
	DO(add_key, "user", "load", "text", 4, -2);
	DO(keyctl, 0, -2, 0);
	DO(setgroups, 0, NULL);
	DO(setresgid, 1000, 1000, 1000);
	DO(setresuid, 1000, 1000, 1000);
	DO(kill, 1, 0);
	get("/etc/shadow");
}

static void children(void)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &all };
	int pid, status, fd;

	pid = vfork();
	if (!pid) {
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	fd = DO(pidfd_open, pid, 0);
	DO(waitid, P_PIDFD, fd, buffer, WEXITED | WNOWAIT, NULL);
	waitpid(pid, &status, 0);
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		DO(getppid);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_PEEKDATA, pid, &word, NULL);
	ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	DO(seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	DO(getppid);
}

static void apart(void)
{
	unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID);
	if (!fork()) {
		DO(mkdir, "mounted", 0700);
		mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL);
		mount("load", "mounted", "tmpfs", 0, "size=1m");
		mount("mounted", "mounted", NULL, MS_BIND, NULL);
		mount("proc", "mounted", "proc", 0, NULL);
		get("mounted/1/status");
		umount("mounted");
		umount2("mounted", MNT_DETACH);
		umount2("mounted", MNT_DETACH);
		DO(sethostname, "load", 4);
		_exit(unshare(CLONE_NEWUSER));
	}
	wait(NULL);
	DO(rmdir, "mounted");
}

static void modules(void)
{
	int fd = module ? open(module, O_RDONLY) : -1;
	const char *name = strrchr(module ?: "/", '/') + 1;
	char short_name[56];

	DO(finit_module, fd, "", 0);
	snprintf(short_name, sizeof(short_name), "%.*s", (int)strcspn(name, "."), name);
	DO(delete_module, short_name, O_NONBLOCK);
}

/* ---- signals, timers, waiting ---------------------------------------------- */

static void nothing(int number)
{
	(void)number;
}

static void signals(void)
{
	struct sigaction action = { .sa_handler = nothing };
	stack_t stack = { .ss_sp = buffer, .ss_size = sizeof(buffer) };
	union sigval value = { .sival_int = 1 };
	sigset_t set;
	int pid;

	sigaltstack(&stack, NULL);
	action.sa_flags = SA_ONSTACK | SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	kill(getpid(), SIGUSR1);
	DO(tgkill, getpid(), getpid(), SIGUSR2);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigqueue(getpid(), SIGUSR1, value);
	DO(signalfd4, -1, &set, 8UL, 0);
	sigpending(&set);
	sigwaitinfo(&set, NULL);
	pid = fork();
	if (!pid)
		for (;;)
			pause();
	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	kill(pid, SIGCONT);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
}

static void timers(void)
{
	struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
	struct itimerval alarm = { .it_value.tv_usec = 1000 };
	struct sigevent by_signal = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct timespec ts = { .tv_nsec = 1000000 };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), i;
	timer_t timer;

	signal(SIGALRM, nothing);
	signal(SIGUSR1, nothing);
	signal(SIGPROF, nothing);
	timerfd_settime(fd, 0, &soon, NULL);
	DO(read, fd, buffer, 8);
	timer_create(CLOCK_MONOTONIC, &by_signal, &timer);
	timer_settime(timer, 0, &soon, NULL);
	timer_gettime(timer, &soon);
	nap(3000);
	timer_delete(timer);
	setitimer(ITIMER_REAL, &alarm, NULL);
	nap(3000);
	setitimer(ITIMER_PROF, &alarm, NULL);
	for (i = 0; i < 300; i++)
		DO(getppid);
	DO(nanosleep, &ts, NULL);
	DO(clock_getres, CLOCK_BOOTTIME, &ts);
	DO(clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &ts);
	DO(adjtimex, memset(buffer, 0, 300));
}

static void waiting(void)
{
	int set = epoll_create1(EPOLL_CLOEXEC), event = eventfd(0, EFD_NONBLOCK), at[2];
	struct epoll_event wanted = { .events = EPOLLIN | EPOLLET };
	struct timespec ts = { .tv_nsec = 1000000 };
	struct pollfd one = { .events = POLLIN };
	uint64_t number = 1;
	fd_set read_set;

	if (pipe2(at, O_NONBLOCK))
		return;
	epoll_ctl(set, EPOLL_CTL_ADD, event, &wanted);
	epoll_ctl(set, EPOLL_CTL_ADD, at[0], &wanted);
	epoll_wait(set, &wanted, 1, 1);
	DO(write, event, &number, 8);
	DO(write, at[1], buffer, 30000);
	epoll_wait(set, &wanted, 1, 1);
	epoll_ctl(set, EPOLL_CTL_DEL, event, &wanted);
	one.fd = at[0];
	poll(&one, 1, 1);
	FD_ZERO(&read_set);
	FD_SET(at[0], &read_set);
	DO(pselect6, at[0] + 1, &read_set, NULL, NULL, &ts, NULL);
	DO(tee, at[0], at[1], 100UL, 0);
	DO(read, at[0], buffer, 30000);
	fcntl(at[0], F_SETPIPE_SZ, 8192);
	close(at[0]);
	signal(SIGPIPE, SIG_IGN);
	DO(write, at[1], buffer, 1);
}

/* ---- sockets, messages ------------------------------------------------------ */

static void between(int a, int b)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { buffer, 200 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int one = 1;

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &a, sizeof(int));
	sendmsg(a, &message, MSG_DONTWAIT);
	message.msg_control = NULL;
	message.msg_controllen = 0;
	sendmsg(a, &message, MSG_DONTWAIT);
	message.msg_control = control;
	message.msg_controllen = sizeof(control);
	recvmsg(b, &message, MSG_DONTWAIT);
	send(a, buffer, 30000, MSG_DONTWAIT | MSG_NOSIGNAL);
	recv(b, buffer, 100, MSG_DONTWAIT | MSG_PEEK);
	recv(b, buffer, 60000, MSG_DONTWAIT);
	setsockopt(a, SOL_SOCKET, SO_TIMESTAMP, &one, sizeof(one));
	setsockopt(a, SOL_SOCKET, SO_RCVBUF, &one, sizeof(one));
	getsockopt(a, SOL_SOCKET, SO_PEERCRED, buffer, &(socklen_t){ 100 });
	getsockname(a, (void *)buffer, &(socklen_t){ 100 });
	shutdown(a, SHUT_WR);
	recv(b, buffer, 60000, MSG_DONTWAIT);
	close(a);
	close(b);
}

static void inet(int family, int type)
{
	struct sockaddr_storage address = { .ss_family = family };
	struct sockaddr_in *four = (void *)&address;
	struct sockaddr_in6 *six = (void *)&address;
	socklen_t size = family == AF_INET ? sizeof(*four) : sizeof(*six);
	int one = 1, server = socket(family, type, 0), a = socket(family, type, 0), b = server;

	if (family == AF_INET)
		four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		six->sin6_addr = in6addr_loopback;
	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(server, (void *)&address, size) || getsockname(server, (void *)&address, &size))
		return;
	if (type == SOCK_STREAM) {
		listen(server, 2);
		setsockopt(a, IPPROTO_TCP, 1, &one, sizeof(one));
	}
	if (connect(a, (void *)&address, size))
		return;
	if (type == SOCK_STREAM)
		b = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	between(a, b);
	close(server);
}

static void netlink(int protocol, int type)
{
	struct {
		struct nlmsghdr head;
		struct rtgenmsg what;
	} ask = { .head = { .nlmsg_len = sizeof(ask),
			    .nlmsg_type = type,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP } };
	int fd = socket(AF_NETLINK, SOCK_RAW, protocol);

	send(fd, &ask, sizeof(ask), 0);
	recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);
	close(fd);
}

static void sockets(void)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int i, at[2], server = socket(AF_UNIX, SOCK_STREAM, 0),
		      other = socket(AF_UNIX, SOCK_STREAM, 0);

	for (i = 0; i < 3; i++)
		if (!socketpair(AF_UNIX, types[i], 0, at))
			between(at[0], at[1]);
	if (!bind(server, (void *)&name, sizeof(name)) && !listen(server, 1) &&
	    !connect(other, (void *)&name, sizeof(name)))
		between(accept(server, NULL, NULL), other);
	DO(unlink, "socket");
	for (i = 0; i < 2; i++) {
		inet(AF_INET, types[i]);
		inet(AF_INET6, types[i]);
	}
	netlink(NETLINK_ROUTE, RTM_GETLINK);
	netlink(NETLINK_ROUTE, RTM_GETADDR);
	netlink(NETLINK_ROUTE, RTM_GETROUTE);
	close(socket(AF_PACKET, SOCK_RAW, htons(3)));
	close(socket(AF_INET, SOCK_RAW, 1));
}

static void messages(void)
{
	int id = DO(shmget, 0, 8192UL, 01600);
	long set = DO(semget, 0, 1, 01600), queue = DO(msgget, 0, 01600), fd;
	struct {
		unsigned short number;
		short by, how;
	} up = { .by = 1 };
	struct {
		long kind;
		char text[50];
	} text = { .kind = 1 };
	char *at = (char *)DO(shmat, id, NULL, 0);

	*at = 1;
	DO(shmdt, at);
	DO(shmctl, id, 0, NULL);
	DO(semop, set, &up, 1UL);
	DO(semctl, set, 0, 0, NULL);
	DO(msgsnd, queue, &text, 50UL, 0);
	DO(msgrcv, queue, &text, 50UL, 0L, 0);
	DO(msgctl, queue, 0, NULL);
	fd = DO(mq_open, "load", O_RDWR | O_CREAT, 0600, NULL);
	DO(mq_timedsend, fd, &text, 50UL, 1, NULL);
	DO(mq_timedreceive, fd, buffer, sizeof(buffer), NULL, NULL);
	DO(mq_unlink, "load");
}

static void terminal(void)
{
	int at = posix_openpt(O_RDWR | O_NOCTTY), other;

	grantpt(at);
	unlockpt(at);
	other = open(ptsname(at) ?: "/dev/null", O_RDWR | O_NOCTTY | O_NONBLOCK);
	DO(write, at, "a line\n", 7);
	DO(ioctl, other, 0x5401, buffer);
	DO(ioctl, other, 0x5413, buffer);
	nap(1000);
	DO(read, other, buffer, 100);
	DO(write, other, "an answer\n", 10);
	nap(1000);
	DO(read, at, buffer, 100);
	close(other);
	close(at);
}

/* ---- requests, programs ------------------------------------------------------- */

static void requests(void)
{
	struct iocb block = { .aio_lio_opcode = IOCB_CMD_PREAD,
			      .aio_buf = (uintptr_t)buffer,
			      .aio_nbytes = 100 };
	struct iocb *one = &block;
	struct io_event event;
	struct timespec ts = { .tv_nsec = 1000000 };
	struct io_uring_params told = { 0 };
	struct io_uring_sqe *entry;
	aio_context_t context = 0;
	unsigned int *array, *tail;
	char *ring;
	int fd;

	block.aio_fildes = open("/dev/zero", O_RDONLY);
	DO(io_setup, 2, &context);
	DO(io_submit, context, 1L, &one);
	DO(io_getevents, context, 1L, 1L, &event, &ts);
	DO(io_destroy, context);
	fd = DO(io_uring_setup, 4, &told);
	ring = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	entry = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || entry == MAP_FAILED)
		return;
	entry[0].opcode = IORING_OP_NOP;
	entry[1].opcode = IORING_OP_READ;
	entry[1].fd = block.aio_fildes;
	entry[1].flags = IOSQE_ASYNC;
	entry[1].addr = (uintptr_t)buffer;
	entry[1].len = 100;
	entry[2].opcode = IORING_OP_TIMEOUT;
	entry[2].addr = (uintptr_t)&ts;
	entry[2].len = 1;
	array = (void *)(ring + told.sq_off.array);
	tail = (void *)(ring + told.sq_off.tail);
	array[0] = 0;
	array[1] = 1;
	array[2] = 2;
	__atomic_store_n(tail, 3, __ATOMIC_RELEASE);
	DO(io_uring_enter, fd, 3, 3, IORING_ENTER_GETEVENTS, NULL, 0UL);
}

static void programs(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr map = {
		.map_type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 8, .max_entries = 4
	};
	union bpf_attr program = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
				   .insn_cnt = 2,
				   .insns = (uintptr_t)insns,
				   .license = (uintptr_t) "GPL" };
	struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(event),
					 .config = PERF_COUNT_SW_CPU_CLOCK,
					 .sample_period = 100000 };
	union bpf_attr at = { .key = (uintptr_t)buffer, .value = (uintptr_t)(buffer + 100) };
	int fd, i, ends[2];

	at.map_fd = DO(bpf, BPF_MAP_CREATE, &map, sizeof(map));
	DO(bpf, BPF_MAP_UPDATE_ELEM, &at, sizeof(at));
	DO(bpf, BPF_MAP_LOOKUP_ELEM, &at, sizeof(at));
	DO(bpf, BPF_MAP_DELETE_ELEM, &at, sizeof(at));
	fd = DO(bpf, BPF_PROG_LOAD, &program, sizeof(program));
	if (!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) {
		setsockopt(ends[1], SOL_SOCKET, SO_ATTACH_BPF, &fd, sizeof(fd));
		send(ends[0], buffer, 100, MSG_DONTWAIT);
	}
	fd = DO(perf_event_open, &event, 0, -1, -1, 8UL);
	mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (i = 0; i < 1000; i++)
		DO(getppid);
	DO(read, fd, buffer, 8);
}

/* ---- all of them ------------------------------------------------------------- */

static void (*const parts[])(void) = {
	files,   told,   memory,  pressure, threads,  attributes, children, apart,    modules,
	signals, timers, waiting, sockets,  messages, terminal,   requests, programs,
};

int main(int argc, char **argv)
{
	long calls = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	char folder[32];
	size_t i;

	module = argc > 2 ? argv[2] : NULL;
	snprintf(folder, sizeof(folder), "/tmp/load.%d", getpid());
	DO(mkdir, folder, 0755);
	DO(chdir, folder);
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (fork()) {
			wait(NULL);
			continue;
		}
		alarm(10);
		parts[i]();
		_exit(0);
	}
	for (; calls > 0; calls--)
		DO(getpgid, 0);
	DO(chdir, "/");
	DO(rmdir, folder);
	return 0;
}
