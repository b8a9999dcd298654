/** Commands that the guest implements itself, and `curl`, which needs a network. */
const REPLACED =
  "awk basename column comm curl cut date diff dirname du expand find fold join jq ls md5sum od paste sed seq sha1sum sha256sum sort strings split tac timeout tr unexpand uniq wc xargs".split(
    " ",
  );

/**
 * Removes these commands from just-bash to keep the component small: it contains several copies of the code, and every
 * instance starts with them.
 */
export function withoutReplaced(code: string): string {
  let rest = code;
  for (const name of REPLACED) {
    const entry = new RegExp(
      `\\{name:"${name}",load:async\\(\\)=>\\(await Promise\\.resolve\\(\\)\\.then\\(\\(\\)=>\\(\\w+\\(\\),(\\w+)\\)\\)\\)\\.\\w+\\},?`,
    );
    const [, exported = ""] = entry.exec(rest) ?? [];
    const before = rest.length;
    rest = rest.replace(entry, "").replace(new RegExp(`\\w+\\(${exported},\\{[^{}]*\\}\\);`), "");
    if (exported === "" || rest.length === before) throw new Error(`just-bash has changed: it has no ${name}`);
  }
  // Marks lazy initialisers as pure, so that the bundler drops unused ones.
  const found = rest.replace(/=(?=L\(\(\)=>\{)/g, "=/* @__PURE__ */");
  if (found === rest) throw new Error("just-bash has changed: nothing in it is begun when it is needed");
  return found;
}
