// Keys for people who read many runs. Every page works without this file.
"use strict";

const KEYS = {
  "/": ["look for something", () => document.querySelector("[data-search]")?.focus()],
  j: ["next row", () => move(1)],
  k: ["row before", () => move(-1)],
  "?": ["these keys", showKeys],
};

function isField(element) {
  return element.closest("input, textarea, select, [contenteditable]") !== null;
}

function move(step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  if (rows.length === 0) {
    document.querySelector(step > 0 ? "[rel=next]" : "[rel=prev]")?.click();
    return;
  }
  const current = rows.indexOf(document.activeElement?.closest("[data-row]"));
  const row = rows[Math.min(Math.max(current + step, 0), rows.length - 1)];
  (row.querySelector("a[href], summary") ?? row).focus();
}

function showKeys() {
  const dialog = document.getElementById("keys");
  if (dialog.open) return;
  const list = document.createElement("dl");
  for (const [key, [meaning]] of Object.entries({ ...KEYS, ...(window.pageKeys ?? {}) })) {
    list.append(Object.assign(document.createElement("dt"), { textContent: key }));
    list.append(Object.assign(document.createElement("dd"), { textContent: meaning }));
  }
  const form = Object.assign(document.createElement("form"), { method: "dialog" });
  form.append(Object.assign(document.createElement("button"), { textContent: "Close" }));
  dialog.replaceChildren(list, form);
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
  const entry = (window.pageKeys ?? {})[event.key] ?? KEYS[event.key];
  if (entry === undefined) return;
  event.preventDefault();
  entry[1]();
});
