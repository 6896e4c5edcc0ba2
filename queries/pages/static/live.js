// Live updates: how many runs have arrived since the page was shown. Rows never move by themselves.
//
// [data-live] holds the address of the counts. [data-live-count] in it gets the number, and is shown. With
// data-live-swap, the content of the page is renewed every ten seconds if nothing in it is in use; with data-live-open,
// the page is opened again with the first run, and parts with data-fresh are renewed before.
"use strict";

(() => {
  const SWAP_MS = 10_000;
  const FRESH_MS = 5_000;
  let events = null;
  let swapped = Date.now();
  let waiting = 0;

  const find = () => document.querySelector("[data-live]");

  function follow() {
    events?.close();
    events = null;
    const element = find();
    if (!element?.dataset.live || document.hidden) return;
    events = new EventSource(element.dataset.live);
    events.addEventListener("runs", (event) => show(Number(event.data)));
    events.addEventListener("error", ({ target }) => {
      if (target === events && target.readyState === EventSource.CLOSED) showEnd();
    });
  }

  // The browser opens an interrupted stream again by itself; it does not if the server refuses it, as after a login.
  function showEnd() {
    const element = find();
    const text = element?.querySelector("[data-live-count]");
    if (!text) return;
    element.hidden = false;
    text.textContent = "new runs are not counted any more: open the page again";
  }

  function show(count) {
    const element = find();
    if (!element || !(count > 0)) return;
    if ("liveOpen" in element.dataset) {
      location.reload();
      return;
    }
    waiting = count;
    element.hidden = false;
    const text = element.querySelector("[data-live-count]");
    if (text) text.textContent = `${count.toLocaleString("en")} new ${count === 1 ? "run" : "runs"}: show`;
  }

  function isInUse() {
    const main = document.querySelector("main");
    const selection = getSelection();
    return (
      main.querySelector("details[open]") !== null ||
      main.contains(document.activeElement) ||
      (!selection.isCollapsed && main.contains(selection.anchorNode))
    );
  }

  async function read() {
    const response = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!response.ok || response.redirected) return null;
    return new DOMParser().parseFromString(await response.text(), "text/html");
  }

  async function swap() {
    const element = find();
    if (!element || document.hidden) return;
    if ("liveSwap" in element.dataset && waiting > 0 && Date.now() - swapped >= SWAP_MS && !isInUse()) {
      const page = await read();
      if (page === null || isInUse()) return;
      document.querySelector("main").replaceWith(document.adoptNode(page.querySelector("main")));
      [waiting, swapped] = [0, Date.now()];
      follow();
    } else if ("liveOpen" in element.dataset && Date.now() - swapped >= FRESH_MS) {
      swapped = Date.now();
      const page = await read();
      if (page !== null && page.querySelector("[data-live-open]") === null) location.reload();
      for (const part of document.querySelectorAll("[data-fresh]")) {
        const fresh = page?.querySelector(`[data-fresh="${part.dataset.fresh}"]`);
        if (fresh) part.replaceWith(document.adoptNode(fresh));
      }
    }
  }

  document.addEventListener("visibilitychange", follow);
  addEventListener("pagehide", () => events?.close());
  addEventListener("pageshow", follow);
  setInterval(() => swap().catch(() => {}), 1_000);
})();
