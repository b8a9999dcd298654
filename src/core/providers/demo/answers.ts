/** The texts of the scripted demo model. */

export const INTRODUCTION =
  "I am Deckhand's scripted demo model: no AI, a few fixed patterns that really use the tools.";

export const CAPABILITIES = `I understand:
- \`list files\`
- \`show config.toml\`
- \`search for TODO\`
- \`change port to 9090 in config.toml\`
- \`create notes.txt with hello\`
- \`run: [1, 2, 3].map(x => x * x)\`

A real model answers once a provider has a key: set one on the web page under Providers, or start me with \`ANTHROPIC_API_KEY\`, \`OPENAI_API_KEY\` or the like.`;

export const NOT_UNDERSTOOD = `That is beyond my patterns. ${CAPABILITIES}`;

/** For a tool that is not offered, named as people know it. */
export function notOffered(tool: string): string {
  return `I would use the \`${tool}\` tool for that, but it is not offered to me here: the mode or the agent's role leaves it out.`;
}

export function failed(what: string, reason: string): string {
  return `I could not ${what}: ${reason.trim()}`;
}

/** `reason`: who or what decided, such as `@ana denied it`. */
export function notAllowed(what: string, reason: string): string {
  return `I did not ${what}: ${reason}. Nothing was changed; say it again if you want it after all.`;
}
