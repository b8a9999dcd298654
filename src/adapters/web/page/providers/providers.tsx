import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { figure } from "../../../../core/text/dollars.ts";
import type { TeamModel as Model, TeamProvider as Provider, TeamProviders } from "../../sessions/team-providers.ts";
import { Problem } from "../problem.tsx";
import { type Column, DataTable } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useLoaded } from "../section/use-loaded.ts";
import type { PageState } from "../state/state.ts";
import { RemoveKey, SetKey } from "./set-key.tsx";
import { TestKey } from "./test-key.tsx";

export function Providers({ state, rest }: SectionProps): JSX.Element {
  return rest === "" ? <ProviderList state={state} /> : <Models provider={rest} />;
}

function ProviderList({ state }: { readonly state: PageState }): JSX.Element {
  const loaded = useLoaded("", (signal) => get<TeamProviders>("/features/providers/list", {}, signal));
  const actions = {
    title: "Change",
    cell: (row: Provider) => <KeyActions provider={row} state={state} reload={loaded.reload} />,
  };
  return (
    <LoadedView loaded={loaded}>
      {({ rows, answers, problem, mayChange }) => (
        <>
          <Answers {...answers} />
          <Problem text={problem} />
          <DataTable
            caption="Providers"
            columns={mayChange ? [...columnsFor(true), actions] : columnsFor(false)}
            rows={rows}
            keyOf={({ id, stored }) => `${id} ${stored?.at ?? ""}`}
            empty="None."
          />
        </>
      )}
    </LoadedView>
  );
}

function Answers({ model, isDemo }: TeamProviders["answers"]): JSX.Element {
  return (
    <p class="hint answers">
      {isDemo
        ? "No key is set, so a scripted demo answers, not an AI. Once you set a key, the provider's model answers from the next message."
        : "The model that answers unless a channel or thread has another: "}
      {!isDemo && <code>{model}</code>}
    </p>
  );
}

function columnsFor(mayChange: boolean): readonly Column<Provider>[] {
  return [
    { title: "Provider", cell: ({ name }) => name, sortBy: ({ name }) => name },
    {
      title: "Key",
      cell: (provider) => <KeyState provider={provider} mayChange={mayChange} />,
      sortBy: ({ isConfigured }) => (isConfigured ? 0 : 1),
    },
    { title: "Models", isShort: true, cell: ModelsLink },
  ];
}

interface KeyStateProps {
  readonly provider: Provider;
  readonly mayChange: boolean;
}

function KeyState({ provider, mayChange }: KeyStateProps): JSX.Element {
  const { keyFrom, stored, keyRequired, keyVariable, isConfigured } = provider;
  if (keyFrom !== null) {
    return (
      <>
        from <code>{keyFrom}</code>
        {stored !== null && <span class="hint">, which takes precedence over the stored one</span>}
      </>
    );
  }
  if (stored !== null) {
    const { hint, by, at, isUsed } = stored;
    return (
      <>
        {isUsed ? "stored" : "stored, but cannot be decrypted"}
        {hint !== "" && (
          <>
            , ends in <code>{hint}</code>
          </>
        )}
        <span class="hint">
          {" "}
          ({by}, {new Date(at).toLocaleDateString()})
        </span>
      </>
    );
  }
  if (!keyRequired) return isConfigured ? <>none; its address is set</> : <span class="hint">none needed</span>;
  return (
    <span class="hint">
      {mayChange ? "none; set it here or as" : "none; an admin sets it here, or the operator as"}{" "}
      <code>{keyVariable}</code>
    </span>
  );
}

function ModelsLink({ id, name, models }: Provider): JSX.Element {
  const count = models === 0 ? "unknown" : `${models} known`;
  return (
    <a href={`#/providers/${encodeURIComponent(id)}`} aria-label={`Models of ${name}: ${count}`}>
      {count}
    </a>
  );
}

interface KeyActionsProps {
  readonly provider: Provider;
  readonly state: PageState;
  readonly reload: () => void;
}

/** An admin's actions on a provider's key. A key from the environment or the settings file is changed there. */
function KeyActions({ provider, state, reload }: KeyActionsProps): JSX.Element {
  const { id, name, keyFrom, keyVariable, stored, isConfigured } = provider;
  const [Asked, setAsked] = useState<typeof SetKey | null>(null);
  return (
    <>
      {keyFrom === null && (keyVariable !== null || isConfigured) && (
        <>
          <button
            type="button"
            aria-haspopup="dialog"
            aria-label={stored === null ? `Set a key for ${name}` : `Replace the key for ${name}`}
            onClick={() => setAsked(() => SetKey)}
          >
            {stored === null ? "Set a key" : "Replace"}
          </button>{" "}
        </>
      )}
      {stored !== null && (
        <>
          <button
            type="button"
            aria-haspopup="dialog"
            aria-label={`Remove the stored key for ${name}`}
            onClick={() => setAsked(() => RemoveKey)}
          >
            Remove
          </button>{" "}
        </>
      )}
      {isConfigured && <TestKey provider={provider} state={state} />}
      {Asked !== null && (
        <Asked
          provider={{ id, name, hasKey: stored !== null }}
          state={state}
          done={reload}
          close={() => setAsked(null)}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<Model>[] = [
  { title: "Model", cell: ({ id }) => <code>{id}</code> },
  {
    title: "Context window",
    isNumber: true,
    cell: ({ contextWindow }) => (contextWindow === null ? "unknown" : `${figure(contextWindow)} tokens`),
  },
  { title: "Input, $ per million", isNumber: true, cell: ({ price }) => price?.input ?? "unknown" },
  { title: "Output, $ per million", isNumber: true, cell: ({ price }) => price?.output ?? "unknown" },
];

function Models({ provider }: { readonly provider: string }): JSX.Element {
  const loaded = useLoaded(provider, (signal) =>
    get<{ models: Model[]; why: string | null }>("/features/providers/models", { provider }, signal),
  );
  return (
    <>
      <p class="section-notes">
        <a href="#/providers">All providers</a>
      </p>
      <LoadedView loaded={loaded}>
        {({ models, why }) => (
          <div class="overview">
            <h2>Models of {provider}</h2>
            <DataTable
              caption={`Models of ${provider}`}
              columns={COLUMNS}
              rows={models}
              keyOf={({ id }) => id}
              empty={why ?? "Its models' context windows and prices are unknown."}
            />
          </div>
        )}
      </LoadedView>
    </>
  );
}
