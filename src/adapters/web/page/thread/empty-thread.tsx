import type { JSX } from "preact";
import type { Controller } from "../state/controller.ts";
import { AnchorIcon } from "../text/icons.tsx";

/** Example prompts. Both also work in an empty sandbox and with the scripted demo model. */
const PROMPTS = [
  { prompt: "create config.toml with port = 8080", does: "Write a file; you see the change before it is made" },
  { prompt: "run: ls -la | head", does: "Run a command in the sandbox, once you allow it" },
] as const;

export function EmptyThread({ controller }: { readonly controller: Controller }): JSX.Element {
  return (
    <section class="empty" aria-labelledby="empty-title">
      <span class="brand-mark large">
        <AnchorIcon />
      </span>
      <h2 id="empty-title">What needs doing?</h2>
      <p>
        Deckhand reads, writes and runs things inside a sandbox: one folder, and nothing outside it. You see every step,
        it asks before it changes something, and you can stop it at any time.
      </p>
      <ul class="prompts" aria-label="Suggestions">
        {PROMPTS.map(({ prompt, does }) => (
          <li key={prompt}>
            <button type="button" onClick={() => controller.send(prompt, [])}>
              <span class="prompt-does">{does}</span>
              <span class="prompt-text">{prompt}</span>
            </button>
          </li>
        ))}
      </ul>
      <p class="hint">
        <kbd>/</kbd> lists what else you can say.
      </p>
    </section>
  );
}
