interface Statement {
  readonly pipelines: readonly { readonly commands: readonly { readonly line?: number }[] }[];
}

/** Whether an error ends the commands of the line that it occurred in. */
export function isDiscarding(error: unknown): boolean {
  return error instanceof Error && /^(?:Arithmetic|Nounset)Error$/.test(error.name);
}

/** The line on which a statement begins. */
export function lineOf({ pipelines }: Statement): number {
  return pipelines[0]?.commands[0]?.line ?? 0;
}

/** The statements of a script, except those on the line of one that ended with an error of an expansion. */
export function* notDiscarded(
  statements: readonly Statement[],
  failed: { readonly line?: number },
): Iterable<Statement> {
  for (const statement of statements) if (lineOf(statement) !== failed.line) yield statement;
}
