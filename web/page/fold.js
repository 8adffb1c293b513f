// Forms fold away once there is an answer, so that the answer comes first.

import { $, el, fill } from "./dom.js";

// fold closes the form of a view and says what the answer is about. A form in use stays open.
export function fold(view, what) {
  const form = $(`${view}-options`);
  if (!form.contains(document.activeElement) || document.activeElement.matches("summary, select, button")) form.open = false;
  fill($(`${view}-what`), what, " · ", el("span", { class: "link" }, "Change"));
}

// unfold opens the form of a view.
export function unfold(view) {
  const form = $(`${view}-options`);
  if (!form.open) form.open = true;
}
