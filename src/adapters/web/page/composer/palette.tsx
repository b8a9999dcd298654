import type { AriaAttributes, ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { PageState } from "../state/state.ts";
import { isTyped, type Suggestion, suggestionsFor, wantsCompletions } from "./completion.ts";

const LIST_ID = "palette";

export interface Palette {
  readonly suggestions: readonly Suggestion[];
  readonly active: number;
  readonly take: (suggestion: Suggestion) => void;
  /** Returns true if the palette handled the key. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** Suggestions for a typed command: arrows choose, Tab or Enter accepts, Escape closes until the text changes. */
export function usePalette({
  text,
  state,
  ask,
  write,
}: {
  readonly text: string;
  readonly state: Pick<PageState, "commands" | "completions">;
  /** Asks the server for completions, which arrive later. */
  readonly ask: (text: string) => void;
  readonly write: (text: string) => void;
}): Palette {
  const { commands, completions } = state;
  const [chosen, setChosen] = useState({ text, index: 0, isClosed: false });
  const now = chosen.text === text ? chosen : { text, index: 0, isClosed: false };
  const suggestions = now.isClosed ? [] : suggestionsFor(text, commands, completions);
  useEffect(() => {
    if (wantsCompletions(text, commands)) ask(text);
  }, [text, commands]);
  const active = Math.min(now.index, suggestions.length - 1);
  const take = (suggestion: Suggestion): void => write(suggestion.text);
  const onKey = (event: KeyboardEvent): boolean => {
    const suggestion = suggestions[active];
    if (suggestion === undefined || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
    switch (event.key) {
      case "ArrowDown":
        setChosen({ ...now, index: (active + 1) % suggestions.length });
        return true;
      case "ArrowUp":
        setChosen({ ...now, index: (active + suggestions.length - 1) % suggestions.length });
        return true;
      case "Escape":
        setChosen({ ...now, isClosed: true });
        return true;
      case "Tab":
      case "Enter":
        if (event.shiftKey || isTyped(text, suggestion)) return false;
        take(suggestion);
        return true;
      default:
        return false;
    }
  };
  return { suggestions, active, take, onKey };
}

/** ARIA attributes that connect the composer with the list below it. */
export function paletteProps({ suggestions, active }: Palette): AriaAttributes {
  if (suggestions.length === 0) return { "aria-autocomplete": "list" };
  return { "aria-autocomplete": "list", "aria-controls": LIST_ID, "aria-activedescendant": optionId(active) };
}

function optionId(index: number): string {
  return `${LIST_ID}-${index}`;
}

/** Lets a line that is too narrow break between alternatives: `[read|write|` `agi|default]`. */
function breakable(usage: string): ComponentChildren {
  return usage.split(/(?<=\|)/u).flatMap((part) => [part, <wbr key={part} />]);
}

export function PaletteList({ palette }: { readonly palette: Palette }): JSX.Element {
  const { suggestions, active, take } = palette;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active, suggestions.length]);
  return (
    <>
      <p class="hidden" role="status">
        {suggestions.length === 0 ? "" : `${suggestions.length} suggestions`}
      </p>
      {suggestions.length > 0 && (
        <ul ref={list} id={LIST_ID} class="palette" role="listbox" aria-label="Commands">
          {suggestions.map((suggestion, index) => (
            <li
              key={suggestion.text}
              id={optionId(index)}
              role="option"
              aria-selected={index === active}
              // Keeps the focus in the composer.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(suggestion)}
            >
              <span class="palette-name">
                {suggestion.label} <span class="palette-usage">{breakable(suggestion.usage)}</span>
              </span>
              <span class="palette-does">{suggestion.description}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
