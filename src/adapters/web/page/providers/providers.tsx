import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Column, DataTable } from "../section/data-table.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get, post, problemOf } from "../section/request.ts";
import type { SectionProps } from "../section/sections.ts";
import { useLoaded } from "../section/use-loaded.ts";
import type { PageState } from "../state/state.ts";

interface Provider {
  readonly id: string;
  readonly name: string;
  /** Where its key is from, as people read it; null: it has none. */
  readonly keyFrom: string | null;
  readonly keyRequired: boolean;
  readonly keyVariable: string | null;
  /** It has a key, or an address of the operator's. */
  readonly isConfigured: boolean;
  /** How many models have known figures. */
  readonly models: number;
}

/** Null: unknown. */
interface Model {
  readonly id: string;
  /** Tokens. */
  readonly contextWindow: number | null;
  /** US dollars per million tokens. */
  readonly price: { readonly input: number; readonly output: number } | null;
}

interface Listed {
  readonly rows: readonly Provider[];
  readonly mayTest: boolean;
}

/** Providers of models, or the models of the one that the address names. */
export function Providers({ state, rest }: SectionProps): JSX.Element {
  return rest === "" ? <ProviderList state={state} /> : <Models provider={rest} />;
}

function ProviderList({ state }: { readonly state: PageState }): JSX.Element {
  const loaded = useLoaded("", (signal) => get<Listed>("/features/settings/providers", {}, signal));
  const test = { title: "Test", cell: (row: Provider) => <Test provider={row} state={state} /> };
  return (
    <LoadedView loaded={loaded}>
      {({ rows, mayTest }) => (
        <DataTable
          caption="Providers"
          columns={mayTest ? [...PROVIDER_COLUMNS, test] : PROVIDER_COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          empty="There are none."
        />
      )}
    </LoadedView>
  );
}

const PROVIDER_COLUMNS: readonly Column<Provider>[] = [
  { title: "Provider", cell: ({ name }) => name, sortBy: ({ name }) => name },
  { title: "Key", cell: KeyState, sortBy: ({ isConfigured }) => (isConfigured ? 0 : 1) },
  { title: "Models", cell: ModelsLink },
];

function KeyState({ keyFrom, keyRequired, keyVariable, isConfigured }: Provider): JSX.Element {
  if (keyFrom !== null) {
    return (
      <>
        from <code>{keyFrom}</code>
      </>
    );
  }
  if (isConfigured) return <>none; it has an address</>;
  if (!keyRequired) return <span class="hint">none needed</span>;
  return (
    <span class="hint">
      none: set <code>{keyVariable}</code>
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

interface TestProps {
  readonly provider: Provider;
  readonly state: PageState;
}

function Test({ provider: { id, name, isConfigured }, state }: TestProps): JSX.Element | null {
  const [outcome, setOutcome] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  if (!isConfigured) return null;
  const test = async (): Promise<void> => {
    if (isBusy) return;
    setIsBusy(true);
    setOutcome("");
    try {
      const { ok, text } = await post<{ ok: boolean; text: string }>("/features/settings/test", { id }, state);
      setOutcome(`${ok ? "✓" : "✗"} ${text}`);
    } catch (error) {
      setOutcome(problemOf(error));
    }
    setIsBusy(false);
  };
  return (
    <>
      <button
        type="button"
        aria-label={`Test ${name}`}
        aria-disabled={isBusy}
        onClick={() => {
          test().catch(() => {});
        }}
      >
        {isBusy ? "Testing…" : "Test"}
      </button>{" "}
      <span role="status">{outcome}</span>
    </>
  );
}

const COLUMNS: readonly Column<Model>[] = [
  { title: "Model", cell: ({ id }) => <code>{id}</code> },
  {
    title: "Context window",
    isNumber: true,
    cell: ({ contextWindow }) => (contextWindow === null ? "unknown" : `${contextWindow.toLocaleString()} tokens`),
  },
  { title: "Input, $ per million", isNumber: true, cell: ({ price }) => price?.input ?? "unknown" },
  { title: "Output, $ per million", isNumber: true, cell: ({ price }) => price?.output ?? "unknown" },
];

function Models({ provider }: { readonly provider: string }): JSX.Element {
  const loaded = useLoaded(provider, (signal) =>
    get<{ models: Model[]; why: string | null }>("/features/settings/models", { provider }, signal),
  );
  return (
    <>
      <p>
        <a href="#/providers">All providers</a>
      </p>
      <LoadedView loaded={loaded}>
        {({ models, why }) => (
          <DataTable
            caption={`Models of ${provider}`}
            columns={COLUMNS}
            rows={models}
            keyOf={({ id }) => id}
            empty={why ?? "Windows and prices of its models are unknown."}
          />
        )}
      </LoadedView>
    </>
  );
}
