/** The start of an element; names are without their namespace's prefix. */
export interface Tag {
  readonly name: string;
  /** The attributes as written. */
  readonly attributes: string;
}

export interface XmlVisitor {
  start(tag: Tag): void;
  end(name: string): void;
  text(text: string): void;
}

/**
 * Visits elements and texts in the order of the file, which comes in pieces: a whole one would not fit into a guest's
 * memory several times. Entities that a document declares itself are not replaced, so no text can grow. Tags are found
 * with `indexOf`, which in QuickJS is many times faster than a parser in JavaScript.
 */
export function visitXml(pieces: Iterable<string>, visitor: XmlVisitor): void {
  let rest = "";
  for (const piece of pieces) rest = visitComplete(rest + piece, visitor);
}

/** Returns what needs the next piece. */
function visitComplete(xml: string, visitor: XmlVisitor): string {
  let at = 0;
  for (let open = xml.indexOf("<"); open !== -1; open = xml.indexOf("<", at)) {
    if (open > at) visitor.text(unescaped(xml.slice(at, open)));
    const isElement = xml[open + 1] !== "!" && xml[open + 1] !== "?";
    at = isElement ? visitTag(xml, open, visitor) : visitOther(xml, open, visitor);
    if (at === -1) return xml.slice(open);
  }
  return xml.slice(at);
}

/** Returns where it ends, as the next function does; -1 if the end is missing. */
function visitTag(xml: string, open: number, visitor: XmlVisitor): number {
  const close = endOfTag(xml, open);
  if (close === -1) return -1;
  if (xml[open + 1] === "/") {
    visitor.end(localName(xml.slice(open + 2, close).trimEnd()));
    return close + 1;
  }
  const isEmpty = xml[close - 1] === "/";
  const inside = xml.slice(open + 1, isEmpty ? close - 1 : close);
  const space = inside.search(/\s/);
  const name = localName(space === -1 ? inside : inside.slice(0, space));
  visitor.start({ name, attributes: space === -1 ? "" : inside.slice(space) });
  if (isEmpty) visitor.end(name);
  return close + 1;
}

/** A comment, a processing instruction, a document type, or characters without markup. */
function visitOther(xml: string, open: number, visitor: XmlVisitor): number {
  const isText = xml.startsWith("<![CDATA[", open);
  const mark = isText ? "]]>" : xml.startsWith("<!--", open) ? "-->" : xml.startsWith("<?", open) ? "?>" : ">";
  const end = xml.indexOf(mark, open + 2);
  if (end === -1) return -1;
  if (isText) visitor.text(xml.slice(open + 9, end));
  return end + mark.length;
}

/** Index of the tag's end, which is not in an attribute's value; -1 without it. */
function endOfTag(xml: string, open: number): number {
  const marks = /["'>]/g;
  marks.lastIndex = open;
  for (let mark = marks.exec(xml); mark !== null; mark = marks.exec(xml)) {
    if (mark[0] === ">") return mark.index;
    const closing = xml.indexOf(mark[0], mark.index + 1);
    if (closing === -1) return -1;
    marks.lastIndex = closing + 1;
  }
  return -1;
}

/** The value of an attribute with this local name, or, if it begins with a colon, with any prefix; null without one. */
export function attributeOf({ attributes }: Tag, name: string): string | null {
  const suffix = name.startsWith(":") ? name : `:${name}`;
  let from = 0;
  for (let equals = attributes.indexOf("="); equals !== -1; equals = attributes.indexOf("=", from)) {
    const found = attributes.slice(from, equals).trim();
    const open = equals + 1 + Math.max(attributes.slice(equals + 1, equals + 9).search(/["']/), 0);
    const close = attributes.indexOf(attributes[open] ?? "", open + 1);
    if (close === -1) return null;
    if (found === name || found.endsWith(suffix)) return unescaped(attributes.slice(open + 1, close));
    from = close + 1;
  }
  return null;
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function unescaped(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{2,4});/gi, (whole, entity: string) => {
    if (!entity.startsWith("#")) return NAMED[entity] ?? whole;
    const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
    return code > 0x10ffff ? whole : String.fromCodePoint(code);
  });
}
