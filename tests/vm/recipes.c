// SPDX-License-Identifier: GPL-2.0-only
/*
 * recipes.c VERB N ...: loads of which is known how often they do what a recipe measures, and for
 * how long. Called by recipes.sh.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static void pause_us(long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ULL + t.tv_nsec / 1000;
}

/* N sleeps of a known time. */
static int run_sleep(int n, char **argv)
{
	while (n--)
		pause_us(atol(argv[0]));
	return 0;
}

/* N waits for a futex that nobody wakes. */
static int run_futex(int n, char **argv)
{
	long us = atol(argv[0]);
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };
	uint32_t word = 0;

	while (n--)
		if (syscall(SYS_futex, &word, FUTEX_WAIT, 0, &t, NULL, 0) != -1 ||
		    errno != ETIMEDOUT)
			return 1;
	return 0;
}

/* The first touches of N pages. */
static int run_touch(int n, char **argv)
{
	char *p = mmap(NULL, (size_t)n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	int i;

	if (p == MAP_FAILED || madvise(p, (size_t)n * PAGE, MADV_NOHUGEPAGE))
		return 1;
	for (i = 0; i < n; i++)
		p[(size_t)i * PAGE] = 1;
	return 0;
}

/* N times write and fsync. */
static int run_fsync(int n, char **argv)
{
	int fd = open(argv[0], O_WRONLY | O_CREAT, 0600);

	while (n--)
		if (pwrite(fd, "x", 1, 0) != 1 || fsync(fd))
			return 1;
	return 0;
}

/* N system calls of a number that is known: getppid. */
static int run_calls(int n, char **argv)
{
	while (n--)
		syscall(SYS_getppid);
	return 0;
}

/* N calls of malloc. */
static int run_malloc(int n, char **argv)
{
	void *volatile p;

	while (n--) {
		p = malloc(100);
		free(p);
	}
	return 0;
}

/* The port may have been used before. */
static int listen_at(const struct sockaddr_in *at)
{
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	return bind(listener, (void *)at, sizeof(*at)) || listen(listener, 10) ? -1 : listener;
}

/* N connections over loopback that are accepted, and M that are refused. */
static int run_connect(int n, char **argv)
{
	int refused = atoi(argv[0]), listener, fd, i;
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(atoi(argv[1])) };
	bool wrong;

	inet_aton("127.0.0.1", &at.sin_addr);
	listener = listen_at(&at);
	if (listener < 0)
		return 1;
	for (i = 0; i < n + refused; i++) {
		at.sin_port = htons(atoi(argv[1]) + (i >= n));
		fd = socket(AF_INET, SOCK_STREAM, 0);
		wrong = !connect(fd, (void *)&at, sizeof(at)) != (i < n);
		if (i < n)
			close(accept(listener, NULL, NULL));
		close(fd);
		if (wrong)
			return 1;
	}
	return 0;
}

/* N requests and answers over loopback. Prints how many segments the client received. */
static int run_answers(int n, char **argv)
{
	int listener, fd, i, one = 1;
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(atoi(argv[0])) };
	struct tcp_info info;
	socklen_t size = sizeof(info);
	char c;

	inet_aton("127.0.0.1", &at.sin_addr);
	listener = listen_at(&at);
	if (listener < 0)
		return 1;
	if (!fork()) {
		fd = accept(listener, NULL, NULL);
		while (read(fd, &c, 1) == 1 && write(fd, &c, 1) == 1)
			;
		_exit(0);
	}
	fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, (void *)&at, sizeof(at)))
		return 1;
	for (i = 0; i < n; i++) {
		if (write(fd, "x", 1) != 1 || read(fd, &c, 1) != 1 ||
		    getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size))
			return 1;
	}
	printf("%u\n", info.tcpi_segs_in);
	close(fd);
	wait(NULL);
	return 0;
}

/*
 * A task runs on CPU 1 while one of real-time takes that N times for a known time. Prints for how
 * long it did so, in milliseconds.
 */
static int run_preempt(int n, char **argv)
{
	struct sched_param fifo = { .sched_priority = 50 };
	uint64_t begin, now, ran = 0;
	int i, status, child;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set);
	child = fork();
	if (!child) {
		prctl(PR_SET_NAME, "kt-fifo");
		if (sched_setscheduler(0, SCHED_FIFO, &fifo))
			_exit(1);
		for (i = 0; i < n; i++) {
			pause_us(atol(argv[0]));
			begin = now = now_us();
			while (now - begin < (uint64_t)atol(argv[0]))
				now = now_us();
			ran += now - begin;
		}
		printf("%llu\n", (unsigned long long)ran / 1000);
		fflush(stdout);
		_exit(0);
	}
	prctl(PR_SET_NAME, "kt-waits");
	while (!waitpid(child, &status, WNOHANG))
		;
	return status;
}

/* N requests of io_uring that do nothing. */
static int run_uring(int n, char **argv)
{
	struct io_uring_params p = {};
	int fd = syscall(SYS_io_uring_setup, 4, &p);
	uint32_t *tail, *array, *done;
	char *ring, *answers;
	struct io_uring_sqe *sqes;

	if (fd < 0)
		return 1;
	ring = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(*array), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, p.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQES);
	answers = mmap(NULL, p.cq_off.cqes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
		       IORING_OFF_CQ_RING);
	if (ring == MAP_FAILED || sqes == MAP_FAILED || answers == MAP_FAILED)
		return 1;
	done = (uint32_t *)(answers + p.cq_off.head);
	tail = (uint32_t *)(ring + p.sq_off.tail);
	array = (uint32_t *)(ring + p.sq_off.array);
	while (n--) {
		memset(sqes, 0, sizeof(*sqes));
		sqes[0].opcode = IORING_OP_NOP;
		array[*tail & (p.sq_entries - 1)] = 0;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
			return 1;
		__atomic_store_n(done, *done + 1, __ATOMIC_RELEASE);
	}
	return 0;
}

