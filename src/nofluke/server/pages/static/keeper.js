// Buttons that copy, and forms that are sent once; without script the pages work all the same.
"use strict";
// A button that copies a text which stands beside it; without script it is not shown.
document.addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("[data-copies]")) button.hidden = !navigator.clipboard;
});
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const said = document.getElementById(`${button.dataset.copies}-said`);
  try {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent.trim());
    said.textContent = "Copied.";
  } catch {
    said.textContent = "Not copied; mark the text and copy it by hand.";
  }
});
// A double click sends a form once: what is made twice cannot be told from what was wanted twice.
const sent = new WeakMap();
document.addEventListener("submit", (event) => {
  if (event.timeStamp - (sent.get(event.target) ?? -Infinity) < 2000) event.preventDefault();
  else sent.set(event.target, event.timeStamp);
});
