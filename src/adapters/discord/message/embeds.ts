import type { WireEmbed, WireMedia } from "./message-schema.ts";

/** What fields have where nothing is to stand: Discord takes none without a name and a value. */
const BLANK = /^[\s\u200b-\u200f\u2060]*$/u;

/** What an embed says, top to bottom as Discord shows it; `inWords` turns its texts into words. */
export function embedText(embed: WireEmbed, inWords: (text: string) => string): string {
  const fields = embed.fields.map(({ name, value }) =>
    [inWords(name), inWords(value)].filter((text) => !BLANK.test(text)).join(": "),
  );
  // The small picture of a preview is one that its page chose.
  const pictures = [embed.image, embed.type === "rich" ? embed.thumbnail : undefined];
  const images = pictures.flatMap((picture) =>
    picture === undefined || picture.url === "" ? [] : [`[image: ${captionOf(picture)}]`],
  );
  const parts = [
    embed.provider?.name ?? "",
    embed.author?.name ?? "",
    inWords(embed.title),
    embed.url,
    inWords(embed.description),
    ...fields,
    ...images,
    embed.footer?.text ?? "",
    embed.timestamp,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** Its name, and what somebody has said it shows. */
export function captionOf({ url, description }: WireMedia): string {
  return [fileNameOf(url), description].filter((text) => text !== "").join(": ");
}

/** The last segment of an address. */
export function fileNameOf(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  return path.slice(path.lastIndexOf("/") + 1) || "file";
}