struct reader {
	pthread_t thread;
	int fd;
	pid_t tid;
};

static void *read_place(void *data)
{
	struct reader *r = data;
	char text[PAGE];

	__atomic_store_n(&r->tid, gettid(), __ATOMIC_RELEASE);
	return read(r->fd, text, sizeof(text)) < 0 ? r : NULL;
}

static bool is_reading(const struct reader *r)
{
	char path[64];
	long call;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall",
		 __atomic_load_n(&r->tid, __ATOMIC_ACQUIRE));
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fscanf(f, "%ld", &call) != 1) /* "running", for as long as it does */
		call = -1;
	fclose(f);
	return call == SYS_read;
}

/*
 * Starts a thread that reads, and waits until it sleeps there; another one if it read a line that
 * is not ours.
 */
static int start_reader(struct reader *r, int fd)
{
	void *bad;
	int i;

	*r = (struct reader){ .fd = fd };
	if (pthread_create(&r->thread, NULL, read_place, r))
		return 1;
	for (i = 0; i < 60000; i++) {
		pause_us(1000);
		if (!pthread_tryjoin_np(r->thread, &bad))
			return bad || start_reader(r, fd);
		if (is_reading(r))
			return 0;
	}
	return 1;
}

/* Writes lines until a thread has read one. */
static int end_reader(pthread_t reader, int out)
{
	while (pthread_tryjoin_np(reader, NULL)) {
		if (write(out, "<7>kt\n", 6) != 6)
			return 1;
		pause_us(20000);
	}
	return 0;
}

/*
 * N times: a thread waits for the mutex of a file's place while another holds it. Tells how many
 * waits were cut short, beside these.
 */
static int run_mutex(int n, char **argv)
{
	int fd = open("/proc/kmsg", O_RDONLY), out = open("/dev/kmsg", O_WRONLY);
	struct reader first, second;
	char text[PAGE];
	int i, cut = 0;
	void *bad;

	if (fd < 0 || out < 0)
		return 1;
	for (i = 0; i < n; i++) {
		fcntl(fd, F_SETFL, O_NONBLOCK);
		while (read(fd, text, sizeof(text)) > 0)
			;
		fcntl(fd, F_SETFL, 0);
		if (start_reader(&first, fd) || start_reader(&second, fd))
			return 1;
		pause_us(atol(argv[0]));
		/* The kernel wrote a line of its own, which cut this wait short, if only a bit. */
		if (!pthread_tryjoin_np(first.thread, &bad)) {
			if (bad || end_reader(second.thread, out) || ++cut > 20)
				return 1;
			i--;
			continue;
		}
		if (end_reader(first.thread, out) || end_reader(second.thread, out))
			return 1;
	}
	printf("%d\n", cut);
	return 0;
}

/* N times a letter through a terminal, each of which the kernel hands on by a work. */
static int run_tty(int n, char **argv)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct termios raw;
	char c;

	if (master < 0 || grantpt(master) || unlockpt(master))
		return 1;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || tcgetattr(slave, &raw))
		return 1;
	cfmakeraw(&raw);
	tcsetattr(slave, TCSANOW, &raw);
	while (n--)
		if (write(master, "x", 1) != 1 || read(slave, &c, 1) != 1)
			return 1;
	return 0;
}

/* N times a folder that is made, filled by a file with two names, read, and removed. */
static int run_tree(int n, char **argv)
{
	struct dirent *d;
	DIR *dir;
	int fd;

	if (chdir(argv[0]))
		return 1;
	while (n--) {
		fd = mkdir("dir", 0700) ? -1 : open("dir/a", O_WRONLY | O_CREAT, 0600);
		if (fd < 0 || close(fd) || rename("dir/a", "dir/b"))
			return 1;
		dir = opendir("dir");
		while (dir && (d = readdir(dir)))
			;
		if (!dir || closedir(dir) || unlink("dir/b") || rmdir("dir"))
			return 1;
	}
	return 0;
}

/* N pages of a file, 32 at most, that are read ahead, and read after a known time. */
static int run_ahead(int n, char **argv)
{
	int fd = open(argv[0], O_RDONLY);
	char page[PAGE];

	if (fd < 0 || posix_fadvise(fd, 0, (off_t)n * PAGE, POSIX_FADV_WILLNEED))
		return 1;
	pause_us(atol(argv[1]));
	while (n--)
		if (read(fd, page, PAGE) != PAGE)
			return 1;
	return 0;
}

static const struct {
	const char *verb;
	int (*run)(int n, char **argv);
} verbs[] = {
	{ "sleep", run_sleep },     { "futex", run_futex },     { "touch", run_touch },
	{ "fsync", run_fsync },     { "calls", run_calls },     { "malloc", run_malloc },
	{ "connect", run_connect }, { "answers", run_answers }, { "preempt", run_preempt },
	{ "uring", run_uring },     { "mutex", run_mutex },     { "tty", run_tty },
	{ "tree", run_tree },       { "ahead", run_ahead },
};

int main(int argc, char **argv)
{
	size_t i;

	prctl(PR_SET_NAME, "kt-load");
	for (i = 0; argc > 2 && i < sizeof(verbs) / sizeof(*verbs); i++)
		if (!strcmp(argv[1], verbs[i].verb))
			return verbs[i].run(atoi(argv[2]), argv + 3);
	return 2;
}
