// The editor of SQL: Ctrl+Enter, long queries, the place of an error, names from the schema. The page works without it.
"use strict";

const form = document.querySelector("form.question[data-longest]");
const editor = form?.querySelector("textarea");

if (editor) {
  editor.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit();
  });

  // What is too long for a URL is posted.
  form.addEventListener("submit", () => {
    if (encodeURIComponent(editor.value).length <= Number(form.dataset.longest)) return;
    form.method = "post";
    form.append(form.querySelector("template").content.cloneNode(true));
  });

  if (editor.dataset.position !== undefined) {
    editor.focus();
    editor.setSelectionRange(Number(editor.dataset.position), Number(editor.dataset.position));
  } else if (editor.value === "") {
    editor.focus();
  }

  // A name in the schema that is clicked twice comes into the query.
  for (const columns of document.querySelectorAll(".columns")) {
    columns.title = "Double-click a name to insert it";
    columns.addEventListener("dblclick", () => {
      editor.setRangeText(String(getSelection()).trim(), editor.selectionStart, editor.selectionEnd, "end");
      editor.focus();
    });
  }
}
