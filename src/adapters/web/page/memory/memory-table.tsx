import type { JSX } from "preact";
import type { TeamMemory } from "../../sessions/team-memory.ts";
import { type Column, DataTable } from "../section/data-table.tsx";
import { useQuestion } from "../section/use-question.ts";

interface MemoryTableProps {
  readonly rows: readonly TeamMemory[];
  /** A line after `/memory`. */
  readonly run: (line: string) => void;
  readonly isBusy: boolean;
  /** Whether the table shows only the matches of a search. */
  readonly isSearch: boolean;
}

const FOR = {
  channel: "this channel",
  elsewhere: "another channel",
  person: "you",
  workspace: "the workspace",
} as const;

export function MemoryTable({ rows, run, isBusy, isSearch }: MemoryTableProps): JSX.Element {
  const actions: Column<TeamMemory> = {
    title: "Change",
    isShort: true,
    cell: (memory) => (memory.mayChange ? <Actions memory={memory} run={run} isBusy={isBusy} /> : null),
  };
  const columns = rows.some(({ mayChange }) => mayChange) ? [...COLUMNS, actions] : COLUMNS;
  return (
    <DataTable
      caption="Memories"
      columns={columns}
      rows={rows}
      keyOf={({ seq }) => `${seq}`}
      empty={
        isSearch
          ? "Try other words."
          : "Nothing is remembered here yet. Tell me what to remember, or let the agent learn from threads."
      }
    />
  );
}

const COLUMNS: readonly Column<TeamMemory>[] = [
  { title: "Memory", cell: Words },
  { title: "For", cell: ({ scope }) => FOR[scope] },
  { title: "From", cell: Told },
  {
    title: "Used",
    isNumber: true,
    cell: ({ uses, usedAt }) => (uses === 0 ? "never" : `${uses} ×, last ${new Date(usedAt).toLocaleDateString()}`),
  },
];

function Words({ seq, text, kind, isPinned, isFromOutside, endedAt }: TeamMemory): JSX.Element {
  const marks = [
    ...(kind === "semantic" ? [] : [kind]),
    ...(isPinned ? ["pinned"] : []),
    ...(isFromOutside ? ["from outside"] : []),
    ...(endedAt === null ? [] : [`until ${new Date(endedAt).toLocaleDateString()}`]),
  ];
  return (
    <>
      <span class="hint">#{seq}</span> {text}
      {marks.length > 0 && <span class="hint"> · {marks.join(" · ")}</span>}
    </>
  );
}

function Told({ author, said, link }: TeamMemory): JSX.Element {
  return (
    <>
      {author}, {link === null ? said : <a href={link}>{said}</a>}
    </>
  );
}

interface ActionsProps extends Pick<MemoryTableProps, "run" | "isBusy"> {
  readonly memory: TeamMemory;
}

/** Asks for confirmation, because a forgotten memory cannot be restored. */
function Actions({ memory: { seq, isPinned }, run, isBusy }: ActionsProps): JSX.Element {
  const question = useQuestion();
  const button = (words: string, line: string): JSX.Element => (
    <button type="button" aria-label={`${words} #${seq}`} aria-disabled={isBusy} onClick={() => run(line)}>
      {words}
    </button>
  );
  if (question.isAsking) {
    return (
      <div ref={question.place} role="group" aria-label={`Forget #${seq} for good?`} tabIndex={-1}>
        <button type="button" class="danger" aria-disabled={isBusy} onClick={() => run(`forget ${seq}`)}>
          Forget #{seq} for good
        </button>{" "}
        <button type="button" onClick={question.keep}>
          Keep it
        </button>
      </div>
    );
  }
  return (
    <>
      {button("Edit", `edit ${seq}`)} {isPinned ? button("Unpin", `unpin ${seq}`) : button("Pin", `pin ${seq}`)}{" "}
      <button ref={question.button} type="button" aria-label={`Forget #${seq}`} onClick={question.ask}>
        Forget
      </button>
    </>
  );
}
