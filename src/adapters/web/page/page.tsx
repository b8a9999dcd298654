import { render } from "preact";
import { App } from "./app.tsx";
import { createController } from "./state/controller.ts";

const root = document.getElementById("page");
if (root !== null) render(<App controller={createController()} />, root);
