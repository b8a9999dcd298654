import { type DocumentPackage, visitStarts } from "./package-files.ts";
import { attributeOf, visitXml } from "./xml.ts";

/** Ranges of hidden rows or columns that are named one by one. */
const MAX_RANGES = 20;

/** Addresses that the cells of a sheet link to, by the cell. The sheet has them behind its rows. */
export function linksOf(files: DocumentPackage, sheet: string): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  const relations = files.relationsOf(sheet);
  if (![...relations.values()].some(({ type }) => type === "hyperlink")) return links;
  visitStarts(files.text(sheet), (tag) => {
    if (tag.name !== "hyperlink") return;
    const target = relations.get(attributeOf(tag, ":id") ?? "")?.target;
    if (target !== undefined) links.set(attributeOf(tag, "ref") ?? "", target);
  });
  return links;
}

/** An address without what people leave out when they write it. */
export function bareAddress(address: string): string {
  return address.replace(/^[a-z]+:(?:\/\/)?/i, "").replace(/\/$/, "");
}

/** The comments on a sheet's cells, or their threads, of which Excel writes a copy as comments. */
export function commentsOf(files: DocumentPackage, sheet: string, people: ReadonlyMap<string, string>): string[] {
  const parts = [...files.relationsOf(sheet).values()];
  const threads = parts.filter(({ type }) => type === "threadedComment");
  const comments: string[] = [];
  for (const { target } of threads.length > 0 ? threads : parts.filter(({ type }) => type === "comments")) {
    const authors: string[] = [];
    let text = "";
    let cell = "";
    let author = "";
    visitXml(files.text(target), {
      start: (tag) => {
        if (tag.name === "author" || isComment(tag.name)) text = "";
        if (!isComment(tag.name)) return;
        author = people.get(attributeOf(tag, "personId") ?? "") ?? authors[Number(attributeOf(tag, "authorId"))] ?? "";
        cell = attributeOf(tag, "ref") ?? "";
      },
      end: (name) => {
        if (name === "author") authors.push(text);
        else if (isComment(name)) comments.push(commentText(cell, author, text.trim()));
      },
      text: (part) => {
        text += part;
      },
    });
  }
  return comments;
}

function isComment(name: string): boolean {
  return name === "comment" || name === "threadedComment";
}

/** Excel begins the text of a comment with the name of its author. */
function commentText(cell: string, author: string, text: string): string {
  return `[comment ${cell}]: ${author === "" || text.startsWith(`${author}:`) ? "" : `${author}: `}${text}`;
}

/** Names of the people who wrote threads of comments. */
export function peopleOf(xml: Iterable<string>): ReadonlyMap<string, string> {
  const people = new Map<string, string>();
  visitStarts(xml, (tag) => {
    if (tag.name === "person") people.set(attributeOf(tag, "id") ?? "", attributeOf(tag, "displayName") ?? "");
  });
  return people;
}

/** Stands for the empty rows between two others, so that rows can be counted. */
export function emptyRows(before: number, after: number): string {
  return after === before + 2 ? `(row ${before + 1} is empty)` : `(rows ${before + 1} to ${after - 1} are empty)`;
}

/** First and last of consecutive rows or columns, counted from 1. */
export type Range = [first: number, last: number];

/** Adds rows or columns to those before them. */
export function extend(ranges: Range[], first: number, last: number): void {
  const before = ranges.at(-1);
  if (before?.[1] === first - 1) before[1] = last;
  else ranges.push([first, last]);
}

/** Says which rows or columns people do not see; "" if they see all. */
export function hiddenNote(what: "rows" | "columns", ranges: readonly Range[]): string {
  if (ranges.length === 0) return "";
  const name = what === "rows" ? String : columnName;
  const named = ranges
    .slice(0, MAX_RANGES)
    .map(([first, last]) => (first === last ? name(first) : `${name(first)} to ${name(last)}`));
  const more = ranges.length > MAX_RANGES ? ", and more" : "";
  return `[Hidden ${what}: ${named.join(", ")}${more}]`;
}

/** Such as "AB" for 28. */
function columnName(column: number): string {
  let name = "";
  for (let left = Math.min(column, 16_384); left > 0; left = Math.floor((left - 1) / 26)) {
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  }
  return name;
}
