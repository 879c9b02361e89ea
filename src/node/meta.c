// SPDX-License-Identifier: GPL-2.0-only
/* meta.c - the part of a node that never changes, as JSON in a frozen map. */
#include "node/priv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/recording_json.h"
#include "util/json.h"
#include "util/json_read.h"

#define FORMAT "kstats-bpf node"

static int damaged(struct error *e, const char *why)
{
	return error_set(e, EXIT_USAGE, -EINVAL, why, "remove it with 'kstats-bpf node rm'",
			 "cannot use the node");
}

char *node_meta_layout(char text[NODE_LAYOUT_SIZE])
{
	snprintf(text, NODE_LAYOUT_SIZE, "cell %zu, block %zu, stack %zu, bucket %zu, counters %d",
		 KSTATS_CELL_SIZE(0), sizeof(struct kstats_block), sizeof(struct kstats_stack),
		 sizeof(struct kstats_keys), KSTATS_LEDGER_N);
	return text;
}

/* ---- writing ---- */

static int add_hook(struct json_object *o, const char *key, const struct plan_hook *h)
{
	struct json_object *hook = json_object_new_object();
	int err = json_add_u64(hook, "type", h->type);

	err |= json_add_text(hook, "module", h->module);
	err |= json_add_text(hook, "name", h->name);
	err |= node_places_save(hook, &h->places);
	return json_add(o, key, hook) | err;
}

static struct json_object *make_probe(const struct node_probe *p)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_u64(o, "node", p->node);

	err |= json_add_u64(o, "hooked", p->hooked);
	if (p->hooked) {
		err |= add_hook(o, "start", &p->start);
		err |= add_hook(o, "end", &p->end);
	}
	return json_made(o, err);
}

static int add_user(struct json_object *o, const struct node_meta *m)
{
	struct json_object *user = json_object_new_object();
	int err = json_add_text(user, "folder", m->folder);

	err |= json_add_u64(user, "mode", m->access.mode);
	err |= json_add_u64(user, "group", m->access.group);
	return json_add(o, "user", user) | err;
}

static struct json_object *make_part(const char *label, const struct expr_part *part)
{
	struct json_object *o = json_object_new_object();
	int err = json_add_text(o, "label", label);

	err |= json_add_u64(o, "words", part->words);
	err |= json_add_u64(o, "text", part->is_text);
	err |= json_add_u64(o, "cut", part->cut);
	err |= json_add_u64(o, "signed", part->is_signed);
	err |= json_add_u64(o, "pointer", part->is_pointer);
	err |= json_add_text(o, "naming", part->naming ? naming_word(part->naming) : "");
	return json_made(o, err);
}

static struct json_object *make_by(const struct node_meta *m)
{
	struct json_object *o = json_object_new_object(), *parts = json_object_new_array();
	int err = json_add_u64(o, "most", m->by.most);
	unsigned int i;

	err |= json_add_u64(o, "taken_at", m->variables.taken_at);
	for (i = 0; !err && i < m->by.n; i++)
		err = json_push(parts, make_part(m->by.labels[i], &m->by.parts[i]));
	err |= json_add(o, "parts", parts);
	return json_made(o, err);
}

int node_meta_words(struct node_meta *m, const struct node_words *words)
{
	m->words = strdup(words->text);
	m->file = words->file ? strdup(words->file) : NULL;
	m->line = words->file ? strdup(words->line) : NULL;
	return m->words && (!words->file || (m->file && m->line)) ? 0 : -ENOMEM;
}

static struct json_object *meta_make_meta(const struct node_meta *m)
{
	struct json_object *o = json_object_new_object(), *probes = json_object_new_array();
	struct json_object *about = json_object_new_object();
	int err = json_add_text(o, "format", FORMAT);
	char text[NODE_LAYOUT_SIZE];
	uint32_t i;

