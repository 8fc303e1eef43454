// Buttons that copy a text which stands beside them; without script they are not shown.
"use strict";
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
