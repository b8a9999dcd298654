import { expect, test } from "vitest";
import { type GrantScope, grantCovers } from "../../../src/core/trust/grants.ts";
import { outsideOf } from "../../../src/core/trust/label.ts";

const [ANA, BOB] = ["slack:U1", "slack:U2"];
const [PAGE, ALERT] = [outsideOf("docs.test"), outsideOf("alerts")];

const anas: GrantScope = { key: "bash:ls", personId: ANA, words: [], givenIn: "here" };
const bobs: GrantScope = { ...anas, personId: BOB };
const old: GrantScope = { key: "bash:ls", personId: ANA };
const underPage: GrantScope = { ...anas, words: [PAGE] };
const withBob: GrantScope = { ...anas, words: [BOB] };

test.each<[string, readonly GrantScope[], readonly string[], boolean]>([
  ["nobody has allowed it", [], [], false],
  ["the requester has", [anas], [], true],
  ["the requester has, before it was kept whose words there were", [old], [], true],
  ["somebody else has", [bobs], [], false],
  ["both have whose words there are", [anas, bobs], [BOB], true],
  ["one of two has", [anas], [BOB], false],
  ["it was given beside the other's words", [withBob], [BOB], true],
  ["it was given before the page came", [anas], [PAGE], false],
  ["it was given long before the page came", [old], [PAGE], false],
  ["it was given beside the page", [underPage], [PAGE], true],
  ["it was given beside the page, in another session", [{ ...underPage, givenIn: "there" }], [PAGE], false],
  ["it was given beside the page, and an alert came since", [underPage], [ALERT, PAGE], false],
  ["the page has gone meanwhile", [underPage], [], true],
  ["another's was given beside the page", [anas, { ...bobs, words: [PAGE] }], [BOB, PAGE], false],
  ["it was given beside another's words, who asks now", [{ ...bobs, words: [ANA] }], [BOB], false],
  ["it is for something else", [{ ...anas, key: "bash:rm" }], [], false],
])("%s", (...[, grants, who, isCovered]) => {
  expect(grantCovers(grants, "bash:ls", { requester: ANA, who, sessionId: "here" })).toBe(isCovered);
});
