// SPDX-License-Identifier: GPL-2.0-only
/* test_serve.c - what clients ask for, and the addresses of `serve`. */
#include "fixture.h"

#include <errno.h>
#include <unistd.h>

#include "serve/serve.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_gzip),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_systemd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