	err |= json_add_u64(o, "version", NODE_META_VERSION);
	err |= json_add_text(o, "program", KSTATS_VERSION);
	err |= json_add_text(o, "layout", node_meta_layout(text));
	err |= json_add_text(o, "words", m->words);
	if (m->file) {
		err |= json_add_text(o, "file", m->file);
		err |= json_add_text(o, "line", m->line);
	}
	err |= json_add_u64(o, "pairing", m->pairing);
	err |= json_add_u64(o, "variables_size", m->variables.size);
	err |= json_add_u64(o, "on_at", m->variables.on_at);
	err |= json_add_u64(o, "epoch_at", m->variables.epoch_at);
	if (m->by.most)
		err |= json_add(o, "by", make_by(m));
	if (m->folder)
		err |= add_user(o, m);
	if (m->heap)
		err |= json_add(o, "kmem", json_object_get(m->heap));
	err |= node_files_save(o, m);
	for (i = 0; !err && i < m->n_probes; i++)
		err = json_push(probes, make_probe(&m->probes[i]));
	err |= json_add(o, "probes", probes);
	err |= recording_json_empty(about, m->about);
	err |= json_add(o, "about", about);
	return json_made(o, err);
}

static int store_text(const char *text, int *fd)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_RDONLY_PROG);
	__u32 zero = 0;
	int err = 0;

	*fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "kstats_meta", sizeof(zero), strlen(text) + 1, 1,
			     &opts);
	if (*fd < 0)
		return *fd;
	if (bpf_map_update_elem(*fd, &zero, text, BPF_ANY) || bpf_map_freeze(*fd))
		err = -errno;
	if (err) {
		close(*fd);
		*fd = -1;
	}
	return err;
}

int node_meta_save(const struct node_meta *m, int *fd, struct error *e)
{
	struct json_object *o = meta_make_meta(m);
	int err = o ? store_text(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN), fd)
		    : -ENOMEM;

	json_object_put(o);
	if (err)
		error_set(e, EXIT_KERNEL, err, NULL, NULL,
			  "cannot keep the description of the node");
	return err;
}

/* ---- reading ---- */

static int get_copy(struct json_object *from, const char *key, char **to, struct error *e)
{
	struct json_object *o;
	int err = json_get(from, key, json_type_string, &o, e);

	if (err)
		return err;
	free(*to);
	*to = strdup(json_object_get_string(o));
	return *to ? 0 : -ENOMEM;
}

static int get_hook(struct json_object *from, const char *key, struct plan_hook *h, struct error *e)
{
	struct json_object *o;
	uint64_t type = 0;
	int err = json_get(from, key, json_type_object, &o, e);

	if (!err)
		err = json_get_u64(o, "type", PLAN_HOOK_TYPES - 1, &type, e);
	if (!err)
		err = get_copy(o, "module", &h->module, e);
	if (!err)
		err = get_copy(o, "name", &h->name, e);
	if (!err && plan_is_user(type))
		err = node_places_load(o, &h->places, e);
	h->type = type;
	return err;
}

static int get_probe(struct json_object *o, const struct snapshot *s, struct node_probe *p,
		     struct error *e)
{
	uint64_t node = 0, hooked = 0;
	int err;

	if (!json_object_is_type(o, json_type_object))
		return json_bad(e, "'probes' holds what is not an object");
	err = json_get_u64(o, "node", s->n_nodes - 1, &node, e);
	if (!err)
		err = json_get_u64(o, "hooked", 1, &hooked, e);
	p->node = node;
	p->hooked = hooked;
	if (!err && hooked)
		err = get_hook(o, "start", &p->start, e);
	if (!err && hooked)
		err = get_hook(o, "end", &p->end, e);
	return err;
}

static int get_probes(struct json_object *doc, struct node_meta *m, struct error *e)
{
	struct json_object *array;
	size_t n, i;
	int err = json_get(doc, "probes", json_type_array, &array, e);

	n = err ? 0 : json_object_array_length(array);
	if (n > NODE_PROBES_MAX)
		return json_bad(e, "'probes' has too many entries");
	m->probes = calloc(n + 1, sizeof(*m->probes));
	if (!m->probes)
		return -ENOMEM;
	for (i = 0; !err && i < n; i++) {
		m->n_probes++;
		err = get_probe(json_object_array_get_idx(array, i), m->about->whole, &m->probes[i],
				e);
		node_files_tell(m, &m->probes[i].start.places);
		node_files_tell(m, &m->probes[i].end.places);
	}
	return err;
}

