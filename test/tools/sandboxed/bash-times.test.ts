import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();

/** Commands, and what bash, coreutils, gawk, findutils and jq print with the time zone database. */
const PRINTED: readonly (readonly [command: string, printed: string])[] = [
  ["TZ=Asia/Tokyo date -d @1782900000", "Wed Jul  1 19:00:00 JST 2026"],
  [
    "TZ=Europe/Berlin date -d @1782900000 '+%F %T %Z %z %:z %::z %:::z'",
    "2026-07-01 12:00:00 CEST +0200 +02:00 +02:00:00 +02",
  ],
  ["TZ=America/Sao_Paulo date -d @0 '+%F %T %Z'", "1969-12-31 21:00:00 -03"],
  ["TZ=Asia/Kathmandu date -d @1782900000 '+%T %Z %z'", "15:45:00 +0545 +0545"],
  ["TZ=:Europe/Paris date -d @1782900000 +%Z; TZ=/usr/share/zoneinfo/Asia/Seoul date -d @0 +%Z", "CEST\nKST"],
  ["TZ=Europe/Jersey date -d @1782900000 +%Z; TZ=GB date -d @0 +%z; TZ=EST date -d @0 +%Z", "BST\n+0100\nEST"],
  ["TZ=UTC date -d @0 +%Z; TZ=GMT date -d @0 +%Z; TZ= date -d @0 +%Z; date -d @0 +%Z", "UTC\nGMT\nUTC\nUTC"],
  [`date -d 'TZ="Asia/Tokyo" 2026-01-01 10:00'`, "Thu Jan  1 01:00:00 UTC 2026"],
  ["date -d '2026-03-29 02:30 CET'", "Sun Mar 29 01:30:00 UTC 2026"],
  ["TZ=Europe/Berlin date -d '2026-10-25 02:30' '+%Z %s'", "CET 1792891800"],
  ["TZ=Europe/Berlin date -d '2026-03-29 02:30'; echo $?", "1\ndate: invalid date '2026-03-29 02:30'"],
  ["TZ=Europe/Berlin date -d '2026-03-28 02:30 tomorrow'", "Sun Mar 29 03:30:00 CEST 2026"],
  ["TZ=America/New_York date -d '2026-03-08 01:59:59 EST 1 second'", "Sun Mar  8 03:00:00 EDT 2026"],
  ["TZ=Europe/Berlin date -d 'Wed Jul  1 12:00:00 CEST 2026' +%s", "1782900000"],
  ["TZ=Europe/Berlin date -u -d '2026-01-01 10:00' +%T%Z", "10:00:00UTC"],
  ["TZ=Asia/Tokyo; date -d @0 +%Z; export TZ; date -d @0 +%Z; printf '%(%H %Z)T\\n' 0", "UTC\nJST\n09 JST"],
  [
    "export TZ=Europe/Berlin; touch -d '2026-07-01 12:00' f; ls -l --time-style=full-iso f | cut -d' ' -f6-; stat -c '%y %Y' f; date -r f; find f -printf '%t|%Tc|%TZ %Tz %TH\\n'; TZ=America/New_York stat -c %y f",
    "2026-07-01 12:00:00.000000000 +0200 f\n2026-07-01 12:00:00.000000000 +0200 1782900000\nWed Jul  1 12:00:00 CEST 2026\n" +
      "Wed Jul  1 12:00:00.0000000000 2026|Wed Jul  1 12:00:00 2026|CEST +0200 12\n2026-07-01 06:00:00.000000000 -0400",
  ],
  [
    "export TZ=Asia/Tokyo; echo a > f; touch -t 202607011900.30 f; date -r f +%s; tar cf f.tar f; tar tvf f.tar | awk '{ print $4, $5 }'; diff -u f /dev/null | head -1 | cut -f2; find f -newermt '2026-07-01 19:00:29'",
    "1782900030\n2026-07-01 19:00\n2026-07-01 19:00:30.000000000 +0900\nf",
  ],
  [
    `TZ=Europe/Berlin awk 'BEGIN { print mktime("2026 10 25 02 30 00"), mktime("2026 03 29 02 30 00"), mktime("2026 10 25 02 30 00 1"), mktime("2026 07 01 0 0 0", 1), strftime("%F %T %Z %z", 1782900000), strftime("%T %Z", 1e9, 1) }'`,
    "1792891800 1774747800 1792888200 1782864000 2026-07-01 12:00:00 CEST +0200 01:46:40 GMT",
  ],
  [
    `TZ=Europe/Berlin jq -nc '1782900000 | localtime, strflocaltime("%F %T %Z %z"), (gmtime | mktime), strftime("%T %Z")'`,
    '[2026,6,1,12,0,0,3,181]\n"2026-07-01 12:00:00 CEST +0200"\n1782900000\n"10:00:00 UTC"',
  ],
  [
    "for TZ in Foo/Bar PST +05:30 Europe EST5EDT,; do export TZ; date -d @0; echo $?; done 2>&1 | grep -c 'no time zone'",
    "5",
  ],
];

test.each(PRINTED)("times are those of the named zone: %s", async (command, printed) => {
  const result = text(await fileSession(sandbox).run("bash", { command }));
  expect(
    result
      .replace(/^exit code 0\nstdout:\n/u, "")
      .replace(/\nstderr:/u, "")
      .trimEnd(),
  ).toBe(printed.trimEnd());
});
