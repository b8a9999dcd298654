import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { DefinitionKind } from "../../sessions/team-definitions.ts";
import type { PageState } from "../state/state.ts";
import { WORDS } from "./definition-list.tsx";
import { Editor } from "./editor.tsx";
import { useEditing } from "./use-editing.ts";

const TEMPLATES: Readonly<Record<DefinitionKind, string>> = {
  agent: `---
description: What it is for, in one line that people and agents read.
access: read-only
---

You are …
`,
  skill: `---
description: What it does, in one line.
when_to_use: When the model should use it.
---

What to do, step by step.
`,
};

interface NewDefinitionProps {
  readonly kind: DefinitionKind;
  readonly state: PageState;
  readonly made: (name: string) => void;
}

/** Creates an agent or a skill. */
export function NewDefinition({ kind, state, made }: NewDefinitionProps): JSX.Element {
  const [name, setName] = useState("");
  const edited = { kind, name, text: TEMPLATES[kind], number: 0, isNew: true, draft: `${kind}/+` };
  const editing = useEditing(edited, state);
  const why = name === "" ? null : (editing.checked?.name ?? null);
  return (
    <div class="loaded definitions">
      <h2>{WORDS[kind].make}</h2>
      <div class="field">
        <label for="definition-name">
          Name<span class="needed"> (required)</span>
        </label>
        <input
          id="definition-name"
          type="text"
          autocomplete="off"
          value={name}
          aria-invalid={why !== null}
          aria-describedby="definition-name-hint"
          onInput={({ currentTarget }) => setName(currentTarget.value.trim())}
        />
        <p
          id="definition-name-hint"
          class={why === null ? "hint" : "problem"}
          role={why === null ? undefined : "alert"}
        >
          {why ?? "Lower-case letters, digits and hyphens. It cannot be changed later."}
        </p>
      </div>
      <Editor
        editing={editing}
        label={WORDS[kind].label}
        what={name}
        missing={name === "" ? "Enter a name." : why === null ? null : "Choose another name."}
        saved={() => made(name)}
      />
    </div>
  );
}
