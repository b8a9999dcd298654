/** Variables that a new shell sets itself, or that describe where and how a command ran. */
const OWN = new Set(
  "HOME PATH PWD OLDPWD IFS OSTYPE MACHTYPE HOSTTYPE HOSTNAME OPTIND SHELLOPTS BASHOPTS BASH BASH_VERSION PPID UID EUID SHLVL TZ_ _".split(
    " ",
  ),
);

/** More than the tool keeps, so a longer value is cut here: it is dropped either way, and need not leave the guest. */
const MAX_VALUE = 20_000;

/** Returns the variables that are kept for the next command: all with valid names except the shell's own. */
export function keptEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && !OWN.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, value.slice(0, MAX_VALUE)]));
}