/* Only of a node in which programs with markers count. */
static int get_user(struct json_object *doc, struct node_meta *m, struct error *e)
{
	uint64_t mode = 0, group = 0;
	struct json_object *o;
	int err;

	if (!json_object_object_get_ex(doc, "user", &o))
		return 0;
	err = json_get(doc, "user", json_type_object, &o, e);
	if (!err)
		err = get_copy(o, "folder", &m->folder, e);
	if (!err)
		err = json_get_u64(o, "mode", 0666, &mode, e);
	if (!err)
		err = json_get_u64(o, "group", UINT32_MAX, &group, e);
	m->access = (struct pin_access){ mode, -1, group };
	return err;
}

static int get_part(struct json_object *o, struct plan_by *by, struct error *e)
{
	uint64_t words = 0, text = 0, cut = 0, sign = 0, pointer = 0;
	char *naming = NULL;
	int err;

	if (!json_object_is_type(o, json_type_object))
		return json_bad(e, "'parts' holds what is not an object");
	err = get_copy(o, "label", &by->labels[by->n], e);
	if (!err)
		err = json_get_u64(o, "words", KSTATS_BY_WORDS - by->words, &words, e);
	if (!err)
		err = json_get_u64(o, "text", 1, &text, e);
	if (!err)
		err = json_get_u64(o, "cut", EXPR_STR_MAX, &cut, e);
	if (!err)
		err = json_get_u64(o, "signed", 1, &sign, e);
	if (!err)
		err = json_get_u64(o, "pointer", 1, &pointer, e);
	if (!err)
		err = json_get_text(o, "naming", &naming, e);
	if (!err && (!words || (cut && 8 * words < cut + 2) || (!text && words > 1) ||
		     !snapshot_key_ok(by->labels[by->n])))
		err = json_bad(e, "a part of its keys is not valid");
	by->parts[by->n++] =
		(struct expr_part){ .words = words,
				    .is_text = text,
				    .cut = cut,
				    .is_signed = sign,
				    .is_pointer = pointer,
				    .naming = err ? NAMING_NONE
						  : naming_find(naming, strlen(naming)) };
	by->words += words;
	free(naming);
	return err;
}

/* Only of a node with keys, whose distributions come behind the others. */
static int get_by(struct json_object *doc, struct node_meta *m, struct error *e)
{
	struct json_object *o, *parts;
	uint64_t most = 0, taken = 0;
	size_t n = 0, i;
	int err;

	if (!json_object_object_get_ex(doc, "by", &o))
		return 0;
	err = json_get(doc, "by", json_type_object, &o, e);
	if (!err)
		err = json_get_u64(o, "most", KSTATS_BY_MAX, &most, e);
	if (!err)
		err = json_get_u64(o, "taken_at", m->variables.size, &taken, e);
	if (!err)
		err = json_get(o, "parts", json_type_array, &parts, e);
	if (!err)
		n = json_object_array_length(parts);
	if (!err &&
	    (!most || !n || n > KSTATS_BY_PARTS || taken % 4 || taken + 4 > m->variables.size))
		err = json_bad(e, "its keys cannot be read");
	for (i = 0; !err && i < n; i++)
		err = get_part(json_object_array_get_idx(parts, i), &m->by, e);
	m->by.most = most;
	m->by.first = m->about->whole->n_nodes;
	m->variables.taken_at = taken;
	return err ? err : snapshot_add_keys(m->about->whole, most);
}

static int meta_get_about(struct json_object *doc, struct node_meta *m, struct error *e)
{
	struct json_object *o;

	if (json_get(doc, "about", json_type_object, &o, e))
		return -EINVAL;
	m->about = recording_read_empty(o, e);
	return m->about && m->about->whole->n_nodes ? 0 : -EINVAL;
}

