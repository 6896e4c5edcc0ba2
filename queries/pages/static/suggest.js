// Suggestions for the filter of runs: the fields, and the names that the pickers have. Without this file the list of
// fields is folded.
"use strict";

const box = document.querySelector("[data-search]");
const fields = [...document.querySelectorAll(".fields dt code")].flatMap((form) => form.textContent.split(", "));
const names = [...document.querySelectorAll(".pickers select, .pickers input[list]")].flatMap((picker) =>
  [...(picker.list ?? picker).options].filter((option) => option.value !== "").map(({ value }) => `${picker.name}:${quote(value)}`),
);

function quote(name) {
  return /^[\w.-]+$/.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
}

if (box !== null) {
  const list = document.createElement("datalist");
  list.id = "suggestions";
  box.after(list);
  box.setAttribute("list", list.id);
  box.addEventListener("input", () => {
    const start = box.value.slice(0, box.value.lastIndexOf(" ") + 1);
    const word = box.value.slice(start.length).toLowerCase();
    const all = word.includes(":") ? names : fields;
    const known = word === "" ? [] : all.filter((form) => form.toLowerCase().startsWith(word) && form !== word);
    list.replaceChildren(...known.map((form) => Object.assign(document.createElement("option"), { value: start + form })));
  });
}
