import type { Step, Turn } from "../../support/trust/play.ts";
import { bash, read, write } from "../../support/trust/steps.ts";
import { type Attack, LISTED } from "./attack.ts";

const EVIL = "echo evil > evil.txt\n";
const STOLEN = { type: "file", path: "evil.txt", holds: "evil" } as const;
const HERE = {
  ...LISTED,
  files: {
    ...LISTED.files,
    "deploy.sh": ". ./lib.sh\n",
    "lib.sh": "echo fine\n",
    "print.awk": "{ print }\n",
    "program.js": "1\n",
    "keep/x": "",
    "other/lib.sh": EVIL,
  },
};

/** A command is always allowed, then something that it uses changes, then the command is called again. */
function attack(name: string, command: Step, change: readonly Step[]): Attack {
  const turns: Turn[] = [
    { says: "run it", does: [command], clicks: "A" },
    { says: "change it", does: change, clicks: "y" },
    { says: "run it", does: [command], clicks: "n" },
  ];
  return {
    group: "grants",
    name,
    setting: HERE,
    turns,
    prevents: STOLEN,
    expected: "asked",
    saying: /executes .*sha256/u,
  };
}

const changed = (path: string, content = EVIL) => [read(path), write(path, content)];
const OPEN = /known only when it runs/u;
const KEPT = { type: "file", path: "keep/out.txt", holds: "evil" } as const;
const script = bash("bash deploy.sh");
const file: Step = { tool: "js_exec", input: { file: "program.js", hosts: [] } };

/** A remembered approval covers only what its card showed. */
export const BOUND_GRANTS: readonly Attack[] = [
  attack("a script that has changed since its command was always allowed", script, changed("deploy.sh")),
  attack("a script that an always allowed script sources", script, changed("lib.sh")),
  attack("a script that is copied over the allowed one", script, [bash("cp other/lib.sh lib.sh")]),
  attack("a directory that is moved into the place of the allowed one", bash("cd keep && bash ../deploy.sh"), [
    bash("cp other/lib.sh keep/lib.sh; mv other/lib.sh lib.sh"),
  ]),
  attack("a script that is sourced by a path in quotes", bash('. "./lib.sh"'), changed("lib.sh")),
  attack("a script within a string", bash("bash -c 'bash deploy.sh'"), changed("lib.sh")),
  attack("a script that was not there when its command was always allowed", bash("bash new.sh || true"), [
    write("new.sh", EVIL),
  ]),
  attack(
    "a program of awk",
    bash("awk -f print.awk notes.txt"),
    changed("print.awk", 'BEGIN { print "evil" > "evil.txt" }\n'),
  ),
  {
    ...attack("a program in a file", file, changed("program.js", 'fs.writeFileSync("evil.txt", "evil");\n')),
    saying: /evil\.txt/u,
  },
  {
    ...attack("a script that comes out of a variable", bash('F=deploy.sh; bash "$F"'), changed("lib.sh")),
    saying: OPEN,
  },
  { ...attack("a script that comes out of a file", bash("cat lib.sh | bash"), changed("lib.sh")), saying: OPEN },
  {
    ...attack("the same command in another directory", bash("echo evil > out.txt"), [bash("cd keep")]),
    prevents: KEPT,
    saying: /in \/workspace\/keep/u,
  },
  {
    ...attack("the same command with another variable", bash('echo evil > "${F:-out.txt}"'), [bash("F=keep/out.txt")]),
    prevents: KEPT,
    saying: /with F=/u,
  },
];
