import { expect, test } from "vitest";
import { archive, relations } from "./build-documents.ts";
import { useShownDocument } from "./shown-document.ts";

const shown = useShownDocument();

test("read shows a presentation's slides in their order, with their notes", async () => {
  const shape = (placeholder: string, ...texts: readonly string[]): string =>
    `<p:sp><p:nvSpPr><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody>${texts.join("")}</p:txBody></p:sp>`;
  const line = (content: string, level = ""): string =>
    `<a:p>${level === "" ? "" : `<a:pPr lvl="${level}"/>`}<a:r><a:t>${content}</a:t></a:r></a:p>`;
  const document = archive({
    "_rels/.rels": relations({ a: ["officeDocument", "ppt/presentation.xml"] }),
    "ppt/presentation.xml":
      '<p:presentation><p:sldIdLst><p:sldId id="300" r:id="b"/><p:sldId id="256" r:id="a"/></p:sldIdLst></p:presentation>',
    "ppt/_rels/presentation.xml.rels": relations({
      a: ["slide", "slides/slide1.xml"],
      b: ["slide", "slides/slide2.xml"],
    }),
    "ppt/slides/slide1.xml": `<p:sld show="0">${shape("", line("Free text"))}</p:sld>`,
    "ppt/slides/slide2.xml": `<p:sld>${shape('<p:ph type="title"/>', line("Plan"))}${shape("<p:ph/>", line("one"), line("two", "1"))}
      ${shape('<p:ph type="sldNum"/>', line("1"))}<p:graphicFrame><a:tbl><a:tr><a:tc gridSpan="2">${line("wide")}</a:tc><a:tc hMerge="1"/></a:tr>
      <a:tr><a:tc>${line("left")}</a:tc><a:tc>${line("right")}</a:tc></a:tr></a:tbl></p:graphicFrame></p:sld>`,
    "ppt/slides/_rels/slide2.xml.rels": relations({ n: ["notesSlide", "../notesSlides/notesSlide1.xml"] }),
    "ppt/notesSlides/notesSlide1.xml": `<p:notes>${shape('<p:ph type="body"/>', line("Speak slowly."))}</p:notes>`,
  });
  expect(await shown(document)).toBe(
    [
      "## Slide 1",
      "",
      "### Plan",
      "",
      "- one",
      "  - two",
      "",
      "| wide |  |",
      "| --- | --- |",
      "| left | right |",
      "",
      "Notes: Speak slowly.",
      "",
      "## Slide 2 (hidden)",
      "",
      "Free text",
      "[This is the text of a presentation; write would replace the document by plain text.]",
    ].join("\n"),
  );
});

/** A presentation with one slide, and the files that it names. */
function slide(
  content: string,
  named: Parameters<typeof relations>[0],
  files: Readonly<Record<string, string>>,
): Uint8Array {
  return archive({
    "_rels/.rels": relations({ a: ["officeDocument", "ppt/presentation.xml"] }),
    "ppt/presentation.xml": '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="a"/></p:sldIdLst></p:presentation>',
    "ppt/_rels/presentation.xml.rels": relations({ a: ["slide", "slide.xml"] }),
    "ppt/slide.xml": `<p:sld>${content}</p:sld>`,
    "ppt/_rels/slide.xml.rels": relations(named),
    ...files,
  });
}

test("read shows the values of a slide's charts and the texts of its diagrams where they are", async () => {
  const points = (...values: readonly string[]): string =>
    values.map((value, index) => `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`).join("");
  const series = (name: string, ...values: readonly string[]): string =>
    `<c:ser><c:tx><c:strRef><c:strCache>${points(name)}</c:strCache></c:strRef></c:tx>
     <c:dLbls><c:dLbl><c:tx><c:rich><a:p><a:r><a:t>label</a:t></a:r></a:p></c:rich></c:tx></c:dLbl></c:dLbls>
     <c:cat><c:strCache>${points("North", "South")}</c:strCache></c:cat>
     <c:val><c:numCache><c:formatCode>0%</c:formatCode>${points(...values)}</c:numCache></c:val></c:ser>`;
  const title = (...texts: readonly string[]): string =>
    `<c:title><c:tx><c:rich><a:p>${texts.map((text) => `<a:r><a:t>${text}</a:t></a:r>`).join("")}</a:p></c:rich></c:tx></c:title>`;
  const document = slide(
    `<p:graphicFrame><a:graphicData><c:chart r:id="c"/></a:graphicData></p:graphicFrame>
     <p:graphicFrame><a:graphicData><dgm:relIds r:dm="d" r:lo="l"/></a:graphicData></p:graphicFrame>
     <p:sp><a:p><a:r><a:t>last</a:t></a:r></a:p></p:sp>`,
    { c: ["chart", "chart.xml"], d: ["diagramData", "diagram.xml"] },
    {
      "ppt/chart.xml": `<c:chart>${title("Sha", "re")}${series("2023", "0.1", "0.25")}${series("2024", "0.3")}<c:valAx>${title("of all")}</c:valAx></c:chart>`,
      "ppt/diagram.xml":
        '<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>first step</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:relIds r:dm="d"/></dgm:dataModel>',
    },
  );
  expect(await shown(document)).toContain(
    [
      "## Slide 1",
      "",
      "[chart: Share; of all]",
      ",North,South",
      "2023,10%,25%",
      "2024,30%",
      "",
      "first step",
      "",
      "last",
      "[",
    ].join("\n"),
  );
});

test("read shows the links of a slide, and no second version of what it shows", async () => {
  const document = slide(
    `<p:sp><p:cNvPr><a:hlinkClick r:id="x"/></p:cNvPr><a:p><a:r><a:rPr><a:hlinkClick r:id="x"/></a:rPr><a:t>the page</a:t></a:r><a:r><a:t>, please</a:t></a:r></a:p></p:sp>
     <mc:AlternateContent><mc:Choice><a:p><a:r><a:t>once</a:t></a:r></a:p></mc:Choice><mc:Fallback><a:p><a:r><a:t>twice</a:t></a:r></a:p></mc:Fallback></mc:AlternateContent>`,
    { x: ["hyperlink", "https://example.org/p"] },
    {},
  );
  expect(await shown(document)).toContain("## Slide 1\n\n[the page](https://example.org/p), please\n\nonce\n[");
});
