import { expect, test } from "vitest";
import { type ApprovalRules, decidersText, mayDecide } from "../../../src/core/permissions/deciders.ts";

const ANA = "slack:U1";
const rules = (more: Partial<ApprovalRules>): ApprovalRules => ({
  approvers: [],
  requester: true,
  expiresMinutes: 60,
  admins: [],
  ...more,
});

interface Case {
  readonly who: string;
  readonly id: string;
  readonly roles?: readonly string[];
  readonly rules: Partial<ApprovalRules>;
  readonly may: boolean;
}

const cases: readonly Case[] = [
  { who: "the requester", id: ANA, rules: {}, may: true },
  { who: "the requester, who may not", id: ANA, rules: { requester: false }, may: false },
  { who: "the requester, who is an approver", id: ANA, rules: { requester: false, approvers: [ANA] }, may: true },
  { who: "a stranger", id: "slack:U2", rules: {}, may: false },
  { who: "a stranger beside approvers", id: "slack:U2", rules: { approvers: ["slack:U3"] }, may: false },
  { who: "an approver", id: "slack:U2", rules: { approvers: ["slack:U2"] }, may: true },
  { who: "an admin", id: "slack:U2", rules: { admins: ["slack:U2"], requester: false }, may: true },
  { who: "the same id on another platform", id: "discord:U1", rules: {}, may: false },
  {
    who: "somebody with an approver's role",
    id: "discord:2",
    roles: ["discord:role:7"],
    rules: { approvers: ["discord:role:7"] },
    may: true,
  },
  {
    who: "somebody with another role",
    id: "discord:2",
    roles: ["discord:role:8"],
    rules: { approvers: ["discord:role:7"] },
    may: false,
  },
];

test.each(cases)("$who may decide: $may", ({ id, roles = [], rules: more, may }) => {
  expect(mayDecide({ id, roles }, ANA, rules(more))).toBe(may);
});

test.each<[Partial<ApprovalRules>, string]>([
  [{}, "@ana"],
  [{ approvers: ["slack:U2"] }, "@ana or an approver"],
  [{ admins: ["slack:U2"], requester: false }, "an approver"],
  [{ requester: false }, "an approver: an operator must first set `approvals.approvers`"],
])("with %j the card names “%s” as deciders", (more, text) => {
  expect(decidersText("ana", rules(more))).toBe(text);
});
