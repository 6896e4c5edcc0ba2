// Keys of a run: label it, and step through its faults. The page works without this file.
"use strict";

function press(key) {
  const control = document.querySelector(`[data-key="${key}"]`);
  if (control === null) return;
  if (control.matches("input")) control.focus();
  else control.click();
}

let current = -1;

function step(by) {
  const faults = [...document.querySelectorAll("[data-error]")];
  const next = current + by;
  if (next < 0 || next >= faults.length) {
    document.querySelector(by > 0 ? "[rel=later]" : "[rel=earlier]")?.click();
    return;
  }
  current = next;
  const fault = faults[current];
  for (let above = fault; above !== null; above = above.parentElement?.closest("details") ?? null) {
    if (above.matches("details")) above.open = true;
  }
  fault.querySelector("details")?.setAttribute("open", "");
  fault.focus({ preventScroll: true });
  fault.scrollIntoView({ block: "center" });
}

window.pageKeys = {
  j: ["next run of the list", () => document.querySelector("[rel=next]")?.click()],
  k: ["run before in the list", () => document.querySelector("[rel=prev]")?.click()],
  e: ["next fault", () => step(1)],
  E: ["fault before", () => step(-1)],
  g: ["label as good", () => press("g")],
  b: ["label as bad", () => press("b")],
  c: ["write a comment", () => press("c")],
  u: ["undo the label", () => press("u")],
};
