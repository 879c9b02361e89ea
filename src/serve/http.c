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
#define LOOK_S 1 /* clients are looked through so often while there are any */
#define FULL_S 1 /* no connection is accepted for that long when there are too many */
#define HELD_MAX \
	(128 << 20) /* bytes of pages that are kept, also for clients that are slow to read */
#define GZIP_BITS (MAX_WBITS + 16) /* a header of gzip, not of zlib */
#define GZIP_LEVEL 1 /* the fastest */
#define GZIP_MIN 1024 /* shorter pages stay as they are */

/* Bytes of a page, which answers have too while they are sent. */
struct shared {
	size_t *held; /* of all together */
	size_t n;
	unsigned users;
	char at[];
};

struct page {
	struct shared *plain, *packed; /* owned; packed by gzip; or NULL */
	uint64_t since_ns; /* when it was made, or could not be made; 0: never asked for */
};

struct http {
	int ask; /* socket to the process that makes pages */
	struct event_base *base;
	struct event *look;
	struct clients clients;
	struct page pages[SERVE_TYPES];
	size_t held;
};

bool http_is_built(void)
{
	return true;
}

/* ---- pages ---- */

static struct shared *shared_new(size_t *held, size_t room)
{
	struct shared *t = malloc(sizeof(*t) + room);

	if (!t)
		return NULL;
	*t = (struct shared){ .held = held, .n = room, .users = 1 };
	*held += room;
	return t;
}

/* Into the memory that it needs. */
static struct shared *shared_shrink(struct shared *t, size_t n)
{
	struct shared *smaller = realloc(t, sizeof(*t) + n);

	t = smaller ?: t;
	*t->held -= t->n - n;
	t->n = n;
	return t;
}

static void shared_put(struct shared *t)
{
	if (!t || --t->users)
		return;
	*t->held -= t->n;
	free(t);
}

static void shared_sent(const void *at, size_t n, void *text)
{
	shared_put(text);
}

static void page_free(struct page *p)
{
	shared_put(p->plain);
	shared_put(p->packed);
	*p = (struct page){};
}

/* Without memory the page is sent as it is. */
static void page_pack(struct http *h, struct page *p)
{
	z_stream z = { .next_in = (Bytef *)p->plain->at, .avail_in = p->plain->n };
	uLong room;

	if (p->packed || p->plain->n < GZIP_MIN ||
	    deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, GZIP_BITS, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return;
	room = deflateBound(&z, p->plain->n);
	p->packed = shared_new(&h->held, room);
	if (p->packed) {
		z.next_out = (Bytef *)p->packed->at;
		z.avail_out = room;
		if (deflate(&z, Z_FINISH) == Z_STREAM_END) {
			p->packed = shared_shrink(p->packed, z.total_out);
		} else {
			shared_put(p->packed);
			p->packed = NULL;
		}
	}
	deflateEnd(&z);
}

static int page_ask(struct http *h, enum serve_type type, struct page *p)
{
	uint8_t word = type;
	uint64_t n;
	int err;

	/* Pages that clients are slow to read: who reads longest is ended. */
	if (h->held > HELD_MAX) {
		clients_end_oldest(&h->clients);
		return -ENOMEM;
	}
	err = serve_write(h->ask, &word, 1);
	if (!err)
		err = serve_read(h->ask, &n, sizeof(n));
	if (err) {
		/* The other process has ended, and so does this one. */
		event_base_loopbreak(h->base);
		return err;
	}
	if (n > SERVE_PAGE_MAX)
		return -EIO;
	p->plain = shared_new(&h->held, n);
	if (p->plain && !serve_read(h->ask, p->plain->at, n))
		return 0;
	event_base_loopbreak(h->base);
	return -EIO;
}

/* Return: a page that is not too old, or NULL. Neither is asked for again at once. */
static struct page *page_get(struct http *h, enum serve_type type)
{
	struct page *p = &h->pages[type];

	if (p->since_ns && clock_ns(CLOCK_MONOTONIC) - p->since_ns < PAGE_AGE_NS)
		return p->plain ? p : NULL;
	page_free(p);
	if (page_ask(h, type, p))
		page_free(p);
	p->since_ns = clock_ns(CLOCK_MONOTONIC);
	return p->plain ? p : NULL;
}

/* ---- requests ---- */

/* One connection, one request: so it has an end. */
static struct evkeyvalq *http_headers(struct evhttp_request *req)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(req);

	evhttp_add_header(out, "Connection", "close");
	return out;
}

