import { agent, fetch, grep, read, readThread, search, wiki } from "../../support/trust/steps.ts";
import { ALERT, type Conversation, here, reading, underAlert } from "./conversation.ts";

/** Conversations in which people read, or have something read. */
export const READING: readonly Conversation[] = [
  {
    name: "a page that a person links is summarised",
    setting: here,
    turns: [{ says: "what does http://docs.test/limits say?", does: [fetch("http://docs.test/limits")] }],
    asksNobody: true,
  },
  {
    name: "a linked page has a query",
    setting: here,
    turns: [
      { says: "look at http://docs.test/search?q=limits", does: [fetch("http://docs.test/search?q=limits")] },
      { says: "and now?", does: [fetch("http://docs.test/search?q=limits")] },
    ],
    asksNobody: true,
  },
  {
    name: "a linked page and the pages it links to",
    setting: here,
    turns: [
      {
        says: "read http://docs.test/limits and what it links",
        does: [
          fetch("http://docs.test/limits"),
          [fetch("http://docs.test/limits/bursts"), fetch("http://api.test/v1")],
        ],
      },
    ],
    asksNobody: true,
  },
  {
    name: "two linked pages are compared with the code",
    setting: here,
    turns: [
      {
        says: "do http://docs.test/limits and http://api.test/v1 fit our code?",
        does: [[fetch("http://docs.test/limits"), fetch("http://api.test/v1")], read("src/app.ts"), grep("limit")],
      },
    ],
    asksNobody: true,
  },
  {
    name: "files first, then the page that the person linked with them",
    setting: here,
    turns: [
      {
        says: "check README.md against http://docs.test/limits",
        does: [read("README.md"), fetch("http://docs.test/limits"), fetch("http://docs.test/limits/bursts")],
      },
    ],
    asksNobody: true,
  },
  {
    name: "the web is searched, and two results are read",
    setting: here,
    turns: [
      {
        says: "how many requests does the API take?",
        does: [search("api request limits"), [fetch("http://docs.test/limits"), fetch("http://api.test/v1")]],
      },
    ],
    asksNobody: true,
  },
  {
    name: "the web is searched again after results were read",
    setting: here,
    turns: [
      {
        says: "how many requests does the API take?",
        does: [search("api request limits"), fetch("http://docs.test/limits"), search("request bursts of the api")],
      },
      { says: "and who wrote about it?", does: [search("blog post api limits"), search("author of the post")] },
    ],
    asksNobody: true,
  },
  {
    name: "a linked page of a host that is not listed",
    setting: here,
    turns: [{ says: "read http://blog.test/post", does: [fetch("http://blog.test/post")], cards: [1, 1] }],
  },
  {
    name: "after a linked page, the model guesses another address there",
    setting: here,
    turns: [
      {
        says: "read http://docs.test/limits",
        does: [fetch("http://docs.test/limits"), fetch("http://docs.test/limits/windows")],
        cards: [0, 1],
      },
    ],
  },
  {
    name: "the model guesses an address before it has read anything",
    setting: here,
    turns: [{ says: "what do our docs say of limits?", does: [fetch("http://docs.test/limits")] }],
    asksNobody: true,
  },
  {
    name: "a long page is read in parts",
    setting: here,
    turns: [
      {
        says: "summarise http://docs.test/long",
        does: [fetch("http://docs.test/long"), fetch("http://docs.test/long", 30_000)],
      },
    ],
    asksNobody: true,
  },
  {
    name: "a guessed address that was allowed is read in parts",
    setting: here,
    turns: [
      {
        says: "read http://docs.test/",
        does: [fetch("http://docs.test/"), fetch("http://docs.test/long"), fetch("http://docs.test/long", 30_000)],
        cards: [0, 1],
      },
    ],
  },
  {
    name: "the front page of a listed host, after another page",
    setting: here,
    turns: [
      { says: "read http://docs.test/limits", does: [fetch("http://docs.test/limits"), fetch("http://api.test/")] },
    ],
    asksNobody: true,
  },
  {
    name: "mode read: a linked page and files",
    setting: reading,
    turns: [
      { says: "does http://docs.test/limits hold here?", does: [fetch("http://docs.test/limits"), read("src/app.ts")] },
      { says: "and http://api.test/v1 ?", does: [fetch("http://api.test/v1")] },
    ],
    asksNobody: true,
  },
  {
    name: "mode read: a search and its results",
    setting: reading,
    turns: [
      { says: "what are the limits?", does: [search("limits"), fetch("http://docs.test/limits"), search("bursts")] },
    ],
    asksNobody: true,
  },
  {
    name: "mode read: an alert and the files it is about",
    setting: { ...reading, said: [ALERT] },
    turns: [{ says: "what is this about?", does: [readThread, grep("limit"), read("src/app.ts")] }],
    asksNobody: true,
  },
  {
    name: "an alert, its runbook and the files",
    setting: underAlert,
    turns: [
      {
        says: "what is this?",
        does: [fetch("http://docs.test/limits"), read("src/app.ts"), grep("limit")],
      },
    ],
    asksNobody: true,
  },
  {
    name: "an alert, and a page that the person links under it",
    setting: underAlert,
    turns: [
      { says: "what is this?", does: [read("src/app.ts")] },
      { says: "http://docs.test/search?q=limits helps", does: [fetch("http://docs.test/search?q=limits")] },
    ],
    asksNobody: true,
  },
  {
    name: "a sub-agent reads a page that the person linked, along with the files and an alert",
    setting: underAlert,
    turns: [
      { says: "what is this?", does: [read("src/app.ts")] },
      {
        says: "have http://docs.test/search?q=limits looked at",
        does: [agent("read http://docs.test/search?q=limits"), fetch("http://docs.test/search?q=limits"), []],
      },
    ],
    asksNobody: true,
  },
  {
    name: "the pages of an MCP server are listed, and one of them is read along with the files",
    setting: { ...underAlert, wiki: { tools: { "l*": { permission: "read" } } } },
    turns: [
      { says: "which pages are there? list", does: [wiki("list")] },
      { says: "and what is in page-1?", does: [read("src/app.ts"), wiki("lookup", { id: "page-1" })] },
      { says: "and the others?", does: [wiki("lookup", { id: "page-2" })] },
    ],
    asksNobody: true,
  },
];
