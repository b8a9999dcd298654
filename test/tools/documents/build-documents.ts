import { strToU8, zipSync } from "fflate";

const TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** Relations by their identifiers: a type and a target, which is outside the package if it is an address. */
export function relations(targets: Readonly<Record<string, readonly [type: string, target: string]>>): string {
  const entries = Object.entries(targets).map(([id, [type, target]]) => {
    const mode = target.includes("://") ? ' TargetMode="External"' : "";
    return `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"${mode}/>`;
  });
  return `<?xml version="1.0"?><Relationships>${entries.join("")}</Relationships>`;
}

export function archive(files: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, content]) => [name, strToU8(content)])));
}

/** A Word document with this body and these further files. */
export function word(body: string, more: Readonly<Record<string, string>> = {}): Uint8Array {
  return archive({
    "_rels/.rels": relations({ a: ["officeDocument", "/word/document.xml"] }),
    "word/document.xml": `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    ...more,
  });
}

export function paragraph(content: string, properties = ""): string {
  return `<w:p>${properties === "" ? "" : `<w:pPr>${properties}</w:pPr>`}<w:r><w:t>${content}</w:t></w:r></w:p>`;
}

/** A PDF with a line of text on each page; dictionaries of annotations are added to the last one. */
export function pdf(lines: readonly string[], annotations: readonly string[] = []): Uint8Array {
  const pages = lines.map((line, index) => {
    const content = `BT /F 12 Tf 20 100 Td (${line}) Tj ET`;
    const notes =
      index === lines.length - 1 ? annotations.map((note) => `<< /Type /Annot /Rect [0 0 9 9] ${note} >>`) : [];
    return [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${5 + 2 * index} 0 R
        /Resources << /Font << /F 3 0 R >> >> /Annots [${notes.join(" ")}] >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ];
  });
  const kids = lines.map((_, index) => `${4 + 2 * index} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flat(),
  ];
  let file = "%PDF-1.7\n";
  const offsets = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const count = objects.length + 1;
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${offsets.join("")}`;
  return strToU8(`${file}${table}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`, true);
}
