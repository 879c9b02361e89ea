// SPDX-License-Identifier: GPL-2.0-only
/*
 * http.c - the process that has the connections, by libevent. A page is at most a second old: it is
 * asked for once a second, however many clients there are.
 */
#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "serve/priv.h"
#include "util/clock.h"

#define PAGE_AGE_NS 1000000000ULL
#define HEADERS_MAX 8192 /* bytes of a request */
/* Those that are answered, most of them by 405; others are unknown to libevent here. */
#define METHODS                                                                                    \
	(EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE | \
	 EVHTTP_REQ_OPTIONS | EVHTTP_REQ_PATCH)
#define TIMEOUT_S 10 /* in which a client must go on */
#define FULL_S 1 /* no connection is accepted for that long when there are too many */
#define GZIP_BITS (MAX_WBITS + 16) /* a header of gzip, not of zlib */
#define GZIP_LEVEL 1 /* the fastest */
#define GZIP_MIN 1024 /* shorter pages stay as they are */

struct page {
	char *at; /* owned; NULL: there is none */
	size_t n;
	char *packed; /* owned; by gzip; or NULL */
	size_t n_packed;
	uint64_t since_ns; /* when it was made, or could not be made; 0: never asked for */
};

struct http {
	int ask; /* socket to the process that makes pages */
	struct event_base *base;
	struct page pages[SERVE_TYPES];
};

bool http_is_built(void)
{
	return true;
}

/* ---- pages ---- */

static void page_free(struct page *p)
{
	free(p->at);
	free(p->packed);
	*p = (struct page){};
}

