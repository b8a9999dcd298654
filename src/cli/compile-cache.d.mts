export function useCompileCache(program: Pick<NodeJS.Process, "env">, root: string | null): void;
