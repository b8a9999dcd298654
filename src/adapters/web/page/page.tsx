import { render } from "preact";
import { App } from "./app.tsx";
import { createController } from "./state/controller.ts";
import { restoreFragment } from "./state/saved-fragment.ts";
import { showSignInAnswer } from "./state/sign-in-answer.ts";

// The browser would otherwise leave the page to show a file dropped where nothing accepts it.
for (const type of ["dragover", "drop"] as const) {
  addEventListener(type, (event) => {
    if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
  });
}
restoreFragment();
showSignInAnswer();
const root = document.getElementById("page");
if (root !== null) render(<App controller={createController()} />, root);
