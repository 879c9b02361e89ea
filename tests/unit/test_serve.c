// SPDX-License-Identifier: GPL-2.0-only
/* test_serve.c - what clients ask for, and the addresses of `serve`. */
#include "fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/priv.h"

#define PROTOBUF                                                                   \
	"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;" \
	"encoding=delimited"

static void test_types(void **state)
{
	static const struct {
		const char *accept;
		enum serve_type type;
	} cases[] = {
		{ NULL, SERVE_TEXT },
		{ "", SERVE_TEXT },
		{ "*/*", SERVE_TEXT },
		{ "text/html,application/xhtml+xml,*/*;q=0.8", SERVE_TEXT },
		{ "application/openmetrics-text", SERVE_OPENMETRICS },
		/* Prometheus without native histograms */
		{ "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
		  "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  SERVE_OPENMETRICS },
		/* and with them */
		{ PROTOBUF ",application/openmetrics-text;version=1.0.0;q=0.8,"
			   "application/openmetrics-text;version=0.0.1;q=0.75,"
			   "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		  SERVE_PROTOBUF },
		/* Prometheus 3 */
		{ PROTOBUF ";q=0.6,application/openmetrics-text;version=1.0.0;"
			   "escaping=allow-utf-8;q=0.5,text/plain;version=1.0.0;q=0.3,*/*;q=0.2",
		  SERVE_PROTOBUF },
		{ "application/openmetrics-text;version=1.0.0;q=0.5," PROTOBUF ";q=0.499",
		  SERVE_OPENMETRICS },
		{ "text/plain;q=0.25, application/openmetrics-text;q=0.3", SERVE_OPENMETRICS },
		{ "TEXT/Plain ; Q=1.0 , application/openmetrics-text;q=0.9", SERVE_TEXT },
		{ "application/openmetrics-text;q=0", SERVE_TEXT },
		{ "application/openmetrics-text;version=2.0.0,text/plain;q=0.1", SERVE_TEXT },
		{ "application/vnd.google.protobuf", SERVE_TEXT },
		{ "application/vnd.google.protobuf;proto=other;encoding=delimited", SERVE_TEXT },
		{ "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
		  "encoding=text",
		  SERVE_TEXT },
		{ ";;;,,,=;q=,q", SERVE_TEXT },
		{ "application/openmetrics-text;q=9999999999", SERVE_OPENMETRICS },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (serve_type_of(cases[i].accept) != cases[i].type)
			fail_msg("'%s' is answered by %s", cases[i].accept,
				 serve_type_name(serve_type_of(cases[i].accept)));
}

static void test_gzip(void **state)
{
	assert_false(serve_takes_gzip(NULL));
	assert_false(serve_takes_gzip(""));
	assert_false(serve_takes_gzip("deflate, br"));
	assert_true(serve_takes_gzip("gzip"));
	assert_true(serve_takes_gzip("deflate, GZIP;q=0.5"));
	assert_false(serve_takes_gzip("gzip;q=0, deflate"));
	assert_false(serve_takes_gzip("xgzip"));
}

static void test_addresses(void **state)
{
	static const char *const wrong[] = { "",
					     "9937",
					     "127.0.0.1",
					     "127.0.0.1:",
					     "127.0.0.1:0",
					     "127.0.0.1:65536",
					     "localhost:80",
					     "::1:80x",
					     "[::1]",
					     "[::1:80",
					     "127.0.0.1:-1",
					     "127.0.0.1: 80",
					     "[127.0.0.1]:80" };
	struct error e;
	size_t i;
	int fd;

	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		e = (struct error){};
		if (serve_listen(wrong[i], &fd, &e) != -EINVAL)
			fail_msg("'%s' is an address", wrong[i]);
		assert_int_equal(fd, -1);
		assert_int_equal(e.status, EXIT_USAGE);
	}
	/* The document address of no machine. */
	assert_int_equal(serve_listen("192.0.2.1:9937", &fd, &e), -EADDRNOTAVAIL);
}

/* Sockets that systemd hands over are those of one process. */
static void test_systemd(void **state)
{
	struct error e = {};
	char pid[16];
	int fd;

	setenv("LISTEN_FDS", "2", 1);
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv("LISTEN_PID", pid, 1);
	assert_int_equal(serve_listen(NULL, &fd, &e), -EINVAL);
	assert_non_null(strstr(e.why, "one socket"));
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_PID");
}

/* ---- connections ---- */

#define SECOND_NS 1000000000ULL
#define PAIRS_MAX 70

static bool is_ended(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && p.revents & POLLHUP;
}

static void test_deadline(void **state)
{
	struct clients c = { .listen = -1 };
	int pair[2], next[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	c.ask = pair[1];
	assert_int_equal(clients_look(&c, SECOND_NS), 1);
	assert_int_equal(clients_look(&c, 61 * SECOND_NS - 1), 1);
	assert_false(is_ended(pair[0]));
	/* One that is new has the number of one that is gone. */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, next), 0);
	assert_int_equal(dup2(next[0], pair[0]), pair[0]);
	close(next[0]);
	assert_int_equal(clients_look(&c, 61 * SECOND_NS), 2);
	assert_int_equal(clients_look(&c, 121 * SECOND_NS), 0);
	assert_true(is_ended(pair[0]));
	close(pair[0]);
	close(pair[1]);
	close(next[1]);
}

static void test_too_many(void **state)
{
	struct clients c = { .listen = -1, .ask = -1 };
	int pairs[PAIRS_MAX][2], i, ended = 0;

	for (i = 0; i < PAIRS_MAX; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
		assert_in_range(clients_look(&c, 1 + i), 0, CONNECTIONS / 2);
	}
	for (i = 0; i < PAIRS_MAX; i++)
		ended += is_ended(pairs[i][0]) && is_ended(pairs[i][1]);
	assert_int_equal(ended, PAIRS_MAX - CONNECTIONS / 4);
	assert_true(is_ended(pairs[0][0]));
	assert_false(is_ended(pairs[PAIRS_MAX - 1][0]));
	for (i = 0; i < PAIRS_MAX; i++) {
		close(pairs[i][0]);
		close(pairs[i][1]);
	}
}

/* ---- the two processes ---- */

#define LARGE (4 << 20) /* more than a socket takes */

struct hanging {
	struct serve serve;
	bool and_end; /* by SIGTERM */
};

/* A page that nobody takes any more. */
static int page_for_nobody(void *ctx, enum serve_type type, FILE *out)
{
	struct hanging *h = ctx;
	int i;

	kill(h->serve.child, SIGSTOP);
	for (i = 0; i < LARGE; i++)
		fputc('#', out);
	if (h->and_end)
		raise(SIGTERM);
	return 0;
}

static int hang(struct hanging *h, struct error *e)
{
	static const char ask[] = "GET /metrics HTTP/1.0\r\n\r\n";
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);
	int listens = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), client, err;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(listens, (struct sockaddr *)&at, n), 0);
	assert_int_equal(listen(listens, 1), 0);
	assert_int_equal(getsockname(listens, (struct sockaddr *)&at, &n), 0);
	client = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(client, (struct sockaddr *)&at, n), 0);
	assert_int_equal(write(client, ask, sizeof(ask) - 1), sizeof(ask) - 1);
	assert_int_equal(serve_begin(&h->serve, listens, e), 0);
	alarm(60);
	err = serve_run(&h->serve, page_for_nobody, h, e);
	serve_end(&h->serve);
	alarm(0);
	close(client);
	return err;
}

static void test_hangs(void **state)
{
	struct hanging h = {};
	struct error e = {};

	if (!http_is_built())
		skip();
	assert_int_equal(hang(&h, &e), -ETIMEDOUT);
	assert_int_equal(e.status, EXIT_KERNEL);
	assert_non_null(strstr(e.why, "does not take it"));
}

/* The last one: a stop is for the rest of a process. */
static void test_ends(void **state)
{
	struct hanging h = { .and_end = true };
	struct error e = {};

	if (!http_is_built())
		skip();
	assert_int_equal(hang(&h, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),     cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_addresses), cmocka_unit_test(test_systemd),
		cmocka_unit_test(test_deadline),  cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_hangs),     cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
