import { render } from "preact";
import { App } from "./app.tsx";
import { createController } from "./state/controller.ts";
import { takeLanding } from "./state/landing.ts";

// Where nothing takes files that are dropped, the browser would leave the page to show them.
for (const type of ["dragover", "drop"] as const) {
  addEventListener(type, (event) => {
    if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
  });
}
takeLanding();
const root = document.getElementById("page");
if (root !== null) render(<App controller={createController()} />, root);