/* Without memory the page is sent as it is. */
static void page_pack(struct page *p)
{
	z_stream z = { .next_in = (Bytef *)p->at, .avail_in = p->n };
	uLong room;

	if (p->packed || p->n < GZIP_MIN ||
	    deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, GZIP_BITS, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	room = deflateBound(&z, p->n);
	p->packed = malloc(room);
	z.next_out = (Bytef *)p->packed;
	z.avail_out = room;
	if (p->packed && deflate(&z, Z_FINISH) == Z_STREAM_END) {
		p->n_packed = z.total_out;
	} else {
		free(p->packed);
		p->packed = NULL;
	}
	deflateEnd(&z);
}

static int page_ask(struct http *h, enum serve_type type, struct page *p)
{
	uint8_t word = type;
	uint64_t n;
	int err = serve_write(h->ask, &word, 1);

	if (!err)
		err = serve_read(h->ask, &n, sizeof(n));
	if (err) {
		/* The other process has ended, and so does this one. */
		event_base_loopbreak(h->base);
		return err;
	}
	if (n > SERVE_PAGE_MAX)
		return -EIO;
	p->at = malloc(n + 1);
	p->n = n;
	if (p->at && !serve_read(h->ask, p->at, n))
		return 0;
	event_base_loopbreak(h->base);
	return -EIO;
}

/* Return: a page that is not too old, or NULL. Neither is asked for again at once. */
static struct page *page_get(struct http *h, enum serve_type type)
{
	struct page *p = &h->pages[type];

	if (p->since_ns && clock_ns(CLOCK_MONOTONIC) - p->since_ns < PAGE_AGE_NS)
		return p->at ? p : NULL;
	page_free(p);
	if (page_ask(h, type, p))
		page_free(p);
	p->since_ns = clock_ns(CLOCK_MONOTONIC);
	return p->at ? p : NULL;
}

/* ---- requests ---- */

/* The answer has no body: that of HEAD must not have one. Return: whether it was refused */
static bool http_refuse(struct evhttp_request *req)
{
	if (evhttp_request_get_command(req) == EVHTTP_REQ_GET)
		return false;
	evhttp_add_header(evhttp_request_get_output_headers(req), "Allow", "GET");
	evhttp_send_reply(req, HTTP_BADMETHOD, "Method Not Allowed", NULL);
	return true;
}

static void http_other(struct evhttp_request *req, void *ctx)
{
	if (!http_refuse(req))
		evhttp_send_error(req, HTTP_NOTFOUND, NULL);
}

static void http_metrics(struct evhttp_request *req, void *ctx)
{
	struct evkeyvalq *in = evhttp_request_get_input_headers(req);
	struct evkeyvalq *out = evhttp_request_get_output_headers(req);
	enum serve_type type = serve_type_of(evhttp_find_header(in, "Accept"));
	bool gzip = serve_takes_gzip(evhttp_find_header(in, "Accept-Encoding"));
	struct evbuffer *body;
	struct page *p;

	if (http_refuse(req))
		return;
	p = page_get(ctx, type);
	if (!p) {
		evhttp_send_error(req, HTTP_SERVUNAVAIL, "the nodes cannot be read");
		return;
	}
	if (gzip)
		page_pack(p);
	gzip = gzip && p->packed;
	evhttp_add_header(out, "Content-Type", serve_type_name(type));
	evhttp_add_header(out, "Vary", "Accept, Accept-Encoding");
	evhttp_add_header(out, "Cache-Control", "no-store");
	if (gzip)
		evhttp_add_header(out, "Content-Encoding", "gzip");
	body = evbuffer_new();
	/* A copy: the page may be made anew before it is sent. */
	if (body && !evbuffer_add(body, gzip ? p->packed : p->at, gzip ? p->n_packed : p->n))
		evhttp_send_reply(req, HTTP_OK, "OK", body);
	else
		evhttp_send_error(req, HTTP_INTERNAL, "memory is short");
	if (body)
		evbuffer_free(body);
}

static void http_root(struct evhttp_request *req, void *ctx)
{
	static const char text[] = "<!DOCTYPE html>\n<title>kstats-bpf</title>\n"
				   "<p>Nodes of kstats-bpf: <a href=\"/metrics\">metrics</a></p>\n";
	struct evbuffer *body;

	if (http_refuse(req))
		return;
	body = evbuffer_new();
	evhttp_add_header(evhttp_request_get_output_headers(req), "Content-Type",
			  "text/html; charset=utf-8");
	if (body && !evbuffer_add(body, text, sizeof(text) - 1))
		evhttp_send_reply(req, HTTP_OK, "OK", body);
	else
		evhttp_send_error(req, HTTP_INTERNAL, "memory is short");
	if (body)
		evbuffer_free(body);
}

/* ---- the process ---- */

/* The other process never speaks first: this is its end. */
static void http_ended(evutil_socket_t fd, short what, void *ctx)
{
	event_base_loopbreak(((struct http *)ctx)->base);
}

static void http_accept_again(evutil_socket_t fd, short what, void *ctx)
{
	evconnlistener_enable(ctx);
}

/* As many connections are open as this process may have. @ctx is of libevent. */
static void http_full(struct evconnlistener *listener, void *ctx)
{
	static const struct timeval wait = { .tv_sec = FULL_S };

	if (!event_base_once(evconnlistener_get_base(listener), -1, EV_TIMEOUT, http_accept_again,
			     listener, &wait))
		evconnlistener_disable(listener);
}

/* What clients do wrong is not logged. */
static void http_quiet(int severity, const char *text)
{
}

static int http_bind(struct http *h, struct evhttp *server, int listen)
{
	struct evhttp_bound_socket *bound = evhttp_accept_socket_with_handle(server, listen);

	if (!bound)
		return -ENOMEM;
	evconnlistener_set_error_cb(evhttp_bound_socket_get_listener(bound), http_full);
	evhttp_set_allowed_methods(server, METHODS);
	evhttp_set_gencb(server, http_other, h);
	evhttp_set_max_headers_size(server, HEADERS_MAX);
	evhttp_set_max_body_size(server, 0);
	evhttp_set_timeout(server, TIMEOUT_S);
	return evhttp_set_cb(server, "/metrics", http_metrics, h) ||
			       evhttp_set_cb(server, "/", http_root, h)
		       ? -ENOMEM
		       : 0;
}

int http_serve(int listen, int ask)
{
	struct http h = { .ask = ask, .base = event_base_new() };
	struct evhttp *server = h.base ? evhttp_new(h.base) : NULL;
	struct event *ended = server ? event_new(h.base, ask, EV_READ, http_ended, &h) : NULL;
	int err = -ENOMEM, i;

	event_set_log_callback(http_quiet);
	if (ended && !event_add(ended, NULL))
		err = http_bind(&h, server, listen);
	if (!err)
		err = event_base_dispatch(h.base) < 0 ? -EIO : 0;
	for (i = 0; i < SERVE_TYPES; i++)
		page_free(&h.pages[i]);
	if (ended)
		event_free(ended);
	if (server)
		evhttp_free(server);
	if (h.base)
		event_base_free(h.base);
	return err ? EXIT_KERNEL : EXIT_DONE;
}