static int get_meta(struct json_object *doc, struct node_meta *m, struct error *e)
{
	uint64_t pairing = 0, size = 0, on = 0, epoch = 0;
	struct json_object *heap = NULL;
	int err = meta_get_about(doc, m, e);

	if (!err)
		err = get_copy(doc, "words", &m->words, e);
	if (!err && json_object_object_get_ex(doc, "file", NULL)) {
		err = get_copy(doc, "file", &m->file, e);
		if (!err)
			err = get_copy(doc, "line", &m->line, e);
	}
	if (!err)
		err = json_get_u64(doc, "pairing", KSTATS_BY_POINT, &pairing, e);
	if (!err)
		err = json_get_u64(doc, "variables_size", 1 << 20, &size, e);
	if (!err)
		err = json_get_u64(doc, "on_at", size, &on, e);
	if (!err)
		err = json_get_u64(doc, "epoch_at", size, &epoch, e);
	if (!err && (on % 4 || on + 4 > size || epoch % 8 || epoch + 8 > size))
		err = json_bad(e, "its variables lie outside of the map");
	m->pairing = pairing;
	m->variables = (struct session_variables){ .size = size, .on_at = on, .epoch_at = epoch };
	if (!err)
		err = get_by(doc, m, e);
	if (!err)
		err = get_user(doc, m, e);
	if (!err && json_object_object_get_ex(doc, "kmem", &heap))
		err = json_get(doc, "kmem", json_type_object, &heap, e);
	m->heap = err ? NULL : json_object_get(heap);
	if (!err)
		err = node_files_load(doc, m, e);
	return err ? err : get_probes(doc, m, e);
}

static int check_version(struct json_object *doc, struct error *e)
{
	struct json_object *format, *program, *cells;
	char why[200], text[NODE_LAYOUT_SIZE];
	uint64_t version;

	if (json_get(doc, "format", json_type_string, &format, e) ||
	    json_get_u64(doc, "version", UINT64_MAX, &version, e) ||
	    json_get(doc, "program", json_type_string, &program, e))
		return -EINVAL;
	if (strcmp(json_object_get_string(format), FORMAT))
		return damaged(e, "it was not made by this program");
	if (version == NODE_META_VERSION) {
		if (json_get(doc, "layout", json_type_string, &cells, e))
			return -EINVAL;
		if (!strcmp(json_object_get_string(cells), node_meta_layout(text)))
			return 0;
		snprintf(why, sizeof(why), "kstats-bpf %.60s made it, which has other counters",
			 json_object_get_string(program));
		return damaged(e, why);
	}
	snprintf(why, sizeof(why),
		 "kstats-bpf %.60s made it, in version %llu of the format; "
		 "this one knows version %d",
		 json_object_get_string(program), (unsigned long long)version, NODE_META_VERSION);
	return damaged(e, why);
}

static char *read_text(int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info), zero = 0;
	char *text = NULL;

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) || info.type != BPF_MAP_TYPE_ARRAY ||
	    info.max_entries != 1 || info.key_size != 4 || info.value_size > NODE_META_MAX)
		return NULL;
	text = calloc(1, (size_t)info.value_size + 8);
	if (text && bpf_map_lookup_elem(fd, &zero, text)) {
		free(text);
		text = NULL;
	}
	return text;
}

int node_meta_read(struct node_meta *m, char *text, struct error *e)
{
	FILE *f = text && *text ? fmemopen(text, strlen(text), "r") : NULL;
	struct json_object *doc = f ? json_read(f, e) : NULL;
	char why[256];
	int err = -EINVAL;

	*m = (struct node_meta){};
	if (doc)
		err = check_version(doc, e);
	else
		damaged(e, "its description cannot be read");
	if (doc && !err && get_meta(doc, m, e)) {
		snprintf(why, sizeof(why), "it is damaged: %.200s", e->why);
		err = damaged(e, why);
	}
	json_object_put(doc);
	if (f)
		fclose(f);
	return err;
}

int node_meta_load(struct node_meta *m, int fd, struct error *e)
{
	char *text = read_text(fd);
	int err = node_meta_read(m, text, e);

	free(text);
	return err;
}

static void free_hook(struct plan_hook *h)
{
	free(h->module);
	free(h->name);
	plan_places_free(&h->places);
}

void node_meta_free(struct node_meta *m)
{
	uint32_t i;

	for (i = 0; i < m->n_probes; i++) {
		free_hook(&m->probes[i].start);
		free_hook(&m->probes[i].end);
	}
	free(m->probes);
	node_files_free(m);
	json_object_put(m->heap);
	plan_by_free(&m->by);
	free(m->words);
	free(m->file);
	free(m->line);
	free(m->folder);
	recording_free(m->about);
	*m = (struct node_meta){};
}
