import type { JSX } from "preact";
import type { Controller } from "./controller.ts";
import { AnchorIcon } from "./icons.tsx";

/** Both work with the scripted demo model, too. */
const PROMPTS = [
  { prompt: "list files", does: "See what is in the sandbox" },
  { prompt: "change port to 9090 in config.toml", does: "Read a file, then edit it" },
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
        and you can stop it at any time.
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
    </section>
  );
}
