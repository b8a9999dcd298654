/** Scripts that run inside the page. They are text because the tests are compiled without the browser's types. */

/** Drags a small text file over the page or away from it, or drops it there. */
export function dragFile(event: "dragover" | "dragleave" | "drop"): string {
  return `{
    const data = new DataTransfer();
    data.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
    document.body.dispatchEvent(new DragEvent("${event}", { dataTransfer: data, bubbles: true, cancelable: true }));
  }`;
}

/** Pastes what a spreadsheet copies: cells as text, and a picture of them. */
export const PASTE_CELLS = `{
  const data = new DataTransfer();
  data.setData("text/plain", "a\\tb");
  data.items.add(new File(["picture"], "image.png", { type: "image/png" }));
  const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
  document.getElementById("composer").dispatchEvent(paste);
}`;

/** Number of lines that the text of the first table's first cell takes. */
export const LINES_OF_FIRST_CELL = `(() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector("td"));
  return range.getClientRects().length;
})()`;

/** Number of controls with neither a label nor text. */
export const NAMELESS_CONTROLS = `[...document.querySelectorAll("button, a, textarea, input:not([hidden])")]
  .filter((one) => (one.getAttribute("aria-label") ?? one.textContent).trim() === "" && one.querySelector("[aria-label], [alt]") === null)
  .length`;

/** Texts whose contrast with their background is lower than WCAG AA allows, with the contrast. */
export const WEAK_TEXTS = `(() => {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const luminance = (layers) => {
    for (const layer of layers) {
      context.fillStyle = layer;
      context.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data]
      .map((value) => value / 255)
      .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const groundsOf = (element) =>
    element === null ? ["#fff"] : [...groundsOf(element.parentElement), getComputedStyle(element).backgroundColor];
  return [...document.querySelectorAll("body *")].flatMap((element) => {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent).join("").trim();
    if (text === "" || !(element.offsetWidth > 1)) return [];
    const grounds = groundsOf(element);
    const [light, dark] = [luminance(grounds), luminance([...grounds, getComputedStyle(element).color])].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    return ratio < 4.5 ? [text + ": " + ratio.toFixed(2)] : [];
  });
})()`;
