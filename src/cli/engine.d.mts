export function keepCompiled(program: Pick<NodeJS.Process, "env">, root: string | null): void;
