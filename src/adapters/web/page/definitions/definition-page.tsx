import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { DefinitionDetails, DefinitionKind } from "../../sessions/team-definitions.ts";
import { LoadedView } from "../section/loaded-view.tsx";
import { get } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { decoded } from "../state/address.ts";
import type { PageState } from "../state/state.ts";
import { ChannelName, DefinitionList, WORDS } from "./definition-list.tsx";
import { Editor } from "./editor.tsx";
import { History } from "./history.tsx";
import { NewDefinition } from "./new-definition.tsx";
import { Preview } from "./preview.tsx";
import { TakeBack } from "./take-back.tsx";
import { useEditing } from "./use-editing.ts";

/** All agents, or the one that the address names. */
export function Agents(props: SectionProps): JSX.Element {
  return <Definitions kind="agent" {...props} />;
}

/** All skills, or the one that the address names. */
export function Skills(props: SectionProps): JSX.Element {
  return <Definitions kind="skill" {...props} />;
}

function Definitions({ kind, state, rest, go }: SectionProps & { readonly kind: DefinitionKind }): JSX.Element {
  const [told, setTold] = useState({ at: "", words: "" });
  const { title, section } = WORDS[kind];
  // A message about one definition is not shown for the others.
  const said = <p role="status">{told.at === rest ? told.words : ""}</p>;
  if (rest === "") {
    return (
      <>
        <div class="section-notes">{said}</div>
        <DefinitionList kind={kind} />
      </>
    );
  }
  const name = rest === "+" ? "" : decoded(rest);
  return (
    <>
      <div class="section-notes">
        <p>
          <a href={`#/${section}`}>All {title.toLowerCase()}</a>
        </p>
        {said}
      </div>
      {name === "" ? (
        <NewDefinition
          kind={kind}
          state={state}
          made={(made) => {
            setTold({ at: encodeURIComponent(made), words: `✓ ${made} is available from the next run.` });
            go(encodeURIComponent(made));
          }}
        />
      ) : (
        <Definition
          key={name}
          kind={kind}
          name={name}
          state={state}
          say={(words) => setTold({ at: rest, words })}
          removed={() => {
            setTold({ at: "", words: `✓ ${name} was removed.` });
            go("");
          }}
        />
      )}
    </>
  );
}

interface DefinitionProps {
  readonly kind: DefinitionKind;
  readonly name: string;
  readonly state: PageState;
  readonly say: (words: string) => void;
  /** Called once no definition of that name exists any more. */
  readonly removed: () => void;
}

function Definition({ kind, name, state, say, removed }: DefinitionProps): JSX.Element {
  const loaded = useLoaded(name, (signal) =>
    get<DefinitionDetails>("/features/definitions/one", { kind, name }, signal),
  );
  return (
    <LoadedView loaded={loaded}>
      {(found) => (
        <article class="definitions" aria-labelledby="definition-title">
          <h2 id="definition-title">{found.name}</h2>
          <About kind={kind} found={found} />
          {found.mayEdit && found.from !== "file" ? (
            <Editable kind={kind} found={found} state={state} say={say} removed={removed} reload={loaded.reload} />
          ) : (
            <ReadOnly kind={kind} found={found} />
          )}
        </article>
      )}
    </LoadedView>
  );
}

interface FoundProps {
  readonly kind: DefinitionKind;
  readonly found: DefinitionDetails;
}

function About({ kind, found }: FoundProps): JSX.Element {
  const { description, from, place, hasShipped, facts, channels, isUsual } = found;
  return (
    <>
      <p>{description}</p>
      {from === "file" && (
        <p class="note">
          It comes from <code>{place}</code>, which takes precedence over this page. Edit it there.
        </p>
      )}
      {from === "page" && hasShipped && <p class="note">It replaces the built-in one.</p>}
      <dl class="definition-facts">
        {facts.map(({ term, words }) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{words}</dd>
          </div>
        ))}
        {kind === "agent" && (isUsual || channels.length > 0) && (
          <div>
            <dt>Answers in</dt>
            <dd>
              {isUsual && <span>all channels without an agent of their own</span>}
              {channels.map(({ key, name }, index) => (
                <span key={key}>
                  {(isUsual || index > 0) && ", "}
                  <ChannelName id={key} name={name} />
                </span>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

function ReadOnly({ kind, found: { name, text, number } }: FoundProps): JSX.Element {
  return (
    <>
      <div class="definition-panes">
        <div class="definition-source">
          <label for="definition-text">{WORDS[kind].label}</label>
          <textarea id="definition-text" readOnly value={text} spellcheck={false} />
        </div>
        <Preview text={text} />
      </div>
      {number > 0 && <History kind={kind} name={name} number={number} now={text} use={null} />}
    </>
  );
}

interface EditableProps extends FoundProps, Omit<DefinitionProps, "name"> {
  readonly reload: () => void;
}

function Editable({ kind, found, state, say, removed, reload }: EditableProps): JSX.Element {
  const { name, text, number, from, shipped } = found;
  const editing = useEditing({ kind, name, text, number, isNew: false, draft: `${kind}/${name}` }, state);
  return (
    <>
      <Editor
        editing={editing}
        label={WORDS[kind].label}
        what={name}
        saved={(now) => {
          say(`✓ Saved as revision ${now}. It applies from the next run.`);
          reload();
        }}
      />
      {kind === "skill" && shipped !== null && (
        <p class="hint">Only SKILL.md can be edited here. The files beside it stay as they are.</p>
      )}
      {from === "page" && (
        <TakeBack
          title={shipped === null ? `Remove ${name}?` : `Restore the built-in ${name}?`}
          words={shipped === null ? "Remove" : "Restore the built-in one"}
          editing={editing}
          after={shipped ?? ""}
          done={() => {
            if (shipped === null) return removed();
            say("✓ The built-in one applies again.");
            reload();
          }}
        >
          {shipped === null && (
            <p class="hint">
              Sessions that use it continue with their channel's default; jobs that name it report that it is missing.
              Its history is kept.
            </p>
          )}
        </TakeBack>
      )}
      <History kind={kind} name={name} number={number} now={editing.before} use={editing.write} />
    </>
  );
}
