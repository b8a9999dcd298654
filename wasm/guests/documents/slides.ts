import type { DocumentWriter } from "./document-writer.ts";
import { DrawingVisitor, drawingText } from "./drawings.ts";
import { type DocumentPackage, visitStarts } from "./package-files.ts";
import { attributeOf, visitXml } from "./xml.ts";

/** The text of a PowerPoint presentation. `main` is the path of its main part. Source: ECMA-376-1, 19. */
export function presentationText(writer: DocumentWriter, files: DocumentPackage, main: string): void {
  const relations = files.relationsOf(main);
  let count = 0;
  visitStarts(files.text(main), (tag) => {
    const slide = tag.name === "sldId" ? relations.get(attributeOf(tag, ":id") ?? "") : undefined;
    if (slide === undefined) return;
    count++;
    readSlide(writer, files, { path: slide.target, number: count });
  });
}

function readSlide(writer: DocumentWriter, files: DocumentPackage, slide: { path: string; number: number }): void {
  const relations = files.relationsOf(slide.path);
  visitXml(files.text(slide.path), new DrawingVisitor(writer, { files, relations }, slide.number));
  for (const { type, target } of relations.values()) {
    if (type !== "notesSlide") continue;
    const text = drawingText({ files, relations: files.relationsOf(target) }, target);
    if (text !== "") writer.block(writer.counted(`Notes: ${text}`));
  }
}
