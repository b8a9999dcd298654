import { once } from "node:events";
import { createServer } from "node:http";
import { webApi } from "@slack/bolt";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { share } from "../../../src/adapters/slack/message/uploads.ts";
import { begin, plainMessage } from "../../contracts/platform-steps.ts";
import { openSlackHarness } from "../../support/slack/slack-harness.ts";

const { signal } = new AbortController();

test("a login page in place of a file is reported as a missing scope", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  for (const mediaType of ["image/png", "text/html"]) {
    await harness.mention("look", {
      file: { name: "page", mediaType, data: new TextEncoder().encode("<html>mine</html>") },
    });
    const [attachment] = (await inbox.nextMessage()).attachments;
    if (attachment === undefined) throw new Error("the file is missing");
    if (mediaType === "text/html") {
      expect(new TextDecoder().decode(await harness.platform.fetchFile(attachment, 1_000, signal))).toBe(
        "<html>mine</html>",
      );
    }
    harness.server.scopes.delete("files:read");
    await expect(harness.platform.fetchFile(attachment, 1_000, signal)).rejects.toMatchObject({
      code: "missing_scope",
      detail: { scope: "files:read" },
    });
    harness.server.scopes.add("files:read");
  }
});

test("a file known only by its id is looked up, and the token is sent to no foreign address", async () => {
  await using harness = await openSlackHarness();
  await begin(harness);
  const data = new TextEncoder().encode("shared");
  const { id } = harness.server.workspace.addFile({ name: "a.txt", mimetype: "text/plain", data });
  const file = { name: "a.txt", mediaType: "text/plain", size: data.length, ref: id };
  expect(new TextDecoder().decode(await harness.platform.fetchFile(file, 100, signal))).toBe("shared");
  for (const ref of [
    "http://127.0.0.1:9/files-pri/F1/a.txt",
    "https://slack.com.evil.example/a",
    "http://files.slack.com/a",
  ]) {
    await expect(harness.platform.fetchFile({ ...file, ref }, 100, signal)).rejects.toMatchObject({
      code: "attachment_unreadable",
    });
  }
});

test("redirects of a file are followed within Slack only", async () => {
  await using harness = await openSlackHarness();
  await begin(harness);
  const asked: string[] = [];
  const inside = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("inner");
  }).listen(0, "127.0.0.1");
  await once(inside, "listening");
  const { port } = z.object({ port: z.number() }).parse(inside.address());
  const { workspace } = harness.server;
  const add = (name: string) =>
    workspace.addFile({ name, mimetype: "text/plain", data: new TextEncoder().encode("inner") });
  const fetched = (id: string) =>
    harness.platform.fetchFile({ name: "a.txt", mediaType: "text/plain", size: 5, ref: id }, 100, signal);
  const moved = (movedTo: string) => {
    const file = add("moved.txt");
    workspace.files.set(file.id, { ...file, movedTo });
    return file.id;
  };
  try {
    const here = add("here.txt");
    expect(new TextDecoder().decode(await fetched(moved(`/files-pri/${here.id}/here.txt`)))).toBe("inner");
    for (const to of [
      `http://127.0.0.1:${port}/secret`,
      `http://localhost:${port}/secret`,
      "http://169.254.169.254/",
    ]) {
      await expect(fetched(moved(to))).rejects.toMatchObject({ code: "attachment_unreadable" });
    }
    const round = add("round.txt");
    workspace.files.set(round.id, { ...round, movedTo: `/files-pri/${round.id}/round.txt` });
    await expect(fetched(round.id)).rejects.toMatchObject({ code: "attachment_unreadable" });
    expect(asked).toEqual([]);
  } finally {
    inside.close();
  }
});

test("name and type of another workspace's file are looked up by its id", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const { people, workspace } = harness.server;
  const { id } = workspace.addFile({ name: "shot.png", mimetype: "image/png", data: Uint8Array.of(0x89) });
  const unknown = { mode: "file_access", file_access: "check_file_info", created: 0, timestamp: 0, user: "" };
  const files = [
    { id, ...unknown },
    { id: "F404", ...unknown },
  ];
  people.deliver(
    workspace.add({ channel: "C0001", user: "U0ANA", text: "see", raw: { subtype: "file_share", files } }),
  );
  expect((await inbox.nextMessage()).attachments).toMatchObject([
    { name: "shot.png", mediaType: "image/png", size: 1 },
    { name: "F404", ref: "F404" },
  ]);
});

test("an upload without a response fails after its timeout, so that it can be retried", async () => {
  const silent = createServer((request, response) => {
    if (request.url !== "/api/files.getUploadURLExternal") return;
    const upload_url = `http://${request.headers.host}/upload`;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ok: true, file_id: "F1", upload_url }));
  }).listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => {
    silent.close();
    silent.closeAllConnections();
  });
  const { port } = z.object({ port: z.number() }).parse(silent.address());
  const web = new webApi.WebClient("xoxb-1", { slackApiUrl: `http://127.0.0.1:${port}/api/` });
  const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1.1" } as const;
  const file = { name: "a.md", mediaType: "text/markdown", data: new Uint8Array([35]) };
  await expect(share(web, thread, { files: [file], withinMs: 50 })).rejects.toMatchObject({ code: "platform_failed" });
});

test("if the workspace forbids files, the private message says so in place of the file", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const files = [{ name: "session.md", mediaType: "text/markdown", data: new TextEncoder().encode("# Session") }];
  inbox.answerWith({ type: "reply", message: plainMessage("The session.", { files }) });
  harness.server.faults.add("files.getUploadURLExternal", { kind: "error", error: "file_uploads_disabled" });
  await harness.server.people.command("/export", "").answered;
  await harness.platform.stop();
  const [said] = harness.server.workspace.messages;
  expect(harness.server.workspace.channel(said?.channel ?? "").kind).toBe("im");
  expect(said?.text).toContain("✗ Slack does not let me attach files. A workspace or app setting blocks this");
});
