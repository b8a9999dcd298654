/** Variables that a new shell sets itself, or that say where and how a command ran. */
const OWN = new Set(
  "HOME PATH PWD OLDPWD IFS OSTYPE MACHTYPE HOSTTYPE HOSTNAME OPTIND SHELLOPTS BASHOPTS BASH BASH_VERSION PPID UID EUID SHLVL TZ_ _".split(
    " ",
  ),
);

/** What a command leaves for the next one: variables with names, but for the shell's own. */
export function keptEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && !OWN.has(name)));
}