/* The answer has no body: that of HEAD must not have one. Return: whether it was refused */
static bool http_refuse(struct evhttp_request *req)
{
	if (evhttp_request_get_command(req) == EVHTTP_REQ_GET)
		return false;
	evhttp_add_header(http_headers(req), "Allow", "GET");
	evhttp_send_reply(req, HTTP_BADMETHOD, "Method Not Allowed", NULL);
	return true;
}

static void http_other(struct evhttp_request *req, void *ctx)
{
	if (!http_refuse(req))
		evhttp_send_error(req, HTTP_NOTFOUND, NULL);
}

/* Without a copy, however many clients there are. The page may be made anew before it is sent. */
static void http_send(struct evhttp_request *req, struct shared *t)
{
	struct evbuffer *body = evbuffer_new();

	if (body && !evbuffer_add_reference(body, t->at, t->n, shared_sent, t)) {
		t->users++;
		evhttp_send_reply(req, HTTP_OK, "OK", body);
	} else {
		evhttp_send_error(req, HTTP_INTERNAL, "memory is short");
	}
	if (body)
		evbuffer_free(body);
}

static void http_metrics(struct evhttp_request *req, void *ctx)
{
	struct evkeyvalq *in = evhttp_request_get_input_headers(req);
	enum serve_type type = serve_type_of(evhttp_find_header(in, "Accept"));
	bool gzip = serve_takes_gzip(evhttp_find_header(in, "Accept-Encoding"));
	struct evkeyvalq *out;
	struct page *p;

	if (http_refuse(req))
		return;
	p = page_get(ctx, type);
	if (!p) {
		evhttp_send_error(req, HTTP_SERVUNAVAIL, "the nodes cannot be read");
		return;
	}
	if (gzip)
		page_pack(ctx, p);
	gzip = gzip && p->packed;
	out = http_headers(req);
	evhttp_add_header(out, "Content-Type", serve_type_name(type));
	evhttp_add_header(out, "Vary", "Accept, Accept-Encoding");
	evhttp_add_header(out, "Cache-Control", "no-store");
	if (gzip)
		evhttp_add_header(out, "Content-Encoding", "gzip");
	http_send(req, gzip ? p->packed : p->plain);
}

static void http_root(struct evhttp_request *req, void *ctx)
{
	static const char text[] = "<!DOCTYPE html>\n<title>kstats-bpf</title>\n"
				   "<p>Nodes of kstats-bpf: <a href=\"/metrics\">metrics</a></p>\n";
	struct evbuffer *body;

	if (http_refuse(req))
		return;
	body = evbuffer_new();
	evhttp_add_header(http_headers(req), "Content-Type", "text/html; charset=utf-8");
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

static void http_look(evutil_socket_t fd, short what, void *ctx)
{
	static const struct timeval wait = { .tv_sec = LOOK_S };
	struct http *h = ctx;

	if (clients_look(&h->clients, clock_ns(CLOCK_MONOTONIC)))
		event_add(h->look, &wait);
}

/* A connection has come. Return: NULL, for libevent to make what it needs for it */
static struct bufferevent *http_came(struct event_base *base, void *ctx)
{
	http_look(-1, 0, ctx);
	return NULL;
}

static void http_accept_again(evutil_socket_t fd, short what, void *ctx)
{
	evconnlistener_enable(ctx);
}

/* This process may have no more descriptors, or the machine has none. @ctx is of libevent. */
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
	evhttp_set_bevcb(server, http_came, h);
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
	struct http h = { .ask = ask,
			  .base = event_base_new(),
			  .clients = { .listen = listen, .ask = ask } };
	struct evhttp *server = h.base ? evhttp_new(h.base) : NULL;
	struct event *ended = server ? event_new(h.base, ask, EV_READ, http_ended, &h) : NULL;
	int err = -ENOMEM, i;

	event_set_log_callback(http_quiet);
	if (ended)
		h.look = event_new(h.base, -1, 0, http_look, &h);
	if (h.look && !event_add(ended, NULL))
		err = http_bind(&h, server, listen);
	if (!err)
		err = event_base_dispatch(h.base) < 0 ? -EIO : 0;
	if (h.look)
		event_free(h.look);
	if (ended)
		event_free(ended);
	if (server)
		evhttp_free(server);
	if (h.base)
		event_base_free(h.base);
	for (i = 0; i < SERVE_TYPES; i++)
		page_free(&h.pages[i]);
	return err ? EXIT_KERNEL : EXIT_DONE;
}
