/** A provider's model for small tasks, unless the operator sets one. */
export const SMALL_MODELS: Readonly<Record<string, string>> = {
  anthropic: "claude-haiku-5-5",
  openai: "gpt-6-luna",
  google: "gemini-flash-lite-latest",
  deepseek: "deepseek-flash",
  mistral: "mistral-small-latest",
};

/** The small model of the same provider, or the model itself if none is known. Both are `provider/model`. */
export function smallModelFor(ref: string): string {
  const provider = ref.slice(0, ref.indexOf("/"));
  const small = SMALL_MODELS[provider];
  return small === undefined ? ref : `${provider}/${small}`;
}
