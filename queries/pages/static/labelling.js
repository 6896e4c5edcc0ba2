// Keys of the elements with data-key: buttons are pressed, fields are entered. The page works without this file.
"use strict";

window.pageKeys = Object.fromEntries(
  [...document.querySelectorAll("[data-key]")].map((element) => [
    element.dataset.key,
    [element.dataset.meaning, () => (element.matches("textarea, input") ? element.focus() : element.click())],
  ]),
);
