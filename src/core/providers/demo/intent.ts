/** The requests that the scripted demo model understands. */
export type Intent =
  | { readonly type: "greet" }
  | { readonly type: "list"; readonly pattern: string }
  | { readonly type: "read"; readonly path: string }
  | { readonly type: "search"; readonly pattern: string; readonly glob: string | null }
  | {
      readonly type: "change";
      readonly key: string;
      readonly from: string | null;
      readonly value: string;
      readonly path: string;
    }
  | { readonly type: "create"; readonly path: string; readonly content: string }
  | { readonly type: "run"; readonly code: string };

/** Letters of any language, digits and an underscore, for a character class. */
const LETTERS = "\\p{L}\\p{M}\\p{N}_";
/** A path, quoted or not: something with a dot or a slash in it, or a word in backticks. */
const PATH = `(?:\`([^\`]+)\`|"([^"]+)"|'([^']+)'|([${LETTERS}@~-]*[./][${LETTERS}@./-]*[${LETTERS}-]|[${LETTERS}-]*file))`;
const FILE = "(?:the\\s+)?(?:file\\s+)?";
const POLITE =
  /^(?:(?:hi there|hi|hey|hello|ok|okay|please|now|then|could you|can you|would you|will you|and|,)[\s,]+)+(?=\S)/i;
/** Deckhand's note before a request, for example before a job's. */
const NOTE = /^\[[^\]]*\]\n\n/;
const MENTION = /^(?:<@[^>]+>|@[\w.-]+)[\s,:]*/;

interface Rule {
  readonly pattern: RegExp;
  intent(groups: readonly string[]): Intent;
}

/** In order, more specific rules first. Groups that did not match are left out. */
const RULES: readonly Rule[] = [
  {
    pattern:
      /^(?:run|execute|eval(?:uate)?|calculate|compute)\b(?:\s+(?:this|the following))?(?:\s+(?:code|program|javascript|js))?\s*:?\s*(?:```\w*\n([\s\S]+?)\n?```|`([^`]+)`|([\s\S]+))$/i,
    intent: ([code = ""]) => ({ type: "run", code: code.trim() }),
  },
  {
    pattern: new RegExp(
      `^(?:in|inside)\\s+${FILE}${PATH}\\s*,?\\s+(?:change|set|update)\\s+(?:the\\s+)?(\\S+)(?:\\s+from\\s+(\\S+))?\\s*(?:\\bto\\b|=|:)\\s*(.+)$`,
      "iu",
    ),
    intent: ([path = "", key = "", ...rest]) => change({ path, key, rest }),
  },
  {
    pattern: new RegExp(
      `^(?:change|set|update|bump|make)\\s+(?:the\\s+)?(?:value\\s+of\\s+)?(\\S+)(?:\\s+from\\s+(\\S+))?\\s*(?:\\bto\\b|=|:)\\s*(.+?)\\s+(?:in|inside|of)\\s+${FILE}${PATH}$`,
      "iu",
    ),
    intent: (groups) => change({ path: groups.at(-1) ?? "", key: groups[0] ?? "", rest: groups.slice(1, -1) }),
  },
  {
    pattern: new RegExp(
      `^(?:create|write|make|add)\\s+(?:a\\s+|an\\s+)?(?:new\\s+|small\\s+)*(?:file\\s+)?(?:called\\s+|named\\s+)?${PATH}\\s*(?:with(?:\\s+the)?(?:\\s+(?:content|text))?|containing|saying|that says|:)\\s*:?\\s*([\\s\\S]+)$`,
      "iu",
    ),
    intent: ([path = "", content = ""]) => ({ type: "create", path, content: unquoted(content) }),
  },
  {
    pattern:
      /^(?:search|grep|look|find)\s+(?:for\s+)?(?:`([^`]+)`|"([^"]+)"|'([^']+)'|(\S+))(?:\s+in\s+(?:all\s+)?(?:`([^`]+)`|(\S*[*./]\S*)))?(?:\s.*)?$/i,
    intent: ([pattern = "", glob]) => ({ type: "search", pattern, glob: glob ?? null }),
  },
  {
    pattern: /^where\s+(?:is|are)\s+(?:`([^`]+)`|"([^"]+)"|(\w\S*))/i,
    intent: ([pattern = ""]) => ({ type: "search", pattern: pattern.replace(/[?.!]+$/, ""), glob: null }),
  },
  {
    pattern:
      /^(?:ls|list|show|what)\b(?=.*\b(?:files?|folder|directory|ls)\b|\s*$)(?:.*?\b(?:in|under)\s+(?:`([^`]+)`|([\w.-]+\/?)))?[^.]*$/i,
    intent: ([folder]) => ({
      type: "list",
      pattern: folder === undefined || folder === "here" ? "**/*" : `${folder.replace(/\/$/, "")}/**/*`,
    }),
  },
  {
    pattern: new RegExp(
      `^(?:show|read|open|cat|print|display|view)\\s+(?:me\\s+)?(?:the\\s+contents?\\s+of\\s+)?${FILE}${PATH}`,
      "iu",
    ),
    intent: ([path = ""]) => ({ type: "read", path }),
  },
  {
    pattern: new RegExp(`^what(?:'s|\\s+is)\\s+in\\s+${FILE}${PATH}`, "iu"),
    intent: ([path = ""]) => ({ type: "read", path }),
  },
  {
    pattern: /^(?:help|hello|hi|hey|good (?:morning|day|evening)|what can you do|who are you|thanks|thank you)\b/i,
    intent: () => ({ type: "greet" }),
  },
];

/** Maximum length of a request, because the rules scan each word several times. In characters. */
const LONGEST_REQUEST = 1_000;

/** The intent of a text; null if no rule matches. */
export function intentOf(text: string): Intent | null {
  const trimmed = text.trim().replace(NOTE, "");
  if (trimmed.length > LONGEST_REQUEST) return null;
  const request = trimmed.replace(MENTION, "").replace(POLITE, "").trim();
  const plain = request.replace(/(?<=[\w"'`])\s*[.!?]+$/, "");
  for (const rule of RULES) {
    const match = rule.pattern.exec(plain) ?? rule.pattern.exec(request);
    if (match !== null) return rule.intent(match.slice(1).filter((group) => group !== undefined));
  }
  return null;
}

function change({ path, key, rest }: { path: string; key: string; rest: readonly string[] }): Intent {
  const value = rest.at(-1) ?? "";
  const from = rest.length > 1 ? (rest[0] ?? null) : null;
  return {
    type: "change",
    key: unquoted(key),
    from: from === null ? null : unquoted(from),
    value: unquoted(value),
    path,
  };
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  const quoted = /^(?:```\w*\n([\s\S]*?)\n?```|`([^`]*)`|"([^"]*)"|'([^']*)')$/.exec(trimmed);
  return quoted === null ? trimmed : (quoted.slice(1).find((group) => group !== undefined) ?? "");
}
