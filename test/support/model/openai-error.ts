/** OpenAI's error body. `type` doubles as the code, which clients check. */
export function openAiError(type: string, message: string): unknown {
  return { error: { message, type, code: type, param: null } };
}
