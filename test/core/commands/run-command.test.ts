import { expect, test } from "vitest";
import { nearest } from "../../../src/core/commands/nearest.ts";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { typedCommand } from "../../../src/core/commands/run-command.ts";

test.each([
  ["/stop", { name: "stop", line: "" }],
  ["  /Stop  now ", { name: "stop", line: "now" }],
  ["/agent plan\nwrite x", { name: "agent", line: "plan\nwrite x" }],
  ["/frobnicate", { name: "frobnicate", line: "" }],
  ["/statsu please", { name: "statsu", line: "please" }],
  ["/etc/hosts is broken", null],
  ["/tmp is full", null],
  ["/dev is a mess", null],
  ["/etc/hosts", null],
  ["/", null],
  ["// a comment", null],
  ["stop", null],
  ["look at /stop", null],
])("%j is a command: %j", (text, expected) => {
  expect(typedCommand(text, CHAT_COMMANDS)).toEqual(expected);
});

const NAMES = ["help", "status", "stop", "agent", "model", "mode", "new", "skill", "usage"];

test.each([
  ["hlep", ["help"]],
  ["skil", ["skill"]],
  ["statsu", ["status"]],
  ["stat", ["status"]],
  ["mod", ["mode", "model"]],
  ["modle", ["model", "mode"]],
  ["AGENT", ["agent"]],
  ["dev", []],
  ["frobnicate", []],
  ["", []],
])("near to %j is %j", (name, near) => {
  expect(nearest(name, NAMES)).toEqual(near);
});

test("every command can be registered on each platform", () => {
  const names = CHAT_COMMANDS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, description, usage = "-" } of CHAT_COMMANDS) {
    expect(name).toMatch(/^[a-z][a-z-]{0,31}$/);
    for (const text of [description, usage]) expect(text.length).toBeLessThanOrEqual(100);
  }
});
