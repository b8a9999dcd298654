import { getDocumentProxy } from "unpdf";
import { Refusal } from "../../workspace.ts";
import { warnings } from "./web-platform.ts";

/** Shown if a font needs one of Adobe's character maps, which are larger than pdf.js and not included. */
const NO_MAPS =
  "[Characters are missing: they are of Chinese, Japanese or Korean fonts that this PDF does not contain.]";

/** Maximum time for reading, after which the pages so far are shown. */
const MAX_MS = 12_000;

/** What is on a page but not of its content: fields of forms, and comments. */
interface Annotation {
  readonly subtype?: string;
  readonly fieldName?: string;
  readonly fieldValue?: unknown;
  readonly contentsObj?: { readonly str?: string };
}

/** The text of a PDF, page by page, until it has so many characters. Throws a Refusal if it cannot be read. */
export async function pdfText(bytes: Uint8Array, maxChars: number): Promise<string> {
  try {
    return await textOfPages(bytes, maxChars);
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    if (name === "PasswordException")
      throw new Refusal("This PDF is protected with a password. Ask for it without one.");
    throw new Refusal(`This PDF is damaged or incomplete (${message.replace(/\.$/, "")}). Ask for it once more.`);
  }
}

async function textOfPages(bytes: Uint8Array, maxChars: number): Promise<string> {
  warnings.length = 0;
  const pdf = await getDocumentProxy(bytes, { verbosity: 1 });
  const pages: string[] = [];
  let chars = 0;
  const started = Date.now();
  let number = 1;
  for (; number <= pdf.numPages && chars < maxChars && Date.now() - started < MAX_MS; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const annotations: readonly Annotation[] = await page.getAnnotations();
    const lines = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("");
    const text = [lines, ...annotations.flatMap(annotationText)].join("\n").trim();
    page.cleanup();
    chars += text.length;
    if (text !== "") pages.push(`[Page ${number} of ${pdf.numPages}]\n${text}`);
  }
  if (number <= pdf.numPages) pages.push(`[Only pages 1 to ${number - 1} of ${pdf.numPages} were read.]`);
  if (warnings.some((warning) => warning.includes("cMapUrl"))) pages.push(NO_MAPS);
  return pages.join("\n\n");
}

function annotationText({ subtype, fieldName = "", fieldValue, contentsObj }: Annotation): string[] {
  if (subtype === "Widget") {
    const value = Array.isArray(fieldValue) ? fieldValue.join(", ") : fieldValue;
    return typeof value === "string" && value !== "" ? [`[Field ${fieldName}: ${value}]`] : [];
  }
  const comment = contentsObj?.str ?? "";
  return comment === "" ? [] : [`[Comment: ${comment}]`];
}
