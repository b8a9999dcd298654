import { colourNote } from "../../render/card-colour.ts";
import type { WireEmbed, WireMedia } from "./message-schema.ts";

/** Invisible text in a field meant to be empty, since Discord requires a name and a value. */
const BLANK = /^[\s\u200b-\u200f\u2060]*$/u;

/** The text of an embed, top to bottom as Discord shows it. `readable` makes its texts readable. */
export function embedText(embed: WireEmbed, readable: (text: string) => string): string {
  const fields = embed.fields.map(({ name, value }) =>
    [readable(name), readable(value)].filter((text) => !BLANK.test(text)).join(": "),
  );
  // The thumbnail of a link preview was chosen by the linked page, so it is skipped.
  const pictures = [embed.image, embed.type === "rich" ? embed.thumbnail : undefined];
  const images = pictures.flatMap((picture) =>
    picture === undefined || picture.url === "" ? [] : [`[image: ${captionOf(picture)}]`],
  );
  const parts = [
    linked(embed.provider),
    linked(embed.author),
    readable(embed.title),
    embed.url,
    readable(embed.description),
    ...fields,
    ...images,
    embed.footer?.text ?? "",
    embed.timestamp,
    embed.type === "rich" ? colourNote(embed.color) : "",
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function linked({ name, url }: NonNullable<WireEmbed["author"]> = { name: "", url: "" }): string {
  return name === "" || url === "" ? name : `[${name}](${url})`;
}

export function captionOf({ url, description }: WireMedia): string {
  return [fileNameOf(url), description].filter((text) => text !== "").join(": ");
}

/** The last segment of an address. */
export function fileNameOf(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  return path.slice(path.lastIndexOf("/") + 1) || "file";
}
