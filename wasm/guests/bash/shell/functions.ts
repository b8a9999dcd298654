interface Command {
  readonly type: string;
  readonly body?: readonly Statement[];
}

interface Statement {
  readonly pipelines: readonly { readonly commands: readonly Command[]; readonly negated: boolean }[];
  readonly operators: readonly string[];
  readonly background: boolean;
}

type Written = (statement: Statement) => string;

/** Source text of a function as `declare -f` prints it, which a shell can read back. */
export function functionText(name: string, { body }: { readonly body: Command }, written: Written): string {
  const whole = { pipelines: [{ commands: [body], negated: false }], operators: [], background: false };
  const statements = body.type === "Group" ? (body.body ?? []) : [whole];
  const lines = statements.map((statement, index) => {
    const text = written(statement);
    const isLast = index === statements.length - 1;
    return `    ${text}${isLast || statement.background || text.includes("\n") ? "" : ";"}\n`;
  });
  return `${name} () \n{ \n${lines.join("")}}\n`;
}
