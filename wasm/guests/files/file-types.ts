/** File extensions by the names that models use for languages and formats (ripgrep's names, if it has them). */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  c: ["c", "h"],
  config: ["cfg", "conf", "config", "ini"],
  cpp: ["cc", "cpp", "cxx", "hh", "hpp", "hxx", "h"],
  cs: ["cs"],
  css: ["css", "scss"],
  csv: ["csv"],
  elixir: ["ex", "exs"],
  go: ["go"],
  graphql: ["graphql", "graphqls"],
  html: ["htm", "html"],
  java: ["java"],
  js: ["js", "jsx", "mjs", "cjs", "vue"],
  json: ["json", "jsonl"],
  kotlin: ["kt", "kts"],
  log: ["log"],
  lua: ["lua"],
  md: ["md", "markdown", "mdx"],
  php: ["php"],
  prisma: ["prisma"],
  proto: ["proto"],
  py: ["py", "pyi"],
  ruby: ["rb", "gemspec"],
  rust: ["rs"],
  scala: ["scala"],
  sh: ["sh", "bash", "zsh"],
  sql: ["sql"],
  swift: ["swift"],
  tf: ["tf", "tfvars"],
  toml: ["toml"],
  ts: ["ts", "tsx", "mts", "cts"],
  txt: ["txt"],
  xml: ["xml", "xsd", "svg"],
  yaml: ["yaml", "yml"],
};

const ALIASES: Readonly<Record<string, string>> = {
  bash: "sh",
  csharp: "cs",
  javascript: "js",
  markdown: "md",
  python: "py",
  rb: "ruby",
  rs: "rust",
  shell: "sh",
  typescript: "ts",
  yml: "yaml",
};

/** The type's extensions without dot; an unknown name is treated as an extension. */
export function extensionsOf(type: string): readonly string[] {
  const name = type.toLowerCase().replace(/^\./, "");
  const known = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  return known !== undefined && Object.hasOwn(TYPES, known) ? (TYPES[known] ?? [name]) : [name];
}
