/** The code that a system, a driver or a library gives its error; undefined where there is none. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
