// SPDX-License-Identifier: GPL-2.0-only
// How a page is laid out: an expression that page.py evaluates in it.
(() => {
const shades = new Map();

function light(c) {
	const [r, g, b] = c.match(/[\d.]+/g).slice(0, 3).map((v) => {
		v /= 255;
		return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
	const key = a + b;
	if (!shades.has(key)) {
		const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
		shades.set(key, (x + 0.05) / (y + 0.05));
	}
	return shades.get(key);
}

// The colours behind an element: those of the boxes of a drawing under a text, or the ground.
function backs(e, style) {
	if (e.tagName !== "text" || style.pointerEvents !== "none")
		return [behind(e)];
	const s = e.getBoundingClientRect();
	const fills = [...e.closest("svg").querySelectorAll("rect")].filter((box) => {
		const r = box.getBoundingClientRect();
		return r.left <= s.left + 4 && r.right >= s.left + 4 && r.top < s.bottom - 4 &&
			r.bottom > s.top + 4;
	}).map((r) => getComputedStyle(r).fill);
	return fills.length ? fills : [behind(e)];
}

// The colour behind an element: its own, or its nearest ancestor's.
function behind(element) {
	for (; element; element = element.parentElement) {
		const c = getComputedStyle(element).backgroundColor;
		if (!/, 0\)$/.test(c))
			return c;
	}
	return "rgb(255, 255, 255)";
}

// Texts of a drawing that are not inside it, or touch another one.
function misplaced(svg, outside, touching) {
	const s = svg.getBoundingClientRect();
	const texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent);
	const boxes = texts.map((t) => t.getBoundingClientRect());
	boxes.forEach((a, i) => {
		if (a.left < s.left - 1 || a.right > s.right + 1 || a.bottom > s.bottom + 1)
			outside.push(texts[i].textContent);
		if (boxes.slice(i + 1).some((b) => a.left < b.right - 1 && b.left < a.right - 1 &&
				a.top < b.bottom - 4 && b.top < a.bottom - 4))
			touching.push(texts[i].textContent);
	});
}

const d = document, outside = [], touching = [], svgs = [...d.querySelectorAll("svg")];
svgs.forEach((svg) => misplaced(svg, outside, touching));
return {
	title: d.title,
	wide: d.documentElement.scrollWidth,
	dark: matchMedia("(prefers-color-scheme: dark)").matches,
	charts: svgs.length,
	sections: d.querySelectorAll("section").length,
	charts_named: svgs.map((s) => s.getAttribute("aria-label")),
	unnamed: svgs.filter((s) => !s.getAttribute("aria-label") ||
		s.getAttribute("role") !== "img").map((s) => s.outerHTML.slice(0, 80)),
	contrast: Math.min(...[...d.querySelectorAll(
		"h1,h2,h3,p,dt,dd,th,td,text,a,span,summary,input,.figures div")].map((t) => {
		const s = getComputedStyle(t), ink = t.tagName === "text" ? s.fill : s.color;
		return Math.min(...backs(t, s).map((back) => contrast(ink, back)));
	})),
	outside, touching,
	large: svgs.flatMap((svg) => [...svg.querySelectorAll("text")]).filter(
		(t) => t.getBoundingClientRect().height > 22).map((t) => t.textContent),
	scrolled: [...d.querySelectorAll(".wide")].filter(
		(e) => e.scrollWidth > e.clientWidth + 1).length,
	requests: performance.getEntriesByType("resource").map((r) => r.name),
};
})()
