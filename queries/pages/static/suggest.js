// Suggestions for the filter of runs: the fields while one is typed. Without this file the list of fields is folded.
"use strict";

const box = document.querySelector("[data-search]");
const fields = [...document.querySelectorAll(".fields dt code")].flatMap((form) => form.textContent.split(", "));

if (box !== null) {
  const list = document.createElement("datalist");
  list.id = "suggestions";
  box.after(list);
  box.setAttribute("list", list.id);
  box.addEventListener("input", () => {
    const start = box.value.slice(0, box.value.lastIndexOf(" ") + 1);
    const word = box.value.slice(start.length).toLowerCase();
    const known = word === "" ? [] : fields.filter((form) => form.startsWith(word) && form !== word);
    list.replaceChildren(...known.map((form) => Object.assign(document.createElement("option"), { value: start + form })));
  });
}
